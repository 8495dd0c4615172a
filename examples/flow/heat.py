# SPDX-License-Identifier: MIT
"""Heat spreads over a plate, in pieces of rows: a piece of a step waits for the pieces next
to it of the step before, and no others.
"""
import plait
from frame import KERNELS, compare, floats

N, STEPS = 64, 50


def step_of(now):
    following = list(now)
    for y in range(1, N - 1):
        for i in range(y * N + 1, y * N + N - 1):
            following[i] = 0.25 * (now[i - 1] + now[i + 1] + now[i - N] + now[i + N])
    return following


with plait.open() as system, system.flow() as flow:
    warm, = system.kernels(KERNELS, "warm")
    wanted = [100.0] * N + [0.0] * N * (N - 1)      # one edge is hot
    now, following = flow.data("f", (N, N), floats(wanted)), flow.data("f", (N, N))
    for _ in range(STEPS):
        flow(warm, now.near(1, 1, corners=False), following.own(), N, plait.chunk, items=(N, N), split=1)
        now, following = following, now
        wanted = step_of(wanted)
    compare("heat", now.tolist(), wanted)
