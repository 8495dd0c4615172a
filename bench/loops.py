#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Data-parallel launches on the host beside OpenMP's loops, in turn.

Usage: loops.py [--kernels A,B] [--items N,M] [--rounds N] [--pause US] BUILD

BUILD is a build folder in which `make bench-loops` has built both programs. A row is
one kernel and size; times are microseconds per call, minimum and median of all rounds;
ratios are of the medians, above 1 if plait is faster. Two threads on each side."""
import argparse
import os
import statistics
import subprocess
import sys

SIDES = {
    "alone": ("loops", "0", {}),
    "plait": ("loops", "1", {}),
    "default": ("loops", "2", {}),
    "serial": ("loops_omp", "serial", {}),
    "active": ("loops_omp", "static", {"OMP_WAIT_POLICY": "active"}),
    "passive": ("loops_omp", "static", {"OMP_WAIT_POLICY": "passive"}),
    "dynamic": ("loops_omp", "dynamic", {"OMP_WAIT_POLICY": "active"}),
}


def once(build, side, kernel, items, pause):
    program, mode, environment = SIDES[side]
    batches = 9 if items > 1 << 20 else 25
    answer = subprocess.run(
        [os.path.join(build, "bench", program), kernel, str(items), str(batches), str(pause * 1000),
         mode], stdout=subprocess.PIPE, check=True, text=True,
        env=dict(os.environ, OMP_NUM_THREADS="2", **environment)).stdout
    return [float(word) / 1000 for word in answer.split()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--kernels", default="saxpy,compute,rising,front")
    parser.add_argument("--items", default=",".join(str(4096 << 2 * i) for i in range(7)))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pause", type=int, default=0, help="us of sleep before each call")
    parser.add_argument("--sides", default=",".join(SIDES))
    options = parser.parse_args()
    os.environ.setdefault("PLAIT_PLUGIN_PATH", os.path.abspath(
        os.path.join(options.build, "plugins/.libs")))
    sides = options.sides.split(",")
    print("%-8s %9s " % ("kernel", "items") + " ".join("%19s" % s for s in sides))
    for kernel in options.kernels.split(","):
        for items in map(int, options.items.split(",")):
            times = {side: [] for side in sides}
            for _ in range(options.rounds):
                for side in sides:
                    times[side].append(once(options.build, side, kernel, items, options.pause))
            row = ["%9.2f %9.2f" % (min(t[0] for t in times[s]),
                                    statistics.median(t[1] for t in times[s])) for s in sides]
            print("%-8s %9d " % (kernel, items) + " ".join(row), flush=True)
    return 0


sys.exit(main())
