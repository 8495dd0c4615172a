#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait flow --memories: the example of doc/flow-memories.md, and programs with known
instructions: which blocks and copies there are, what is ordered, and what is not.  Numbers of
cases are those of t/flow/known_cases.md."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from instruction_graph import Graph, boxes, flow
from tap import done, ok, read

PAGE = read("doc/flow-memories.md")


# --- the page
blocks = re.findall("```\n(.*?)```", PAGE, re.S)
code, out, error = flow(blocks[0], "--memories", "2")
ok(code == 0 and out == blocks[1] and error == "", "the example prints what the page shows", out, error)
g = Graph(blocks[0], 2)
for key, part in (("devices", g.all), ("instructions", g.all), ("uses", g.list[1]), ("traffic", g.list[1]), ("preds", g.list[1]),
                  ("source_block", g.copies()[0]), ("block", g.kind("alloc")[0]), ("warnings", g.all)):
    ok(key in part and "`%s`" % key in PAGE, "the page has the key " + key)
ok(flow(blocks[0], "--memories", "2", "--json")[1] == flow(blocks[0], "--memories", "2", "--json")[1], "it is repeatable")

# --- a stencil with five points: 10 instructions, 10 waits and 24 KiB a step
STENCIL = """data u 1024x1024 bytes=4
data v 1024x1024 bytes=4
task init writes=u
repeat %d
	task step items=1024x1024 split=1 reads=u:cross(1,1) writes=v:own
	swap u v
end
"""


def sums(text, devices, *options):
    g = Graph(text, devices, *options)
    return (len(g.list), sum(len(i["waits"]) for i in g.list), sum(i["bytes"] for i in g.copies()))


for steps in (3, 9):
    more, fewer = sums(STENCIL % steps, 4), sums(STENCIL % (steps - 1), 4)
    ok(tuple(a - b for a, b in zip(more, fewer)) == (10, 10, 24 << 10), "step %d of a stencil" % steps, more, fewer)
g = Graph(STENCIL % 3, 4)
# case L1
ok(boxes(g.kind("alloc", memory=2)) == [("u", (0, 255), (1024, 513)), ("v", (0, 255), (1024, 513))] and
   len(g.kind("alloc")) == 9 and not g.kind("resize"), "one block for each data and memory", boxes(g.kind("alloc")))
ok(len(g.copies(source=0)) == 4, "first, one copy to each device", boxes(g.copies(source=0)))
last = [i for i in g.list if i["kind"] != "alloc"][-10:]
ok(sorted(len(i["waits"]) for i in last) == [1] * 10, "each waits once", last)
ok(sorted(boxes(i for i in last if i["kind"] == "copy")) == sorted(
    ("u", (0, row), (1024, row + 1)) for row in (255, 256, 511, 512, 767, 768)), "rows at borders are copied")

# --- blocks
# cases M1, X1
g = Graph("task a items=8\ntask b\n", 2)
ok(len(g.list) == 2 and g.are_concurrent(*g.list) and not g.kind("alloc"), "tasks without data")
# case M2
g = Graph("data u 256x8 bytes=4\ntask a items=1 writes=u[0:40,0:4],u[30:60,2:8]\n", 1)
ok(boxes(g.kind("alloc")) == [("u", (0, 0), (60, 8))] and g.kind("alloc")[0]["bytes"] == 60 * 8 * 4,
   "accesses that overlap have one block", g.list)
ok([(u["low"], u["high"]) for u in g.task("a")["uses"]] == [([0, 0], [40, 4]), ([30, 2], [60, 8])], "accesses stay exact")
# case M3
g = Graph("data u 9x9 bytes=4\ntask a items=3x3 writes=u:own\ntask b items=3x3 reads=u:cross(1,1)\n", 1, "--lookahead", "none")
ok(boxes(g.kind("alloc")) == [("u", (0, 0), (3, 3)), ("u", (0, 0), (4, 4))] and len(g.kind("resize")) == 1,
   "a cross has one block", boxes(g.kind("alloc")))
