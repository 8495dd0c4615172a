#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Tests of the CUDA backend again, with each option of the stand-in's driver that
makes it stricter, or laxer, than its default."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from tap import BUILD, done, ok, run

OPTIONS = ("locked=no", "locked=callbacks", "locked=frees", "writes=0", "depth=8", "depth=4", "mute=1", "captured=1")
TESTS = ("segment", "region", "calls", "table", "locks", "images")
# These make calls themselves, or let the call fail that a capture needs.
SPARED = {"captured=1": ("calls", "table")}
# Drivers without SWITCH nodes; the first of them takes only kernels in bodies.
VERSIONS = ("version=12030", "version=12060")
PLANS = ("regions", "run_driver_loops", "random_graphs", "random_programs", "external_command_predicates")

for option, tests in [(o, TESTS) for o in OPTIONS] + [(v, PLANS) for v in VERSIONS]:
    for name in (n for n in tests if n not in SPARED.get(option, ())):
        got = run([os.path.join(BUILD, "t/plugins/cuda", name + ".t")], env=dict(os.environ, STANDIN_MORE=option))
        bad = [l for l in got.stdout.splitlines() if l.startswith(("not ok", "# lock order"))]
        ok(got.returncode == 0, "%s with %s" % (name, option), got.returncode, got.stderr[-500:], *bad[:5])
done()
