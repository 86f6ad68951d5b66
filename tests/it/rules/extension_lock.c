/* An extension that takes advisory locks which no SQL function can take. It needs no headers of the
 * server: what it uses of them stands here, and MAJOR is given to the compiler. Sources:
 * fmgr.h (Pg_magic_struct), lock.h (LOCKTAG, LockAcquire), lockdefs.h (modes). */
#include <stdbool.h>
#include <stdint.h>

struct abi {
    int version, max_arguments, max_index_keys, name_length, float8_by_value;
#if MAJOR >= 15
    char extra[32];
#endif
};

#if MAJOR >= 18
struct magic { int length; struct abi abi; const char *name, *version; };
#define MAGIC(...) { sizeof(struct magic), { __VA_ARGS__ }, 0, 0 }
#else
struct magic { int length; struct abi abi; };
#define MAGIC(...) { sizeof(struct magic), { __VA_ARGS__ } }
#endif

const void *Pg_magic_func(void) {
#if MAJOR >= 15
    static const struct magic magic = MAGIC(MAJOR * 100, 100, 32, 64, 1, "PostgreSQL");
#else
    static const struct magic magic = MAGIC(MAJOR * 100, 100, 32, 64, 1);
#endif
    return &magic;
}

struct tag { uint32_t field1, field2, field3; uint16_t field4; uint8_t type, method; };

extern uint32_t MyDatabaseId;
extern int LockAcquire(const struct tag *tag, int mode, bool for_session, bool without_waiting);

enum { ADVISORY = 10, USER_LOCKS = 2, ACCESS_SHARE = 1, EXCLUSIVE = 7 };

static uintptr_t take(uint32_t database, uint16_t key_space, int mode) {
    struct tag tag = { database, 1, 42, key_space, ADVISORY, USER_LOCKS };
    LockAcquire(&tag, mode, true, false);
    return 0;
}

struct about { int version; };

#define FUNCTION(name, ...)                                                                       \
    const struct about *pg_finfo_##name(void) { static const struct about v1 = {1}; return &v1; } \
    uintptr_t name(void *call) { (void)call; return take(__VA_ARGS__); }

FUNCTION(lock_in_another_key_space, MyDatabaseId, 7, EXCLUSIVE)
FUNCTION(lock_in_another_mode, MyDatabaseId, 2, ACCESS_SHARE)
FUNCTION(lock_of_no_database, 0, 7, EXCLUSIVE)
