#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sizes of files and functions, which stay small enough to be read at once.
`t/lint/sizes.t --report` prints the figures instead."""
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import done, none, ok, read, sources, without_comments

FILE_LINES, HEADER_LINES, PUBLIC_LINES = 600, 400, 600
FUNCTION_LINES, DEPTH, COLUMNS = 60, 4, 100


def limit(path):
    if path.startswith("include/"):
        return PUBLIC_LINES
    return HEADER_LINES if path.endswith(".h") else FILE_LINES


def functions(text):
    """(line, length, depth) of each function: braces alone in column 0."""
    start, depth, deepest, found = 0, 0, 0, []
    previous = ""
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if line.startswith("{") and depth == 0 and previous.rstrip().endswith(")"):
            start, deepest = number, 0
        depth += line.count("{") - line.count("}")
        deepest = max(deepest, depth)
        if line.startswith("}") and start:
            # The body is one level; what is deeper than that is nesting.
            found.append((start, number - start + 1, deepest - 1))
            start = 0
        if line.strip():
            previous = line
    return found


files = sources("src", "plugins", "tools", "examples", "bench", "bindings", "include", "t")
texts = {p: read(p) for p in files}
every = [(p, f) for p in files for f in functions(texts[p])]

if "--report" in sys.argv:
    for top in ("src", "plugins", "tools", "t"):
        lengths = sorted(f[1] for p, f in every if p.startswith(top + "/"))
        lines = sorted(texts[p].count("\n") for p in files if p.startswith(top + "/"))
        if lengths:
            print("%-8s files %3d median %3d max %4d; functions %4d median %2d p90 %2d max %2d" % (
                top, len(lines), statistics.median(lines), lines[-1], len(lengths),
                statistics.median(lengths), lengths[len(lengths) * 9 // 10], lengths[-1]))
    sys.exit(0)

ok(functions("int f(void)\n{\n\tif (1) {\n\t\tx();\n\t}\n}\n") == [(2, 5, 1)],
   "a function is measured")
none(["%s: %d lines" % (p, t.count("\n")) for p, t in texts.items() if t.count("\n") > limit(p)],
     "files: %d lines, headers %d, public headers %d" % (FILE_LINES, HEADER_LINES, PUBLIC_LINES))
none(["%s:%d: %d lines" % (p, f[0], f[1]) for p, f in every if f[1] > FUNCTION_LINES],
     "functions: %d lines" % FUNCTION_LINES)
none(["%s:%d: %d levels" % (p, f[0], f[2]) for p, f in every if f[2] > DEPTH],
     "nesting: %d levels" % DEPTH)
none(["%s:%d" % (p, i) for p, t in texts.items() for i, line in enumerate(t.splitlines(), 1)
      if len(line.expandtabs(8)) > COLUMNS], "lines: %d columns" % COLUMNS)
lengths = [f[1] for p, f in every if p.startswith(("src/", "plugins/"))]
ok(not lengths or statistics.median(lengths) < 15, "half of the functions are short")
done()
