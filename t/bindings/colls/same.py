# SPDX-License-Identifier: MIT
"""A small program of collectives: t/bindings/colls.t compares its output in each language."""
import array
import plait

CLUSTER = "cluster ranks=4\nlane rate=1"


def content(buffer):
    with buffer.map() as memory:
        return " ".join("%g" % x for x in memory.cast("B").cast(buffer.format))


def ring_of(system, n):
    made = system.coll("allreduce", ranks=n, chunks=n, in_place=True)
    for r in range(n):
        chunk = made.chunk((r + 1) % n, "i", r)
        for s in range(2, n + 1):
            chunk = made.chunk((r + s) % n, "i", r).reduce(chunk)
        for s in range(1, n):
            chunk = chunk.copy((r + s) % n)
    return made


with plait.open("host") as system:
    device = system.devices[0]
    ring = ring_of(system, 4).compile(instances=2)
    proof, info = ring.check(), ring.query()
    print(proof.steps, proof.depth_min, "same bits" if proof.same_bits else "other bits")
    print(info.ranks, info.share_chunks, "in place" if info.in_place else "out of place")
    buffers = [device.array(array.array("f", [r + i for i in range(5)])) for r in range(4)]
    ring.graph(5, outputs=buffers).freeze()()
    print(content(buffers[3]))
    time = ring.simulate(CLUSTER, 8)
    print(time.time_ns, time.critical_steps, "</svg>" in ring.draw(CLUSTER, 8))

    gather = system.coll("allgather", 2, algorithm="ring").compile().graph(3, "i32", op="max").freeze()
    inputs = [device.array(array.array("i", [r, 5, 6])) for r in range(2)]
    outputs = [device.array(array.array("i", [0] * 6)) for _ in range(2)]
    gather(in0=inputs[0], in1=inputs[1], out0=outputs[0], out1=outputs[1])
    print(content(outputs[1]))

    custom = system.coll("custom", 2, inputs=2, outputs=2, promises={(1, 0): [(0, 0), (1, 0)]})
    with custom.parallel(2):
        both = custom.chunk(0, "i", 0).join(custom.chunk(0, "i", 1))
        moved = both.part(0).copy(1, "s", channel=1)
        custom.chunk(1, "i", 0).copy(1, "o", 0).reduce(moved)
    schedule = custom.compile()
    try:
        schedule.check(promises={(1, 0): [(1, 0)]})
    except plait.Error as error:
        print("refused:", error.proof.reason)
    print(schedule.write("msccl").decode().split()[0], system.read_schedule(schedule.write()).write() == schedule.write())
    steps = system.read_coll("broadcast ranks=2 chunks=8 in_place\nfor i in 0..8 { copy(input[0, i], 1) }\n")
    print(steps.compile().check().steps, steps.compile(aggregate=True, message_chunks=4).check().steps)
    try:
        system.read_coll("broadcast ranks=2\nnothing", "mine")
    except plait.Error as error:
        print(str(error).split(" ")[0])
