#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Collectives of queues and graphs whose ranks an MPI launches, and with more ranks than
processors over shm: each sum is right."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from mpi import lacking, start
from tap import BUILD, SANITIZER, done, ok, skip

HELPER = os.path.join(BUILD, "t/world/overlap_rank")
CROWD = 4


def crowd(how):
    """Processes that share one processor."""
    own = min(os.sched_getaffinity(0))
    ranks = [subprocess.Popen([HELPER, how], stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: os.sched_setaffinity(0, [own]),
                              env=dict(os.environ, PLAIT_TRANSPORT="shm",
                                       PLAIT_OPTIONS="shm:rank=%d,ranks=%d,name=crowd%d%s" % (
                                           rank, CROWD, os.getpid(), how)))
             for rank in range(CROWD)]
    said = [rank.communicate(timeout=300)[1] for rank in ranks]
    ok(all(rank.returncode == 0 for rank in ranks), "%s: %d processes on one processor" % (how, CROWD), said)


for how in "queue", "graph":
    crowd(how)
for kind in "openmpi", "mpich":
    reason = "MPI's libraries are not instrumented" if SANITIZER != "no" else lacking(kind)
    if reason:
        skip(reason)
        continue
    for how in "queue", "graph":
        for transports in "mpi", "shm,mpi":
            for ranks in 2, CROWD:
                status, text = start(kind, ranks, [HELPER, how], PLAIT_TRANSPORT=transports)
                ok(status == 0, "%s: %s, %d ranks over %s" % (kind, how, ranks, transports), status, text)
done()
