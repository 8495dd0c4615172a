#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Lua layer: its own tests, with the library of this build."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, run, skip_all, which

if SANITIZER != "no":
    skip_all("luajit is not built with a sanitizer, the library is")
luajit = which("luajit")
if not luajit:
    skip_all("no luajit")
LAYER = os.path.join(ROOT, "bindings", "lua")


def lua(*command, **more):
    return run([luajit, *command], env=dict(
        os.environ, PLAIT_LIBRARY=os.path.join(BUILD, "src/.libs/libplait.so"),
        LUA_PATH="%s/?.lua;%s/?/init.lua" % (LAYER, LAYER), **more))


for name, command in (("compiled", ()), ("interpreted", ("-joff",))):
    got = lua(*command, LAYER + "/tests/run.lua")
    for line in got.stdout.splitlines():
        match = re.match(r"(not )?ok \d+ - (.*)", line)
        if match:
            ok(not match.group(1), "%s: %s" % (name, match.group(2)), got.stdout[-2000:])
    ok(got.returncode == 0, name + ": it ends well", got.stdout[-2000:], got.stderr)
got = run([luajit, "-e", 'require "plait"'], env=dict(
    os.environ, PLAIT_LIBRARY="/nowhere/libplait.so", LUA_PATH="%s/?.lua;%s/?/init.lua" % (LAYER, LAYER)))
ok("/nowhere/libplait.so" in got.stderr and "set PLAIT_LIBRARY" in got.stderr,
   "a library that is missing: what was tried", got.stderr)
got = lua("-e", 'local p = require "plait"; local s = p.open(); local q = s.devices[1]:queue(); '
          'for i = 1, 100 do q:call(function() end) end; print "end"')
ok(got.returncode == 0 and got.stdout == "end\n", "exit with calls pending", got.stdout, got.stderr)
with open(LAYER + "/README.md", encoding="utf-8") as file:
    start = re.search(r"```lua\n(.*?)```", file.read(), re.S).group(1)
got = lua("-e", start)
ok(got.stdout == "2\t4\t6\n", "the start of README.md does what it says", got.stdout, got.stderr)
done()
