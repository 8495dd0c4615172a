#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every public header alone, and twice, under every dialect and compiler that
is here, without a warning and without hidden padding."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import ROOT, done, none, ok, read, run, skip, which
import headers

C = ["-std=c99", "-std=c11", "-std=gnu11 -m32", "-std=c11 -fshort-enums"]
CXX = ["-std=c++11", "-std=c++20"]
FLAGS = ("-fsyntax-only -pedantic-errors -Wall -Wextra -Wpadded -Wshadow "
         "-Wundef -Werror -I").split()
FLAGS[-1] += os.path.join(ROOT, "include")


def compilers():
    for compiler in ("gcc", "clang"):
        for dialect in C:
            yield compiler, dialect, "c"
    for compiler in ("g++", "clang++"):
        for dialect in CXX:
            yield compiler, dialect, "cc"


def has_32bit(compiler):
    return run([compiler, "-m32", "-fsyntax-only", "-x", "c", "-"],
               input="#include <stdint.h>\n").returncode == 0


with tempfile.TemporaryDirectory() as work:
    for compiler, dialect, suffix in compilers():
        if not which(compiler):
            skip("no %s for %s" % (compiler, dialect))
            continue
        if "-m32" in dialect and not has_32bit(compiler):
            skip("%s cannot compile for 32 bits here" % compiler)
            continue
        for name in headers.names():
            path = os.path.join(work, "x." + suffix)
            with open(path, "w") as file:
                file.write('#include "plait/%s.h"\n' % name * 2)
                file.write("int main(void);\n")
            # Padding depends on the size of pointers; 64 bits are the ABI.
            flags = [f for f in FLAGS if f != "-Wpadded" or "-m32" not in dialect]
            result = run([compiler, *flags, *dialect.split(), path])
            ok(result.returncode == 0, "%s.h as %s %s" % (name, compiler, dialect),
               result.stderr)

installed = re.findall(r"plait/(\w+)\.h", read("include/local.mk"))
none(sorted(set(headers.names()) ^ set(installed)), "every header is installed")
umbrella = set(re.findall(r'#include "plait/(\w+)\.h"', read("include/plait/plait.h")))
none(sorted((set(headers.names()) - {"plait", "plugin", "code", "work"}) ^ umbrella),
     "plait.h includes all but what is for plugins")
none([n for n in headers.names()
      for i in re.findall(r"#include (.*)", read("include/plait/%s.h" % n))
      if not re.match(r'"plait/\w+\.h"|<stdint.h>', i)],
     "headers include <stdint.h> and one another")
done()
