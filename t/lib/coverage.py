#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py BUILD: coverage of a build with --enable-coverage so far, lines and
branches of each source file, and each function that nothing has called."""
import json
import os
import subprocess
import sys

PARTS = ("src", "plugins", "tools")
BUILD = os.path.abspath(sys.argv[1])


def objects():
    """What the compiler noted of each object; with what ran, where it did."""
    for part in PARTS:
        for folder, _, names in os.walk(os.path.join(BUILD, part)):
            for name in sorted(names):
                if name.endswith(".gcno"):
                    ran = os.path.join(folder, name[:-len("gcno")] + "gcda")
                    yield ran if os.path.exists(ran) else os.path.join(folder, name)


def sources(path):
    """(source file below the root, what is known of it) of one object."""
    got = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", path],
                         cwd=BUILD, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    for line in got.stdout.splitlines():
        known = json.loads(line)
        for file in known["files"]:
            name = os.path.join(known["current_working_directory"], file["file"])
            name = os.path.relpath(name, os.path.join(BUILD, "..", ".."))
            if name.split(os.sep)[0] in PARTS:
                yield name, file


def add(where, key, count):
    """An object is built once for each that links it, a header for more."""
    where[key] = where.get(key, 0) + count


def share(name, counts):
    of_file = [count for key, count in counts.items() if key[0] == name]
    return "%5.1f" % (100 * sum(count > 0 for count in of_file) / len(of_file)) if of_file else "    -"


lines, branches, functions = {}, {}, {}
for path in objects():
    for name, file in sources(path):
        for line in file["lines"]:
            add(lines, (name, line["line_number"]), line["count"])
            for i, branch in enumerate(line["branches"]):
                add(branches, (name, line["line_number"], i), branch["count"])
        for function in file["functions"]:
            add(functions, (name, function["start_line"], function["name"]), function["execution_count"])

for name in sorted({key[0] for key in lines}):
    print("    %-36s lines %s %%  branches %s %%" % (name, share(name, lines), share(name, branches)))
for name, line, function in sorted(key for key, count in functions.items() if count == 0):
    print("    not called: %s (%s:%d)" % (function, name, line))
sys.exit(0 if lines else 1)
