#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Collectives of queues and graphs on several processes: the traces of all ranks have a
kernel that runs during the collective; examples/ranks."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, done, ok, run

HELPER = os.path.join(BUILD, "t/world/overlap_rank")
RANKS = 3


def start(rank, how, work):
    """One rank, as a launcher starts it."""
    options = "shm:rank=%d,ranks=%d,name=overlap%d%s;trace:file=%s/%d.json" % (
        rank, RANKS, os.getpid(), how, work, rank)
    environment = dict(os.environ, PLAIT_TRANSPORT="shm", PLAIT_WRAP="trace", PLAIT_OPTIONS=options)
    return subprocess.Popen([HELPER, how], env=environment, stderr=subprocess.PIPE, text=True)


def spans(path):
    with open(path) as file:
        events = json.load(file)
    return [e for e in (events["traceEvents"] if isinstance(events, dict) else events) if e.get("ph") == "X"]


def named(events, name):
    return [(e["ts"], e["ts"] + e["dur"]) for e in events if e["name"] == name]


with tempfile.TemporaryDirectory() as work:
    for how in ("queue", "graph"):
        ranks = [start(i, how, work) for i in range(RANKS)]
        said = [r.communicate()[1] for r in ranks]
        ok(all(r.returncode == 0 for r in ranks), "%s: the sum is right on all ranks" % how, said)
        for i in range(RANKS):
            found = spans("%s/%d.json" % (work, i))
            calls, kernels = named(found, "call 1"), named(found, "during")
            ok(len(calls) == 1 and len(kernels) >= 1 and any(
                k[0] <= calls[0][0] < k[1] for k in kernels),
               "%s: a kernel of rank %d runs when the collective begins" % (how, i),
               "collective %s, kernel %s" % (calls, kernels))
got = run([os.path.join(BUILD, "examples/ranks")])
ok(got.returncode == 0 and sorted(got.stdout.splitlines()) == [
    "rank %d of 2: 300000, other work 3 times" % i for i in (0, 1)], "examples/ranks", got.stdout + got.stderr)
done()
