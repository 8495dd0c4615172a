#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Rust layer: its own tests, with the library of this build."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from tap import BUILD, ROOT, SANITIZER, done, none, ok, run, skip_all
import rust

if SANITIZER != "no":
    skip_all("rust is not built with a sanitizer, the library is")
if rust.missing:
    skip_all(rust.missing)
ENVIRONMENT = dict(os.environ, PLAIT_LIBRARY=os.path.join(BUILD, "src/.libs/libplait.so"))


def program(source, *arguments, **more):
    """The path of a program that was made of a file of the layer."""
    output = os.path.join(rust.OUT, os.path.basename(source)[:-len(".rs")])
    got = rust.compile(os.path.join(rust.LAYER, source), output, *arguments, **more)
    ok(got.returncode == 0 and not got.stderr, source + " is compiled without a word", got.stderr)
    return output


said = rust.build()
ok(not said, "the crates are compiled without a word", said)

# --- the raw layer
layout = program("plait-sys/examples/layout.rs", uses=("plait_sys",))
got = run([layout], env=ENVIRONMENT)
with open(os.path.join(ROOT, "t/abi/structs.txt"), encoding="utf-8") as file:
    known = set(file.read().splitlines())
lines = got.stdout.splitlines()
ok(got.returncode == 0 and not got.stderr, "structs have the library's sizes", got.stderr)
ok(len(lines) > 300, "structs are found")
none([line for line in lines if line not in known], "and lie as in C")
got = run([layout], env=dict(os.environ, PLAIT_LIBRARY="/nowhere/libplait.so"))
ok(got.returncode == 1 and "/nowhere/libplait.so" in got.stderr and "set PLAIT_LIBRARY" in got.stderr,
   "a library that is missing: what was tried", got.stderr)
got = run([layout], env=dict(os.environ, PLAIT_LIBRARY="libm.so.6"))
ok(got.returncode == 1 and "libm.so.6 has no plait_" in got.stderr,
   "a library that is another one", got.stderr)
done()
