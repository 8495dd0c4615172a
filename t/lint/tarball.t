#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Content of the tarball: every tracked file, unchanged, and nothing else but the
files that autoreconf makes."""
import filecmp
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, done, none, ok, run, skip_all, tracked

GENERATED = (r"(configure|aclocal\.m4|Makefile\.in|config\.h\.in|MANIFEST)$|build-aux/")

if not os.path.exists(os.path.join(ROOT, ".git")):
    skip_all("not a git tree")
files = tracked()
name = "plait-tarball-test"
environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}
result = run(["make", "-s", "-C", BUILD, "distdir", "distdir=" + name, "am__remove_distdir=:"],
             env=environment)
folder = os.path.join(BUILD, name)
try:
    if ok(result.returncode == 0, "make distdir", result.stderr[-2000:]):
        packed = [os.path.relpath(os.path.join(d, f), folder)
                  for d, _, fs in os.walk(folder) for f in fs]
        none(sorted(set(files) - set(packed)), "every tracked file is in it")
        none(sorted(n for n in set(packed) - set(files) if not re.match(GENERATED, n)),
             "and nothing else but what is generated")
        none([n for n in files if n in packed and not filecmp.cmp(
            os.path.join(ROOT, n), os.path.join(folder, n), shallow=False)], "each is unchanged")
        none([n for n in files if n in packed and os.access(os.path.join(ROOT, n), os.X_OK)
              != os.access(os.path.join(folder, n), os.X_OK)], "each can be executed or not, as before")
finally:
    run(["chmod", "-R", "u+w", folder])
    shutil.rmtree(folder, ignore_errors=True)
done()
