#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Coverage of t/fault/calls: each public function is tried while something fails;
a new one without an entry is an error.  Those that cannot fail are named here,
with the reason."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import headers
from tap import done, none, ok, read, tracked

PURE = "allocates nothing and makes no system call: "
EXEMPT = {
    "plait_version": PURE + "a constant",
    "plait_abi": PURE + "a constant",
    "plait_status_name": PURE + "a table",
    "plait_sizeof": PURE + "a table",
    "plait_live_count": PURE + "a counter",
    "plait_run_is_stopping": PURE + "a word of the thread",
    "plait_worker_index": PURE + "a word of the thread",
    "plait_inbox_is_stopping": PURE + "a look at a table",
    "plait_kernel_compile": "fills a descriptor for plait_kernel_create",
}
# Programs do not call these: plugins do, behind slots (t/fault/backend_calls.c).
OTHERS = ("plugin",)


def tables():
    """File: the names that its tables have, and the functions it calls."""
    for path in tracked():
        if re.match(r"t/fault/calls/\w+\.c$", path):
            text = read(path)
            entries = re.search(r"const struct calls_entry \w+\[\] = \{(.*?)\n\};", text, re.S)
            names = re.findall(r"plait_\w+", entries.group(1)) if entries else []
            yield path, names, set(re.findall(r"\b(plait_\w+)\(", text))


public = {d.name: d.header for d in headers.everything()
          if d.kind == "prototype" and d.header not in OTHERS}
swept = {}
idle = []
for path, names, called in tables():
    for name in names:
        swept[name] = path
        if name not in called:
            idle.append("%s: %s is listed, but never called" % (path, name))

ok(len(public) > 60 and len(swept) > 40, "%d functions, %d in tables" % (len(public), len(swept)))
none(["%s (%s.h): add it to a table in t/fault/calls" % (n, h) for n, h in sorted(public.items())
      if n not in swept and n not in EXEMPT],
     "each function is tried while something fails")
none(idle, "a name in a table is a call in its file")
none(sorted(n for n in swept if n not in public), "each name in a table is a function")
none(sorted(n for n in EXEMPT if n not in public or n in swept), "each exemption is needed")
done()
