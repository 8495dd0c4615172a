#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages of doc/reference: the program at the top of each prints what the page
says, and every function of the layers has a text.  t/bindings/api.t compares them."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, none, ok, read, run, skip
import julia
import lua
import rust

sys.path.insert(0, os.path.join(ROOT, "bindings"))
import layers

PYTHON = os.path.join(ROOT, "bindings", "python")
LIBRARY = os.path.join(BUILD, "src/.libs")
ENVIRONMENT = dict(os.environ, PLAIT_LIBRARY=LIBRARY + "/libplait.so", PYTHONPATH=PYTHON,
                   **lua.ENVIRONMENT)


def start(language):
    """(the program that a page begins with, what it says that it prints)"""
    text = re.search(r"```\w+\n(.*?)```", read("doc/reference/%s.md" % language), re.S).group(1)
    says = re.search(r"print\w*!?\(.*(?:#|--|//) (.*)$", text, re.M)
    return text, says.group(1) if says else "the sum is 499500"


def c_command(path):
    compiler = os.environ.get("CC", "cc").split()
    got = run([*compiler, "-I" + ROOT + "/include", path, "-o", path + ".out", "-L" + LIBRARY, "-lplait",
               "-Wl,-rpath," + LIBRARY])
    ok(got.returncode == 0, "it is compiled", got.stderr)
    return [path + ".out"]


def rust_command(path):
    said = rust.build()
    got = rust.compile(path, path + ".out")
    ok(not said and got.returncode == 0, "it is compiled", said, got.stderr)
    return [path + ".out"]


LANGUAGES = {
    "c": (".c", "a compiler", c_command),
    **{name: (".lua", there, lambda path, there=there: [there, path]) for name, there in lua.INTERPRETERS.items()},
    "python": (".py", sys.executable, lambda path: [sys.executable, path]),
    "rust": (".rs", rust.rustc, rust_command),
    "julia": (".jl", julia.julia, lambda path: julia.command(path)),
}

with tempfile.TemporaryDirectory() as work:
    for language, (suffix, there, command) in LANGUAGES.items():
        if not there:
            skip(julia.missing if language == "julia" else lua.missing(language) if suffix == ".lua" else
                 language + " is not there")
            continue
        if SANITIZER != "no":
            skip("the languages are not built with a sanitizer, the library is")
            continue
        text, says = start("lua" if suffix == ".lua" else language)
        path = os.path.join(work, "start" + suffix)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        got = run(command(path), env=dict(ENVIRONMENT, **(julia.environment("94") if language == "julia" else {})))
        ok(got.returncode == 0 and got.stdout.split() == says.split(),
           "the page for %s begins with what works" % language, got.stdout, got.stderr)

for language, of in layers.LAYERS.items():
    layer = of()
    members = [m for thing in layer.objects.values() for m in thing.members]
    ok(len(members) > 40, "%s: %d functions are found" % (language, len(members)))
    none(layer.undocumented(), "%s: each has a text" % language)
done()
