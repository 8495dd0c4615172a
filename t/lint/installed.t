#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists of installed files: every example, every source of a binding and every
plugin's README is in one; t/installed uses what was installed."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import done, none, ok, read, tracked

# Not installed: what makes and what tests them, and sources of a library; null has a folder
# of its own.
NOT = re.compile(r"local\.mk$|^bindings/\w+\.py$|^bindings/lua/ffi/|^bindings/start/|/(tests?|examples)/|^plugins/null/")
wanted = {n for n in tracked()
          if re.match(r"(examples|bindings)/|plugins/\w+/README\.md$", n) and
          not NOT.search(n.replace("examples/", "", 1) if n.startswith("examples/") else n)}
listed = set()
for folder in "examples", "bindings", "plugins":
    for names in re.findall(r"^nobase_dist_\w+_DATA \+?= ((?:.*\\\n)*.*)$", read(folder + "/local.mk"), re.M):
        listed |= {n.replace("%D%", folder) for n in names.replace("\\", " ").split()}
ok(len(wanted) > 100, "files are found", len(wanted))
none(sorted(wanted - listed), "each of them is installed")
none(sorted(listed - wanted), "and nothing else")
done()
