#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Rust layer: its own tests, with the library of this build."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, none, ok, run, skip_all
from tap import read, tracked
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

# --- the layer's own tests
for stem in ("plait", "plans", "awaited", "abilities", "flow", "coll", "suspend"):
    source = "plait/tests/%s.rs" % stem
    tests = program(source, "--test")
    got = run([tests, "--test-threads=1"], env=dict(ENVIRONMENT, RUST_BACKTRACE="0"))
    for name, how in re.findall(r"^test (\w+) \.\.\. (\w+)", got.stdout, re.M):
        ok(how == "ok", name, got.stdout[got.stdout.find("---- " + name):][:2000])
    ok(got.returncode == 0, source + " ends well", got.stdout[-2000:], got.stderr)

# --- processes
process = program("plait/tests/process.rs")
got = run([process, "fork"], env=ENVIRONMENT)
ok(got.returncode == 0 and "fork" in got.stdout and got.stdout.endswith(
    "told: true\nchild: 0, parent: [1]\n"), "a child is told", got.stdout, got.stderr)
got = run([process, "exit"], env=ENVIRONMENT)
ok(got.returncode == 0 and got.stdout == "end\n", "exit with runs on their way", got.stdout, got.stderr)
got = run([process], env=dict(os.environ, PLAIT_LIBRARY="/nowhere/libplait.so"))
ok(got.returncode == 1 and "/nowhere/libplait.so" in got.stderr and "set PLAIT_LIBRARY" in got.stderr,
   "a library that is missing is an error", got.stderr)

# --- what must not compile
WRONG = "bindings/rust/plait/tests/wrong/"
names = [name for name in tracked() if name.startswith(WRONG)]
ok(len(names) > 10, "there are programs that are wrong")
for name in names:
    wanted = re.search(r"^// error: (\w+)$", read(name), re.M).group(1)
    got = rust.compile(os.path.join(ROOT, name), os.path.join(rust.OUT, "wrong.rmeta"),
                       "--crate-type", "lib", "--crate-name", "wrong", "--emit", "metadata")
    found = set(re.findall(r"^error\[(E\d+)\]", got.stderr, re.M))
    ok(found == (set() if wanted == "none" else {wanted}) and (got.returncode == 0) == (not found),
       "%s: %s" % (os.path.basename(name), wanted), got.stderr)

# --- the documentation
start = os.path.join(rust.OUT, "start.rs")
with open(start, "w", encoding="utf-8") as file:
    file.write(re.search(r"```rust\n(.*?)```", read("bindings/rust/README.md"), re.S).group(1))
got = run([program(start)], env=ENVIRONMENT)
ok(got.stdout == "[3.0, 3.0, 3.0]\n", "the start of README.md does what it says", got.stdout, got.stderr)
done()
