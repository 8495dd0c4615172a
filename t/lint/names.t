#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An internal function is called after its file: `plait__` and the stem, or a
leading or trailing part of it.  `names.t --list` prints those that are not."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import done, none, ok, read, sources, without_comments

# Basic calls of a word; every file uses them.
SHORT = {"plait__fail", "plait__fail_origin", "plait__free", "plait__realloc"}
EXTERN = re.compile(r"^(?!static|typedef|#|\s|\})[^;{}()=]*?\b(plait__\w+)\(", re.M)
INLINE = re.compile(r"^static inline [^;{}()=]*?\b(plait__\w+)\(", re.M)


def fits(path, name):
    words = os.path.splitext(os.path.basename(path))[0].split("_")
    parts = ["_".join(words[i:]) for i in range(len(words))] + \
        ["_".join(words[:i]) for i in range(1, len(words))]
    return any(re.match(r"plait__%s(_|$)" % part, name) for part in parts)


def definitions(path, text):
    text = without_comments(text)
    if path.endswith(".h"):
        return INLINE.findall(text)
    return [m.group(1) for m in EXTERN.finditer(text)
            if re.match(r"[^;{]*\)\n\{", text[m.end():])]


functions = [(p, n) for p in sources("src", "bindings") for n in definitions(p, read(p))]
wrong = ["%s: %s" % (p, n) for p, n in functions if n not in SHORT and not fits(p, n)]
if "--list" in sys.argv:
    print("\n".join(wrong), "%d of %d" % (len(wrong), len(functions)), sep="\n")
    sys.exit(0)
ok(definitions("a.c", "int plait__a_b(int x)\n{\n}\nint plait__c(void);\n") == ["plait__a_b"],
   "a definition is found")
ok(fits("src/x/lane_merge.c", "plait__merge_make") and not fits("src/x/lane.c", "plait__lanes_make"),
   "a name fits its file")
ok(len(functions) > 100, "there are functions")
none(wrong, "functions are called after their files")
stems = [os.path.basename(p) for p in sources("src") if p.endswith(".c")]
none(sorted({s for s in stems if stems.count(s) > 1}), "no two files of src have one name")
done()
