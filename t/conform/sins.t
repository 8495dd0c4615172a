#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Sins for the conformance suite: backends with one sin each, and the check that
must find it.  The same backend without a sin passes everything.  With a
sanitizer there are a few sins only, for the suite's own sake."""
import concurrent.futures
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, PATIENCE, SANITIZER, done, none, ok, read, run

# One run finds the code that an earlier one has compiled.
cache = tempfile.TemporaryDirectory()
os.environ["PLAIT_CACHE_DIR"] = os.path.join(cache.name, "kernels")
PLAIT = os.path.join(BUILD, "tools/plait/plait")
os.environ["PLAIT_PLUGIN_PATH"] = os.path.join(BUILD, "t/conform/sins") + ":" + os.path.join(BUILD, "plugins/.libs")
# A sin that hangs is found by the clock.
DEADLINE = "8" if SANITIZER == "no" else "12"
MARK = "TO" "DO"


def conform(name, *args):
    return run([PLAIT, "conform", "sin_" + name, *args])


# Some sins need bad luck to be seen: a backend that does not wait may be late
# enough by chance.  Such a check may look again.
LOOKS = 20


def sinned(sin):
    name, check = sin[:2]
    for look in range(LOOKS):
        got = conform(name, "--only", check, "--deadline", DEADLINE, "--seed", str(look + 1))
        if got.returncode != 0:
            break
    return got


def report(text, verdict):
    return re.findall(r"^%s \d+ - (\w+)(?!.*# (?:SKIP|%s))" % (verdict, MARK), text, re.M)


sins = [line.split() for line in read("t/conform/sins/sins.list").splitlines() if line[0] != "#"]
innocent = [s[0] for s in sins if len(s) == 1 and SANITIZER == "no"]
sins = [s for s in sins if len(s) == 3 or len(s) == 2 and SANITIZER == "no"]
ok(len(sins) >= (60 if SANITIZER == "no" else 9), "%d sins" % len(sins))

with concurrent.futures.ThreadPoolExecutor(4) as pool:
    results = list(pool.map(sinned, sins))
for name in innocent:
    got = conform(name, "--deadline", PATIENCE)
    ok(got.returncode == 0, "%s passes everything" % name,
       *[l for l in got.stdout.splitlines() if not l.startswith("ok ")], got.stderr)
    if name == "none":
        ok(len(report(got.stdout, "ok")) >= 45, "that is a lot")
        skipped = set(re.findall(r"^ok \d+ - (\w+) .*# SKIP", got.stdout, re.M))
    if name == "at_home":  # the host, which freezes nothing
        skipped &= set(re.findall(r"^ok \d+ - (\w+) .*# SKIP", got.stdout, re.M))
if innocent:
    none(sorted(skipped), "no check is skipped by both of none and at_home")
for (name, check, *_), got in zip(sins, results):
    ok(got.returncode == 1 and report(got.stdout, "not ok") == [check],
       "%s is found by %s" % (name, check), got.returncode, got.stdout, got.stderr)

# Known failures, on a backend that fails S4 and passes S3.
with tempfile.NamedTemporaryFile("w") as file:
    file.write("failing S4 waits for the first only\nunsupported S3 cannot work\n")
    file.flush()
    got = conform("waits_for_one", "--only", "S3,S4,S5", "--expect", file.name)
ok(re.search("^not ok 2 - S4 .* # %s waits for the first only$" % MARK, got.stdout, re.M),
   "a known failure is marked", got.stdout)
ok(re.search("^not ok 1 - S3 [^#]*$", got.stdout, re.M), "an unexpected pass is a failure", got.stdout)
ok(got.returncode == 1, "also of the whole run")
with tempfile.NamedTemporaryFile("w") as file:
    file.write("# known\n\nunsupported S4 waits for the first only\n")
    file.flush()
    got = conform("waits_for_one", "--only", "S3,S4", "--expect", file.name)
ok(got.returncode == 0 and
   re.search("^ok 2 - S4 .* # SKIP unsupported: waits for the first only$", got.stdout, re.M),
   "what can never work is skipped and said", got.stdout)
done()
