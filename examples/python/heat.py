#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Heat spreads over a plate until nothing changes much: a loop inside a plan.

A kernel sets the loop condition; the program waits once, for the whole plan.
"""
import array
import os

import plait

SIZE, TOLERANCE = 64, 1e-4
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernels/heat")

with plait.open() as system:
    device = system.devices[0]
    spread, change, decide = system.kernels(KERNELS, "spread", "change", "decide")

    plate = array.array("f", [100] * SIZE + [0] * SIZE * (SIZE - 1))   # one edge is hot
    one, other = device.array(plate), device.array(plate)
    changes = device.buffer(4 * SIZE)
    go, count = device.array(array.array("I", [1])), device.array(array.array("I", [0]))

    graph = system.graph()
    _, body = graph.loop(go, times=1000)
    plates = body.rotate(one, other)
    step = body.launch(spread, plates.now, plates.next, SIZE, items=(SIZE, SIZE))
    step = body.launch(change, plates.now, plates.next, changes, SIZE, items=SIZE, after=step)
    body.launch(decide, changes, go, count, SIZE, TOLERANCE, after=step)
    graph.freeze()()

    steps = count.tolist()[0]
    plate = (other if steps % 2 else one).tolist()
    print("settled after %d steps, %.1f degrees in the middle" % (
        steps, plate[SIZE // 2 * SIZE + SIZE // 2]))
