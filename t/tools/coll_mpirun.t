#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait coll run under mpirun: ranks that an MPI launches verify collectives, over mpi
alone and over shared memory where MPI knows the ranks only."""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from mpi import launcher, lacking, start
from tap import BUILD, SANITIZER, done, ok, run, skip, skip_all

TOOL = os.path.join(BUILD, "tools/plait/plait")
HOW = (("ring", "--ranks", "2", "--in-place"), ("halving", "--ranks", "4", "--in-place"),
       ("direct", "--ranks", "3", "--kind", "alltoall"))
# For a job to end on a machine with other work, where each call takes time slices.
LATE_S = 400


def ranks_of(job):
    """Processes of the tool below a launcher, with the ticks of their processors."""
    parents, found = {}, {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name, encoding="utf-8", errors="replace") as file:
                    head, _, tail = file.read().rpartition(")")
            except OSError:
                continue
            fields = tail.split()
            parents[int(name)] = int(fields[1])
            if head.endswith("plait"):
                found[int(name)] = int(fields[11]) + int(fields[12])

    def is_below(process):
        while process in parents and process != job:
            process = parents[process]
        return process == job
    return {process: ticks for process, ticks in found.items() if is_below(process)}


def is_left(processes):
    return [p for p in processes if os.path.exists("/proc/%d/exe" % p)]


def hit(kind, path, number, times):
    """Signal a rank that is in its calls; the status of the job and its text."""
    job = subprocess.Popen(launcher(kind) + ["-n", "2", TOOL, "coll", "run", path, "--bytes", "64K", "--times", times,
                                             "--verify"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           stdin=subprocess.DEVNULL, env=dict(os.environ, PLAIT_TRANSPORT="mpi"), start_new_session=True)
    found = {}
    while job.poll() is None and (len(found) < 2 or min(found.values()) < 60):
        time.sleep(0.02)
        found = ranks_of(job.pid)
    for process in list(found)[1:2]:
        try:
            os.kill(process, number)
            if number == signal.SIGSTOP:
                time.sleep(0.5)
                os.kill(process, signal.SIGCONT)
        except ProcessLookupError:
            pass
    try:
        text = job.communicate(timeout=LATE_S)[0]
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        text = "no end\n" + job.communicate()[0]
    end = time.monotonic() + LATE_S
    while is_left(found) and time.monotonic() < end:
        time.sleep(0.02)
    return job.returncode, text, is_left(found)


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
        folder = os.path.join(work, kind)
        status, text = start(kind, 2, [TOOL, "coll", "tune", "alltoall", "--measure", "--seconds", "10", "--bytes",
                                       "4K,64K", "-o", folder], PLAIT_TRANSPORT="mpi")
        ok(status == 0 and text.count(" us; ") == 2 and "alltoall-2-4096.sched" in os.listdir(folder),
           kind + ": tuned by its ranks", status, text)
        status, text = start(kind, 2, [TOOL, "coll", "tune", "alltoall", "--measure", "--ranks", "3"],
                             PLAIT_TRANSPORT="mpi")
        ok(status != 0 and "--ranks 3: the world has 2 ranks" in text, kind + ": --ranks of another world", status, text)
        status, text, left = hit(kind, os.path.join(work, "0"), signal.SIGSTOP, "50000")
        ok(status == 0 and ", right" in text, kind + ": a rank that stops and goes on", status, text)
        status, text, left = hit(kind, os.path.join(work, "0"), signal.SIGKILL, "1000000000")
        ok(status != 0 and "no end" not in text and not left, kind + ": a rank that is killed ends the job", status, text)
        status, text = start(kind, 3, [TOOL, "coll", "run", os.path.join(work, "0")], PLAIT_TRANSPORT="mpi")
        ok(status != 0 and "the schedule has 2 ranks, the world 3" in text, kind + ": another number of ranks",
           status, text)
done()
