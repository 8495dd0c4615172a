# SPDX-License-Identifier: MIT
"""Bodies that attract each other, in pieces: to pull them a piece reads all places, to move
them its own ones.
"""
import math

import plait
from frame import KERNELS, compare, floats, noise

N, STEPS = 64, 10


def step(places, speeds):
    for i in range(N):
        for k in range(N):
            d = [places[3 * k + axis] - places[3 * i + axis] for axis in range(3)]
            square = 0.1 + sum(one * one for one in d)
            for axis in range(3):
                speeds[3 * i + axis] += 0.01 * d[axis] / (square * math.sqrt(square))
    for i in range(3 * N):
        places[i] += 0.01 * speeds[i]


with plait.open() as system, system.flow() as flow:
    pull, drift = system.kernels(KERNELS, "pull", "drift")
    wanted, speeds = [noise(i) for i in range(3 * N)], [0.0] * 3 * N
    where, how_fast = flow.data("f", (N, 3), floats(wanted)), flow.data("f", (N, 3))
    for _ in range(STEPS):
        flow(pull, where, how_fast.own(), N, plait.chunk, items=(3, N), split=1)
        flow(drift, where.own(), how_fast.own(), plait.chunk, items=(3, N), split=1)
        step(wanted, speeds)
    compare("nbody", where.tolist(), wanted)
