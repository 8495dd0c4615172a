#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exported names: libplait's exports, the map and the headers agree; and no
other name of the library can clash with a program's."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, SANITIZER, done, none, ok, read, run, skip
import headers


def symbols(option, path):
    result = run(["nm", *option, path])
    ok(result.returncode == 0, "nm reads " + os.path.basename(path), result.stderr)
    return [line.split() for line in result.stdout.splitlines() if line.strip()]


nodes, mapped = {}, []
for node, body in re.findall(r"(\w+) \{(.*?)\};",
                             re.sub(r"/\*.*?\*/", "", read("src/plait.map"), flags=re.S), re.S):
    for name in re.findall(r"(\w+);", body.split("local:")[0]):
        nodes[name] = node
        mapped.append(name)
none([n for n in set(mapped) if mapped.count(n) > 1], "the map names nothing twice")
none([n for n in nodes.values() if not re.match(r"PLAIT_\w+_\d+$", n)],
     "each node is named for a feature and an ABI")

declared = {d.name for d in headers.everything()
            if d.kind == "prototype" and d.mark == "PLAIT_API"}
none(sorted(declared - set(nodes)), "functions that a header declares are in the map")
none(sorted(set(nodes) - declared), "functions in the map are declared in a header")

exported, versions = {}, set()
for entry in symbols(["-D", "--defined-only", "--with-symbol-versions"],
                     os.path.join(BUILD, "src/.libs/libplait.so")):
    name, _, node = entry[2].partition("@@")
    if entry[1] == "A":
        versions.add(name)
    else:
        exported[name] = (entry[1], node)
if SANITIZER != "no":
    exported = {n: e for n, e in exported.items() if not re.match(r"_*(asan|ubsan|tsan|odr)", n)}
none(sorted(set(nodes) - set(exported)), "functions in the map are exported")
none(sorted(set(exported) - set(nodes)), "nothing else is exported")
none([n for n, e in exported.items() if e[0] != "T"], "only functions are exported, no data")
none([n for n, e in exported.items() if e[1] != nodes.get(n)], "each in the node that the map says")

core = os.path.join(BUILD, "src/.libs/libplaitcore.a")
if os.path.exists(core):
    ours = [e[-1] for e in symbols(["-g", "--defined-only"], core)
            if len(e) == 3 and e[1] not in "Nn"]
    none(sorted({n for n in ours if not n.startswith("plait__") and n not in nodes
                 and not re.match(r"_|DW\.", n)}),
         "internal names start with plait__")
else:
    skip("no archive of the objects")
done()
