#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Collectives between processes: a floor by hand, plait, Open MPI and MPICH, in turn.

Usage: coll.py [--operations A,B] [--ranks N,M] [--bytes N,M] [--rounds N]
               [--samples N] [--sides A,B] BUILD

BUILD is a build folder in which `make bench-coll` has built the programs. In each round
every contestant runs once, in processes of its own. A cell has minimum and median of all
samples in us. Of the forms of the floor, and of the algorithms of plait, the one with the
least minimum counts; their names are in the last column. Sides: `floor`; `slots`, the forms
of the floor without direct reads, which move the bytes that plait moves; `plait` over shm;
`shared`: plait over shm, of buffers that peers read in place; `openmpi`, `mpich`; `plait_openmpi`, `plait_mpich`: plait over that MPI alone."""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys

SIZES = "64,1024,4096,16384,65536,262144,1048576,4194304,16777216,67108864"
# A line goes there and back, so that each side has two messages.
LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root"],
    "mpich": ["mpirun.mpich"],
}


def floor_forms(operation, size):
    """The forms that may be the fastest at a size."""
    if operation == "line":
        return ["slots:4096"]
    if operation == "copy":
        return ["direct", "slots:65536", "slots:262144"]
    forms = ["direct"] + ["slots:%d" % slot for slot in (16384, 65536, 262144)
                          if slot <= max(size, 16384)]
    if operation == "allreduce":
        forms += ["lines"] if size <= 16384 else []
        forms += ["step"] if size <= 262144 else []
    return forms


def algorithms(operation, size):
    """The algorithms of plait that may be the fastest at a size."""
    if operation == "alltoall":
        return ["direct"]
    return ["allpairs"] + (["onestep"] if size <= 65536 else [])


def once(command, **variables):
    """The samples of one process, or none."""
    try:
        answer = subprocess.run(command, env=dict(os.environ, **variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                universal_newlines=True, timeout=120, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return []
    if answer.returncode:
        sys.stderr.write("%s: status %d\n%s" % (" ".join(command), answer.returncode, answer.stderr))
        return []
    return [float(word) for word in answer.stdout.split() if re.fullmatch(r"[0-9]+\.[0-9]{3}", word)]


def floor(options, side, operation, ranks, size, found):
    for form in floor_forms(operation, size):
        if side == "slots" and form == "direct":
            continue
        found.setdefault(form, []).extend(once(
            [os.path.join(options.build, "bench/processes"), operation, form, str(ranks), str(size),
             str(options.samples)]))


def mpi(options, side, operation, ranks, size, found):
    found.setdefault("", []).extend(once(
        LAUNCHERS[side] + ["-n", str(ranks), os.path.join(options.build, "bench/processes_" + side), operation,
                           str(size), str(options.samples)]))


def plait(options, side, operation, ranks, size, found):
    launcher = LAUNCHERS.get(side.partition("_")[2], [])
    for name in algorithms(operation, size):
        name = "shared:" + name if side == "shared" else name
        found.setdefault(name, []).extend(once(
            (launcher + ["-n", str(ranks)] if launcher else []) +
            [os.path.join(options.build, "bench/processes_plait"), operation, name,
             "0" if launcher else str(ranks), str(size), str(options.samples)],
            PLAIT_TRANSPORT=side.partition("_")[2] or "shm",
            PLAIT_PLUGIN_PATH=os.path.join(options.build, "plugins/.libs")))


def best(found):
    """(minimum, median, form) of the form with the least minimum."""
    rows = [(min(times), statistics.median(times), form) for form, times in found.items() if times]
    return min(rows) if rows else (float("nan"), float("nan"), "failed")


def row(options, operation, ranks, size):
    found = {side: {} for side in options.sides}
    for _ in range(options.rounds):
        for side in options.sides:
            run = floor if side in ("floor", "slots") else plait if side.startswith(("plait", "shared")) else mpi
            run(options, side, operation, ranks, size, found[side])
    cells = [best(found[side]) for side in options.sides]
    print("| %s, %d ranks, %d | %s | %s |" % (
        operation, ranks, size, " | ".join("%.2f, %.2f" % cell[:2] for cell in cells),
        " ".join(cell[2] for cell in cells).strip()), flush=True)


def is_there(options, side):
    """Whether the programs of a side were built."""
    launcher = side.replace("plait_", "")
    if launcher not in LAUNCHERS:
        return True
    return shutil.which(LAUNCHERS[launcher][0]) and os.path.exists(
        os.path.join(options.build, "bench/processes_" + launcher))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--operations", default="allreduce,alltoall")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--bytes", default=SIZES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--sides", default="floor,slots,plait,shared,openmpi,mpich,plait_openmpi,plait_mpich")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.sides = [s for s in options.sides.split(",") if is_there(options, s)]
    print("| operation, bytes of a rank | %s | form |" % " | ".join(options.sides))
    print("|---" * (len(options.sides) + 2) + "|")
    for operation in options.operations.split(","):
        for ranks in map(int, options.ranks.split(",")):
            for size in map(int, options.bytes.split(",")):
                row(options, operation, ranks, size)


main()
