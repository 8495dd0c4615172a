#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The module plait.ffi of Lua 5.4: its own tests, and one seed more."""
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import SANITIZER, done, ok, run, skip_all
from lua import ENVIRONMENT, INTERPRETERS, LAYER, missing

if SANITIZER != "no":
    skip_all("lua5.4 is not built with a sanitizer, the module is")
if not INTERPRETERS["lua5.4"]:
    skip_all(missing("lua5.4"))
for seed in 1, int(os.environ.get("SEED", random.randrange(2 ** 31))):
    got = run([INTERPRETERS["lua5.4"], LAYER + "/tests/ffi.lua", str(seed)], env=dict(os.environ, **ENVIRONMENT))
    for line in got.stdout.splitlines():
        match = re.match(r"(not )?ok \d+ - (.*)", line)
        if match:
            ok(not match.group(1), match.group(2), got.stdout[-1000:])
    ok(got.returncode == 0 and re.search(r"^1\.\.\d+$", got.stdout, re.M), "seed %d: it ends well" % seed,
       got.stdout[-1000:], got.stderr)
done()
