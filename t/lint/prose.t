#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Comments in plain English, as far as a script can see: the first line of a
file is a noun phrase, and the words that hide a subject only become fewer.
`prose.t --report` prints the counts by folder."""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import done, none, ok, read, sources

# The most that each part of the tree may have; lower a number when it falls.
VAGUE = r"\b(?:who|whom|whoever|somebody|someone|nobody|everybody|everyone|anybody)\b"
OPENING = r"(?:What|Who|Whoever|Whatever|That which)\b"
LIMITS = {"include": (0, 0), "plugins": (0, 0), "src": (0, 0), "tools": (0, 0), "t": (0, 0)}
# The last alternative is a verb, as in "Finds the last one".
FIRST = (r"(?:What|Who|How|Where|When|Why|That|It|They|The same|Of|This file)\b"
         r"|[A-Z][a-z]+s (?:the|a|an|which|whether|how)\b")


def comments(text):
    """The comments of a C file, each as one line without its frame."""
    return [" ".join(re.sub(r"^\s*\*", "", line).strip() for line in body.split("\n")).strip()
            for body in re.findall(r"/\*(.*?)\*/", text, re.S)]


def count(text):
    found = comments(text)
    return (sum(len(re.findall(VAGUE, c, re.I)) for c in found),
            sum(bool(re.match(OPENING, c)) for c in found))


files = [p for p in sources("include", "plugins", "src", "tools", "t")]
totals, folders = collections.Counter(), collections.Counter()
for path in files:
    vague, opening = count(read(path))
    top = path.split("/")[0]
    totals[top, 0] += vague
    totals[top, 1] += opening
    folders[os.path.dirname(path)] += vague + opening
if "--report" in sys.argv:
    for folder, number in sorted(folders.items()):
        print("%5d %s" % (number, folder))
    for top in LIMITS:
        print("%-8s vague %d, openings %d" % (top, totals[top, 0], totals[top, 1]))
    sys.exit(0)
ok(count("/* What nobody\n * does */ int x; /* A queue. */") == (1, 1), "vague words are counted")
for top, limits in LIMITS.items():
    for kind, name in enumerate(("who, somebody, nobody ...", "comments that begin with What or Who")):
        got = totals[top, kind]
        ok(got <= limits[kind], "%s: %s, at most %d" % (top, name, limits[kind]), "%d now" % got)
        ok(got >= limits[kind] * 9 // 10 or len(files) < 500, "%s: the limit of %s is near" % (top, name),
           "%d now: lower the limit to that" % got)
none([p for p in files if p.startswith(("src/", "plugins/", "include/"))
      and re.match(FIRST, (comments(read(p)) + [""] * 2)[1])],
     "the first line of a file is a noun phrase")
done()
