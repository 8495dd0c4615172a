#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Report of t/lib/coverage.py on a known program."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import ROOT, done, ok, run, skip_all, which

COMPILER = os.environ.get("CC", "gcc").split()
SCRIPT = os.path.join(ROOT, "t", "lib", "coverage.py")
if not which("gcov") or "clang" in COMPILER[-1]:
    skip_all("gcov reads what gcc writes")

FIRST = """int second(int x);
static int helper(int x) { return x + 1; }
static int idle(int x) { return x + 2; }
int (*keep)(int) = idle;
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return idle(argc);
	return helper(second(-1));
}
"""
# Of the same name as one that is called elsewhere.
SECOND = """static int helper(int x) { return x; }
int (*kept)(int) = helper;
int second(int x) { return x; }
"""


def report(folder):
    return run([sys.executable, SCRIPT, os.path.join(folder, "build", "lane")])


with tempfile.TemporaryDirectory() as folder:
    below = os.path.join(folder, "build", "lane", "src")
    os.makedirs(below)
    os.mkdir(os.path.join(folder, "src"))
    got = report(folder)
    ok(got.returncode != 0 and got.stdout == "", "nothing to say is a failure", got.stdout, got.stderr)
    for name, text in (("first", FIRST), ("second", SECOND)):
        with open(os.path.join(folder, "src", name + ".c"), "w", encoding="utf-8") as file:
            file.write(text)
        made = run([*COMPILER, "-O0", "--coverage", "-c", "../../../src/%s.c" % name, "-o", name + ".o"], cwd=below)
        ok(made.returncode == 0, name + " compiles", made.stderr)
    got = report(folder)
    ok(got.returncode == 0 and got.stdout.count("lines   0.0 %") == 2 and got.stdout.count("not called") == 5,
       "before anything has run", got.stdout, got.stderr)
    made = run([*COMPILER, "--coverage", "first.o", "second.o", "-o", "program"], cwd=below)
    ok(made.returncode == 0 and run([os.path.join(below, "program")]).returncode == 0, "it runs", made.stderr)
    got = report(folder)
    ok([line.split("(")[1][:-1] for line in got.stdout.splitlines() if "not called" in line] ==
       ["src/first.c:3", "src/second.c:1"], "what was not called", got.stdout, got.stderr)
    ok("src/first.c " in got.stdout and "lines  66.7 %  branches  50.0 %" in got.stdout, "how much of it ran",
       got.stdout)
done()