# case M4
g = Graph("data u 256\ntask a items=256 split=1 writes=u:own\n", 2)
ok(boxes(g.kind("alloc")) == [("u", (0,), (128,)), ("u", (128,), (256,))] and
   [i["device"] for i in g.kind("launch")] == [0, 1] and g.are_concurrent(*g.kind("launch")), "two devices, halves", g.list)
# case M10
g = Graph("data u 256\ntask a items=1 writes=u[0:64]\ntask b items=1 writes=u[128:256]\n", 1)
ok(len(g.kind("alloc")) == 2 and not g.kind("copy") and g.are_concurrent(*g.kind("launch")), "disjoint accesses have blocks of their own")
# case X13
g = Graph("data u 256x256 bytes=4\ntask a items=256x256 split=2 writes=u:own\n", 4)
ok(boxes(g.kind("alloc")) == [("u", (x, y), (x + 128, y + 128)) for x in (0, 128) for y in (0, 128)], "cut in two dimensions", g.list)
GROW = "data u 64 bytes=8\ntask a items=1 writes=u[0:32]\ntask b items=1 %s\n"
g = Graph(GROW % "updates=u[16:64]", 1, "--lookahead", "none")
ok(boxes(g.kind("resize")) == [("u", (0,), (32,))] and g.follows(g.task("b"), g.kind("resize")[0]) and
   g.follows(g.kind("resize")[0], g.task("a")) and g.follows(g.kind("free")[0], g.kind("resize")[0]), "a block grows", g.list)
ok(g.all["memories"][1]["bytes"] == 96 * 8, "with both blocks for a while", g.all["memories"])
g = Graph(GROW % "writes=u[16:64]", 1, "--lookahead", "none")
ok(boxes(g.kind("resize")) == [("u", (0,), (16,))], "what is overwritten is not moved", g.list)
# case M23
g = Graph(GROW % "writes=u", 1, "--lookahead", "none")
ok(not g.kind("resize") and g.are_concurrent(*g.kind("launch")), "nothing is, if all is overwritten", g.list)
g = Graph(GROW % "reads=u[0:8] writes=u", 1, "--lookahead", "none")
ok(boxes(g.kind("resize")) == [("u", (0,), (8,))], "but what is read as well", g.list)
g = Graph(GROW % "writes=u[16:64]", 1)
ok(len(g.kind("alloc")) == 1 and not g.kind("resize") and not g.kind("free"), "with lookahead none grows", g.list)
# case L2
ROWS = "data u 8x9 bytes=4\ntask first items=1 writes=u[0:8,0:1]\n" + "".join(
    "task row items=8 reads=u[0:8,0:%d] writes=u[0:8,%d:%d]\n" % (i, i, i + 1) for i in range(1, 9))
g = Graph(ROWS, 1)
ok(len(g.kind("alloc")) == 1, "rows that are appended have one block", boxes(g.kind("alloc")))
g = Graph(ROWS, 1, "--lookahead", "none")
ok(len(g.kind("alloc")) == 9 and len(g.kind("resize")) == 8, "or one each, without lookahead", boxes(g.kind("alloc")))

# --- order in one memory
# case M5
g = Graph("""data a 256
data b 256
task k1 items=1 writes=a
task k2 items=1 writes=a[128:256]
task k3 items=1 reads=a writes=b
task k4 items=1 updates=a[64:192]
task k5 items=1 reads=b
task k6 items=1 reads=a,b
""", 1)
k = [None] + g.kind("launch")
ok(g.follows(k[2], k[1]) and g.follows(k[3], k[2]) and g.follows(k[4], k[3]) and g.follows(k[5], k[3]) and
   g.follows(k[6], k[4]) and not g.follows(k[5], k[4]) and not g.follows(k[6], k[5]), "order of six tasks")
