#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A search in a tree whose shape is data: queens on a board, none of which attacks another.

A plan finds the free squares of the next row; a coroutine below each square of the first
row awaits it, and goes into all of them.
"""
import array
import os

import plait

SIZE = 7
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernels/coroutines")


class Seeker:
    def __init__(self, plan, queue):
        self.plan, self.queue, self.squares = plan, queue, array.array("I", [0])
        self.places = self.solutions = 0

    async def search(self, columns, left, right):
        self.places += 1
        if columns == (1 << SIZE) - 1:
            self.solutions += 1
            return
        await self.plan.run(self.queue, columns=columns, left=left, right=right, squares=self.squares)
        squares = self.squares[0]
        for square in (1 << i for i in range(SIZE) if squares & 1 << i):
            await self.search(columns | square, (left | square) << 1, (right | square) >> 1)


with plait.open() as system:
    kernel, = system.kernels(KERNELS, "squares")
    graph = system.graph()
    found = graph.temporary(4)
    last = graph.launch(kernel, plait.Parameter("columns"), plait.Parameter("left"), plait.Parameter("right"),
                        SIZE, found, items=1)
    graph.read(found, plait.Parameter("squares"), after=last)
    plan = graph.freeze(instances=SIZE)

    graph = system.graph()
    seekers = [Seeker(plan, system.devices[0].queue()) for _ in range(SIZE)]
    for i, seeker in enumerate(seekers):
        graph.call(seeker.search, 1 << i, 2 << i, (1 << i) >> 1)
    graph.freeze(widest=True)()
    print("%d queens: %d solutions in %d places" % (
        SIZE, sum(one.solutions for one in seekers), 1 + sum(one.places for one in seekers)))
