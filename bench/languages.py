#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Overhead of the language bindings, beside the same calls from C: call a plan,
without and with a parameter; run a plan on a queue and wait; pull and answer a
pending callback, without and with the work of its queue.

    bench/languages.py [--rounds N] [--who c,lua,...]

in a build folder.  The programs alternate, in batches of a thousand calls.  Prints
minimum and median of the batches, and the load average before and after.
"""
import argparse
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "t", "lib"))
os.environ.setdefault("abs_top_builddir", os.getcwd())
from tap import BUILD, ROOT  # noqa: E402
import julia  # noqa: E402
import lua  # noqa: E402
import rust  # noqa: E402

KINDS = ("plan()", "plan(a=1)", "run and wait", "pull and answer", "with its queue")


def rust_program():
    # The crates of the tests are not optimised.
    rust.OUT, rust.LINTS = rust.OUT + "-optimised", rust.LINTS + ("-C", "opt-level=2")
    said = rust.build()
    output = os.path.join(rust.OUT, "bench-languages")
    got = rust.compile(os.path.join(HERE, "languages/bench.rs"), output)
    if said or got.returncode:
        sys.exit(said + got.stderr)
    return [output]


def programs():
    """Return {language: (command, environment)}; None for a missing language."""
    def source(suffix):
        return os.path.join(HERE, "languages", "bench." + suffix)
    return {
        "c": lambda: ([os.path.join(BUILD, "bench/languages/bench")], {}),
        **{name: lambda path=path: path and ([path, source("lua")], lua.ENVIRONMENT)
           for name, path in lua.INTERPRETERS.items()},
        "julia": lambda: julia.julia and (julia.command(source("jl"), how=[]),
                                          dict(julia.environment("bench"), JULIA_NUM_THREADS="1")),
        "rust": lambda: rust.rustc and (rust_program(), {}),
        "python": lambda: ([sys.executable, source("py")], {
            "PYTHONPATH": os.path.join(ROOT, "bindings", "python")}),
    }


def start(command, more):
    environment = dict(os.environ, PLAIT_LIBRARY=os.path.join(BUILD, "src/.libs/libplait.so"),
                       PLAIT_PLUGIN_PATH=os.path.join(BUILD, "plugins/.libs"), **more)
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, universal_newlines=True)


def batch(process):
    process.stdin.write("\n")
    process.stdin.flush()
    return [float(word) for word in process.stdout.readline().split()]


def measure(running, rounds):
    """Return {language: [figures of a batch]}, without the warm-up batches."""
    found = {who: [] for who in running}
    for turn in range(rounds + 2):
        for who, process in running.items():
            figures = batch(process)
            if len(figures) != len(KINDS):
                sys.exit("%s ended" % who)
            if turn > 1:
                found[who].append(figures)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--who", default="c,luajit,lua5.4,julia,rust,python")
    given = parser.parse_args()
    running = {}
    for who in given.who.split(","):
        made = programs()[who]()
        if made:
            running[who] = start(*made)
        else:
            print("%s is not there" % who)
    before = os.getloadavg()[0]
    found = measure(running, given.rounds)
    for process in running.values():
        process.stdin.close()
        process.wait()
    print("load %.1f before, %.1f after; %d batches of a thousand; least and median, ns" % (
        before, os.getloadavg()[0], given.rounds))
    print("%-8s" % "" + "".join("%18s" % kind for kind in KINDS))
    for who, batches in found.items():
        columns = list(zip(*batches))
        print("%-8s" % who + "".join("%18s" % ("%.0f  %.0f" % (min(c), statistics.median(c)))
                                     for c in columns))


if __name__ == "__main__":
    main()
