"""Asks the installed libpq whom it would log in as, and with which password.

Reads a JSON object a line: `variables` is the whole environment, `parameters` the list of [keyword, value]
for PQconnectStartParams, which expands `dbname`. Writes a JSON object a line: what libpq settled on, or
null where it refused before it chose a host. The hosts are to be directories without a socket, so that
nothing is waited for. Ends with status 3 when there is no libpq.
"""

import ctypes
import json
import os
import sys


def load():
    try:
        libpq = ctypes.CDLL("libpq.so.5")
    except OSError:
        sys.exit(3)
    strings = ctypes.POINTER(ctypes.c_char_p)
    libpq.PQconnectStartParams.argtypes = [strings, strings, ctypes.c_int]
    libpq.PQconnectStartParams.restype = ctypes.c_void_p
    libpq.PQfinish.argtypes = [ctypes.c_void_p]
    for name in ("PQuser", "PQdb", "PQhost", "PQport", "PQpass"):
        function = getattr(libpq, name)
        function.argtypes = [ctypes.c_void_p]
        function.restype = ctypes.c_char_p
    return libpq


def array(words):
    words = [word.encode() for word in words] + [None]
    return (ctypes.c_char_p * len(words))(*words)


def answer(libpq, question):
    os.environ.clear()
    os.environ.update(question["variables"])
    keywords, values = zip(*question["parameters"])
    connection = libpq.PQconnectStartParams(array(keywords), array(values), 1)
    ask = lambda name: (getattr(libpq, name)(connection) or b"").decode(errors="replace")
    settled = {"user": ask("PQuser"), "dbname": ask("PQdb"), "host": ask("PQhost"), "port": ask("PQport")}
    settled["password"] = ask("PQpass")
    libpq.PQfinish(connection)
    return settled if settled["host"] else None


def main():
    libpq = load()
    for line in sys.stdin:
        print(json.dumps(answer(libpq, json.loads(line))))


main()
