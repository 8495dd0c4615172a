#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/tutorial.md: its blocks of C, one after the other, are a program that builds
without a warning and prints what the page says, on every backend; its commands
work."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, none, ok, read, run, skip, which

WAYS = [
    {"PLAIT_BACKEND": "host"},
    {"PLAIT_BACKEND": "host", "PLAIT_WORKERS": "0"},
    {"PLAIT_BACKEND": "host", "PLAIT_WRAP": "check,trace"},
    {"PLAIT_BACKEND": "chaos"},
    {"PLAIT_BACKEND": "chaos", "PLAIT_REGIONS": "0"},
]


def blocks(kind):
    return re.findall(r"^```%s\n(.*?)^```$" % kind, PAGE, re.M | re.S)


def build(compiler, work):
    program = os.path.join(work, "tutorial-" + os.path.basename(compiler[0]))
    built = run(compiler + ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "tutorial.c",
                            "-I" + ROOT + "/include", "-L" + BUILD + "/src/.libs", "-lplait",
                            "-Wl,-rpath," + BUILD + "/src/.libs", "-o", program], cwd=work)
    ok(built.returncode == 0, "it builds without a warning: %s" % " ".join(compiler), built.stderr)
    return program if built.returncode == 0 else None


def try_program(program, work):
    for way in WAYS:
        # PLAIT_WRAP=trace writes its file where the program runs.
        got = run([program], cwd=work, env=dict(ENVIRONMENT, PLAIT_CACHE_DIR=work, **way))
        ok(got.returncode == 0 and got.stdout == "".join(blocks("output")) and not got.stderr,
           "it prints what the page says: %s" % " ".join("%s=%s" % w for w in way.items()),
           got.returncode, got.stdout, got.stderr)


def try_commands(work):
    tools = os.path.join(BUILD, "tools/plait")
    for block in blocks("sh"):
        got = run(["sh", "-eu", "-c", block], cwd=work,
                  env=dict(ENVIRONMENT, PLAIT_BACKEND="host", PATH=tools + ":" + os.environ["PATH"]))
        ok(got.returncode == 0 and not got.stderr, "the commands work", block, got.stdout, got.stderr)
    with open(os.path.join(work, "rod.svg"), encoding="utf-8") as file:
        ok("spread" in file.read(), "the picture has the kernel's name")


PAGE = read("doc/tutorial.md")
ENVIRONMENT = {k: v for k, v in os.environ.items()
               if not k.startswith("PLAIT_") or k == "PLAIT_PLUGIN_PATH"}
none(sorted(set(re.findall(r"^```(\w+)$", PAGE, re.M)) - {"c", "output", "sh"}),
     "each block is C, its output, or commands")
if SANITIZER != "no":
    skip("programs of users are built without a sanitizer")
    done()
with tempfile.TemporaryDirectory(prefix="plait-test-") as work:
    with open(os.path.join(work, "tutorial.c"), "w", encoding="utf-8") as file:
        file.write("".join(blocks("c")))
    for compiler in (os.environ.get("CC", "cc").split(), ["clang"]):
        if not which(compiler[0]):
            skip("no " + compiler[0])
            continue
        program = build(compiler, work)
        if program and compiler[0] != "clang":
            try_program(program, work)
            try_commands(work)
done()
