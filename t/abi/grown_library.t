#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""A later library with grown structs, and programs of today: each element of
their arrays, passed or filled, is at the position of their own size.  The
library is built here, from headers that have one member more, with the objects
of this build that never saw those headers.  The programs are tests that use
arrays."""
import concurrent.futures
import glob
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, none, ok, read, run, skip_all, which

# Structs of which there are arrays; and tests with arrays of two and more.
GROWN = ("argument", "binding", "command", "critical_command", "event", "lane_use", "launch",
         "record", "rows", "source")
TESTS = ("object/queue", "kernel/argument_launch", "graph/simulate_api", "source/build:back door",
         "run/bind_parameters", "run/recorder", "run/copy_nodes_rows")
if SANITIZER != "no":
    skip_all("the library is built without sanitizers")
if not which("gcc"):
    skip_all("no gcc")

folder = tempfile.TemporaryDirectory()
place = folder.name


def write_headers():
    """Writes all; the names of those that have grown."""
    left, changed = set(GROWN), set()
    for path in glob.glob(os.path.join(ROOT, "include/plait/*.h")):
        text = read(os.path.relpath(path, ROOT))
        for name in GROWN:
            grown = re.sub(r"\n} plait_%s;" % name, "\n\tuint64_t grown[2];\n} plait_%s;" % name, text)
            if grown != text:
                left.remove(name)
                changed.add("plait/" + os.path.basename(path))
            text = grown
        os.makedirs(place + "/plait", exist_ok=True)
        with open(place + "/plait/" + os.path.basename(path), "w") as file:
            file.write(text)
    none(sorted(left), "all have grown")
    return changed


def object_of_today(source):
    """What this build made of a source, when no header that has grown is in it."""
    top = BUILD if source.startswith(os.path.realpath(BUILD) + "/src/") else ROOT
    folder, name = os.path.split(os.path.relpath(source, os.path.realpath(top)))
    name = "libplaitcore_la-" + name[:-2]
    made = "%s/%s/.libs/%s.o" % (BUILD, folder, name)
    try:
        with open("%s/%s/.deps/%s.Plo" % (BUILD, folder, name)) as file:
            sees = file.read()
    except OSError:
        return None
    # A list without headers says nothing; what counts its lines needs more to be linked.
    known = "config.h" in sees and os.path.exists(made) and not os.path.exists(made[:-1] + "gcno")
    return made if known and not any(header in sees for header in changed) else None


def compile_one(source):
    made = os.path.join(place, source.replace("/", "_")[:-2] + ".o")
    return run(["gcc", "-std=gnu11", "-O0", "-fPIC", "-fvisibility=hidden", "-w", "-include",
                BUILD + "/config.h", "-I" + place, "-iquote", ROOT + "/src", "-iquote",
                BUILD, "-iquote", BUILD + "/src", '-DPLAIT_PLUGINDIR="/nowhere"', "-c", source, "-o", made])


def link(old):
    with open(BUILD + "/src/libplait.la") as file:
        libraries = re.search("dependency_libs='(.*)'", file.read()).group(1).split()
    return run(["gcc", "-shared", "-o", place + "/libplait.so.0", "-Wl,-soname,libplait.so.0",
                "-Wl,--version-script=" + ROOT + "/src/plait.map"] +
               sorted(glob.glob(place + "/*.o")) + old + [l for l in libraries if l[0] == "-"])


def run_test(name, *scenario):
    path = os.path.join(BUILD, "t", os.path.dirname(name), ".libs", os.path.basename(name) + ".t")
    if not os.path.exists(path):
        run(["make", "-s", "-C", BUILD, "t/%s.t" % name])
    got = run([path, *scenario], env=dict(os.environ, LD_LIBRARY_PATH=place))
    bad = re.findall("^not ok .*|^#.*", got.stdout, re.M)
    ok(got.returncode == 0 and got.stdout.count("\nok ") > (1 if scenario else 10), name,
       got.returncode, got.stderr, *bad[:20])


changed = write_headers()
# Where they are built beside the sources a file is there twice by name.
sources = {os.path.realpath(path) for top in (ROOT, BUILD)
           for path in glob.glob(top + "/src/**/*.c", recursive=True)}
same = {source: object_of_today(source) for source in sorted(sources)}
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    made = list(pool.map(compile_one, [source for source in same if not same[source]]))
none([m.stderr for m in made if m.returncode != 0], "the sources compile")
got = link([made for made in same.values() if made])
ok(got.returncode == 0, "it is linked", got.stderr)
for name in TESTS:
    run_test(*name.split(":"))
done()
