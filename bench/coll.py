#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Collectives between processes: a floor by hand, Open MPI and MPICH, in turn.

Usage: coll.py [--operations A,B] [--ranks N,M] [--bytes N,M] [--rounds N]
               [--samples N] [--sides A,B] BUILD

BUILD is a build folder in which `make bench-coll` has built the programs. In each round
every contestant runs once, in processes of its own. A cell has minimum and median of all
samples in us. Of the forms of the floor the one with the least minimum counts; its name
is in the last column."""
import argparse
import os
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


def once(command):
    """The samples of one process, or none."""
    try:
        answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                universal_newlines=True, timeout=120, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return []
    if answer.returncode:
        sys.stderr.write("%s: status %d\n%s" % (" ".join(command), answer.returncode, answer.stderr))
        return []
    return [float(word) for word in answer.stdout.split()]


def floor(options, operation, ranks, size, found):
    for form in floor_forms(operation, size):
        found.setdefault(form, []).extend(once(
            [os.path.join(options.build, "bench/processes"), operation, form, str(ranks), str(size),
             str(options.samples)]))


def mpi(options, side, operation, ranks, size, found):
    found.setdefault("", []).extend(once(
        LAUNCHERS[side] + ["-n", str(ranks), os.path.join(options.build, "bench/processes_" + side), operation,
                           str(size), str(options.samples)]))


def best(found):
    """(minimum, median, form) of the form with the least minimum."""
    rows = [(min(times), statistics.median(times), form) for form, times in found.items() if times]
    return min(rows) if rows else (float("nan"), float("nan"), "failed")


def row(options, operation, ranks, size):
    found = {side: {} for side in options.sides}
    for _ in range(options.rounds):
        for side in options.sides:
            if side == "floor":
                floor(options, operation, ranks, size, found[side])
            else:
                mpi(options, side, operation, ranks, size, found[side])
    cells = [best(found[side]) for side in options.sides]
    print("| %s, %d ranks, %d | %s | %s |" % (
        operation, ranks, size, " | ".join("%.2f, %.2f" % cell[:2] for cell in cells),
        " ".join(cell[2] for cell in cells).strip()), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--operations", default="allreduce,alltoall")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--bytes", default=SIZES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--sides", default="floor,openmpi,mpich")
    options = parser.parse_args()
    options.sides = [s for s in options.sides.split(",") if s == "floor" or (
        shutil.which(LAUNCHERS[s][0]) and os.path.exists(os.path.join(options.build, "bench/processes_" + s)))]
    print("| operation, bytes of a rank | %s | form |" % " | ".join(options.sides))
    print("|---" * (len(options.sides) + 2) + "|")
    for operation in options.operations.split(","):
        for ranks in map(int, options.ranks.split(",")):
            for size in map(int, options.bytes.split(",")):
                row(options, operation, ranks, size)


main()
