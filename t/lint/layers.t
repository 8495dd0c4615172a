#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Layers: lower ones do not know higher ones; the planner knows nothing but its
input; plugins know one header.  `t/lint/layers.t --fix` sorts includes."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, done, none, ok, read, run, skip, sources

# Each layer of src/ and what it may include besides itself and plait/*.h.
LAYERS = {
    "base": "",
    "sys": "base",
    "coroutine": "base sys",
    "pool": "base sys",
    "plugin": "base sys pool ffi kernel source",
    "ffi": "base sys",
    "kernel": "base sys ffi",
    "source": "base sys kernel",
    "object": "base sys coroutine pool plugin ffi kernel source",
    "world": "base sys pool plugin object",
    "graph": "base sys kernel object plan render",
    "plan": "base",
    "coll": "base",
    "coll/project": "base sys coll world object plugin",
    "coll/node": "base sys coll coroutine pool plugin kernel object world graph plan run",
    "coll/use": "base sys coll world object plugin plan render",
    "render": "base plan",
    "flow": "base sys pool ffi kernel source plugin object world graph plan run",
    "run": "base sys coroutine pool plugin ffi kernel source object graph plan render",
}
LAYERS = {name: set(below.split()) | {name} for name, below in LAYERS.items()}
PURE = {"limits", "stdbool", "stddef", "stdint", "string", "inttypes", "stdio", "stdarg"}


def includes(path):
    text = re.sub(r"/\*.*?\*/", "", read(path), flags=re.S)
    return re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', text, re.M)


def check_layer(path):
    layer = "/".join(path.split("/")[1:3])
    if layer not in LAYERS:
        layer = path.split("/")[1]
    if layer not in LAYERS:
        return ["%s: %s is not a layer" % (path, layer)]
    found = []
    for mark, name in includes(path):
        if ".." in name.split("/"):
            found.append("%s: %s goes up" % (path, name))
        if mark == "<" or name == "config.h":
            continue
        folder = name.split("/")[0] if "/" in name else layer
        if folder == "plait":
            if name == "plait/plugin.h" and layer not in ("plugin", "pool", "object", "run"):
                found.append("%s: plait/plugin.h is not for %s" % (path, layer))
        elif folder not in LAYERS[layer]:
            found.append("%s (%s) includes %s" % (path, layer, name))
    return found


def rank(path, mark, name):
    """Own header, plait/, own layer, lower layers, system."""
    layer, base = path.split("/")[1], os.path.splitext(path)[0]
    if name == "config.h":
        return -1
    if name == "mc.h":
        return 5
    if mark == "<":
        return 4
    if "src/" + name == base + ".h":
        return 0
    return 1 if name.startswith("plait/") else 2 if name.split("/")[0] in (layer, name) else 3


def check_order(path):
    ranks = [rank(path, *i) for i in includes(path)]
    return [] if ranks == sorted(ranks) else \
        ["%s: order of includes (own, plait/, own layer, lower, <system>)" % path]


def fix_order(path):
    """Sort the block of includes at the top, if it is nothing but includes."""
    lines = read(path).split("\n")
    marks = [i for i, line in enumerate(lines) if re.match(r"#\s*include", line)]
    first, last = marks[0], marks[0]
    while last + 1 < len(lines) and re.match(r"#\s*include|$", lines[last + 1]):
        last += 1
    found = sorted({i for line in lines[first:last + 1] for i in re.findall(
        r'#\s*include\s*([<"])([^>"]+)', line)}, key=lambda i: (rank(path, *i), i[1]))
    text, previous = [], None
    for mark, name in found:
        group = {2: 1, 3: 1}.get(rank(path, mark, name), rank(path, mark, name))
        if previous is not None and group != previous:
            text.append("")
        text.append("#include " + ("<%s>" if mark == "<" else '"%s"') % name)
        previous = group
    lines[first:last + 1] = text + [""]
    with open(os.path.join(ROOT, path), "w") as file:
        file.write("\n".join(lines))


def check_plugin(path):
    own = os.path.dirname(path)
    return ["%s includes %s" % (path, name) for mark, name in includes(path)
            if mark == '"' and name not in ("plait/plugin.h", "plait/base.h")
            and not (name.startswith(("driven/", "forward/", "shm/")) and os.path.isfile(os.path.join(ROOT, "plugins", name)))
            and not os.path.isfile(os.path.join(own, name))
            and not os.path.isfile(os.path.join(ROOT, own, name))]


src = [p for p in sources("src") if p.count("/") >= 2]
if "--fix" in sys.argv:
    for path in src:
        if path.endswith(".c") and check_order(path):
            fix_order(path)
    sys.exit(0)
ok(src, "there are sources")
none([f for p in src for f in check_layer(p)], "no layer includes a higher one")
none([f for p in src if p.endswith(".c") for f in check_order(p)], "includes are in order")
plan = [p for p in src if p.startswith(("src/plan/", "src/coll/")) and not
        p.startswith(("src/coll/use/", "src/coll/project/", "src/coll/node/")) and p != "src/coll/form/xml_read.c"]
none(["%s includes <%s>" % (p, n) for p in plan for m, n in includes(p)
      if m == "<" and n.split(".")[0] not in PURE],
     "the planner and collectives include nothing that can tell two runs apart")
pure = [p for p in src if p.startswith(("src/flow/region/", "src/flow/access/", "src/flow/show/",
                                        "src/flow/policy/", "src/flow/memory/", "src/flow/proof/",
                                        "src/flow/rank/", "src/flow/repeat/"))]
FLOW_PURE = ("base/", "plan/io/", "flow/region/", "flow/access/", "flow/show/", "flow/policy/",
             "flow/memory/", "flow/proof/", "flow/rank/", "flow/repeat/", "plait/")
none(["%s includes %s" % (p, n) for p in pure for m, n in includes(p)
      if (n.split(".")[0] not in PURE if m == "<" else
          not n.startswith(FLOW_PURE) and n not in (
              "plan/schedule/place_command.h", "plan/check/graph_check.h"))],
     "regions, accesses, policies, records, proofs, instructions, ranks and repeats of flows are pure")
none([f for p in sources("plugins") for f in check_plugin(p)],
     "plugins include plait/plugin.h, their own files and what some share")
none(["%s includes %s" % (p, n) for p in sources("tools", "examples") for m, n in includes(p)
      if m == '"' and not n.startswith("plait/") and not os.path.isfile(
          os.path.join(ROOT, os.path.dirname(p), n))],
     "tools and examples see what users see")

objects = [os.path.join(at, n) for at, _, names in os.walk(os.path.join(BUILD, "src/plan"))
           for n in sorted(names) if n.endswith(".o") and not at.endswith(".libs")]
if objects and os.environ.get("PLAIT_SANITIZER", "no") == "no":
    symbols = run(["nm", "-A", "--defined-only", *objects]).stdout.splitlines()
    none([s for s in symbols if s.split()[-2] in "dDbBC" and "gcov" not in s
          and not re.search(r"\b(__gcov|__llvm)", s)],
         "the planner has no writable data")
else:
    skip("no plain objects of the planner")
done()
