#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sizes and offsets of every public struct, against the table checked in.
After a change that is meant:  t/abi/structs.t --update
(a struct that was released only ever grows at its end).

And the least sizes that are taken, which are not those of today, but numbers in
src/base/min_struct_sizes.h: each struct of the API has one, which is where one of its
members ends, and all that reads or writes such structs goes by it."""
import glob
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import ROOT, done, ok, run, skip, which
import headers

TABLE = os.path.join(ROOT, "t/abi/structs.txt")
structs = [d for d in headers.everything() if d.kind == "struct"]


def program():
    lines = ["#include <stddef.h>", "#include <stdio.h>",
             '#include "plait/plait.h"', '#include "plait/plugin.h"',
             "int main(void)", "{"]
    for s in structs:
        lines.append('printf("%s size %%zu align %%zu\\n", sizeof(struct %s), _Alignof(struct %s));'
                     % (s.name, s.name, s.name))
        for f in s.fields:
            lines.append('printf("  %s.%s at %%zu bytes %%zu\\n", offsetof(struct %s, %s), '
                         'sizeof(((struct %s *)0)->%s));'
                         % (s.name, f.name, s.name, f.name, s.name, f.name))
    return "\n".join(lines + ["return 0;", "}", ""])


def table(compiler, flags):
    with tempfile.TemporaryDirectory() as work:
        source, binary = os.path.join(work, "x.c"), os.path.join(work, "x")
        with open(source, "w") as file:
            file.write(program())
        result = run([compiler, "-std=c11", *flags, "-I" + os.path.join(ROOT, "include"),
                      source, "-o", binary])
        if result.returncode:
            return None, result.stderr
        return run([binary]).stdout, ""


def difference(got, want):
    return ["+ " + l for l in got.splitlines() if l not in want.splitlines()] + \
           ["- " + l for l in want.splitlines() if l not in got.splitlines()]


if "--update" in sys.argv:
    got, trouble = table("gcc", [])
    if got is None:
        sys.exit(trouble)
    with open(TABLE, "w") as file:
        file.write(got)
    sys.exit(0)

with open(TABLE) as file:
    want = file.read()
for compiler in ("gcc", "clang"):
    if not which(compiler):
        skip("no " + compiler)
        continue
    for flags in ([], ["-fshort-enums"], ["-O2", "-fpack-struct=8"]):
        got, trouble = table(compiler, flags)
        what = " ".join([compiler, *flags])
        if ok(got is not None, what + " compiles the table", trouble):
            ok(got == want, what + " agrees with t/abi/structs.txt", *difference(got, want))

FIRST = "src/base/min_struct_sizes.h"
with open(os.path.join(ROOT, FIRST)) as file:
    first = {name: int(size) for name, size in re.findall(r"X\((\w+), (\d+)\)", file.read())}
# Structs that cross the plugin boundary have rules of their own there; an error that is too
# short has room for less text; a range is made by plait and read by functions.
OTHERS = ("code", "work", "memory", "plugin", "services", "transport")
sized = [s for s in structs if s.header not in OTHERS and s.fields[0].name == "size"
         and s.name not in ("plait_error", "plait_range")]
for s in sized:
    ends = [int(a) + int(b) for a, b in re.findall(
        r"^  %s\.\w+ at (\d+) bytes (\d+)$" % s.name, want, re.M)]
    ok(first.get(s.name) in ends, "%s has a least size in %s" % (s.name, FIRST),
       "it is %s; its members end at %s" % (first.get(s.name), ends))
known = [s.name for s in sized]
ok(not [n for n in first if n not in known], FIRST + " has no others",
   *[n for n in first if n not in known])
wild = []
for path in glob.glob(os.path.join(ROOT, "src/**/*.c"), recursive=True):
    with open(path) as file:
        wild += ["%s: %s" % (os.path.relpath(path, ROOT), m.group(0)) for m in re.finditer(
            r"plait__sized_struct_(read|view|write)\(.*", file.read())
            if "/base/sized_struct.c" not in path]
ok(not wild, "descriptors are read by PLAIT__STRUCT_READ, PLAIT__STRUCT_VIEW and PLAIT__STRUCT_WRITE alone", *wild)


def first_compiles(*flags):
    return run(["gcc", "-std=c11", *flags, "-fsyntax-only", "-x", "c", os.path.join(ROOT, FIRST)])


ok(first_compiles().returncode == 0, "least sizes are those of this machine")
got = first_compiles("-m32")
ok(got.returncode != 0 and "64-bit" in got.stderr,
   "where pointers are shorter a sentence says that there are none", got.stderr)

pointerless = [s.name for s in structs if not any(f.pointer and not f.array for f in s.fields)
               and not any(f.type.endswith("_function") or f.type.endswith("_hook")
                           for f in s.fields)]
got, trouble = table("gcc", ["-m32", "-malign-double"])
if got is None:
    skip("no 32-bit compiler here")
else:
    keep = [l for l in want.splitlines() if l.split()[0].split(".")[0] in pointerless]
    ok(not [l for l in keep if l not in got.splitlines()],
       "structs without pointers are the same with 32 bits")
done()
