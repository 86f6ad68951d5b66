"""Asks the installed libpq how it reads connection strings.

Reads one string a line, in hexadecimal. The first line written is libpq's version number; then comes a
line for each string: `refused`, or the words it found as name=value, the value in hexadecimal.
Ends with status 3 when there is no libpq.
"""

import ctypes
import sys


class Option(ctypes.Structure):
    """PQconninfoOption of libpq-fe.h."""

    _fields_ = [(name, ctypes.c_char_p) for name in ("keyword", "envvar", "compiled", "val", "label", "dispchar")]
    _fields_.append(("dispsize", ctypes.c_int))


def load():
    try:
        libpq = ctypes.CDLL("libpq.so.5")
    except OSError:
        sys.exit(3)
    libpq.PQconninfoParse.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]
    libpq.PQconninfoParse.restype = ctypes.POINTER(Option)
    libpq.PQconninfoFree.argtypes = [ctypes.POINTER(Option)]
    libpq.PQfreemem.argtypes = [ctypes.c_void_p]
    return libpq


def answer(libpq, text):
    complaint = ctypes.c_char_p()
    options = libpq.PQconninfoParse(text, ctypes.byref(complaint))
    if not options:
        libpq.PQfreemem(complaint)
        return "refused"
    found = []
    for option in options:
        if option.keyword is None:
            break
        if option.val is not None:
            found.append(f"{option.keyword.decode()}={option.val.hex()}")
    libpq.PQconninfoFree(options)
    return " ".join(sorted(found))


def main():
    libpq = load()
    print(libpq.PQlibVersion())
    for line in sys.stdin:
        print(answer(libpq, bytes.fromhex(line)))


main()
