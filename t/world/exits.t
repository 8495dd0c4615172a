#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranks that end their processes while a flow over the world still sends: under each MPI
and over shm, the others get all values, and no process crashes."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from mpi import lacking, start
from tap import BUILD, SANITIZER, done, ok, skip

HELPER = os.path.join(BUILD, "t/world/exit_rank")
RANKS = 3
OWN = {"PLAIT_BACKEND": "host"}


def has_all(text):
    return all("rank %d of %d has all numbers" % (rank, RANKS) in text for rank in range(RANKS))


def processes(how, number):
    options = "shm:rank=%d,ranks=%d,name=exit%d.%s"
    ranks = [subprocess.Popen([HELPER, how], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                              env=dict(os.environ, **OWN, PLAIT_TRANSPORT="shm",
                                       PLAIT_OPTIONS=options % (rank, RANKS, os.getpid(), how + str(number))))
             for rank in range(RANKS)]
    text = "".join(rank.communicate(timeout=300)[0] for rank in ranks)
    return [rank.returncode for rank in ranks], text


for number, mode in enumerate(("release", "leave", "after")):
    codes, said = processes(mode, number)
    ok(not any(codes) and has_all(said), mode + ": processes over shm", codes, said)
codes, said = processes("mapper", 3)
ok(not any(codes), "mapper: processes over shm", codes, said)
for kind in "openmpi", "mpich":
    reason = "MPI's libraries are not instrumented" if SANITIZER != "no" else lacking(kind)
    if reason:
        skip(reason)
        continue
    for transports in "mpi", "shm,mpi":
        for mode in "release", "leave", "after":
            status, said = start(kind, RANKS, [HELPER, mode], PLAIT_TRANSPORT=transports, **OWN)
            ok(status == 0 and has_all(said), "%s: %s over %s" % (kind, mode, transports), status, said)
done()
