#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait flow --memories --bytes: which blocks go, what is copied away, what is refused, and the
bytes of a problem of four times the memory against a count by hand."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from instruction_graph import Graph, boxes, flow
from tap import done, ok


def moved(graph):
    return sum(i["bytes"] for i in graph.copies())


def freed(graph):
    return [i["box"]["data"] for i in graph.kind("free")]


# --- the choice: three data, room for two
THREE = """data a 8 bytes=1
data b 8 bytes=1
data c 8 bytes=1
task i writes=a,b,c
task x items=1 reads=a
task y items=1 reads=b
task z items=1 reads=c
%s"""
g = Graph(THREE % "task w items=1 reads=a\n", 1, "--bytes", "16")
ok(freed(g) == ["b"] and moved(g) == 24, "what is never used again goes first", g.list)
g = Graph(THREE % "task v items=1 reads=b\ntask w items=1 reads=a\n", 1, "--bytes", "16")
ok(freed(g)[0] == "a", "what is used later goes first", g.list)
g = Graph(THREE % "task w items=1 reads=a\n", 1, "--bytes", "16", "--lookahead", "none")
ok(freed(g)[0] == "a", "without lookahead what was used longest ago", g.list)
g = Graph("data a 8 bytes=1\ndata b 8 bytes=1\ndata c 8 bytes=1\ntask i writes=a,b\ntask x items=1 updates=a\n"
          "task y items=1 reads=b\ntask z items=1 writes=c\n", 1, "--bytes", "16")
ok(freed(g) == ["b"] and not g.copies(1, 0), "of two without a use a clean one", g.list)
g = Graph(THREE % "", 1, "--bytes", "24")
ok(not g.kind("free") and moved(g) == 24, "none goes while there is room")
ok(all(m["bytes"] <= 16 for m in Graph(THREE % "task w items=1 reads=a\n", 1, "--bytes", "16").all["memories"][1:]), "as many bytes")

# --- values that only the memory has
DIRTY = "data a 8 bytes=1\ndata b 8 bytes=1\ntask x items=1 writes=a\ntask y items=1 writes=b\ntask z items=1 reads=a\n"
g = Graph(DIRTY, 1, "--bytes", "8")
away = [i for i in g.copies(1, 0) if i["why"] == "the task needs the room"]
ok(boxes(away) == [("a", (0,), (8,)), ("b", (0,), (8,))] and boxes(g.copies(0, 1)) == [("a", (0,), (8,))], "are copied away", g.list)
ok(g.follows(g.kind("free")[0], away[0]) and g.follows(g.kind("alloc", memory=1)[1], g.kind("free")[0]),
   "the block ends behind that, and the next one comes behind its end", g.list)
g = Graph("data a 8 bytes=1\ntask x items=1 writes=a\ntask y items=1 writes=a[0:4]\n", 1, "--bytes", "8")
ok(not g.copies(), "a block that is large enough stays", g.list)
g = Graph("data a 8 bytes=1\ndata b 6 bytes=1\ntask x items=1 writes=a\ntask y items=1 reads=a[0:2] writes=b\n", 1, "--bytes", "8")
ok(boxes(g.copies(1, 0)) == [("a", (0,), (8,))] and boxes(g.copies(0, 1)) == [("a", (0,), (2,))],
   "a block that is too large beside the others is made anew", g.list)
g = Graph("data a 8 bytes=1\ntask x items=1 writes=a[0:6]\ntask y items=1 updates=a[4:8]\n", 1, "--bytes", "10", "--lookahead", "none")
ok(boxes(g.copies(1, 0)) == [("a", (0,), (4,))] and boxes(g.kind("resize")) == [("a", (4,), (6,))],
   "without room for both parts, the rest of the old block is copied away", g.list)

# --- refusals
for text, part in (("data u 8 bytes=1\ntask w items=1 writes=u\n", 'task 1 "w", piece 0 of 1, needs 8 bytes of memory 1, which has 7'),
                   ("data u 30 bytes=1\ntask w items=30 split=1 pieces=3 reads=u:near(1)\n", 'piece 0 of 3, needs 11 bytes')):
    code, out, error = flow(text, "--memories", "1", "--bytes", "7")
    ok(code == 1 and part in error and "more pieces" in error and out == "", "refused: " + part, error)
ok(flow("data u 30 bytes=1\ntask w items=30 split=1 pieces=5 writes=u:own\n", "--memories", "1", "--bytes", "7")[0] == 0, "more pieces fit")
ok(flow("data u 8\ntask w writes=u\n", "--memories", "1", "--bytes", "7")[0] == 0, "the host's memory has no limit")


# --- four times the memory
def by_hand(requests, room):
    """Bytes of copies: at each request what is used latest goes; values that only the memory has are
    copied away.  Requests: lists of (block, is written); blocks are of equal size, 1."""
    uses, here, there, count = {}, {}, set(), 0
    for i, request in enumerate(requests):
        for block, _ in request:
            uses.setdefault(block, []).append(i)
    there = {b for request in requests for b, _ in request if b.startswith("u")}  # the host's
    for i, request in enumerate(requests):
        own = {b for b, _ in request}
        for block, written in request:
            if block not in here:
                if len(here) == room:
                    def key(b):
                        later = [n for n in uses[b] if n > i]
                        return (later[0] if later else len(requests), b in there)
                    gone = max((b for b in here if b not in own), key=key)
                    count += gone not in there
                    there.add(gone)
                    del here[gone]
                count += not written
                here[block] = True
            if written:
                there.discard(block)
    return count


PIECES, SIZE = 16, 64
for sweeps, room in ((1, 8), (2, 8), (5, 8), (2, 24), (5, 24)):
    text = "data u %d bytes=1\ndata v %d bytes=1\ntask i writes=u\n" % (PIECES * SIZE, PIECES * SIZE)
    text += ("task s items=%d split=1 pieces=%d reads=u:own writes=v:own\nswap u v\n" % (PIECES * SIZE, PIECES)) * sweeps
    g = Graph(text, 1, "--bytes", str(room * SIZE))
    requests = [[("uv"[s % 2] + str(p), False), ("vu"[s % 2] + str(p), True)] for s in range(sweeps) for p in range(PIECES)]
    hand = by_hand(requests, room) * SIZE
    ok(0 < moved(g) <= 1.3 * hand and max(m["bytes"] for m in g.all["memories"][1:]) <= room * SIZE,
       "%d sweeps, room for %d of 32 pieces: %d bytes, by hand %d" % (sweeps, room, moved(g), hand), g.error)
done()
