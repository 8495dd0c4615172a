#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Flows: one small program prints the same in Python and in LuaJIT."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, run, skip, skip_all

if SANITIZER != "no":
    skip_all("languages are not built with a sanitizer, the library is")
os.environ["PLAIT_LIBRARY"] = os.path.join(BUILD, "src/.libs/libplait.so")
os.environ["PYTHONPATH"] = os.path.join(ROOT, "bindings/python")
LUA = os.path.join(ROOT, "bindings/lua")
os.environ["LUA_PATH"] = "%s/?.lua;%s/?/init.lua" % (LUA, LUA)
FOLDER = os.path.join(ROOT, "t/bindings/flows")
WANTED = """27 1 3 6 7 6 3 1 0
9 5
failed
poisoned
2
0-4 4-7 7-10
after N "late": reads x [2, 4), which it wrote
"""


def output(*command):
    got = run(command)
    return re.sub(r"after \d+", "after N", got.stdout), got.stderr


for name, command in (("python", [sys.executable, FOLDER + "/same.py"]), ("lua", ["luajit", FOLDER + "/same.lua"])):
    if name == "lua" and shutil.which("luajit") is None:
        skip("there is no luajit")
        continue
    text, error = output(*command)
    ok(text == WANTED, name, text, error)
done()
