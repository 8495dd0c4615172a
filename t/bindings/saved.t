#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Plans cross processes and languages: each language saves one, and each runs all of them."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, run, skip, skip_all
import julia
import lua
import rust

if SANITIZER != "no":
    skip_all("the languages are not built with a sanitizer, the library is")
HERE = os.path.join(ROOT, "t/bindings/saved/saved.")
PYTHON = os.path.join(ROOT, "bindings", "python")
ENVIRONMENT = dict(os.environ, PLAIT_LIBRARY=os.path.join(BUILD, "src/.libs/libplait.so"),
                   PYTHONPATH=PYTHON, PLAIT_BACKEND="host", **lua.ENVIRONMENT)
NAMES = ("kernel:saxpy:0 buffer:x:0 buffer:y:0 signal:done:0 function:more:0 function:note:0 "
         "device:host:0:1")
CALLS = {"python": "plan.bind_kernel", "luajit": "plan:bind_kernel", "lua5.4": "plan:bind_kernel", "rust": "Plan::bind_kernel",
         "julia": "bind!(plan, kernel)"}


def rust_command():
    said, output = rust.build(), os.path.join(rust.OUT, "saved")
    got = rust.compile(HERE + "rs", output)
    ok(not said and got.returncode == 0, "rust: it is compiled", said, got.stderr)
    return [output]


def commands():
    """Return {language: command}; missing languages are skipped."""
    found = {"python": [sys.executable, HERE + "py"]}
    for name, path in lua.INTERPRETERS.items():
        if path:
            found[name] = [path, HERE + "lua"]
    if rust.rustc:
        found["rust"] = rust_command()
    if julia.julia:
        found["julia"] = julia.command(HERE + "jl")
        ENVIRONMENT.update(julia.environment("saved"))
    for name in CALLS:
        if name not in found:
            skip(lua.missing(name) if name in lua.INTERPRETERS else name + " is not there")
    return found


languages = commands()
with tempfile.TemporaryDirectory() as work:
    for saver, command in languages.items():
        path = os.path.join(work, saver)
        got = run([*command, "save", path], env=ENVIRONMENT)
        ok(got.returncode == 0 and os.path.exists(path), saver + " saves a plan", got.stdout, got.stderr)
        for runner, other in languages.items():
            got = run([*other, "run", path], env=ENVIRONMENT)
            lines = got.stdout.splitlines() + ["", "", ""]
            ok(got.returncode == 0 and lines[2] == "6 12 note 1", "%s runs what %s saved" % (runner, saver),
               got.stdout, got.stderr)
            ok(lines[0] == NAMES, "and lists its names", got.stdout)
            ok("not bound: call " + CALLS[runner] in lines[1] and "plait_plan" not in lines[1],
               "an error names its own call", lines[1])
done()
