#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Documents, checked against the code: files that they name exist, tables have
the entries of the code, and none is longer than one reads."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import ROOT, done, none, ok, read, run, skip, sources, tracked, which

TOP = "src|plugins|include|tools|t|bench|examples|doc"
documents = [n for n in tracked() if n.endswith(".md")]
files = set(tracked())


def below(folder):
    return [n for n in files if n.startswith(folder.rstrip("/") + "/")]


def exists(path, document):
    """A file, a folder, a pattern, or a program whose source exists."""
    path = re.sub(r"\.t$", ".[ct]", path)
    for base in ("", os.path.dirname(document)):
        full = os.path.normpath(os.path.join(ROOT, base, path))
        if any(os.path.relpath(f, ROOT) in files or below(os.path.relpath(f, ROOT))
               for f in glob.glob(full) + glob.glob(full + ".c")):
            return True
    return False


def named_paths(text):
    return set(re.findall(r"(?<![\w/.$-])((?:%s)/[\w.*/-]*[\w*-])" % TOP, text))



ok(len(documents) > 8, "there are documents", *documents)
# A document for look-ups may be as long as its subject needs.
MOST_LINES = {"README.md": 220, "doc/tutorial.md": 300}  # the tutorial is half program
none(["%s: %d lines" % (n, len(read(n).splitlines())) for n in documents if not n.startswith("doc/reference/")
      and len(read(n).splitlines()) > MOST_LINES.get(n, 260)], "none is long")
none(["%s: %s" % (n, p) for n in documents for p in sorted(named_paths(read(n)))
      if p.split("/")[-1] not in ("NN-name.t", "plait.abi") and not exists(p, n)],
     "every file that they name exists")
none(["%s: %s" % (n, link) for n in documents
      for link in re.findall(r"\]\(([^)#:]+)\)", read(n))
      if not os.path.exists(os.path.join(ROOT, os.path.dirname(n), link))], "every link leads somewhere")

# --- the map in README.md
readme, layers = read("README.md"), read("doc/architecture.md")
folders = sorted({"/".join(n.split("/")[:2]) for n in files if re.match(r"src/\w+/", n)})
none([f for f in folders if "`%s`" % f not in readme], "README.md has every folder of src")
none([f for f in folders if "`%s`" % f not in layers], "doc/architecture.md too")
none([n for n in sorted({f.split("/")[0] for f in files if "/" in f and f[0] != "."})
      if "`%s/" % n not in readme], "and every folder at the top")

# --- the tests of a unit
programs = " ".join(re.sub(r"\.\w+$", "", os.path.basename(n)) for n in files if re.match(r"t/.*\.[ct]$", n))
tables = "".join(read(n) for n in documents if n.startswith("t/"))
none([n for n in sources("src") if n.endswith(".c")
      for unit in (os.path.basename(n)[:-2],)
      if not re.search(r"(?<![a-z])%s(?![a-z])" % unit, programs) and "`%s`" % unit not in tables],
     "each unit of src has a test of its name, or a README of t names it")

# --- the environment
code = "".join(read(n) for n in sources("src"))
known = set(re.findall(r"plait__env_\w+\(\s*\"(PLAIT_\w+)\"", code)) | \
    set(re.findall(r"\"(PLAIT_(?:BACKEND|WRAP|OPTIONS|PLUGIN_PATH|TRANSPORT))\"", code)) | \
    set(re.findall(r"\{ \"(PLAIT_\w+)\"", read("src/sys/env.c")))
none([n for n in sources("src") if n != "src/sys/env.c" and re.search(r"\b(secure_)?getenv\(", read(n))],
     "src asks the environment in one place")
table = set(re.findall(r"^\| `(PLAIT_\w+)`", readme, re.M))
manual = set(re.findall(r"^\.[BI]+ (PLAIT_[A-Z_]+)$", read("doc/man/plait.7").split(".SH ENVIRONMENT")[1].split(".SH")[0], re.M))
ok(len(known) >= 7, "variables are found in src", *sorted(known))
ok(known == table, "README.md has the variables that src reads", *sorted(known ^ table))
ok(known == manual, "plait(7) too", *sorted(known ^ manual))

