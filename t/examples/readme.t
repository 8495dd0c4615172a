#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program that README.md prints, as it is printed, and examples/first:
they build without a warning and say what they ought to, on every backend."""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, none, ok, read, run, skip

WAYS = [
    {"PLAIT_BACKEND": "host"},
    {"PLAIT_BACKEND": "chaos"},
    {"PLAIT_BACKEND": "chaos", "PLAIT_OPTIONS": "chaos:seed=7"},
    {"PLAIT_BACKEND": "host", "PLAIT_WORKERS": "0"},
    {"PLAIT_BACKEND": "host", "PLAIT_SYNC": "1"},
    {"PLAIT_BACKEND": "host", "PLAIT_WRAP": "check,trace"},
    {"PLAIT_BACKEND": "chaos,host", "PLAIT_WRAP": "check"},
    {},
]
REFUSED = [
    ({"PLAIT_BACKEND": "cuda9"}, "plugin cuda9: no plait_cuda9.so in "),
    ({"PLAIT_BACKEND": "host,cuda9"}, "plugin cuda9: no plait_cuda9.so in "),
    ({"PLAIT_BACKEND": "null"}, "null: a template, it has no devices"),
    ({"PLAIT_WRAP": "cuda9"}, "plugin cuda9: no plait_cuda9.so in "),
    ({"PLAIT_WORKERS": "many"}, 'PLAIT_WORKERS="many" is not a number'),
]


def called(way):
    return " ".join("%s=%s" % w for w in way.items()) or "no variable set"


def start(program, way, *arguments, cwd=None):
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith("PLAIT_") or k == "PLAIT_PLUGIN_PATH"}
    return run([program, *arguments], env=dict(environment, **way), cwd=cwd)


def try_all(program, name, expected):
    for way in WAYS:
        got = start(program, way)
        ok(got.returncode == 0 and not got.stderr and re.fullmatch(expected, got.stdout),
           "%s, %s" % (name, called(way)), got.returncode, got.stdout, got.stderr)
    for way, text in REFUSED:
        got = start(program, way)
        ok(got.returncode == 1 and text in got.stderr,
           "%s, %s is an error" % (name, called(way)), got.returncode, got.stdout, got.stderr)


def from_another_folder():
    """heat, compiled as README.md says, in a folder that is not the tree's."""
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, "heat")
        library = os.path.join(BUILD, "src/.libs")
        built = run(os.environ.get("CC", "cc").split() + [
            "-I" + os.path.join(ROOT, "include"), "-I" + os.path.join(BUILD, "include"),
            os.path.join(ROOT, "examples/heat.c"), os.path.join(ROOT, "examples/program.c"), "-L" + library,
            "-Wl,-rpath," + library, "-lplait", "-lm", "-o", program])
        ok(built.returncode == 0 and not built.stderr, "examples/heat.c is compiled", built.stderr)
        environment = {k: v for k, v in os.environ.items() if k not in ("EXAMPLES", "PLAIT_BACKEND")}
        got = run([program], cwd=work, env=environment)
        ok(got.returncode == 1 and "set the variable EXAMPLES" in got.stderr, "elsewhere it says what to do",
           got.returncode, got.stderr)
        for folder, more in (work, {"EXAMPLES": ROOT + "/examples"}), (ROOT, {}), (ROOT + "/examples", {}):
            got = run([program], cwd=folder, env=dict(environment, **more))
            ok(got.returncode == 0 and got.stdout, "it runs in %s" % (os.path.basename(folder) if not more else "any"),
               got.returncode, got.stderr)


if SANITIZER == "no":
    from_another_folder()
blocks = re.findall(r"^```c\n(.*?)^```$", read("README.md"), re.M | re.S)
ok(len(blocks) == 1, "README.md prints one program")
if SANITIZER != "no":
    skip("the compiler's line in README.md knows no sanitizer")
else:
    folder = tempfile.mkdtemp(prefix="plait-test-")
    try:
        with open(folder + "/hello.c", "w", encoding="utf-8") as file:
            file.write(blocks[0])
        built = run(os.environ.get("CC", "cc").split() + [
            "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "hello.c", "-I" + ROOT + "/include",
            "-L" + BUILD + "/src/.libs", "-lplait", "-Wl,-rpath," + BUILD + "/src/.libs",
            "-o", "hello"], cwd=folder)
        if ok(built.returncode == 0, "it builds as printed, without a warning", built.stderr):
            try_all(folder + "/hello", "README.md", r"the sum is 499500\n")
    finally:
        shutil.rmtree(folder)

drawn = start(os.path.join(BUILD, "tools/plait/plait"), {"PLAIT_BACKEND": "host"},
              "plan", os.path.join(ROOT, "examples/first.graph"), "--svg")
ok(drawn.stdout == read("doc/first.svg"),
   "doc/first.svg is what `plait plan examples/first.graph --svg` prints", drawn.stderr)

folder = tempfile.mkdtemp(prefix="plait-test-")
try:
    lines = re.findall(r"^plait (coll (?:compile|run|draw) .*?)(?: +#.*)?$", read("README.md"), re.M)
    for line in lines:
        words, _, target = line.partition(" > ")
        got = start(os.path.join(BUILD, "tools/plait/plait"), {"PLAIT_BACKEND": "host"}, *words.split(),
                    cwd=folder)
        ok(got.returncode == 0, "plait " + line, got.stderr)
    ok(len(lines) == 3 and target == "ring.svg" and got.stdout == read("doc/ring.svg"),
       "doc/ring.svg is what the last of these prints", lines)
finally:
    shutil.rmtree(folder)

try_all(os.path.join(BUILD, "examples/first"), "first",
        r"(host|chaos):0 \(.+\): filled, copied and added 1000 numbers: 42000\n")
done()
