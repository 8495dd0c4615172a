#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The headers in ffi.cdef of LuaJIT and of plait.ffi, without directives and marks: its layout
of every struct is the compiler's, and the library can be called through it."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, run, skip
import headers
import lua

LUA = """
local ffi = require(jit and "ffi" or "plait.ffi")
local file = assert(io.open(arg[1])); local text = file:read("*a"); file:close()
ffi.cdef(text)
for line in io.lines(arg[2]) do
  local name, size = line:match("^(plait_%S+) size (%d+)")
  if name then assert(ffi.sizeof(name) == tonumber(size), name) end
  local owner, field, offset = line:match("^  (plait_[%w_]+)%.(%S+) at (%d+)")
  if owner then assert(ffi.offsetof(owner, field) == tonumber(offset), field) end
end
if arg[3] then
  local plait = ffi.load(arg[3])
  assert(plait.plait_abi() >= 1)
  assert(#ffi.string(plait.plait_version()) > 0)
  for name in arg[4]:gmatch("%S+") do
    assert(plait.plait_sizeof(name) == ffi.sizeof(name), name .. " in plait_sizeof")
  end
  assert(plait.plait_sizeof("nothing") == 0)
end
print "fine"
"""

structs = [d.name for d in headers.everything() if d.kind == "struct" and d.header not in ("plugin", "services", "transport", "work", "memory")]


def check(name, path, work):
    if name != "luajit" and SANITIZER != "no":
        skip("lua5.4 is not built with a sanitizer, the module is")
        return
    script, text = os.path.join(work, "x.lua"), os.path.join(work, "x.h")
    with open(script, "w") as file:
        file.write(LUA)
    with open(text, "w") as file:
        file.write(headers.cdef())
    command = [path, script, text, os.path.join(ROOT, "t/abi/structs.txt")]
    environment = dict(os.environ, **lua.ENVIRONMENT)
    result = run(command, env=environment)
    ok("fine" in result.stdout, name + ": ffi.cdef reads all headers and agrees on structs", result.stderr)
    if SANITIZER != "no":
        skip("luajit is not built with a sanitizer, the library is")
        return
    result = run([*command, os.path.join(BUILD, "src/.libs/libplait.so"), " ".join(structs)], env=environment)
    ok("fine" in result.stdout, name + ": the library answers, plait_sizeof too", result.stderr)


with tempfile.TemporaryDirectory() as work:
    for name, path in lua.INTERPRETERS.items():
        if path:
            check(name, path, work)
        else:
            skip(lua.missing(name))
done()
