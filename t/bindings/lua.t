#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Lua layer: its own tests, with the library of this build."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, SANITIZER, done, ok, run, skip, skip_all
from lua import ENVIRONMENT, INTERPRETERS, LAYER, missing

if SANITIZER != "no":
    skip_all("the interpreters are not built with a sanitizer, the library is")
LIBRARY = os.path.join(BUILD, "src/.libs/libplait.so")
# How each starts; LuaJIT also without its compiler.
MODES = {"luajit": ("", "-joff"), "lua5.4": ("",)}


def check_layer(name, lua):
    """The layer's own tests."""
    got = lua(LAYER + "/tests/run.lua")
    for line in got.stdout.splitlines():
        match = re.match(r"(not )?ok \d+ - (.*)", line)
        if match:
            ok(not match.group(1), "%s: %s" % (name, match.group(2)), got.stdout[-2000:])
    ok(got.returncode == 0 and "1.." in got.stdout, name + ": it ends well", got.stdout[-2000:], got.stderr)


def check_search(name, lua):
    got = lua("-e", 'require "plait"', PLAIT_LIBRARY="/nowhere/libplait.so")
    ok("/nowhere/libplait.so" in got.stderr and "set PLAIT_LIBRARY" in got.stderr,
       name + ": a library that is missing: what was tried", got.stderr)
    got = lua("-e", 'require "plait".open {backend = "nothing"}')
    ok(got.returncode == 1 and "nothing" in got.stderr and "UNAVAILABLE" in got.stderr,
       name + ": a backend that is missing: what was tried", got.stderr)


def check_exit(name, lua):
    got = lua("-e", 'local p = require "plait"; local s = p.open(); local q = s.devices[1]:queue(); '
              'for i = 1, 100 do q:call(function() end) end; print "end"')
    ok(got.returncode == 0 and got.stdout == "end\n", name + ": exit with calls pending", got.stdout, got.stderr)
    got = lua("-e", """
local plait = require "plait"
local system = plait.open()
local device = system.devices[1]
local queue, buffer, graph = device:queue(), device:buffer(2 ^ 20), system:graph()
graph:call(function() end, {after = graph:fill(buffer, 1)})
local plan = graph:freeze {instances = 8}
for i = 1, 8 do plan:run(queue) end
print "end"
""")
    ok(got.returncode == 0 and got.stdout == "end\n", name + ": exit with runs on their way", got.stdout, got.stderr)


def check_fork(name, lua):
    got = lua("-e", """
local plait = require "plait"
local ffi = plait.ffi
ffi.cdef "int fork(void); int waitpid(int, int *, int); void _exit(int);"
local device = plait.open().devices[1]
local child = ffi.C.fork()
if child == 0 then
  local good, problem = pcall(device.buffer, device, 4)
  print("told: " .. tostring(problem))
  io.stdout:flush()
  ffi.C._exit(good and 1 or 0)
end
local status = ffi.new "int[1]"
ffi.C.waitpid(child, status, 0)
print(status[0], device:buffer(4).bytes)
""")
    ok(re.match(r"told: .*fork.*\n0\t4\n$", got.stdout), name + ": a child's call fails, its parent goes on",
       got.stdout, got.stderr)


def check_readme(name, lua):
    with open(LAYER + "/README.md", encoding="utf-8") as file:
        start = re.search(r"```lua\n(.*?)```", file.read(), re.S).group(1)
    got = lua("-e", start)
    ok(got.stdout == "2\n4\n6\n", name + ": the start of README.md does what it says", got.stdout, got.stderr)


def check_thread(name, lua):
    got = lua(LAYER + "/tests/thread.lua")
    ok(re.match(r"told: .*belongs to thread.*\(PLAIT_E_THREAD\)\nadopted: 1 ran\nleft: 0\n$", got.stdout),
       name + ": a state on another thread is told so, or adopts", got.stdout, got.stderr)


for name, path in INTERPRETERS.items():
    if not path:
        skip(missing(name))
        continue
    for mode in MODES[name]:
        def lua(*command, **more):
            return run([path, *mode.split(), *command],
                       env=dict(os.environ, **{"PLAIT_LIBRARY": LIBRARY, **ENVIRONMENT, **more}))
        for check in check_layer, check_search, check_exit, check_fork, check_readme, check_thread:
            check((name + " " + mode).strip(), lua)
done()
