#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Conformance of the transports: several ranks in one process, and one rank alone,
as under a launcher.  None of them lends memory (N21); mpi.t has those that do, and
share none (N22).  A backend that is no transport skips the group."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, PATIENCE, done, ok, run

PLAIT = os.path.join(BUILD, "tools/plait/plait")
seed = os.environ.get("PLAIT_SEED", "1")


def conform(name, options="", *args):
    env = dict(os.environ, PLAIT_OPTIONS=options)
    return run([PLAIT, "conform", name, "--seed", seed, "--deadline", PATIENCE, *args], env=env)


def report(got):
    return [line for line in got.stdout.splitlines() if not line.startswith("ok ")] + [got.stderr]


for name in "loopback", "shm":
    got = conform(name)
    ok(got.returncode == 0 and len(re.findall("^ok (?!.*# SKIP)", got.stdout, re.M)) == 21,
       "%s passes all" % name, *report(got))
    got = conform(name, name + ":rank=0,ranks=1,name=conform%d" % os.getpid())
    skipped = re.findall(r"^ok \d+ - (\w+) .*# SKIP", got.stdout, re.M)
    ok(got.returncode == 0 and skipped == ["N7", "N21"], "%s passes as one rank" % name, *report(got))
for options in "", "chaos:quirks=shuffle", "chaos:wire_ns=0":
    got = conform("chaos", options + (",seed=%s" % seed if options else ""), "--only", "N")
    ok(got.returncode == 0 and re.findall(r"^ok \d+ - (\w+) .*# SKIP", got.stdout, re.M) == ["N21", "N22"],
       "chaos passes all: " + options, *report(got))
got = conform("shm", "shm:rank=1")
ok(got.returncode == 1 and "rank and ranks go together" in got.stdout, "a wrong option is told", *report(got))
got = conform("host", "", "--only", "N")
ok(got.returncode == 0 and len(re.findall("# SKIP it is no transport", got.stdout)) == 22,
   "host is no transport", *report(got))
done()
