#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait flow --memories with policies: the devices and lanes of the programs of GrCUDA's tests as
texts, links, and the reasons that are printed.  Cases have the numbers of t/flow/known_cases.md."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from instruction_graph import Graph, flow
from tap import done, ok, read

PAGE = read("doc/flow-memories.md")


def text_of(program, sizes=()):
    """"1r 2" reads array 1 and updates array 2, "!3" is an access of the host to array 3; a call gives
    all of them values first."""
    kernels = [kernel.split() for kernel in program.split(",")]
    names = sorted({int(word.strip("!r")) for kernel in kernels for word in kernel})
    text = "".join("data a%d %d bytes=1\n" % (n, dict(sizes).get(n, 10)) for n in names)
    text += "task init writes=%s\n" % ",".join("a%d" % n for n in names)
    for kernel in kernels:
        if kernel[0][0] == "!":
            text += "access host updates=a%s\n" % kernel[0][1:]
            continue
        text += "task k items=1"
        for word in kernel:
            text += " %s=a%s" % (("reads", word[:-1]) if word.endswith("r") else ("updates", word))
        text += "\n"
    return text


def expect(name, program, devices, choose, parent, want, lanes, sizes=(), lane="always-new"):
    graph = Graph(text_of(program, sizes), devices, "--choose", choose, "--parent", parent, "--lane", lane,
                  "--device-lanes", "0")
    got = [launch["device"] for launch in graph.kind("launch")]
    count = len({launch["lane"] for launch in graph.kind("launch")})
    ok(got == want and count == lanes, "%s on %d devices, %s, %s" % (name, devices, choose, parent), got, count, graph.error)


# --- the values of GrCUDA's tests
# case G1
IMAGE = "1r 2,1r 3,1r 4,2r 5,3r 6,4r 7,4r 8,4 7 8,1r 4 9,9r 3r 6r 10,10r 2r 5r 11"
SIZES = ((7, 1), (8, 1))
for devices, want in ((2, [0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0]), (3, [0, 1, 2, 0, 1, 2, 0, 2, 2, 1, 0])):
    expect("image", IMAGE, devices, "stream-aware", "disjoint", want, 4, SIZES)
expect("image", IMAGE, 3, "round-robin", "disjoint", [0, 1, 2, 0, 1, 2, 0, 2, 2, 1, 0], 4, SIZES)
for parent in ("early-disjoint", "device-disjoint"):
    expect("image", IMAGE, 3, "min-size", parent, [0] * 11, 4, SIZES)
# case G2
HITS = "1r 2,3r 4,2r 5,4r 6,2r 5r 3,4r 6r 1,1r 2,3r 4,2r 5,4r 6,2r 5r 3,4r 6r 1"
for devices in range(2, 9):
    expect("hits", HITS, devices, "stream-aware", "disjoint", [0, 1] * 6, 2)
expect("hits", HITS, 4, "min-size", "early-disjoint", [0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0], 3)
expect("hits", HITS, 4, "min-size", "device-disjoint", [0, 1] * 6, 2)
# case G3
JOIN = "1r,2r,3r,4r,1 2,1 2 3,1 2 4"
for devices in (4, 8):
    expect("join", JOIN, devices, "min-size", "disjoint", [0, 1, 2, 3, 0, 2, 3], 4, [(4, 100)])
    expect("join", JOIN, devices, "min-size", "early-disjoint", [0, 1, 2, 3, 0, 0, 3], 4, [(4, 100)])
    expect("join", JOIN, devices, "min-size", "device-disjoint", [0, 1, 2, 3, 0, 0, 3], 4, [(4, 100)])
# case G4
expect("fork and join", "1,2,1 2,1,2", 2, "stream-aware", "disjoint", [0, 1, 0, 0, 0], 3)
# case G5
for devices in range(1, 8):
    expect("independent", ",".join(str(i) for i in range(1, 11)), devices, "stream-aware", "disjoint",
           [i % devices for i in range(10)], 10)
# cases S1, S2, S3
for program, lanes in (("1,2,1 2 3,3", 2), ("1 2,1,2,1 3,1 4,4", 1), ("1 2,1,2,1 3,4,4 5", 2)):
    expect("one device", program, 1, "single", "same", [0] * len(program.split(",")), lanes)
# cases S5, S6, S7, S8
for program, lanes in (("1 2,1,2", 2), ("1 2,3 4,1 3,2 4", 2), ("1 2 3,4 5 6,7 8 9,1 4 7,2 5 8,3 6 9", 3), ("1 2,1,2 3,2,3", 3)):
    expect("one device", program, 1, "single", "disjoint", [0] * len(program.split(",")), lanes)

