#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Three stages as coroutines, with bounded queues between them: the first makes blocks, the
second smooths each on the device, the third adds them up."""
import array
import os

import plait

BLOCKS, LENGTH, DEPTH = 20, 64, 4
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernels/coroutines")


class Bounded:
    """A bounded queue of blocks.  The gates count what was put in and taken out."""

    def __init__(self, device):
        self.filled, self.emptied = device.signal(gate=True), device.signal(gate=True)
        self.blocks = [array.array("I", bytes(4 * LENGTH)) for _ in range(DEPTH)]

    async def room(self, i):
        if i >= DEPTH:
            await self.emptied.reach(i - DEPTH + 1)
        return self.blocks[i % DEPTH]

    async def block(self, i):
        await self.filled.reach(i + 1)
        return self.blocks[i % DEPTH]


async def make(raw):
    for i in range(BLOCKS):
        block = await raw.room(i)
        block[:] = array.array("I", [(37 * i + 11 * j) % 101 for j in range(LENGTH)])
        raw.filled.raise_to(i + 1)


async def smooth(raw, smoothed, plan, queue):
    for i in range(BLOCKS):
        given, taken = await raw.block(i), await smoothed.room(i)
        await plan.run(queue, given=given, taken=taken)
        raw.emptied.raise_to(i + 1)
        smoothed.filled.raise_to(i + 1)


async def add_up(smoothed, sums):
    for i in range(BLOCKS):
        block = await smoothed.block(i)
        sums.append((i + 1) * sum(block))
        smoothed.emptied.raise_to(i + 1)


with plait.open() as system:
    device = system.devices[0]
    kernel, = system.kernels(KERNELS, "smooth")
    graph = system.graph()
    x, y = graph.temporary(4 * LENGTH), graph.temporary(4 * LENGTH)
    last = graph.write(x, plait.Parameter("given"))
    last = graph.launch(kernel, x, y, LENGTH, items=LENGTH, after=last)
    graph.read(y, plait.Parameter("taken"), after=last)
    plan = graph.freeze()

    raw, smoothed, sums = Bounded(device), Bounded(device), []
    graph = system.graph()
    graph.call(make, raw)
    graph.call(smooth, raw, smoothed, plan, device.queue())
    graph.call(add_up, smoothed, sums)
    graph.freeze(widest=True)()
    print("%d blocks through 3 stages, sum %d" % (BLOCKS, sum(sums)))
