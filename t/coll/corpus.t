#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Documents with known verdicts: those of t/coll/documents, and those of a folder
that PLAIT_COLL_CORPUS or --corpus names.  Its MANIFEST.tsv has a row for each
document: the path, good/ or bad/, and in columns 14 and 16 the least depth and the
safe size that a simulator found."""
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import coll
import coll_make
from coll_prove import ANY, SAME_BITS, TARGETS, Prover, reason
from tap import ROOT, done, ok, skip, skip_all

FOLDER = os.path.join(ROOT, "t/coll/documents")
# Documents whose manifest is wrong, and the oracle's figure: nine sends before a
# receipt need nine slots; the manifest tried 8 and 12.
LEAST = {"bad/deadlock_fifo8-9-sends-before-recv__msccl-tools.xml": 9}
# Mutants of larger schedules take long.
MOST_STEPS = 2000
REASONS = [("DEADLOCK=", "deadlock"), ("race=", "race"), ("uninit=", "value"), ("POST=", "value")]


def content(path):
    with open(path, "rb") as file:
        return file.read()


def wrong_copies(prover, text, answer):
    """Each dialect that can hold the schedule gives it back, byte by byte."""
    found = []
    for target in ("msccl", "executor", "rccl"):
        one = prover.write(text, target)
        if one is None:
            if answer["flags"] & 1 << TARGETS[target]:
                found.append("%s: not written" % target)
            continue
        again = prover.ask(one)
        if prover.write(one, target) != one:
            found.append("%s: read and written again it has other bytes" % target)
        for key in ("status", "depth_min", "safe_bytes", "steps", "lanes", "flags"):
            if again[key] != answer[key]:
                found.append("%s: %s was %s, is %s" % (target, key, answer[key], again[key]))
    return found


def against_oracle(text, answer):
    program = coll.read(text)
    told, detail = coll.verdict(program)
    found = [] if reason(answer) == told else ["the oracle says %s: %s" % (told, detail)]
    if told == "deadlock" or told == "ok":
        least = coll.least_depth(program) or 0
        if least != answer["depth_min"]:
            found.append("the oracle's least depth is %d" % least)
    if told == "ok":
        safe = coll.safe_bytes(program)
        if (ANY if safe is None else safe) != answer["safe_bytes"]:
            found.append("the oracle's safe size is %s" % safe)
        if bool(answer["flags"] & SAME_BITS) != detail:
            found.append("equal bits: the oracle says %s" % detail)
    return found


def wrong_mutants(prover, text, count=4):
    """Changes of a schedule are refused for the oracle's reason, or are none."""
    chance, found = random.Random(len(text)), []
    made = coll_make.parsed(text)
    if sum(len(one["steps"]) for gpu in made["gpus"] for one in gpu["lanes"]) > MOST_STEPS:
        return []
    for _ in range(count):
        name, changed = coll_make.mutant(made, chance) or ("none", made)
        mutant = coll_make.text(changed)
        found += ["mutant %s: %s" % (name, one) for one in against_oracle(mutant, prover.ask(mutant))]
    return found


def own_documents(prover):
    """The first line is a comment: the verdict, or a part of the error."""
    names = sorted(n for n in os.listdir(FOLDER) if n.endswith(".xml"))
    ok(len(names) > 20, "there are documents")
    for name in names:
        text = content(os.path.join(FOLDER, name))
        want = re.match(rb"<!-- (\w+): (.*?) -->", text)
        answer, kind = prover.ask(text), want.group(1).decode()
        found = [] if want.group(2).decode() in answer["text"] else ["the text differs"]
        if (reason(answer) if kind != "read" else answer["reason"]) != kind:
            found.append("it is no fault of this kind")
        if kind != "read":
            found += against_oracle(text, answer)
        if kind == "ok":
            found += wrong_copies(prover, text, answer) + wrong_mutants(prover, text, 20)
        ok(not found, "documents/" + name, *found, answer)


def rows(folder):
    with open(os.path.join(folder, "MANIFEST.tsv"), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file][1:]


def good(prover, row, text):
    answer = prover.ask(text)
    least, safe = LEAST.get(row[0], row[13]), row[15]
    got = "any size" if answer.get("safe_bytes") == ANY else \
        "<= %.2f MiB" % (answer.get("safe_bytes", 0) / 2 ** 20)
    found = wrong_copies(prover, text, answer) if answer["status"] == 0 else ["it is refused"]
    if str(answer.get("depth_min")) != str(least):
        found.append("the manifest's least depth is %s" % least)
    if got != safe:
        found.append("the manifest's safe size is %s, not %s" % (safe, got))
    return found, answer


def bad(prover, row, text):
    answer = prover.ask(text)
    want = next(word for mark, word in REASONS if mark in row[12])
    found = [] if reason(answer) == want else ["the reason is %s" % want]
    least = LEAST.get(row[0], row[13])
    if want == "deadlock" and str(answer["depth_min"] or None) != str(least):
        found.append("the least depth is %s" % least)
    return found, answer


def corpus(prover, folder):
    for row in rows(folder):
        text = content(os.path.join(folder, row[0]))
        found, answer = (good if row[0].startswith("good/") else bad)(prover, row, text)
        found += against_oracle(text, answer)
        if not found:
            found += wrong_mutants(prover, text)
        ok(not found, row[0], *found, answer)


where = os.environ.get("PLAIT_COLL_CORPUS", "")
if "--corpus" in sys.argv:
    where = sys.argv[sys.argv.index("--corpus") + 1]
prover = Prover()
if not prover.reads():
    skip_all("built without expat")
own_documents(prover)
if where:
    corpus(prover, where)
else:
    skip("no corpus: PLAIT_COLL_CORPUS or --corpus names a folder with a MANIFEST.tsv")
ok(prover.close() == 0, "the filter ends")
done()
