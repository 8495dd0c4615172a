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
