#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Call graph of the units of src: no circles inside a folder, and subfolders
call downwards only.  Calls through tables of functions do not count.
`circles.t --list` prints every circle with the names that close it."""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import BUILD, SANITIZER, done, none, ok, run, skip_all

# Folders from the lowest to the highest: each may call those before it.
RANKS = {
    "object": "handle races progress context signal wait inbox memory kernel queue",
    "graph": "store text build plan",
    "coll": "schedule prove price form chunk text dag place merge coll use project node",
    "plan": "plan simulate schedule check io",
    "flow": "region policy access show proof memory rank repeat lanes device flow text",
    "run": "args record run external host queue api",
}
# Circles that stay, each a set of units, with the reason.
KEPT = {}
# Tables of functions that a layer declares and a layer above it defines.
TABLES = {"plait__launch_runs_of_plans"}


def units():
    """{unit: path of its object file} of the library, generated ones apart."""
    found = {}
    for folder, _, names in os.walk(os.path.join(BUILD, "src")):
        for name in names:
            match = re.match(r"libplaitcore_la-(\w+)\.o$", name)
            if match and folder.endswith(".libs") and match.group(1) != "preludes":
                place = os.path.relpath(os.path.dirname(folder), os.path.join(BUILD, "src"))
                found["%s/%s" % (place, match.group(1))] = os.path.join(folder, name)
    return found


def calls(objects):
    """{unit: {unit: {symbol}}} of what each unit needs of others."""
    defined, wanted = {}, {}
    for unit, path in objects.items():
        wanted[unit] = set()
        for line in run(["nm", path]).stdout.splitlines():
            kind, name = line.split()[-2:]
            if kind in "TDBRVW":
                defined[name] = unit
            elif kind == "U":
                wanted[unit].add(name)
    graph = {unit: collections.defaultdict(set) for unit in objects}
    for unit, names in wanted.items():
        for name in names:
            if defined.get(name, unit) != unit and name not in TABLES:
                graph[unit][defined[name]].add(name)
    return graph


def circles(nodes, graph):
    """Strongly connected components of more than one node (Tarjan)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph[node]:
            if other not in nodes:
                continue
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            place = stack.index(node)
            if len(stack) - place > 1:
                found.append(sorted(stack[place:]))
            del stack[place:]

    for node in sorted(nodes):
        if node not in number:
            visit(node)
    return found


def rank(unit):
    """Layer, and place of the unit's subfolder in it; None where there are no ranks."""
    parts = unit.split("/")
    order = RANKS.get(parts[0], "").split()
    folder = parts[1] if len(parts) == 3 else parts[0]
    return (parts[0], order.index(folder) if folder in order else None)


def upward(graph):
    for unit in sorted(graph):
        for other in sorted(graph[unit]):
            (layer, mine), (theirs, place) = rank(unit), rank(other)
            if layer == theirs and None not in (mine, place) and place > mine:
                yield "%s calls %s: %s" % (unit, other, " ".join(sorted(graph[unit][other])))


if SANITIZER != "no":
    skip_all("the build without sanitizers does this")
sys.setrecursionlimit(10000)
objects = units()
if not objects:
    skip_all("no objects of the library")
graph = calls(objects)
found = [c for c in circles(set(graph), graph) if frozenset(c) not in KEPT]
if "--list" in sys.argv:
    for circle in found:
        print(len(circle), *circle)
        for unit in circle:
            for other in circle:
                if other in graph[unit]:
                    print("    %s -> %s: %s" % (unit, other, " ".join(sorted(graph[unit][other]))))
    print("\n".join(upward(graph)))
    sys.exit(0)
ok(len(objects) > 100, "the objects of the library are there")
ok(circles({"a", "b", "c"}, {"a": {"b"}, "b": {"a"}, "c": {"a"}}) == [["a", "b"]], "a circle is found")
none(["%d: %s" % (len(c), " ".join(c)) for c in found], "no circle of calls")
none([unit for unit in objects if rank(unit)[0] in RANKS and rank(unit)[1] is None],
     "each subfolder has a rank")
none(list(upward(graph)), "subfolders call downwards")
done()