ok("overwrites what it read" in [p["why"] for p in k[4]["preds"]], "with the reasons", k[4]["preds"])
# case M25
same = [Graph("data a 64\ntask x items=1 writes=a\ntask y items=1 %s\n" % how, 1) for how in ("reads=a writes=a", "updates=a")]
ok([i["preds"] for i in same[0].list] == [i["preds"] for i in same[1].list], "a read and a write are an update")
# case X8
g = Graph("data a 8\ntask a items=1 writes=a\ntask b items=1\ntask m barrier\ntask c items=1\n", 2)
ok(g.follows(g.task("m"), g.task("a")) and g.follows(g.task("m"), g.task("b")) and g.follows(g.task("c"), g.task("m")), "barriers")
# cases X2, X7
g = Graph("data s bytes=0\ntask x items=1 cost=90000\ntask a items=1 updates=s\ntask b items=1 updates=s\ntask c updates=s\n", 2)
ok(not g.kind("alloc") and not g.copies() and g.follows(g.task("b"), g.task("a")) and g.follows(g.task("c"), g.task("b")) and
   {i["device"] for i in g.list} == {0, 1, None}, "a token orders all memories", g.list)
g = Graph("data a 8\ntask w items=1 writes=a\n" + "task r items=1 reads=a\n" * 9 + "task w2 items=1 writes=a\n", 1)
ok(len(g.kind("join")) == 1 and len(g.task("w2")["preds"]) == 4 and
   all(g.follows(g.task("w2"), i) for i in g.kind("launch")[:-1]), "many readers are joined", g.list)

# --- copies
# case M6
HALVES = "data u 256 bytes=4\ntask w items=256 split=1 writes=u:own\n%s\n"
g = Graph(HALVES % "task r items=256 split=1 reads=u:all", 2)
ok(boxes(g.copies(1, 2)) == [("u", (0,), (128,))] and boxes(g.copies(2, 1)) == [("u", (128,), (256,))] and
   len(g.copies()) == 2 and g.are_concurrent(*g.copies()), "one copy each way", g.copies())
g = Graph(HALVES % "task r reads=u", 2)
w, c = g.kind("launch"), g.copies()
ok(len(c) == 2 and g.follows(c[0], w[0]) and g.follows(c[1], w[1]) and not g.follows(c[0], w[1]) and not g.follows(c[1], w[0]),
   "a copy for each writer", c)
# case M8
g = Graph("data u 256\ntask i items=1 writes=u\ntask w items=1 writes=u[0:128]\ntask x items=1 writes=u[128:256]\ntask r reads=u\n", 1)
ok(len(g.copies()) == 2 and g.are_concurrent(g.task("x"), g.copies()[0]), "also of one memory", g.copies())
# case M12
g = Graph("data u 256\ntask i writes=u\ntask r items=256 split=1 reads=u:own\n", 2)
ok(boxes(g.copies(0)) == [("u", (0,), (128,)), ("u", (128,), (256,))], "values of the host are copied in parts")
g = Graph(HALVES % "task r items=256 split=1 reads=u:all\ntask s items=256 split=1 reads=u:all", 2)
ok(len(g.copies()) == 2, "what is valid is not copied again")
g = Graph(HALVES % "task r items=256 split=1 reads=u:all", 2, "--peers", "none")
# case M13
stages = [i for i in g.copies(target=0) if i["why"] == "the memories are no peers"]
ok(len(stages) == 2 and len(g.copies(source=0)) == 2 and not g.copies(1, 2) and
   all(any(g.follows(i, s) for s in stages) for i in g.copies(source=0)), "no peers: by way of the host", g.copies())
