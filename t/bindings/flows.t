#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Flows: one small program prints the same in each language."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import SANITIZER, done, skip_all
import languages

if SANITIZER != "no":
    skip_all("languages are not built with a sanitizer, the library is")
# Numbers of tasks differ: a read in Python is a task, which has a number if it is not run, too;
# in Lua it is a host access, which has none then.
languages.print_same("flows", """27 1 3 6 7 6 3 1 0
54
9 5
failed
poisoned
2
0-4 4-7 7-10
27
81
3
after N "late": reads x [2, 4), which it wrote
3 devices, 2 memories
""", lambda text: re.sub(r"after \d+", "after N", text))
done()
