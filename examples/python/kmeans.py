#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""k-means: a loop whose body takes one of two branches.

After every point has chosen its nearest centre, either all centres have points
and move to their middle, or one has none and is reseeded at a point.
"""
import array
import os

import plait

POINTS, CENTRES = 3000, 4
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernels/kmeans")


def make_points():
    """Generate points around four fixed centres, the same in every run."""
    state, points = 1, array.array("f")
    for i in range(POINTS):
        for middle in ((2, 2), (2, 8), (8, 2), (8, 8))[i % 4]:
            state = (state * 16807) % 2147483647
            points.append(middle + state / 2147483647 - 0.5)
    return points


with plait.open() as system:
    device = system.devices[0]
    choose, gather, move, reseed = system.kernels(KERNELS, "choose", "gather", "move", "reseed")
    points = device.array(make_points())
    # All centres but one start far from every point.
    centres = device.array(array.array("f", [5, 5] + [1000, 1000] * (CENTRES - 1)))
    chosen, sums = device.buffer(4 * POINTS), device.buffer(12 * CENTRES)
    which = device.array(array.array("I", [0]))
    state = device.array(array.array("I", [1, 0, 0]))        # continue, moves, reseeds

    graph = system.graph()
    _, body = graph.loop(state, times=20)
    step = body.launch(choose, points, centres, chosen, POINTS, CENTRES, items=POINTS)
    step = body.launch(gather, points, chosen, sums, which, POINTS, CENTRES, after=step)
    _, (all_have, one_has_none) = body.case(which, 2, after=step)
    all_have.launch(move, centres, sums, state, CENTRES)
    one_has_none.launch(reseed, centres, sums, points, state, POINTS, CENTRES)
    graph.freeze()()

    _, moves, seeds = state.tolist()
    found = centres.tolist()
    print("settled after %d moves and %d new seeds" % (moves, seeds))
    for x, y in sorted(zip(found[::2], found[1::2])):
        print("a centre near %.1f, %.1f" % (x, y))
