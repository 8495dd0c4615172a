#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Flows: one small program prints the same in each language."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, run, skip, skip_all
import julia
import rust

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


def rust_command():
    said, output = rust.build(), os.path.join(rust.OUT, "same")
    got = rust.compile(FOLDER + "/same.rs", output)
    ok(not said and got.returncode == 0, "rust: it is compiled", said, got.stderr)
    return [output]


def command(name):
    """Return how the program is started; None without the language."""
    if name == "python":
        return [sys.executable, FOLDER + "/same.py"]
    if name == "lua":
        return shutil.which("luajit") and ["luajit", FOLDER + "/same.lua"]
    if name == "julia":
        os.environ.update(julia.environment("flows"))
        return julia.julia and julia.command(FOLDER + "/same.jl")
    return rust.rustc and rust_command()


for name in ("python", "lua", "rust", "julia"):
    started = command(name)
    if not started:
        skip("there is no " + name)
        continue
    got = run(started)
    text = re.sub(r"after \d+", "after N", got.stdout)
    ok(text == WANTED, name, got.stdout, got.stderr)
done()
