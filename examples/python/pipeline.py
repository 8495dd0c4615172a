#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Python function as a node between two kernels.

One kernel fills a buffer in shuffled order, Python sorts it, another kernel
counts the elements out of place.
"""
import array
import os

import plait

COUNT, RUNS = 1000, 10
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernels/pipeline")


def sort(buffer):
    with buffer.map() as memory:
        numbers = memory.cast("f")
        numbers[:] = array.array("f", sorted(numbers))
        numbers.release()


with plait.open() as system:
    device = system.devices[0]
    shuffle, steps = system.kernels(KERNELS, "shuffle", "steps")
    numbers, wrong = device.buffer(4 * COUNT), device.array(array.array("I", [0]))

    graph = system.graph()
    first = graph.launch(shuffle, numbers, COUNT, plait.Parameter("turn"), items=COUNT)
    then = graph.call(sort, numbers, after=first)
    graph.launch(steps, numbers, wrong, COUNT, items=COUNT, after=then)
    plan = graph.freeze()
    for turn in range(RUNS):
        plan(turn=turn)
    print("%d runs, %d numbers out of place" % (RUNS, wrong.tolist()[0]))
