#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Conformance of the MPI transports: one rank in the process of each check, without a
launcher and under one.  Jobs of several ranks: t/plugins/mpi."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from mpi import lacking, start
from tap import BUILD, PATIENCE, done, ok, run, skip

PLAIT = os.path.join(BUILD, "tools/plait/plait")
SEED = os.environ.get("PLAIT_SEED", "1")

for kind in ("openmpi", "mpich"):
    reason = lacking(kind)
    if reason:
        skip(reason)
        continue
    command = [PLAIT, "conform", kind, "--seed", SEED, "--deadline", PATIENCE]
    for options in ("", kind + ":alone=1"):
        got = run(command, env=dict(os.environ, PLAIT_OPTIONS=options))
        skipped = re.findall(r"^ok \d+ - (\w+) .*# SKIP", got.stdout, re.M)
        ok(got.returncode == 0 and skipped == ["N7", "N22"], kind + " passes as one rank, " + (options or "no option"),
           *[line for line in got.stdout.splitlines() if not line.startswith("ok ")] + [got.stderr])
    status, text = start(kind, 2, command, seconds=400)
    ok(status == 0 and len(re.findall(r"^ok ", text, re.M)) == 22 and text.count("# 22 checks, 0 failed, 2 skipped") == 1,
       kind + " passes under its mpirun, once", status, text)
done()
