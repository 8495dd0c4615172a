#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Conformance of the host backend, with any number of workers, and wrapped in
interposers that find no error."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, PATIENCE, done, ok, run

# One run finds the code that an earlier one has compiled.
cache = tempfile.TemporaryDirectory()
os.environ["PLAIT_CACHE_DIR"] = os.path.join(cache.name, "kernels")
PLAIT = os.path.join(BUILD, "tools/plait/plait")
seed = os.environ.get("PLAIT_SEED", "1")

for setting in ("PLAIT_WORKERS=2 PLAIT_OPTIONS=host:devices=2", "PLAIT_WORKERS=0", "PLAIT_WORKERS=1",
                "PLAIT_WRAP=check", "PLAIT_SYNC=1"):
    env = dict(os.environ, **dict(word.split("=", 1) for word in setting.split()))
    got = run([PLAIT, "conform", "host", "--seed", seed, "--deadline", PATIENCE], env=env)
    lines = got.stdout.splitlines()
    bad = [l for l in lines if not l.startswith("ok ")]
    ok(got.returncode == 0 and len(lines) > 45, setting, got.returncode, got.stderr, *bad)
    lonely = re.findall("^ok .*# SKIP host has one device here", got.stdout, re.M)
    ok(bool(lonely) != ("devices=2" in setting), "checks that need two devices are skipped where there is one", *lonely)
done()
