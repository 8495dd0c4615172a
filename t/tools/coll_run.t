#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait coll compile and run: each algorithm and each document that is right runs and
verifies on each backend; also the good files up to 16 ranks of the folder that
PLAIT_COLL_CORPUS or --corpus names."""
import glob
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import coll
from tap import BUILD, ROOT, SANITIZER, done, ok, run, skip

TOOL = os.path.join(BUILD, "tools/plait/plait")
FOLDER = os.path.join(ROOT, "t/coll/documents")
CACHE = os.path.join(BUILD, "t/pocl-cache")
STANDIN = os.path.join(BUILD, "t/standin/cuda/.libs")
SIZES = "4,1003,65536,1000003"
MOST_RANKS = 16
COMPILED = (("ring", "--ranks", "4"), ("ring", "--ranks", "3", "--in-place", "--instances", "2"),
            ("allpairs", "--ranks", "4", "--in-place"), ("halving", "--ranks", "8"),
            ("tree", "--ranks", "5"), ("doubletree", "--ranks", "4"), ("onestep", "--ranks", "3"),
            ("hierarchical:2", "--ranks", "6"), ("twostep:2", "--ranks", "4"),
            ("threestep:2", "--ranks", "4"), ("next:2", "--ranks", "4"),
            ("ring", "--ranks", "4", "--kind", "allgather", "--in-place"),
            ("ring", "--ranks", "4", "--kind", "reduce_scatter", "--in-place"),
            ("ring", "--ranks", "3", "--kind", "broadcast", "--root", "1"),
            ("ring", "--ranks", "3", "--kind", "reduce", "--root", "2"),
            ("direct", "--ranks", "3", "--kind", "gather", "--root", "1", "--in-place"),
            ("direct", "--ranks", "3", "--kind", "scatter", "--root", "1"))


def tool(*arguments, **more):
    return run([TOOL, "coll", *arguments], env=dict(os.environ, **more))


def backends(work):
    """Each backend that was built, with its environment."""
    yield "host", {"PLAIT_BACKEND": "host", "PLAIT_CHECK": "1"}
    yield "chaos", {"PLAIT_BACKEND": "chaos", "PLAIT_CHECK": "1"}
    if os.path.exists(os.path.join(BUILD, "plugins/plait_opencl.la")) and SANITIZER == "no":
        yield "opencl", {"PLAIT_BACKEND": "opencl", "POCL_CACHE_DIR": CACHE, "HOME": CACHE,
                         "XDG_CACHE_HOME": CACHE}
    if os.path.exists(os.path.join(STANDIN, "standin_cuda.so")):
        yield "cuda", {"PLAIT_BACKEND": "cuda", "PLAIT_CACHE_DIR": os.path.join(work, "cache"),
                       "PLAIT_OPTIONS": "cuda:driver=%s/standin_cuda.so,nvrtc=%s/standin_nvrtc.so"
                       % (STANDIN, STANDIN)}


def compiled(work):
    for number, how in enumerate(COMPILED):
        path = os.path.join(work, "%d.sched" % number)
        again = os.path.join(work, "again.sched")
        got = tool("compile", *how, "-o", path)
        tool("compile", *how, "-o", again)
        ok(got.returncode == 0 and got.stdout.startswith("right: ") and
           open(path, "rb").read() == open(again, "rb").read(), "compile " + " ".join(how), got.stderr)
        yield " ".join(how), path


def verify(name, path, environment, *options):
    got = tool("run", path, "--verify", "--times", "2", "--bytes", SIZES, *options, **environment)
    ok(got.returncode == 0 and got.stdout.count(", right\n") == SIZES.count(",") + 1, name,
       got.stdout, got.stderr)


def custom(work, path):
    """Options that verify a custom collective: what the oracle computes."""
    text = read(path)
    if 'coll="custom"' not in text:
        return ()
    promise = os.path.join(work, os.path.basename(path) + ".promise")
    if not os.path.exists(promise):
        with open(promise, "w", encoding="ascii") as file:
            file.write(coll.promises(coll.read(text)))
    return ("--promise", promise)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def documents(folder, pattern):
    for path in sorted(glob.glob(os.path.join(folder, pattern))):
        text = read(path)
        ranks = re.search(r'ngpus="(\d+)"', text)
        if ranks and int(ranks.group(1)) <= MOST_RANKS:
            yield os.path.basename(path), path


corpus = os.environ.get("PLAIT_COLL_CORPUS", "")
if "--corpus" in sys.argv:
    corpus = sys.argv[sys.argv.index("--corpus") + 1]
expat = "without expat" not in tool("check", os.path.join(FOLDER, "ok-ring.xml")).stderr
with tempfile.TemporaryDirectory() as work:
    cases = list(compiled(work))
    if expat:
        cases += documents(FOLDER, "ok-*.xml")
        cases += documents(os.path.join(corpus, "good"), "*.xml") if corpus else []
    else:
        skip("built without expat: no documents")
    for backend, environment in backends(work):
        for name, path in cases:
            options = custom(work, path) if path.endswith(".xml") else ()
            verify("%s: %s" % (backend, name), path, environment, *options)
            if backend in ("host", "chaos"):
                verify("%s: %s, parameters" % (backend, name), path, environment, "--parameters",
                       "--op", "max", "--type", "i16", *options)

    ring = os.path.join(work, "0.sched")
    for kind in ("f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
        for operation in ("sum", "prod", "min", "max"):
            verify("%s of %s" % (operation, kind), ring, {"PLAIT_BACKEND": "host"}, "--type", kind, "--op",
                   operation)
    got = tool("run", ring, "--verify", "--as", "alltonext")
    ok(got.returncode == 1 and "element 0 of the output is wrong" in got.stderr,
       "wrong outputs are found", got.stderr)

    own = os.path.join(work, "own.coll")
    kept = os.path.join(work, "own.promise")
    with open(own, "w", encoding="ascii") as file:
        file.write("custom ranks=3 inputs=2 outputs=3\npromise output[2, 1] = input[0, 1] + input[1, 0]\n"
                   "reduce(copy(input[0, 1], scratch[1, 0]), input[1, 0])\ncopy(scratch[1, 0], output[2, 1])\n")
    tool("compile", own, "-o", os.path.join(work, "own.sched"))
    for promise, right in (("2.1 = 1.0 + 0.1", True), ("2.1 = 1.0", False), ("2.1 = 1.1 + 0.1", False),
                           ("", True)):
        with open(kept, "w", encoding="ascii") as file:
            file.write(promise + "\n")
        got = tool("run", os.path.join(work, "own.sched"), "--verify", "--promise", kept, "--bytes", "12,120",
                   "--type", "i32", "--op", "sum", PLAIT_BACKEND="host")
        ok((got.returncode == 0) == right and (right or "of the output is wrong" in got.stderr),
           "a promise of a file: " + promise, got.stdout, got.stderr)
    got = tool("run", os.path.join(work, "own.sched"), "--verify")
    ok(got.returncode == 1 and "--promise says" in got.stderr, "nothing to verify", got.stderr)

    text = os.path.join(work, "two.coll")
    with open(text, "w", encoding="utf-8") as file:
        file.write("broadcast ranks=2\ncopy(input[0, 0], 0, output[0])\ncopy(input[0, 0], 1, output[0])\n")
    got = tool("compile", text, "--xml", "msccl")
    ok(got.returncode == 1 or got.stdout.startswith("<algo"), "a text as XML", got.stdout, got.stderr)
for options in ((), ("ring",), ("ring", "--ranks", "x"), ("ring", "--ranks", "2", "--xml", "plait"),
                ("a.coll", "--kind", "reduce"), ("ring", "--ranks", "2", "--protocol", "x")):
    got = tool("compile", *options)
    ok(got.returncode == 2 and got.stderr, "wrong arguments: compile " + " ".join(options), got.stderr)
for options in ((), ("a", "--bytes", "x"), ("a", "--bytes", "4Q"), ("a", "--type", "f8"), ("a", "--op", "xor")):
    got = tool("run", *options)
    ok(got.returncode == 2 and got.stderr, "wrong arguments: run " + " ".join(options), got.stderr)
for options, text in ((("nothing", "--ranks", "2"), "nothing"), (("next", "--ranks", "2", "--kind", "reduce"), "next")):
    got = tool("compile", *options)
    ok(got.returncode == 1 and text in got.stderr, "refused: " + " ".join(options), got.stderr)
done()