# case M15
g = Graph("data u 256\ntask w items=1 writes=u\ntask r items=256 split=1 reads=u:all\n", 4, "--peers", "none")
ok(len(g.copies(target=0)) == 1 and len(g.copies(source=0)) == 3, "a broadcast is staged once", g.copies())
g = Graph("data u 256\ntask w items=1 writes=u\ntask r items=256 split=1 reads=u:all\n", 4, "--peers", "ring")
ok(sorted((i["source"], i["memory"]) for i in g.copies()) == [(1, 2), (1, 4), (2, 3)], "a ring: from a peer that has it", g.copies())
g = Graph("data u 256\ntask w items=1 writes=u\ntask r items=256 split=1 reads=u:all\n", 4)
ok(sorted((i["source"], i["memory"]) for i in g.copies()) == [(1, 2), (1, 3), (1, 4)] and g.are_concurrent(*g.copies()),
   "all peers: from where it was written", g.copies())
g = Graph(HALVES % "task r items=256 split=1 reads=u:all", 2, "--shared")
ok(not g.copies() and len(g.all["memories"]) == 2, "one memory in all: no copy", g.list)
# case M18
g = Graph("data a 64\ndata b 64\ntask x items=1 writes=a\ntask y items=1 writes=b\ntask p reads=a\ntask q items=1 updates=b\n", 1)
ok(not g.follows(g.task("q"), g.copies()[0]) and not g.follows(g.copies()[0], g.task("y")), "a copy orders only its data")
g = Graph("data u 256\ntask w items=256 split=1 writes=u:own\ntask o items=256 split=1 writes=u:even(0)\ntask r reads=u\n", 2)
ok(len(g.copies()) == 2 and all(i["memory"] == 0 for i in g.copies()), "nothing is copied to be overwritten")
g = Graph("data u 64\ndata v 64\n" + "task w items=1 writes=u\n" + "task w items=1 writes=v\n" + "task r items=1 reads=v\n", 2)
ok([i["device"] for i in g.kind("launch")] == [0, 1, 1], "a launch runs where its data is", g.list)

# --- cases of staging and of odd shapes
# case M17
PINGPONG = "data u 64\ndata v 64\ntask i items=64 split=1 writes=u:own\n" + (
    "task a items=64 split=1 reads=u:all writes=v:own\nswap u v\n" * 8)
g = Graph(PINGPONG, 2, "--peers", "none")
ok(boxes(g.kind("alloc", memory=0)) == [(d, low, high) for d in "uv" for low, high in (((0,), (32,)), ((32,), (64,)))] and
   len(g.copies()) == 32, "staging blocks are used again", boxes(g.kind("alloc", memory=0)))
ok(not g.kind("free"), "and stay", g.kind("free"))
# case M21
RING = ("data u 256x256 bytes=4\ntask i items=1 writes=u\ntask x reads=u[64:192,64:192]\n"
        "task r reads=u\n")
g = Graph(RING, 1)
ok(sum(i["bytes"] for i in g.copies(1, 0)) == 256 * 256 * 4 and len(g.copies(1, 0)) == 5, "a ring is copied as four boxes", boxes(g.copies()))

# A hole in the old block: the host has it.
# case M22
HOLE = ("data u 96x96 bytes=4\ntask a items=1 writes=u[0:64,0:64]\ntask h writes=u[16:48,16:48]\n"
        "task b items=1 reads=u[0:64,0:64] writes=u[0:96,64:96]\n")
g = Graph(HOLE, 1, "--lookahead", "none")
ok(sum(i["bytes"] for i in g.kind("resize")) == (64 * 64 - 32 * 32) * 4 and boxes(g.copies(0, 1)) == [("u", (16, 16), (48, 48))] and
   all(g.follows(g.task("b"), i) for i in g.kind("resize") + g.copies()), "an odd shape is moved around its hole", g.list)

