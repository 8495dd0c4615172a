# SPDX-License-Identifier: MIT
"""One rank of a program of two: t/bindings/worlds.t compares its output in each language."""
import plait


def content(buffer):
    with buffer.map() as memory:
        return " ".join("%g" % x for x in memory.cast("B").cast(buffer.format))


with plait.open("host", workers=2) as system:
    world = system.world(silence=100)
    device = system.devices[0]
    print(world.ranks, "ranks", world.machines, "machine")
    ring = system.coll("allreduce", world.ranks, algorithm="ring", in_place=True).compile()
    total = world.collective(ring)
    data = device.array(__import__("array").array("f", [world.rank + 1.0 + i for i in range(4)]))
    total(4, output=data)
    print("called:", content(data))
    queue = device.queue()
    total.submit(queue, 4, output=data)
    queue.finish()
    print("submitted:", content(data))
    graph = system.graph()
    first = graph.collective(total, 4, output=data, label="first")
    graph.collective(total, 4, op="max", output=data, after=first)
    plan = graph.freeze()
    plan()
    print("in a graph:", content(data))
    shared = world.buffer(16)
    shared.write(__import__("array").array("f", [world.rank + 1.0] * 4))
    total(4, output=shared)
    with shared.map() as memory:
        print("shared: %g" % memory.cast("B").cast("f")[3])
    try:
        graph.collective(total, 4)
    except plait.Error as problem:
        print("refused:", "the output of rank" in str(problem))
    print("reached:", "rank %d" % (1 - world.rank) in world.report())
