#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait coll tune --measure: schedules that are the fastest of processes, progress, a time
limit that holds with a rank that has stopped, and refusals; ranks of a launcher:
coll_mpirun.t."""
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, done, ok, run

TOOL = os.path.join(BUILD, "tools/plait/plait")
# Beyond a limit of time, for a process to end on a machine with other work: a search
# that its limit does not end takes longer, or hangs.
MARGIN_S = 100
# More than any search here takes that ends by itself.
LONG = ("--seconds", "600")
# Limits to try: a machine that is slow, or has other work, begins late.
LIMITS = (2, 8, 32, 128)
CLUSTER = "cluster ranks=4 step=100\nlane rate=1000\nlink rate=1000\nsimple link=%d\n"
TEXT = "allreduce ranks=2 chunks=ranks in_place\n" + """\
for r in 0..ranks {
	c = input[(r + 1) % ranks, r]
	for s in 2..ranks + 1 { c = reduce(input[(r + s) % ranks, r], c) }
	for s in 1..ranks { c = copy(c, (r + s) % ranks) }
}
"""


def tune(*more, **how):
    return run([TOOL, "coll", "tune", *more], **how)


def sizes(text):
    return [int(line.split()[0]) for line in text.splitlines() if " us; " in line]


def start(*more):
    return subprocess.Popen([TOOL, "coll", "tune", *more, "--measure", "-v"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def await_line(command, part):
    """The first line of a candidate with this part; "" if the search ends before."""
    for line in command.stderr:
        if line.startswith("candidate") and part in line:
            return line
    return ""


def ranks_of(command):
    with open("/proc/%d/task/%d/children" % (command.pid, command.pid), encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


def fastest(work):
    """Its schedules run."""
    folder = os.path.join(work, "tuned")
    got = tune("alltoall", "--ranks", "2", "--measure", "--bytes", "4K,64K", "-o", folder, *LONG)
    ok(got.returncode == 0 and sizes(got.stdout) == [4096, 65536] and got.stderr == "", "two sizes, and no progress",
       got.stdout + got.stderr)
    files = os.listdir(folder)
    ok("alltoall-2-4096.sched" in files and all(
        run([TOOL, "coll", "run", os.path.join(folder, name), "--processes", "2", "--verify", "--bytes",
             name.split("-")[2].partition(".")[0]]).returncode == 0 for name in files), "its schedules run", files)
    path = os.path.join(work, "ring.coll")
    with open(path, "w", encoding="utf-8") as file:
        file.write(TEXT)
    got = tune(path, "--measure", "--bytes", "4K", *LONG)
    ok(got.returncode == 0 and sizes(got.stdout) == [4096] and "ring.coll" in got.stdout, "a text knows its ranks",
       got.stdout + got.stderr)


def progress(work):
    got = tune("alltoall", "--ranks", "2", "--measure", "--bytes", "4K", *LONG, "-v")
    ok(re.search(r"^candidate 1 of \d+: \w+, 1 instances, auto.*; 4096 bytes; \d+\.\d s of 600$", got.stderr, re.M) and
       "predicting candidate 1: " in got.stderr, "-v: candidate, size, time so far", got.stderr)
    master, slave = pty.openpty()
    shown = subprocess.run([TOOL, "coll", "tune", "alltoall", "--ranks", "2", "--measure", "--bytes", "4K", *LONG],
                           stdout=subprocess.PIPE, stderr=slave, text=True)
    os.close(slave)
    text = os.read(master, 1 << 16).decode()
    os.close(master)
    ok(shown.returncode == 0 and "\rcandidate 1 of " in text, "a terminal shows it without -v", text[:500])
    found = {}
    for latency in (0, 1000000):
        path = os.path.join(work, "cluster")
        with open(path, "w", encoding="utf-8") as file:
            file.write(CLUSTER % latency)
        command = start("allreduce", "--ranks", "4", "--bytes", "1K", "--cluster", path, *LONG)
        found[latency] = int((re.findall("^candidate .* of ([0-9]+):", await_line(command, ""), re.M) or [0])[0])
        command.kill()
        command.communicate()
    ok(0 < found[1000000] < found[0], "what is hopeless by the cluster is left out", found)


def limit():
    """The search would take longer; a rank that stops does not lengthen it."""
    for seconds in LIMITS:
        begin = time.monotonic()
        got = tune("allreduce", "--ranks", "4", "--measure", "--bytes", "1K:4M", "--seconds", str(seconds))
        took = time.monotonic() - begin
        if took >= seconds + MARGIN_S or sizes(got.stdout):
            break
    ok(took < seconds + MARGIN_S, "ends in time", took, seconds)
    ok("the %d s ended: " % seconds in got.stderr and "had no time" in got.stderr and got.returncode == 0 and
       sizes(got.stdout) == sorted(sizes(got.stdout)), "results so far", got.stdout + got.stderr)
    for seconds in LIMITS[1:]:
        begin = time.monotonic()
        command = start("alltoall", "--ranks", "2", "--bytes", "1K:64K", "--seconds", str(seconds))
        if await_line(command, "; 65536 bytes"):
            break
        command.communicate()
    ranks = ranks_of(command) if command.poll() is None else []
    if len(ranks) < 2:
        ok(False, "two ranks to stop", ranks)
        return
    os.kill(ranks[1], signal.SIGSTOP)
    out, err = command.communicate()
    took = time.monotonic() - begin
    ok(took < seconds + MARGIN_S and command.returncode == 0 and len(sizes(out)) >= 6 and
       "the %d s ended" % seconds in err, "a rank stops: results so far, in time", took, command.returncode, out + err)
    ok(not any(os.path.exists("/proc/%d" % rank) for rank in ranks), "and no rank is left", ranks)
    command = start("alltoall", "--ranks", "2", *LONG)
    await_line(command, "")
    os.kill(ranks_of(command)[1], signal.SIGKILL)
    out, err = command.communicate()
    ok(command.returncode == 1 and "rank 1" in err, "a rank is killed: its name", out + err)


def refusals(work):
    begin = time.monotonic()
    got = tune("allreduce", "--ranks", "300", "--measure")
    ok(got.returncode == 1 and "--ranks 300: --measure starts at most 256 processes" in got.stderr and
       time.monotonic() - begin < MARGIN_S, "ranks that cannot be started", got.stderr)
    got = tune("allreduce", "--ranks", "200", "--measure", "--bytes", "1K,900G")
    ok(got.returncode == 1 and "do not fit into half of the memory" in got.stderr, "buffers that do not fit", got.stderr)
    got = tune("allreduce", "--ranks", "2", "--measure", env=dict(os.environ, PMI_SIZE="2"))
    ok(got.returncode == 1 and "with PLAIT_TRANSPORT" in got.stderr, "a launcher without a transport", got.stderr)
    got = tune("alltoall", "--ranks", "2")
    ok(got.returncode == 2 and "--cluster or --measure" in got.stderr, "tune by nothing", got.stderr)
    got = tune("alltoall", "--ranks", "2", "--measure", "--cluster", os.path.join(work, "none"))
    ok(got.returncode == 1 and "none" in got.stderr, "a cluster that is not there", got.stderr)
    got = tune("allreduce", "--ranks", "5", "--measure", "--cluster", os.path.join(work, "cluster"))
    ok(got.returncode == 1 and "5 ranks, the cluster 4" in got.stderr, "a cluster of fewer ranks", got.stderr)


with tempfile.TemporaryDirectory() as temporary:
    fastest(temporary)
    progress(temporary)
    limit()
    refusals(temporary)
done()
