#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Public headers: each one alone, and twice, under every installed dialect and
compiler, without a warning and without hidden padding; and the example in its
first comment, which compiles."""
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

# Missing in the examples: a handle of each kind by its name, and an error.
PROLOGUE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plait/plait.h"
#include "plait/%s.h"
extern plait_context *context;
extern plait_device *device;
extern plait_queue *queue;
extern plait_signal *signal;
extern plait_buffer *buffer, *a, *b;
extern plait_inbox *inbox;
extern plait_kernel *kernel;
extern plait_graph *graph;
extern plait_plan *plan;
extern plait_run *run;
extern plait_callable *callable;
extern plait_schedule *schedule;
extern plait_coll *coll;
extern plait_flow *flow;
extern plait_data *u, *v;
extern plait_error error;
extern plait_status status;
"""


def example(name):
    """The indented lines after "Example" in the first comment with the header's name."""
    comments = re.findall(r"/\*.*?\*/", read("include/plait/%s.h" % name), re.S)
    lines = next((c for c in comments if "plait/%s.h - " % name in c), "").split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith(" * Example:")]
    if not starts:
        return ""
    found = []
    for line in lines[starts[0] + 1:]:
        if line != " *" and not line.startswith(" *     "):
            break
        found.append(line[7:])
    return "\n".join(found).strip("\n")


def as_program(name, text):
    """Functions as they are; statements in one."""
    if not re.search(r"^\{$", text, re.M):
        text = "void example(void);\nvoid example(void)\n{\n%s\n}" % text
    return PROLOGUE % name + text + "\n"


with tempfile.TemporaryDirectory() as work:
    for name in headers.names():
        text = example(name)
        lines = len([line for line in text.split("\n") if line.strip()])
        ok(3 <= lines <= 16, "%s.h begins with an example" % name, "%d lines" % lines)
        if not which("gcc"):
            skip("no gcc for the example")
            continue
        path = os.path.join(work, name + ".c")
        with open(path, "w") as file:
            file.write(as_program(name, text))
        result = run(["gcc", "-std=c99", "-pedantic", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                      "-Wno-unused", "-I" + os.path.join(ROOT, "include"), path])
        ok(result.returncode == 0, "the example of %s.h compiles" % name, result.stderr)

# PLAIT_ITEMS, PLAIT_ARGUMENTS and PLAIT_BINDINGS are C's alone.
INITIALISERS = """#include "plait/plait.h"
int main()
{
	const float x = 1;
	plait_buffer *b = nullptr;
	const plait_argument arguments[] = { PLAIT_BUFFER(b), PLAIT_BUFFER_AT(b, 4), PLAIT_VALUE(x),
					     PLAIT_PARAMETER("turn"), PLAIT_ROTATION(3, 1) };
	const plait_binding bindings[] = { PLAIT_BIND_VALUE(0, x), PLAIT_BIND_BUFFER(1, b) };
	return arguments[0].kind + bindings[0].parameter == 99;
}
"""
with tempfile.TemporaryDirectory() as work:
    path = os.path.join(work, "x.cc")
    with open(path, "w") as file:
        file.write(INITIALISERS)
    for compiler in ("g++", "clang++"):
        if not which(compiler):
            skip("no " + compiler)
            continue
        result = run([compiler, "-std=c++11", "-fsyntax-only", "-pedantic-errors", "-Wall", "-Wextra", "-Werror",
                      "-I" + os.path.join(ROOT, "include"), path])
        ok(result.returncode == 0, "initialisers of arguments and bindings as " + compiler, result.stderr)

installed = re.findall(r"plait/(\w+)\.h", read("include/local.mk"))
none(sorted(set(headers.names()) ^ set(installed)), "every header is installed")
umbrella = set(re.findall(r'#include "plait/(\w+)\.h"', read("include/plait/plait.h")))
none(sorted((set(headers.names()) - {"plait", "plugin", "code", "work", "memory", "services", "transport"}) ^ umbrella),
     "plait.h includes all but what is for plugins")
none([n for n in headers.names()
      for i in re.findall(r"#include (.*)", read("include/plait/%s.h" % n))
      if not re.match(r'"plait/\w+\.h"|<stdint.h>', i)],
     "headers include <stdint.h> and one another")
done()