# case S4
for lane, lanes in (("reuse", 2), ("always-new", 20)):
    expect("one device, " + lane, ",".join(["1,2,!1,!2"] * 10), 1, "single", "same", [0] * 20, lanes, lane=lane)

# --- earliest, best
FREE = "task k items=1 cost=1000\n" * 4
g = Graph(FREE, 2)
ok([i["device"] for i in g.kind("launch")] == [0, 1, 0, 1], "where a lane is free first", g.list)
ok("finishes first (0: 2000 ns, 1: 1000 ns)" in g.kind("launch")[1]["why"], "with the numbers", g.kind("launch")[1]["why"])
g = Graph("data u 1000000\ntask w items=1 writes=u cost=1000\ntask r items=1 reads=u cost=1000\n" + FREE, 2)
ok([i["device"] for i in g.kind("launch")] == [0, 0, 1, 1, 0, 1] or [i["device"] for i in g.kind("launch")][:2] == [0, 0],
   "a large copy takes longer than a wait", g.list)
g = Graph("task k items=1\n" * 3, 1, "--device-lanes", "2")
ok([i["lane"] for i in g.kind("launch")] == ["tasks 0", "tasks 0.1", "tasks 0"], "two lanes of a device", g.list)
ok("a new lane" in g.kind("launch")[1]["why"], "with the reason", g.kind("launch")[1]["why"])
g = Graph("task k items=1\n" * 3, 1)
ok({i["lane"] for i in g.kind("launch")} == {"tasks 0"}, "one lane, if not told otherwise")
BARRIER = "task k items=1\ntask b barrier\ntask l items=1\n"
for barrier, lanes in ((BARRIER, 1), (BARRIER.replace("task b barrier\n", ""), 2)):
    g = Graph(barrier, 1, "--device-lanes", "0", "--parent", "same")
    ok(len({i["lane"] for i in g.kind("launch")}) == lanes, "a lane is idle behind a barrier", g.list)
g = Graph("data u 8\ntask w items=8 split=1 writes=u:own\n", 2)
ok([i["why"] for i in g.kind("launch")] == ["device 0: piece 0 of 2", "device 1: piece 1 of 2"], "pieces have their devices")

# --- weights: shares of pieces, rounded down; the largest remainders get one more
PIECES = "data u 64\ntask w items=64 split=1 pieces=8 writes=u:own\n"
for weights, want in (("1,1", [4, 4]), ("3,1", [6, 2]), ("1,0", [8, 0]), ("5,4,1", [4, 3, 1]), ("1,2,4", [1, 2, 5]), ("0,0", [4, 4])):
    count = weights.count(",") + 1
    g = Graph(PIECES, count, "--weights", weights)
    got = [i["device"] for i in g.kind("launch")]
    ok(got == [d for d in range(count) for _ in range(want[d])], "weights " + weights, got, g.error)
for options, part in ((("--weights", "3,1"), "need --memories"), (("--memories", "3", "--weights", "3,1"), "2 numbers for 3"),
                      (("--memories", "2", "--weights", "3,"), "like 3,1, not '3,'"), (("--memories", "2", "--weights", "-1,2"), "like 3,1"),
                      (("--memories", "1", "--weights", "4294967296"), "like 3,1")):
    code, _, error = flow(PIECES, *options)
    ok(code == 2 and part in error, "wrong: " + " ".join(options), code, error)

# --- links
with tempfile.NamedTemporaryFile("w") as links:
    links.write("From,To,Bandwidth\n0,2,1\n1,2,40\n-1,0,10\n")
    links.flush()
    SHARE = ("data u 100\ntask w items=1 writes=u\ntask r items=3 split=1 pieces=3 reads=u:all\n"
             "task s items=3 split=1 pieces=3 reads=u:all\n")
    g = Graph(SHARE, 3, "--links", links.name)
    ok([(i["source"], i["memory"]) for i in g.copies()] == [(1, 2), (2, 3)], "the fastest link of those that have it", g.copies())
    ok([(i["source"], i["memory"]) for i in Graph(SHARE, 3).copies()] == [(1, 2), (1, 3)], "without links from the writer's")
    links.write("0,9,1\n")
    links.flush()
    code, _, error = flow(SHARE, "--memories", "3", "--links", links.name)
    ok(code == 1 and "links:5:" in error and "numbered 0 to 2" in error, "a wrong line of links", error)
ok(flow(SHARE, "--memories", "3", "--links", "/nowhere")[0] == 1, "no file of links")

for word in re.findall(r"`(--[a-z-]+)", PAGE):
    ok(word in read("tools/plait/flow.c").replace('"', "--") or '{ "%s"' % word[2:] in read("tools/plait/flow.c"), "option " + word)
done()