# --- bytes of a launch in its memory, by mapper
# case M26
for how, each in (("reads=u:all", [1024]), ("writes=u:all", [1024]), ("updates=u:all", [2048]), ("reads=u:own", [256] * 4),
                  ("updates=u:own", [512] * 4), ("reads=u:all writes=v:own", [1024 + 256] * 4),
                  ("reads=u:near(1)", [260, 264, 264, 260]), ("reads=u:own,u:own", [512] * 4), ("updates=s", [0])):
    text = "data u 256 bytes=4\ndata v 256 bytes=4\ndata s bytes=0\ntask k items=256%s %s\n" % (
        " split=1 pieces=4" if len(each) > 1 else "", how)
    got = [i["traffic"] for i in Graph("data i\ntask i writes=i\n" + text, 1).kind("launch")]
    ok(got == each, "traffic of " + how, got)

# --- cases of empty boxes, boxes apart, reductions
# case M1: pieces without elements
g = Graph("data u 2\ntask a items=8 split=1 pieces=4 writes=u:own\ntask b items=8 split=1 pieces=4 reads=u:even(0)\n", 2)
empty = [i for i in g.kind("launch") if not i["uses"]]
ok([i["label"] for i in empty] == ["a"] * 3 + ["b"] * 2 and g.are_concurrent(*empty) and not any(i["preds"] for i in empty) and
   sum(i["bytes"] for i in g.kind("alloc")) <= 24,
   "pieces without elements need nothing", g.list)
code, _, error = flow("data u 8\ntask a reads=u[3:3]\n", "--memories", "1")
ok(code == 1 and "box [3, 3) is empty" in error, "an empty box is a mistake", error)
# case M2, with the end of the block: the blocks of all dimensions
for extent, one, other, box in (("64", "0:20", "10:30", ((0,), (30,))),
                                ("64x8", "0:20,0:4", "10:30,2:6", ((0, 0), (30, 6))),
                                ("64x8x4", "0:20,0:4,1:2", "10:30,2:6,1:4", ((0, 0, 1), (30, 6, 4)))):
    g = Graph("data u %s bytes=4\ndata v 1024 bytes=4\ntask a items=1 writes=u[%s],u[%s]\ntask b items=1 writes=v\n" % (
        extent, one, other), 1, "--bytes", "4096")
    size = 4
    for low, high in zip(*box):
        size *= high - low
    made = g.kind("alloc", memory=1)
    ok(boxes(made[:1]) == [("u", *box)] and made[0]["bytes"] == size and
       [(i["block"], i["bytes"], i["box"]) for i in g.kind("free")] == [(made[0]["block"], size, made[0]["box"])],
       "%s: a block of the bounding box, which ends as it was made" % extent, g.list)
# case M3: blocks are of parts that are connected, so boxes apart have one each
g = Graph("data u 64 bytes=4\ntask a items=1 writes=u[0:8],u[56:64]\n", 1)
ok(boxes(g.kind("alloc")) == [("u", (0,), (8,)), ("u", (56,), (64,))] and len(g.task("a")["uses"]) == 2, "boxes apart", g.list)
# case M4: nothing comes before the blocks, and the launches wait for nothing
g = Graph("data u 256\ntask a items=256 split=1 writes=u:own\n", 2)
ok(not any(i["preds"] for i in g.kind("alloc")) and not any(i["waits"] for i in g.list), "blocks come first", g.list)
# case M18: with copies by way of the host
g = Graph("data a 64\ndata b 64\ntask x items=64 split=1 writes=a:own\ntask y items=64 split=1 writes=b:own\n"
          "task p items=64 split=1 reads=a:all\ntask q items=64 split=1 updates=b:own\n", 2, "--peers", "none")
ok(len(g.copies()) == 4 and not any(g.follows(g.task("q", k), c) or g.follows(c, g.task("y", k)) for k in (0, 1) for c in g.copies()),
   "staging orders no other data", g.list)
# case X4: an access of the host
g = Graph("data u 64\ndata v 64\ntask w items=64 split=1 writes=u:own\ntask x items=1 writes=v\naccess print reads=u[0:32]\n"
          "task y items=64 split=1 updates=u:own\n", 2)
