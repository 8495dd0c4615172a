#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test of bench/languages.py: it works in the languages that need no compiler; in a
long run in all that are installed.  No figure is judged."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, SOAK, done, ok, run, skip_all

if SANITIZER != "no":
    skip_all("the languages are not built with a sanitizer, the library is")
got = run([sys.executable, ROOT + "/bench/languages.py", "--rounds", "1"]
          + ([] if SOAK else ["--who", "c,luajit,lua5.4,python"]), cwd=BUILD)
ok(got.returncode == 0, "it ends well", got.stdout, got.stderr)
lines = {line.split()[0]: line.split()[1:] for line in got.stdout.splitlines() if line}
for who in ("c", "luajit", "lua5.4", "python") + (("julia", "rust") if SOAK else ()):
    figures = lines.get(who, [])
    ok(figures == ["is", "not", "there"] or len(figures) == 10 and all(
        re.fullmatch(r"\d+", one) and int(one) > 0 for one in figures), "figures for " + who, got.stdout)
done()
