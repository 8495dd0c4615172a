#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Worlds: one small program of two processes prints the same in each language."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import SANITIZER, done, ok, skip, skip_all
import languages
import lua

if SANITIZER != "no":
    skip_all("languages are not built with a sanitizer, the library is")
WANTED = """2 ranks 1 machine
called: 3 5 7 9
submitted: 6 10 14 18
in a graph: 12 20 28 36
shared: 3
refused: True
reached: True
"""


def start(command, rank, language):
    options = "shm:rank=%d,ranks=2,name=worlds%d%s" % (rank, os.getpid(), language)
    return subprocess.Popen(command, env=dict(os.environ, PLAIT_TRANSPORT="shm", PLAIT_OPTIONS=options),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


for language in ("python", *lua.INTERPRETERS, "rust", "julia"):
    command = languages.command(language, "worlds")
    if not command:
        skip(lua.missing(language) if language in lua.INTERPRETERS else "there is no " + language)
        continue
    ranks = [start(command, i, language.replace(".", "")) for i in range(2)]
    said = [rank.communicate() for rank in ranks]
    ok(all(out == WANTED for out, _ in said) and not any(rank.returncode for rank in ranks), language, said)
done()