read, = g.kind("host access")
ok(boxes(g.copies()) == [("u", (0,), (32,))] and g.copies(1, 0) and read["label"] == "print" and read["lane"] == "host" and
   g.follows(read, g.copies()[0]) and not g.follows(read, g.task("w", 1)) and not g.follows(read, g.task("x")) and
   not g.follows(g.task("y", 1), read), "an access of the host waits for its copy", g.list)
# case X14: more pieces than devices, each with its part
g = Graph("data u 64\ntask w items=64 split=1 pieces=6 writes=u:own\n", 2)
ok([i["device"] for i in g.kind("launch")] == [0, 0, 0, 1, 1, 1] and g.are_concurrent(*g.kind("launch")) and
   len(g.kind("alloc")) == 6, "six pieces on two devices", g.list)

REDUCE = "data u 64\ndata s 2\ntask i writes=u\ntask k items=64%s reads=u:own reduces=s\ntask r reads=s\n"
# case R1: one piece is a write
g = Graph(REDUCE % "", 1)
ok({i["box"]["data"] for i in g.kind("alloc")} == {"u", "s"} and not g.kind("combine") and len(g.copies(1, 0)) == 1,
   "one piece has no partial results", g.list)
# case R3: pieces on devices
for devices, pieces in ((2, 2), (4, 4), (2, 6)):
    g = Graph(REDUCE % (" split=1 pieces=%d" % pieces), devices)
    partial = [i for i in g.copies(target=0) if i["box"]["data"] == "s.partials"]
    rows = [i for k in g.kind("launch") for i in k["uses"] if i["data"] == "s.partials"]
    combine, = g.kind("combine")
    ok(g.are_concurrent(*g.kind("launch")) and [(i["low"][-1], i["high"][-1]) for i in rows] == [(n, n + 1) for n in range(pieces)] and
       len(partial) == pieces and all(g.follows(combine, i) for i in partial + g.kind("launch")) and
       g.follows(g.task("r"), combine) and combine["device"] is None, "%d pieces on %d devices have a row each" % (pieces, devices), g.list)
# case R7: only pieces that are there
g = Graph(REDUCE % " split=1 pieces=3", 8)
ok(len(g.kind("launch")) == 3 and len([i for i in g.copies(target=0) if i["box"]["data"] == "s.partials"]) == 3,
   "devices without a piece have no partial result", g.list)

# --- warnings
# case X10
g = Graph("data u 64\ntask r items=64 split=1 reads=u:own\n", 2)
ok(len(g.all["warnings"]) == 2 and not g.copies(), "what nothing wrote is not copied", g.all["warnings"])
# cases X11, X12
g = Graph("data u 64\ntask w items=64 split=1 writes=u:near(1)\n", 2)
ok([w["warning"] for w in g.all["warnings"]] == ["pieces"], "pieces that overlap", g.all["warnings"])
code, out, error = flow("data u\ntask r items=1 reads=u\n", "--memories", "1", "--strict")
ok(code == 1 and "1 warning; the first: " in error and "which nothing wrote" in error and out.startswith("1 device"),
   "with --strict an error", error)


def warnings(text, devices, *options):
    return [{k: w[k] for k in sorted(w)} for w in Graph(text, devices, *options).all["warnings"]]


ok(warnings("data u 64\ntask i items=64 split=1 writes=u:own\ntask r items=64 split=1 reads=u:near(1)\n", 2) == [], "all is written, apart")
ok([w["elements"] for w in warnings("data u 64\ntask i items=63 writes=u[0:63]\ntask r items=1 reads=u\n", 2)] == [1], "all but one element")
g = Graph("data u 64\ntask i writes=u\ntask w items=64 split=1 reads=u:near(1) writes=u:own\n", 2)
ok([w["warning"] for w in g.all["warnings"]] == ["pieces"], "a piece reads what another one writes", g.all["warnings"])

