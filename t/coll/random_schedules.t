#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proofs against the oracle: known algorithms, random programs, and mutants of both
(a wait dropped or moved, steps swapped, another channel, count, offset or kind).  A
mutant is refused for the oracle's reason, or it is as good as the original.
`seed=N count=N` on the command line; PLAIT_SEED, PLAIT_SOAK."""
import collections
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import coll
import coll_make as make
from coll_prove import ANY, SAME_BITS, Prover, reason
from tap import SOAK, done, none, ok, skip_all

ARGUMENTS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
SEED = int(ARGUMENTS.get("seed", os.environ.get("PLAIT_SEED", "1")))
COUNT = int(ARGUMENTS.get("count", 20000 if SOAK else 1500))
KNOWN = [make.ring_allreduce(3), make.ring_allreduce(3, 2, 1, order=True),
         make.ring_allreduce(4, 3, 1, order=True), make.ring_allreduce(4, 2, 2),
         make.ring_allreduce(2, 1, in_place=False), make.direct("allgather", 3),
         make.direct("allgather", 3, 2, 2, True), make.direct("alltoall", 3, 2, 2),
         make.allpairs_allreduce(3), make.allpairs_allreduce(4, 2),
         make.allpairs_allreduce(3, 1, False), make.reduce_scatter(3),
         make.reduce_scatter(4, 2, False), make.onestep_allreduce(2),
         make.onestep_allreduce(3), make.echo(3)] + \
    [make.rooted(kind, 3, 2) for kind in ("broadcast", "reduce", "gather", "scatter")]

prover = Prover()
if not prover.reads():
    skip_all("built without expat")
told = collections.Counter()


def differences(text, seed):
    """What the proof says otherwise than the oracle."""
    at_once = seed % 2 == 0
    program = coll.read(text)
    answer = prover.ask(text, target=2 if at_once else 0)
    want, detail = coll.verdict(program, at_once=at_once, seed=seed)
    told[want] += 1
    if reason(answer) != want:
        return ["the oracle says %s: %s" % (want, detail), answer]
    found = []
    if want in ("ok", "deadlock"):
        least = coll.least_depth(program, at_once, seed) or 0
        if least != answer["depth_min"]:
            found.append("the least depth is %d" % least)
    if want == "ok":
        safe = coll.safe_bytes(program, seed=seed) if at_once else None
        if (ANY if safe is None else safe) != answer["safe_bytes"]:
            found.append("the safe size is %s" % safe)
        if program.kind in coll.SIZES and bool(answer["flags"] & SAME_BITS) != detail:
            found.append("equal bits: %s" % detail)
    return found + [answer] if found else []


def tiles_differ(made, seed):
    """Scratch of tiles: the proof's request against tiles written out."""
    slots = 1 + seed % 2
    program = coll.read(make.text(make.unrolled(made, slots + 1, slots)))
    machine = coll.Machine(program, 1 << 30, True, 1 << 30, seed=seed)
    if not machine.run():
        return []
    answer = prover.ask(make.text(made), depth=99, scratch_tiles=slots)
    if answer["reason"] == "read":     # counts of steps that executors merge
        return []
    told["tiles race" if machine.race else "tiles"] += 1
    return [] if (answer["reason"] == "race") == bool(machine.race) else \
        ["a race of tiles: %s" % (machine.race,), answer]


def report(name, seed, found, text):
    if found:
        print("# %s, seed=%d" % (name, seed))
        print("\n".join("#   " + line for line in text.splitlines()))
        failures.append("%s, seed=%d count=1: %s" % (name, seed, found))


failures = []
for number, made in enumerate(KNOWN):
    for seed in (0, 1):
        report("known %d" % number, seed, differences(make.text(made), seed), make.text(made))
# More lanes than one pass over the steps decides.
for broken in ((), (90,)):
    text = make.text(make.echo(150, broken))
    report("echo %s" % (broken,), 0, differences(text, 0), text)
ok(told["race"] == 1, "order by messages alone")
ok(told["ok"] > len(KNOWN) and not failures, "known algorithms", *failures)
print("# seed=%d" % SEED)
for seed in range(SEED, SEED + COUNT):
    chance = random.Random(seed)
    made = chance.choice(KNOWN)
    if chance.random() < 0.5:
        made = make.random_program(chance)
        report("random", seed, differences(make.text(made), seed), make.text(made))
        report("tiles", seed, tiles_differ(made, seed), make.text(made))
    for _ in range(chance.randint(1, 2)):
        name, made = make.mutant(made, chance) or ("none", made)
    report("mutant " + name, seed, differences(make.text(made), seed), make.text(made))
none(failures, "%d random programs and mutants" % COUNT)
print("# " + ", ".join("%s %d" % item for item in sorted(told.items())))
if COUNT > 1000:
    none([word for word in ("ok", "shape", "deadlock", "race", "value", "tiles", "tiles race")
          if told[word] < 5], "each verdict was met")
ok(prover.close() == 0, "the filter ends")
done()