# --- the options of backends and interposers
chapter = read("doc/man/plait.7").split(".SH OPTIONS\n")[1].split(".SH")[0]
sections = {name: text for names, text in re.findall(r"^\.SS (.*)\n((?:(?!\.SS).*\n)*)", chapter, re.M)
            for name in names.split(", ")}
plugins = {n.split("/")[1] for n in files if re.match(r"plugins/\w+/entry\.c", n)}
ok(plugins == set(sections), "plait(7) has every plugin", *sorted(plugins ^ set(sections)))
for name in sorted(plugins & set(sections)):
    table = re.findall(r"^\| (?:key|option) .*\n\|[-|]+\n((?:\|.*\n)*)", read("plugins/%s/README.md" % name), re.M)
    keys = set(re.findall(r"`(\w+)[=`]", "".join(line.split("|")[1] for line in "".join(table).splitlines())))
    told = {word for line in re.findall(r"^\.TP\n\.BR (.*)", sections[name], re.M)
            for word in re.findall(r"\b[a-z_]+(?= ?=|\b ?\"|$)", re.sub(r"=.*", "=", line))}
    ok(keys == told, "plait(7) has the options of %s" % name, *sorted(keys ^ told))

# --- statuses and checks
statuses = set(re.findall(r"^\tPLAIT_(E_\w+) =", read("include/plait/base.h"), re.M))
told = set(re.findall(r"^\| `(E_\w+)`", read("doc/errors.md"), re.M))
ok(statuses and statuses == told, "doc/errors.md has every status", *sorted(statuses ^ told))
# L0 is no check but the opening, reported when it fails.
checks = set(re.findall(r"\{\s*\"([A-Z]\d+)\",", "".join(read(n) for n in sources("tools")))) - {"L0"}
named = {c for line in re.findall(r"^\| P-\w+ \|.*$", read("doc/plugins.md") + read("doc/transports.md"), re.M)
         for c in re.findall(r"\b[A-Z]\d+\b", line.rsplit("|", 2)[1])}
ok(len(checks) >= 45, "checks are found in tools/conform", *sorted(checks))
ok(checks == named, "doc/plugins.md says for each check what it is there for, and for no other",
   *sorted(checks ^ named))

# --- the tests of abilities
programs = read("doc/peers.md").split("\n## A plan called")[0]
rows = [[cell.strip() for cell in row[1:-1].split(" | ")] for row in programs.splitlines()
        if row.startswith("| ") and not row.startswith("| wanted")]
ok(len(rows) > 50, "doc/peers.md has abilities")
none([row[0] for row in rows if len(row) != 3 or not (row[2] or "Reason" in row[1] or row[1] == "out of scope")],
     "each has a test, or a reason")

# --- folders of tests, nodes of the map
folders = {"/".join(n.split("/")[:2]) for n in files if re.match(r"t/\w+/", n)}
chapter = read("doc/testing.md").split("## The folders")[1].split("\n## ")[0]
listed = set(re.findall(r"`(t/\w+)`", "".join(re.findall(r"^\| (`t/.*?) \|", chapter, re.M))))
ok(folders == listed, "doc/testing.md has every folder of tests", *sorted(folders ^ listed))
none([f for f in sorted(folders) if f + "/README.md" not in files], "each has a README.md")
nodes = set(re.findall(r"^(PLAIT_\w+) \{", read("src/plait.map"), re.M))
row = re.search(r"^\| version nodes (.*?) \|", read("doc/abi.md"), re.M)
named = set(re.findall(r"`(PLAIT_\w+)`", row.group(1) if row else ""))
ok(named and named <= nodes, "doc/abi.md names nodes of src/plait.map", *sorted(named - nodes))

# --- manuals
pages = [n for n in sorted(files) if re.match(r"doc/man/.*\.\d$", n)]
for page in pages if which("man") else []:
    got = run(["man", "--warnings", "-l", os.path.join(ROOT, page)],
              env=dict(os.environ, MANROFFSEQ="", MAN_KEEP_STDERR="1", LC_ALL="C", MANWIDTH="80"))
    ok(got.returncode == 0 and len(got.stdout) > 500 and not got.stderr,
       page + " renders without a warning", got.stderr)
if not which("man"):
    skip("no man")
done()
