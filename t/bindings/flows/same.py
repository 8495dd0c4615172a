# SPDX-License-Identifier: MIT
"""The program of same.lua: t/bindings/flows.t compares their outputs."""
import array
import plait

SIGNATURE = "heat(u: in array1 f32, v: out array1 f32, n: u64, c: chunk)"
SOURCE = """
KERNEL(heat) {
	CHUNK1(x)
		AT1(v, x) = AT1(u, x > 0 ? x - 1 : 0) + AT1(u, x) + AT1(u, x + 1 < n ? x + 1 : n - 1);
}
"""

SUM = """
struct chunk { u64 low[3], high[3]; };
KERNEL(sum) { EACH(i, 1) for (u64 k = c.low[0]; k < c.high[0]; k++) t[0] += u[k]; }
"""

with plait.open("host") as system:
    heat = system.kernel(SIGNATURE, SOURCE)
    flow = system.flow(record=True, check=True, fixed=True, lanes=2)
    u = flow.data("f", 8, array.array("f", [0, 0, 0, 1, 0, 0, 0, 0]), label="u")
    v, total = flow.data("f", 8, label="v"), flow.data("d", 1, label="total")
    for _ in range(3):
        flow(heat, u.near(1), v.own(), 8, plait.chunk, items=8, split=1, pieces=2)
        u, v = v, u

    def add(numbers, out):
        out[0] = sum(numbers)
    flow.call(add, u.reads(), total.writes(), label="add")
    print("%g" % total[0], " ".join("%g" % x for x in u.tolist()))
    add_up = system.kernel("sum(u: in pointer f32, t: inout pointer f64, c: struct chunk 48)", SUM)
    join = system.kernel("add(into: inout pointer f64, from: in pointer f64, n: u64)",
                         "KERNEL(add) { EACH(i, n) into[i] += from[i]; }")
    flow(add_up, u, total.reduces(join, accumulate=True), plait.chunk, items=8, split=1, pieces=2)
    print("%g" % total[0])
    u[2] = 9
    flow.fill(v.at[2:4], 5)
    print("%g %g" % (u[2], v[3]))

    def fail():
        raise ValueError("lost")
    task = flow.call(fail, updates=[v], label="fail")
    try:
        flow.wait(task)
    except plait.FailedError:
        print("failed")
    try:
        v[0]
    except plait.FailedError:
        print("poisoned")
    flow.fill(v, 2)
    print("%g" % v[0])
    print(" ".join("%d-%d" % chunk[0] for chunk in flow.split(10, pieces=3)))
    flow.fill(u, 1)
    graph = system.graph()
    with flow.capture(graph):
        flow(heat, u, v, 8, plait.chunk, items=8)
    plan = graph.freeze()

    def both():
        flow(heat, u.near(1), v.own(), 8, plait.chunk, items=8, split=1, pieces=2)
        flow.copy(u, v)
    for _ in range(3):
        flow.repeat(1, both)
    print("%g" % u[4])
    plan()
    print("%g" % v[4])
    with system.flow(devices=system.devices, choose="min-size", parent="disjoint", lane="always-new",
                     device_lanes=2, threshold=50) as near:
        a, b = near.data("f", 8, array.array("f", [1] * 8)), near.data("f", 8)
        for what in ("prefetch", "reserve", "evict", "prefetch"):
            a.advise(what, system.devices[0])
        a.advise("prefetch", part=slice(2, 4))
        near(heat, a, b, 8, plait.chunk, items=8)
        print("%g" % b[4])
    flow.read("data x 8\ntask late writes=x[2:4]\ntask last reads=x[2:4]\n")
    print([line for line in flow.explain().split("\n") if "which it wrote" in line][-1].strip())
    text = flow.instructions(3, peers="ring", shared=True, lookahead=False, strict=True, weights=(1, 1, 1),
                             choose="min-size", parent="disjoint",
                             lane="always-new", lanes=None, memory_bytes=1 << 30, links="-1,0,2\n")
    print(text.split("\n")[0])
    flow.wait()
