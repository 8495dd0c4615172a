#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""The Julia layer: its own tests, with the library of this build."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, none, ok, read, run, skip_all
import julia

if SANITIZER != "no":
    skip_all("julia is not built with a sanitizer, the library is")
if julia.missing:
    skip_all(julia.missing)
ENVIRONMENT = dict(os.environ, PLAIT_LIBRARY=os.path.join(BUILD, "src/.libs/libplait.so"),
                   **julia.environment("99"))


def start(*arguments, how=julia.QUICK, **more):
    return run(julia.command(*arguments, how=how), env=dict(ENVIRONMENT, **more))


# --- the layer's own tests: as it is, and in a long run compiled
for threads, how in (("2", julia.QUICK),) + (("1", []), ("2", [])) * bool(julia.SOAK):
    got = start(julia.LAYER + "/Plait/test/runtests.jl", how=how, JULIA_NUM_THREADS=threads)
    for failed, name, why in re.findall(r"^(not )?ok \d+ - (.*)\n((?:#   .*\n)*)", got.stdout, re.M):
        ok(not failed, "%s threads%s: %s" % (threads, "" if how else ", compiled", name), why)
    ok(got.returncode == 0, "it ends well", got.stdout[-2000:], got.stderr[-2000:])
known = set(read("t/abi/structs.txt").splitlines())
lines = [line[2:] for line in got.stdout.splitlines() if line.startswith(("# plait_", "#   plait_"))]
ok(len(lines) > 300, "structs are found")
none([line for line in lines if line not in known], "and lie as in C")

# --- the library
got = start("-e", "using Plait; System()", PLAIT_LIBRARY="/nowhere/libplait.so")
ok("/nowhere/libplait.so" in got.stderr and "set PLAIT_LIBRARY" in got.stderr,
   "a library that is missing: what was tried", got.stderr)
got = start("-e", "using Plait; System()", PLAIT_LIBRARY="libm.so.6")
ok("libm.so.6 has no plait_" in got.stderr, "a library that is another one", got.stderr)

# --- processes
got = start("-e", """
using Plait
s = System()
q = Queue(s.devices[1])
b = buffer(s.devices[1], UInt8, 2^20)
for i in 1:100
    fill!(q, b, i)
end
for i in 1:100
    call!(() -> nothing, q)
end
println("end")
""")
ok(got.returncode == 0 and got.stdout == "end\n", "exit with work on its way", got.stdout, got.stderr)
got = start("-e", """
using Plait
s = System()
device = s.devices[1]
queue, held, gate = Queue(device), Queue(device), Signal(device; gate=true)
graph = Graph(s)
call!(() -> println("never"), graph; after=fill!(graph, buffer(device, UInt8, 2^20), 1))
plan = freeze(graph; instances=8)
wait!(held, gate, 1)
runs = [run(plan, held); [run(plan, queue) for _ in 1:7]]
println("end")
""")
ok(got.returncode == 0 and got.stdout == "end\n", "exit with runs on their way", got.stdout, got.stderr)
# Julia writes compiled code to memory that the child would share: all that is
# called behind the fork was called, or compiled, before.
got = start("-e", """
using Plait
fork() = ccall(:fork, Cint, ())
leave() = ccall(:_exit, Cvoid, (Cint,), 0)
wait_for(pid) = ccall(:waitpid, Cint, (Cint, Ptr{Cvoid}, Cint), pid, C_NULL, 0)
say(text) = ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), 1, text, sizeof(text))
function try_it(device, bytes)
    text = try
        buffer(device, UInt8, bytes)
        "nothing"
    catch problem
        sprint(showerror, problem)
    end
    say("told: $text\n")
end
function both(device, fork)
    pid = fork()
    if pid == 0
        try_it(device, 4)
        leave()
    end
    wait_for(pid)
end
device = System().devices[1]
try_it(device, 2^60)
precompile(leave, ())
precompile(fork, ())
both(device, () -> Cint(-1))
both(device, fork)
""", JULIA_NUM_THREADS="1")
ok("told:" in got.stdout and "fork" in got.stdout, "a child is told", got.stdout, got.stderr)

# --- the documentation
example = re.search(r"```julia\n(.*?)```", read("bindings/julia/README.md"), re.S).group(1)
got = start("-e", example)
ok(got.stdout == "Float32[3.0, 3.0, 3.0]\n", "the start of README.md does what it says",
   got.stdout, got.stderr)
done()
