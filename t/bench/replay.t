#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test of bench/replay: every scheduler that was built keeps the order of every
shape, and one that does not is detected and not timed.  No figure is judged."""
import glob
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, done, none, ok, run

SHAPES = ["chain", "independent", "diamonds", "in_tree", "out_tree", "wavefront", "cholesky",
          "layers", "pair"]
# The shapes for other schedulers: changes here may break these.
FEW = ["chain", "independent", "diamonds", "cholesky"]
folder = tempfile.mkdtemp(prefix="plait-test-")


def replay(programs, shapes, *more):
    """The status, the output, and the lines of the file as dictionaries."""
    out = folder + "/results.tsv"
    got = run([sys.executable, ROOT + "/bench/replay.py", "--smoke", "--out", out,
               "--shapes", ",".join(shapes), "--absent", "nobody: not there"] +
              list(more) + programs)
    text = open(out, encoding="utf-8").read() if os.path.exists(out) else ""
    lines = [x.split("\t") for x in text.splitlines() if not x.startswith("#")]
    return got, [dict(zip(lines[0], x)) for x in lines[1:]], text


def is_figure(text):
    return bool(re.fullmatch(r"\d+\.\d+", text)) and float(text) > 0


try:
    programs = sorted(p for p in glob.glob(BUILD + "/bench/who_*")
                      if os.access(p, os.X_OK) and not os.path.isdir(p))
    names = [n for p in programs for n in run([p, "list"]).stdout.split()]
    ok("floor" in names, "a scheduler was built", *names)

    got, lines, text = replay(programs, FEW)
    if not ok(got.returncode == 0, "every scheduler keeps the order: " + " ".join(names),
              got.stdout[-3000:], got.stderr[-2000:]):
        names = []
    ok("# absent: nobody: not there" in text and "absent: nobody: not there" in got.stdout,
       "an absent scheduler is named", text[:300])
    found = {(x["shape"], x["threads"], x["who"]) for x in lines if is_figure(x["min_ns_per_node"])}
    # Threads are pinned by hwloc; without it plait says so instead.
    excused = {(x["shape"], x["threads"], x["who"]) for x in lines
               if x["threads"] == "2" and "built without hwloc" in x["hop"]}
    none([w for w in [(s, t, n) for s in FEW for t in "12" for n in names]
          if w not in found | excused],
         "there is a figure of every scheduler, with one and two threads")
    none([x for x in lines if is_figure(x["min_ns_per_node"]) and
          not float(x["min_ns_per_node"]) <= float(x["median_ns_per_node"])],
         "no minimum is above its median")

    floor = [p for p in programs if p.endswith("/who_floor")]
    got, lines, text = replay(floor, SHAPES, "--grains", "300", "--spreads", "even,heavy", "--threads", "1")
    none([x for x in lines if not is_figure(x["efficiency"])], "work has an efficiency, even or not")
    ok({x["shape"] for x in lines} == set(SHAPES), "every shape can be made", text[:300])
    ok({x["spread"] for x in lines} == {"even", "heavy"}, "both spreads are there", text[:300])

    got, lines, text = replay(floor + [BUILD + "/t/bench/replay_sins"], FEW)
    ok(got.returncode == 1, "a run that is wrong makes it fail", got.returncode, got.stderr)
    for name, shape, says in (("forward", "chain", ""), ("backward", "chain", "WRONG"),
                              ("backward", "independent", ""), ("last_twice", "cholesky", "WRONG"),
                              ("last_never", "independent", "WRONG"), ("wrong_later", "diamonds", "WRONG"),
                              ("crash", "chain", "crashed"), ("refuse", "chain", "does not want to"),
                              ("floor", "chain", "")):
        rows = [x for x in lines if x["who"] == name and x["shape"] == shape]
        good = [x for x in rows if is_figure(x["min_ns_per_node"]) != bool(says) and says in x["hop"]]
        ok(len(rows) == 2 and len(good) == 2,
           "%s on %s: %s" % (name, shape, says or "is right"), rows)
finally:
    shutil.rmtree(folder)
done()
