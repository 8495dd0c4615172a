#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names in comments: a file or a function that a comment names exists, so a
comment does not outlive what it refers to.  `mentions.t --list` prints all
names that are looked up, with the files that have them."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import done, none, ok, read, sources, tracked, without_comments

# "graph/plan/freeze.c", but neither "<stdio.h>" nor the text "x.c:7".
FILE = re.compile(r"(?<![\w<./-])((?:\w+/)*\w+\.[cht])\b(?![>:])")
# A function or variable: small letters, with an underscore inside.  Types of
# OpenCL are in its own headers.
NAME = re.compile(r"(?<![\w./])(?!cl_)([a-z][a-z0-9]*_[a-z0-9_]*[a-z0-9])\b(?!\.[a-z]|[*/])")


def mentions(text):
    """(files, names) that the comments of a C text name."""
    comments = "\n".join(re.findall(r"/\*.*?\*/", text, re.S))
    comments = re.sub(r"^\s*\*\s{4,}.*$", "", comments, flags=re.M)  # examples of code
    return set(FILE.findall(comments)), set(NAME.findall(comments))


def exists(path):
    return any(name == path or name.endswith("/" + path) for name in by_base.get(os.path.basename(path), ()))


ok(mentions("/* See a/b.c, c.h and x_y(); <stdio.h>, x.c:7, Z_a. */ int d_e;") == ({"a/b.c", "c.h"}, {"x_y"}),
   "files and functions are found")
by_base, words = {}, set()
for name in tracked():
    by_base.setdefault(os.path.basename(name), []).append(name)
    # The source of a test program is its .c.
    by_base.setdefault(re.sub(r"\.c$", ".t", os.path.basename(name)), []).append(re.sub(r"\.c$", ".t", name))
    words.add(os.path.basename(name).split(".")[0])
    if re.search(r"\.(c|h|in|map|prelude|cl|cpp|cu|py|lua|mk)$", name):
        text = read(name)
        words.update(re.findall(r"\w+", without_comments(text, True) if re.search(r"\.[ch]$", name) else text))
checked = sources("bindings", "include", "plugins", "src", "tools")
found = [(path,) + mentions(read(path)) for path in checked]
if "--list" in sys.argv:
    for path, files, names in found:
        print("%s: %s" % (path, " ".join(sorted(files | names))))
    sys.exit(0)
none(["%s: %s" % (path, name) for path, files, _ in found for name in sorted(files) if not exists(name)],
     "files that comments name exist")
none(["%s: %s" % (path, name) for path, _, names in found for name in sorted(names - words)],
     "functions that comments name exist")
done()
