#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""The fuzz targets on what their corpora have, and on every input that ever
broke one.  New inputs are searched by `./bootstrap lane fuzz`."""
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import coll_make
from graphs import Writer
from tap import BUILD, ROOT, done, ok, read, run

TARGETS = re.findall(r"(?m)^%C%_(\w+)_SOURCES", read("t/fuzz/local.mk"))
ok(len(TARGETS) >= 4, "%d targets" % len(TARGETS))

TEXTS = ("allreduce ranks=4 chunks=ranks in_place\nfor r in 0..ranks {\n\tc = input[(r + 1) % ranks, r]\n"
         "\tfor s in 2..ranks + 1 { c = reduce(input[(r + s) % ranks, r], c) }\n"
         "\tfor s in 1..ranks { c = copy(c, (r + s) % ranks) }\n}\n",
         "custom ranks=3 inputs=2 outputs=2 in_place\npromise output[0, 1] = input[1, 0] + input[0, 1]\n"
         "parallel 2 { x = copy(input[1, 0], scratch1[0, *], channel=0)\nreduce(input[0, 1], part(x, 0, 1)) }\n",
         "broadcast ranks=3 chunks=4\nfor i in 0..4 { for r in 0..ranks { if r != 2 or i < 9 {\n"
         "copy(input[0, i], output[r, i]) } else { y = -i } } }\n")

HISTORY = "plait history 1\ndevice 0 host: 8\ndevice 2 x\n" + "".join(
    "time %032x %d %d %d %d %d\n" % (i * 7, i % 2 * 2, i, i * 100, i * 50, i + 1) for i in range(5))


def inputs(target):
    for kind in ("corpus", "found"):
        folder = os.path.join(ROOT, "t/fuzz", kind, target)
        if target == "coll_xml" and kind == "corpus":
            folder = os.path.join(ROOT, "t/coll/documents")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            yield os.path.join(folder, name)


def made(target, folder):
    """Inputs that are made here, the same ones each time."""
    for i in range(40):
        r = random.Random(i)
        if target == "graph_text":
            text = Writer(r, 15, r.choice([1, 2])).text()
            if i % 2:           # one or two bytes changed
                at = r.randrange(len(text))
                text = text[:at] + r.choice("\n =,+#az0") + text[at + r.randrange(3):]
            data = text.encode()
        elif target in ("plan_bytes", "plan_runs") and i < 20:
            data = b"seed %d" % i
        elif target == "coll_text":
            text = TEXTS[i % len(TEXTS)]
            for _ in range(i // len(TEXTS) % 4):    # a piece of a text in another one
                at, other = r.randrange(len(text)), r.choice(TEXTS)
                start = r.randrange(len(other))
                text = text[:at] + other[start:start + r.randrange(12)] + text[at + r.randrange(12):]
            data = text.encode()
        elif target == "history_text":
            data = HISTORY.encode()
            for _ in range(i % 4):      # some bytes changed, or a piece cut
                at = r.randrange(len(data))
                data = data[:at] + bytes([r.choice(b"0129 \n\0x\xc3")]) + data[at + r.choice([0, 1, 2, 40]):]
        elif target == "coll_xml":
            made_here = coll_make.random_program(r)
            data = coll_make.text(made_here).encode()
            for _ in range(i % 3):      # some bytes changed
                at = r.randrange(len(data))
                data = data[:at] + bytes([r.choice(b'0129-"<>a')]) + data[at + r.randrange(2):]
        else:
            data = bytes(r.choice([0, 0, 5, 6, 7, 9, 10, 11, 15, r.randrange(256)]) for _ in range(r.randrange(900)))
        path = os.path.join(folder, "%s.%d" % (target, i))
        with open(path, "wb") as file:
            file.write(data)
        yield path


with tempfile.TemporaryDirectory() as folder:
    for target in TARGETS:
        program = os.path.join(BUILD, "t/fuzz", target)
        files = list(inputs(target)) + list(made(target, folder))
        got = run([program] + files, timeout=600)
        last = got.stdout.splitlines()[-1:]
        ok(got.returncode == 0 and len(got.stdout.splitlines()) == len(files), "%s: %d inputs" % (target, len(files)),
           got.returncode, "at", *last, got.stderr[-2000:])
done()
