#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait coll run --processes: ranks that are processes verify each algorithm; a process
that is killed ends all others, which name it."""
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, done, ok, run

TOOL = os.path.join(BUILD, "tools/plait/plait")
HOW = (("ring", "--ranks", "2", "--in-place"), ("allpairs", "--ranks", "3"),
       ("halving", "--ranks", "4", "--in-place"), ("tree", "--ranks", "3"),
       ("direct", "--ranks", "4", "--kind", "alltoall"),
       ("ring", "--ranks", "3", "--kind", "reduce_scatter", "--in-place"),
       ("ring", "--ranks", "3", "--kind", "broadcast", "--root", "1"))


def rank(path, number, count, name):
    """Start one rank, as a launcher does."""
    environment = dict(os.environ, PLAIT_TRANSPORT="shm",
                       PLAIT_OPTIONS="shm:rank=%d,ranks=%d,name=%s" % (number, count, name))
    return subprocess.Popen([TOOL, "coll", "run", path, "--bytes", "1M", "--times", "1000000000"],
                            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


with tempfile.TemporaryDirectory() as work:
    for number, how in enumerate(HOW):
        path = os.path.join(work, str(number))
        ok(run([TOOL, "coll", "compile", *how, "-o", path]).returncode == 0, "compile " + " ".join(how))
        for kind in ("f32", "i8"):
            got = run([TOOL, "coll", "run", path, "--processes", how[2], "--bytes", "4,1003,300000",
                       "--type", kind, "--verify"])
            ok(got.returncode == 0 and got.stdout.count("right") == 3, "%s of %s" % (" ".join(how), kind),
               got.stdout + got.stderr)
    at_once = [subprocess.Popen([TOOL, "coll", "run", os.path.join(work, "1"), "--processes", "3", "--bytes", "1003",
                                 "--times", "200", "--verify"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True) for i in range(3)]
    said = [p.communicate() for p in at_once]
    ok(all(p.returncode == 0 for p in at_once) and all("right" in out for out, _ in said), "three worlds at once",
       said)
    got = run([TOOL, "coll", "run", os.path.join(work, "0"), "--processes", "3"])
    ok(got.returncode == 1 and "the schedule has 2 ranks, the world 3" in got.stderr, "another number of ranks",
       got.stderr)
    got = run([TOOL, "coll", "run", os.path.join(work, "0"), "--processes", "2", "--shared", "--verify",
               "--bytes", "4,300000,4000000"])
    ok(got.returncode == 0 and got.stdout.count(", right") == 3, "memory that the others read in place", got)
    got = run([TOOL, "coll", "run", os.path.join(work, "0"), "--shared"])
    ok(got.returncode == 2 and "for ranks that are processes" in got.stderr, "and of processes only", got)
    got = run([TOOL, "coll", "run", os.path.join(work, "0"), "--processes", "2", "--parameters"])
    ok(got.returncode == 2, "options of one process", got.stderr)
    ranks = [rank(os.path.join(work, "1"), i, 3, "kill%d" % os.getpid()) for i in range(3)]
    ranks[1].send_signal(signal.SIGKILL)
    said = [r.communicate()[1] for r in ranks]
    ok(all("rank 1" in said[i] for i in (0, 2)) and ranks[0].returncode == 1, "a rank is killed", said)
done()
