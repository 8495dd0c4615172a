#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Planted sins: each one is put into a copy of the tree, and the test that is
responsible must report it.  The copy holds as much as the tests
need to pass without a sin."""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, done, ok, run, tracked

HEAD = "/* SPDX-License-Identifier: MIT */\n/* A sin. */\n"
LONG = HEAD + "int f(void)\n{\n" + "\tg();\n" * 60 + "}\n"
DEEP = HEAD + "int f(void)\n{\n" + "".join(
    "\t" * i + "if (1) {\n" for i in range(1, 6)) + "\tg();\n" + "}\n" * 6
STRUCT = "typedef struct plait_sin {\n\tuint32_t size;\n\t%s;\n} plait_sin;\n\n"
PROTOTYPE = "/*\n * plait_sin - a sin.\n *\n%s * @thread any\n * @since 1\n */\n%s\n\n"
BASE, MARK = "include/plait/base.h", "/* Kind of an object; see plait_live_count. */"

# (test, file, what is written or put before the mark, what the test must say)
SINS = (
    ("lint/layers", "src/base/sin.c", HEAD + '#include "sys/atomic.h"\n', "no layer includes a higher one"),
    ("lint/layers", "src/plan/sin.c", HEAD + "#include <time.h>\n", "the planner and collectives include nothing"),
    ("lint/layers", "src/plan/sin.c", HEAD + '#include "sys/clock.h"\n', "no layer includes a higher one"),
    ("lint/layers", "src/sys/sin.c", HEAD + '#include "../base/text.h"\n', "no layer includes a higher one"),
    ("lint/layers", "src/sin/sin.c", HEAD, "no layer includes a higher one"),
    ("lint/layers", "plugins/sin/entry.c", HEAD + '#include "sys/atomic.h"\n', "plugins include"),
    ("lint/layers", "src/sys/sin.c", HEAD + '#include <time.h>\n\n#include "sys/clock.h"\n', "in order"),
    ("lint/sizes", "src/base/sin.c", LONG, "functions: 60 lines"),
    ("lint/sizes", "src/base/sin.c", DEEP, "nesting: 4 levels"),
    ("lint/sizes", "src/base/sin.c", HEAD + "\n" * 600, "files: 600 lines"),
    ("lint/sizes", "src/base/sin.h", HEAD + "/*" + "x" * 100 + "*/\n", "lines: 100 columns"),
    ("lint/words", "src/base/sin.c", HEAD + "/* TO" + "DO */\n", "unfinished"),
    ("lint/words", "src/base/sin.c", HEAD + "#include <stdatomic.h>\n", "atomics"),
    ("lint/words", "src/base/sin.c", HEAD + "int x = __atomic_load_n(p, 0);\n", "atomics"),
    ("lint/words", "src/sys/sin.c", HEAD + "int x = pthread_mutex_lock(p);\n", "locks"),
    ("lint/words", "plugins/sin/sin.c", HEAD + 'char *x = getenv("x");\n', "environment"),
    ("lint/words", "src/base/sin.c", HEAD + "void *x = malloc(1);\n", "memory"),
    ("lint/words", "src/base/sin.c", HEAD + "void f(void) { abort(); }\n", "aborts"),
    ("lint/words", "plugins/sin/sin.c", HEAD + 'void f(void) { printf("x"); }\n', "prints"),
    ("lint/words", "tools/sin.c", HEAD + "void f(void) { strcpy(a, b); }\n", "unbounded"),
    ("lint/words", "t/base/text_log_spelling_hint.c", "int x = plait_context_open(0, 0, 0);\n", "start no other"),
    ("lint/words", "t/sin.c", HEAD + "void f(void) { usleep(1); }\n", "no sleep in tests"),
    ("lint/words", "src/base/sin.c", "int x;\n", "licence"),
    ("lint/words", "src/base/sin.c", HEAD + "// x\n", "comments are"),
    ("lint/words", "src/base/helpers.c", HEAD, "named for objects"),
    ("lint/words", "src/base/sin.c", HEAD + "int x; \n", "blanks"),
    ("lint/names", "src/base/sin.c", HEAD + "int plait__other(void)\n{\n\treturn 0;\n}\n", "called after"),
    ("lint/prose", "src/base/sin.c", HEAD + "/* Nobody calls it. */\n", "src: who, somebody"),
    ("lint/prose", "src/base/sin.c", HEAD + "/* What it does. */\n", "begin with What"),
    ("lint/prose", "src/base/sin.c", HEAD.replace("A sin", "How it sins"), "noun phrase"),
    ("lint/prose", "src/base/sin.c", HEAD.replace("A sin", "Commits a sin"), "noun phrase"),
    ("lint/mentions", "src/base/sin.c", HEAD + "/* See base/sinner.c. */\n", "files that comments name"),
    ("lint/mentions", "src/base/sin.c", HEAD + "/* sin_twice has run. */\n", "functions that comments name"),
    ("lint/installed", "examples/lua/sin.lua", "-- A sin.\n", "each of them is installed"),
    ("abi/headers", BASE, STRUCT % "void *pointer", "base.h as gcc -std=c11"),
    ("abi/headers", BASE, "#include <stdio.h>\n", "headers include"),
    ("abi/headers", "include/plait/sin.h", HEAD, "every header is installed"),
    ("abi/structs", BASE, STRUCT % "uint32_t more", "agrees with"),
    ("abi/annotations", BASE, STRUCT % "long more", "structs hold"),
    ("abi/annotations", BASE, STRUCT % "uint32_t more : 3", "of a known form|structs hold"),
    ("abi/annotations", BASE, "enum plait_sin { PLAIT_SIN = 1 };\n", "enums have no type"),
    ("abi/annotations", BASE, "static inline int plait_sin(void) { return 1; }\n", "no inline"),
    ("abi/annotations", BASE, PROTOTYPE % ("", "PLAIT_API void plait_sin(uint32_t x);"), "base.h states"),
    ("abi/annotations", BASE, PROTOTYPE % (" * @param x borrowed: it\n", "PLAIT_API void plait_sin(void *x);"),
     "base.h states"),
    ("abi/annotations", BASE, PROTOTYPE % (" * @param x value: it\n", "PLAIT_API void plait_sin(plait_error x);"),
     "plain scalars"),
    ("abi/exports", BASE, PROTOTYPE % ("", "PLAIT_API void plait_sin(void);"), "declares are in the map"),
    ("abi/exports", "src/plait.map", "PLAIT_SIN_1 {\nglobal:\n\tplait_sin;\n};\n", "in the map are exported"),
)


# The content of the copy; the rest of the tree is more of the same.
SOME = ("include/", "src/", "plugins/null/", "t/abi/structs.",
        "t/base/text_log_spelling_hint.c", "examples/", "bindings/", "plugins/local.mk")


def plant(root, path, text):
    """Writes the file; into one that exists the text is put at the mark."""
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    old = open(full).read() if os.path.exists(full) else None
    with open(full, "w") as file:
        if old is None:
            file.write(text)
        elif MARK in old:
            file.write(old.replace(MARK, text + MARK))
        else:
            file.write(old + text)
    with open(os.path.join(root, "MANIFEST"), "a") as file:
        file.write(path + "\n")
    return old


def unplant(root, path, old):
    full = os.path.join(root, path)
    if old is None:
        os.remove(full)
        return
    with open(full, "w") as file:
        file.write(old)


def verdict(root, test, words=""):
    """What a test says of the copy; with a compiler where a sin is for it."""
    environment = dict(os.environ, abs_top_srcdir=root, abs_top_builddir=BUILD)
    if test == "abi/headers":
        environment["PATH"] = os.path.join(root, "bin" if "gcc" in words else "include")
    return run([sys.executable, os.path.join(ROOT, "t", test + ".t")], env=environment).stdout


def list_files(root, files):
    with open(os.path.join(root, "MANIFEST"), "w") as file:
        file.write("\n".join(files) + "\n")


def tell(said, test, path, text, words, named=""):
    """The test has failed by these words, and names the file where it can."""
    ok(re.search(r"^not ok \d+ - .*(?:%s).*\n%s" % (words, named), said, re.M),
       "%s finds %r in %s" % (test, text.strip().split("\n")[-1][:40], path), said[-600:])


def find_all(root, test, sins):
    """Sins that meet in one copy, each in a file of its own."""
    sins = [(re.sub(r"/sin\.", "/sin%d." % i, path), text, words) for i, (path, text, words) in enumerate(sins)]
    olds = [(path, plant(root, path, text)) for path, text, words in sins]
    said = verdict(root, test)
    for path, old in olds:
        unplant(root, path, old)
    for path, text, words in sins:
        tell(said, test, path, text, words, r"(?:#.*\n)*?#\s+%s\b" % re.escape(path))


# Those that read sources and name what they find.
TOGETHER = ("lint/layers", "lint/sizes", "lint/words")

with tempfile.TemporaryDirectory() as work:
    root = os.path.join(work, "tree")
    files = [name for name in tracked() if name.startswith(SOME) or re.match(r"t/.*local\.mk$|plugins/\w+/README\.md$", name)]
    for name in files:
        os.makedirs(os.path.join(root, os.path.dirname(name)), exist_ok=True)
        shutil.copy2(os.path.join(ROOT, name), os.path.join(root, name))
    os.makedirs(os.path.join(root, "bin"))
    with open(os.path.join(root, "bin/gcc"), "w") as file:
        file.write('#!/bin/sh\nPATH="%s" exec gcc "$@"\n' % os.environ["PATH"])
    os.chmod(os.path.join(root, "bin/gcc"), 0o755)
    list_files(root, files)
    for test in sorted({sin[0] for sin in SINS}):
        said = verdict(root, test)
        ok("\nnot ok" not in said and re.search(r"^1\.\.[1-9]", said, re.M), "%s holds without a sin" % test,
           said[-600:])
    for test in TOGETHER:
        list_files(root, files)
        find_all(root, test, [sin[1:] for sin in SINS if sin[0] == test])
    for test, path, text, words in SINS:
        if test in TOGETHER:
            continue
        list_files(root, files)
        old = plant(root, path, text)
        said = verdict(root, test, words)
        unplant(root, path, old)
        tell(said, test, path, text, words)
done()
