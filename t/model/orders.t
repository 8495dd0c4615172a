#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Verdicts on memory orders: every operation on shared memory that orders
something is weakened by an explorer test (mc_notices), or t/model/mc/unexplored.txt
says why it is right.  A new one without either fails."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import ROOT, done, none, ok, read, sources, without_comments

ORDERING = re.compile(
    r"\b(at_(?:load_acquire|store_release|exchange|cas|add|sub|or|and)_(?:u32|u64|ptr)"
    r"|at_fence_seq_cst|at_membarrier|at_futex_wake_(?:all|one))\s*\(")
TABLE = "t/model/mc/unexplored.txt"


def functions(text):
    """(name, body) of each function; all begin and end in column 0."""
    for match in re.finditer(r"^(?=[A-Za-z_])([^;{}#]*?)\n?\{\n(.*?)^\}", text,
                             flags=re.S | re.M):
        head = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", match.group(1), flags=re.S)
        name = re.search(r"([A-Za-z_]\w*)\s*\(", head)
        if name:
            yield name.group(1), match.group(2)


def sites(path):
    """"run/run_instance.c end_call at_exchange_u32", with #2 for the second."""
    found = []
    for name, body in functions(without_comments(read(path))):
        counts = {}
        for match in ORDERING.finditer(body):
            operation = match.group(1)
            counts[operation] = counts.get(operation, 0) + 1
            key = "%s %s %s" % (path[len("src/"):], name, operation)
            found.append(key + ("#%d" % counts[operation] if counts[operation] > 1 else ""))
    return found


def explored():
    """The files of src that explorer tests weaken."""
    rules = read("t/model/local.mk").replace("\\\n", " ")
    paths = set()
    for name in sorted(os.listdir(os.path.join(ROOT, "t/model"))):
        match = re.match(r"(\w+)\.c$", name)
        if not match:
            continue
        text = read("t/model/" + name)
        rule = re.search(r"^%%C%%_%s_t_SOURCES = (.*)$" % match.group(1), rules, re.M)
        linked = set(re.findall(r"src/\S+", rule.group(1) if rule else ""))
        linked |= {"src/" + p for p in re.findall(r'#include "([\w/]+/\w+\.[ch])"', text)}
        linked |= {path for path in sources("src") if path.endswith(".h")}
        for files in re.findall(r"files\[\] = \{(.*?)\}", text, re.S):
            for wanted in re.findall(r'"([^"]+)"', files):
                paths |= {p for p in linked if p.startswith("src/") and p.endswith("/" + wanted)}
    return paths


def verdicts():
    lines = [l for l in read(TABLE).splitlines() if l and not l.startswith("#")]
    return dict(l.split(": ", 1) if ": " in l else (l, "") for l in lines)


weakened = explored()
table = verdicts()
everywhere = {}
missed = []
for path in sources("src"):
    if path not in ("src/sys/atomic.h", "src/sys/futex.h"):  # which make them
        found = sites(path)
        everywhere.update((site, path) for site in found)
        if len(found) != len(ORDERING.findall(without_comments(read(path)))):
            missed.append(path)
outside = {site for site, path in everywhere.items() if path not in weakened}

if "--list" in sys.argv:
    print("\n".join(s for s in everywhere if s in outside and s not in table))
    sys.exit(0)
ok(len(weakened) >= 12, "explorer tests weaken %d files: %s"
   % (len(weakened), " ".join(sorted(p[len("src/"):] for p in weakened))))
ok(len(everywhere) >= 200, "%d operations order something, %d of them in those files"
   % (len(everywhere), len(everywhere) - len(outside)))
none(missed, "all of them are in functions that were found")
none(sorted(outside - set(table)), "every other one has a line in " + TABLE)
none(sorted(set(table) - outside),
     "no line there is of an operation that is gone, or is weakened by now")
none(sorted(s for s, why in table.items() if len(why.split()) < 2), "each line says why")
done()
