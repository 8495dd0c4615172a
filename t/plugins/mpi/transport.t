#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The MPI transports: mail, streams, credits, ends and errors, in jobs of 2 and 4
ranks of each MPI; scenarios.c has the ranks' side."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from mpi import lacking, start
from tap import BUILD, done, ok, run, skip, skip_all

PROGRAM = os.path.join(BUILD, "t/plugins/mpi/scenarios")
SEED = os.environ.get("PLAIT_SEED", "1")
# Scenario, ranks, and depth, bytes of a slot and messages where they matter.
SCENARIOS = (
    ("mail", 2, ()), ("mail", 4, ()),
    ("streams", 2, (1, 64, 300)), ("streams", 2, (2, 4096, 300)), ("streams", 2, (8, 5000, 300)),
    ("streams", 2, (2, 262144, 60)), ("streams", 2, (1, 3000000, 8)), ("streams", 4, (2, 70000, 40)),
    ("streams", 4, (8, 100, 100)), ("streams", 1, (4, 20000, 50)),
    ("credits", 2, (1, 100)), ("credits", 2, (2, 300000)), ("credits", 3, (8, 4096)),
    ("early_end", 2, (4, 200)), ("early_end", 2, (2, 500000)),
    ("pending", 2, (2, 3000)), ("pending", 2, (4, 400000)), ("pending", 4, (2, 100)),
    ("mismatch", 2, ()), ("overfull", 2, ()), ("refused", 2, ()), ("native", 2, ()), ("two", 2, ()), ("left", 2, ()),
    ("stopped_peer", 2, ()), ("few", 2, ()), ("crowded", 2, ()),
    ("lent", 1, (2, 5000, 100)), ("lent", 2, (1, 100, 300)), ("lent", 2, (4, 70000, 200)), ("lent", 2, (2, 3000000, 30)),
    ("lent", 4, (2, 300000, 30)), ("reclaimed", 2, ()), ("stopped", 2, ()),
    ("threads", 2, ()), ("invalid", 2, ()),
)

reasons = {kind: lacking(kind) for kind in ("openmpi", "mpich")}
if all(reasons.values()):
    skip_all("; ".join(reasons.values()))
print("# seed %s" % SEED)
for kind, reason in reasons.items():
    if reason:
        skip(reason)
        continue
    for scenario, ranks, more in SCENARIOS:
        status, text = start(kind, ranks, [PROGRAM, kind, scenario, SEED] + [str(m) for m in more])
        # UCX warns of messages that nothing has received.
        ok(status == 0 and "unexpected tag-receive" not in text,
           "%s: %s, %d ranks %s" % (kind, scenario, ranks, " ".join(map(str, more))), status, text)
    # UCX may warn here.
    status, text = start(kind, 2, [PROGRAM, kind, "absent"])
    ok(status == 0, "%s: MPI ends beside a rank without a port" % kind, status, text)
    for scenario in ("killed", "failed"):
        status, text = start(kind, 3, [PROGRAM, kind, scenario])
        ok(status != 0 and "no end after" not in text, "%s: a job with a rank that %s ends" % (
            kind, {"killed": "was killed", "failed": "has failed"}[scenario]), status, text)
    alone = run([PROGRAM, kind, "alone"])
    ok(alone.returncode == 0 and kind + ": %s's mpirun did not start the process" % {"openmpi": "Open MPI", "mpich": "MPICH"}[kind] in alone.stdout,
       kind + " is refused where no launcher of it is", alone.stdout, alone.stderr)
    other = {"openmpi": "mpich", "mpich": "openmpi"}[kind]
    if not reasons[other]:
        status, text = start(other, 1, [PROGRAM, kind, "alone"])
        ok(status == 0, "and where the other MPI has launched the process", status, text)
done()