# Blocks: parts with gaps.
def parts(count):
    return "data u 100\ntask i writes=u\n" + "".join("task t items=1 reads=u[%d:%d]\n" % (3 * i, 3 * i + 1) for i in range(count))


ok(warnings(parts(10), 1) == [], "ten blocks")
ok(warnings(parts(11), 1) == [{"count": 11, "data": "u", "memory": 1, "warning": "blocks"}], "eleven blocks", warnings(parts(11), 1))
ok("warning: memory 1 has 11 blocks of u at a time\n" in flow(parts(11), "--memories", "1")[1], "as text")
ok(warnings(parts(11), 2, "--choose", "round-robin") == [], "of two memories")


# Small copies: one for each writer.
# case X15
def writers(count, each):
    return "data u %d bytes=1\ntask i writes=u\n" % (count * each) + "".join(
        "task w writes=u[%d:%d]\n" % (i * each, (i + 1) * each) for i in range(count)) + "task r items=1 reads=u\n"


ok(warnings(writers(256, 8), 1) == [] and len(Graph(writers(256, 8), 1).copies()) == 256, "256 small copies")
number = Graph(writers(257, 8), 1).task("r")["task"]
ok(warnings(writers(257, 8), 1) == [{"count": 257, "data": "u", "memory": 1, "task": number, "warning": "copies"}], "one more",
   warnings(writers(257, 8), 1))
ok('task %d "r" needs 257 copies of u of less than 4096 bytes to memory 1\n' % number in flow(writers(257, 8), "--memories", "1")[1], "as text")
ok(warnings(writers(257, 4095), 1) != [] and warnings(writers(257, 4096), 1) == [], "copies of 4096 bytes are not small")
ok(warnings(writers(256, 8) + "task w writes=u[0:1]\ntask r items=1 reads=u\n", 1) == [], "two tasks")


# Evictions: three data, room for two; 64 tasks are a horizon.
def rounds(count):
    return "data a 8 bytes=1\ndata b 8 bytes=1\ndata c 8 bytes=1\ntask i writes=a,b,c\nrepeat %d\ntask x items=1 reads=a\n" \
        "task y items=1 reads=b\ntask z items=1 reads=c\nend\n" % count


ok(warnings(rounds(63), 1, "--bytes", "16") == [], "evictions in three horizons")
ok(warnings(rounds(66), 1, "--bytes", "16") == [{"count": 4, "memory": 1, "warning": "evictions"}], "in four",
   warnings(rounds(66), 1, "--bytes", "16"))
ok(warnings(rounds(66), 1, "--bytes", "24") == [], "none with room for all")
code, out, error = flow(rounds(66), "--memories", "1", "--bytes", "16", "--strict")
ok(code == 1 and "1 warning; the first: memory 1 evicts blocks in 4 horizons of 64 tasks in a row" in error, "with --strict", error)

# --- options
for options, part in ((("--memories", "0"), "at least one device"), (("--memories", "31"), "up to 30"),
                      (("--memories", "2", "--peers", "star"), "all, ring or none"), (("--shared",), "need --memories"), (("--bytes", "8"), "need --memories"),
                      (("--memories", "2", "--choose", "best"), "--choose has no 'best'"),
                      (("--memories", "2", "--parent", "all"), "--parent has no 'all'"),
                      (("--memories", "2", "--lane", "old"), "--lane has no 'old'"),
                      (("--memories", "2", "--lookahead", "2"), "all or none"), (("--memories", "2", "--dot"), "--text and --json"),
                      (("--memories", "2", "--lanes", "3"), "without --lanes"), (("--lanes", "3", "--memories", "2"), "without --lanes")):
    code, _, error = flow("", *options)
    ok(code == 2 and part in error, "wrong: " + " ".join(options), code, error)
ok(flow("", "--memories", "30")[0] == 0 and "at most 30" in PAGE, "30 devices, as the page says")
ok(flow("", "--memories", "1")[1].startswith("1 device, 2 memories\n0 instructions"), "an empty text")
done()
