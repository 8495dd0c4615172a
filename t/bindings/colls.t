#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Collectives: one small program prints the same in each language."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import SANITIZER, done, skip_all
import languages

if SANITIZER != "no":
    skip_all("languages are not built with a sanitizer, the library is")
languages.print_same("colls", """56 1 same bits
4 8 in place
6 10 14 18 22
7000 7 True
0 5 6 1 5 6
refused: value
<algo True
16 4
mine:2:
""")
done()
