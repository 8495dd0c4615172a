#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Conformance of the simulated backend, with many seeds."""
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, PATIENCE, SANITIZER, SOAK, done, ok, run

# One run finds the code that an earlier one has compiled.
cache = tempfile.TemporaryDirectory()
os.environ["PLAIT_CACHE_DIR"] = os.path.join(cache.name, "kernels")
PLAIT = os.path.join(BUILD, "tools/plait/plait")
first = int(os.environ.get("PLAIT_SEED", "1"))
count = 20 if SOAK else 1 if SANITIZER != "no" else 3

# The last seed with everything that real drivers are known to do.
quirks = {first + count - 1: ",quirks=all,repeats=1"}

for seed in range(first, first + count):
    env = dict(os.environ, PLAIT_OPTIONS="chaos:seed=%d%s" % (seed, quirks.get(seed, "")))
    got = run([PLAIT, "conform", "chaos", "--seed", str(seed), "--deadline", PATIENCE], env=env)
    lines = got.stdout.splitlines()
    bad = [l for l in lines if not l.startswith("ok ")]
    ok(got.returncode == 0 and len(lines) > 45, "seed %d" % seed, got.returncode, got.stderr, *bad)

# Kernels, launches and segments go through what only watches; each check writes the file anew.
path = os.path.join(cache.name, "trace.json")
env = dict(os.environ, PLAIT_WRAP="trace", PLAIT_OPTIONS="trace:file=" + path)
got = run([PLAIT, "conform", "chaos", "--only", "B,G,K,L,Q,R,S", "--deadline", PATIENCE], env=env)
bad = [l for l in got.stdout.splitlines() if not l.startswith("ok ")]
ok(got.returncode == 0, "traced", got.returncode, got.stderr, *bad)
with open(path, encoding="utf-8") as file:
    ok("traceEvents" in json.load(file), "and written down")
done()
