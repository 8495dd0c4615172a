#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Conformance suite on the template without devices: it declines, and the suite
reports that and skips.  And the command line of the suite."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, done, none, ok, read, run, sources

PLAIT = os.path.join(BUILD, "tools/plait/plait")


def conform(*args):
    return run([PLAIT, "conform", *args])


got = conform("null")
ok(got.returncode == 77, "the template is skipped", got.returncode, got.stdout, got.stderr)
ok(re.match(r"1\.\.0 # SKIP null: a template", got.stdout), "with its own reason", got.stdout)
ok(got.stderr == "", "and nothing else is printed", got.stderr)
# Only what a backend says itself is a reason to skip.
got = conform("no_such_backend")
ok(got.returncode == 2 and got.stdout == "" and "no plait_no_such_backend.so in " in got.stderr,
   "a backend that is not there is an error", got.returncode, got.stdout, got.stderr)
ok(re.search("^plait conform: plugins that are there: .*host.*null", got.stderr, re.M), "that says which there are",
   got.stderr)
got = conform("check")
ok(got.returncode == 2 and got.stdout == "" and "check is an interposer, not a backend" in got.stderr,
   "nor is an interposer something to skip", got.returncode, got.stdout, got.stderr)
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    open(os.path.join(folder, "plait_empty.so"), "w").close()
    got = run([PLAIT, "conform", "empty"], env=dict(os.environ, PLAIT_PLUGIN_PATH=folder))
ok(got.returncode == 1 and re.search("^not ok 1 - L0 .*\n# .*an empty file", got.stdout, re.M),
   "one that the library refuses has failed", got.returncode, got.stdout, got.stderr)

listed = conform("--list")
ids = re.findall(r"^([A-Z]\d+)\t", listed.stdout, re.M)
ok(listed.returncode == 0 and len(ids) >= 45, "%d checks are listed" % len(ids))
ok(len(ids) == len(set(ids)), "each once")
manual = read("doc/plugins.md") + read("doc/transports.md")
none([i for i in ids if not re.search(r"\b%s\b" % i, manual)], "doc/plugins.md names every check")
none([i for i in set(re.findall(r"\| ([LBQSHE]\d+(?:, [LBQSHE]\d+)*) \|$", manual, re.M))
      for i in i.split(", ") if i not in ids], "and none that does not exist")
known = set(re.findall(r"^\| (P-[A-Z]\d\d) \|", manual, re.M))
none([n + ": " + i for n in sources("src", "plugins", "include", "t") for i in re.findall(r"\bP-[A-Z]\d\d\b", read(n))
      if i not in known], "every requirement that is cited exists")
only = re.findall(r"^([A-Z]\d+)\t", conform("--list", "--only", "B,S4").stdout, re.M)
ok(only == [i for i in ids if i[0] == "B" or i == "S4"], "groups and checks can be chosen", only)

for args in ([], ["a", "b"], ["host", "--only", "Z9"], ["host", "--seed"], ["host", "--seed", "x"], ["host", "--seed", "-1"],
             ["host", "--deadline", "0"], ["host", "--what"], ["host", "--expect", "/nowhere"]):
    got = conform(*args)
    ok(got.returncode == 2 and "plait conform: " in got.stderr and not got.stdout,
       "not understood: %s" % " ".join(args), got.returncode, got.stderr)
for line in ("failing S4", "hopeless S4 x", "failing", "failing Z9 because", "failing S4 a\nfailing S4 b"):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(line + "\n")
        file.flush()
        got = conform("host", "--expect", file.name)
    ok(got.returncode == 2 and got.stderr, "a bad list: %r" % line, got.returncode, got.stderr)
done()
