#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait coll check: verdicts as text and as JSON, options, exit codes."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, run, skip, skip_all

TOOL = os.path.join(BUILD, "tools/plait/plait")
FOLDER = os.path.join(ROOT, "t/coll/documents")


def check(name, *options):
    """(exit code, JSON or text, stderr)"""
    got = run([TOOL, "coll", "check", os.path.join(FOLDER, name + ".xml"), *options])
    text = json.loads(got.stdout) if "--json" in options and got.stdout else got.stdout
    return got.returncode, text, got.stderr


if "without expat" in check("ok-ring")[2]:
    skip_all("built without expat")
code, text, _ = check("ok-ring")
ok(code == 0 and text == "right: 3 ranks, 1 lanes, 1 channels, 15 steps; least depth 2, any size, "
   "equal bits\n", "a proved schedule, as text", code, text)
code, data, _ = check("ok-ring", "--json")
ok(code == 0 and data["verdict"] == "ok" and data["reason"] is None and data["depth_min"] == 2 and
   data["safe_bytes"] == "any" and data["lanes"] == 1 and data["channels"] == 1 and
   data["steps"] == 15 and data["exports"] == ["msccl", "executor", "rccl"], "as JSON", code, data)
code, data, _ = check("ok-safe-size", "--json")
ok(code == 0 and data["safe_bytes"] == 4 << 20, "a size that is safe", data)
code, data, _ = check("ok-safe-size", "--json", "--slot", "1024")
ok(code == 0 and data["safe_bytes"] == 2048, "with smaller slots", data)
code, data, _ = check("ok-safe-size", "--json", "--target", "plait")
ok(code == 0 and data["safe_bytes"] == "any", "plait does not split steps", data)
for name, reason in (("shape-counts", "shape"), ("deadlock-order", "deadlock"), ("race-no-wait", "race"),
                     ("value-twice", "value"), ("read-doctype", "shape")):
    code, data, error = check(name, "--json")
    ok(code == 1 and data["verdict"] == "refused" and data["reason"] == reason and data["error"] and
       data["error"] in error, name, code, data, error)
    code, text, error = check(name)
    ok(code == 1 and text == "" and "refused (%s)" % reason in error, name + ", as text", text, error)
code, data, error = check("deadlock-order", "--json")
ok(data["depth_min"] == 4 and "rank 0 lane 0 step 2 (send) needs a slot of rank 1 lane 0" in error,
   "a deadlock names the circle", data, error)
ok(check("deadlock-order", "--depth", "4")[0] == 0, "a greater depth")
code, data, _ = check("ok-ring", "--json", "--as", "alltoall")
ok(code == 1 and data["reason"] == "value", "another collective", data)
code, data, _ = check("ok-broadcast", "--json", "--as", "broadcast", "--root", "1")
ok(code == 1 and data["reason"] == "value" and "holds no value" in data["error"], "another root", data)

with tempfile.TemporaryDirectory() as folder:
    def promise(text):
        path = os.path.join(folder, "promise")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return check("ok-ring", "--json", "--promise", path)

    code, data, _ = promise("# all\n2.1 = 0.1 + 1.1+2.1 # sum\n\n0.0=2.0 + 1.0 + 0.0")
    ok(code == 0 and data["verdict"] == "ok", "a promise that is kept", data)
    code, data, _ = promise("0.0 = 0.0 + 1.0\n")
    ok(code == 1 and data["reason"] == "value" and "has input chunk 0 of rank 2" in data["error"],
       "a promise that is not", data)
    for text in ("0.0", "0.0 =", "0.0 = 1", "0.0 = 1.0 +", "x", "0.0 = 1.0 2.0", "0.99999999999 = 0.0"):
        code, data, error = promise("\n" + text)
        ok(code == 1 and "line 2: expected RANK.CHUNK" in error, "no promise: " + text, error)
    code, data, error = promise("0.0 = 0.0\n0.0 = 1.0\n")
    ok(code == 1 and "not sorted" in error, "a chunk with two promises", error)

# 512 ranks: half a million steps, proved, in 1 GiB of addresses.
if SANITIZER == "no":
    got = run(["sh", "-c", 'ulimit -v 1048576; exec "$0" "$@"', TOOL, "coll", "compile", "ring", "--ranks", "512",
               "-o", os.devnull])
    ok(got.returncode == 0 and "512 ranks, 1 lanes, 1 channels, 523776 steps" in got.stdout, "a large ring in 1 GiB",
       got.stdout, got.stderr)
else:
    skip("a large ring in 1 GiB: a sanitizer takes more addresses")

for options in ((), ("check",), ("prove", "x"), ("check", "a", "b"), ("check", "a", "--depth", "x"),
                ("check", "a", "--target", "x"), ("check", "a", "--as", "x"), ("check", "a", "--root", "1"),
                ("check", "a", "--depth"), ("check", "a", "--what")):
    got = run([TOOL, "coll", *options])
    ok(got.returncode == 2 and got.stderr, "wrong arguments: " + " ".join(options), got.stderr)
got = run([TOOL, "coll", "check", "/nowhere"])
ok(got.returncode == 1 and "/nowhere" in got.stderr, "no file", got.stderr)
done()
