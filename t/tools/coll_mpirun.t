#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait coll run under mpirun: ranks that an MPI launches verify collectives, over mpi
alone and over shared memory where MPI knows the ranks only."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from mpi import lacking, start
from tap import BUILD, SANITIZER, done, ok, run, skip, skip_all

TOOL = os.path.join(BUILD, "tools/plait/plait")
HOW = (("ring", "--ranks", "2", "--in-place"), ("halving", "--ranks", "4", "--in-place"),
       ("direct", "--ranks", "3", "--kind", "alltoall"))

if SANITIZER != "no":
    skip_all("MPI's libraries are not instrumented, and keep memory until the end")
reasons = {kind: lacking(kind) for kind in ("openmpi", "mpich")}
if all(reasons.values()):
    skip_all("; ".join(reasons.values()))
with tempfile.TemporaryDirectory() as work:
    for number, how in enumerate(HOW):
        ok(run([TOOL, "coll", "compile", *how, "-o", os.path.join(work, str(number))]).returncode == 0,
           "compile " + " ".join(how))
    for kind, reason in reasons.items():
        if reason:
            skip(reason)
            continue
        for number, how in enumerate(HOW):
            for transports in ("mpi", "shm,mpi"):
                status, text = start(kind, int(how[2]), [
                    TOOL, "coll", "run", os.path.join(work, str(number)), "--bytes", "4,1003,300000", "--verify"],
                    PLAIT_TRANSPORT=transports)
                ok(status == 0 and text.count(", right") == 3,
                   "%s: %s over %s" % (kind, " ".join(how), transports), status, text)
        status, text = start(kind, 3, [TOOL, "coll", "run", os.path.join(work, "0")], PLAIT_TRANSPORT="mpi")
        ok(status != 0 and "the schedule has 2 ranks, the world 3" in text, kind + ": another number of ranks",
           status, text)
done()
