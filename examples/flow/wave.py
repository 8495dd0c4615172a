# SPDX-License-Identifier: MIT
"""A wave on a membrane, in pieces of rows: a step reads the state before it with its
neighbours, and overwrites the one before that.
"""
import plait
from frame import KERNELS, compare, floats

N, STEPS = 64, 50


def step(now, other):
    for y in range(1, N - 1):
        for i in range(y * N + 1, y * N + N - 1):
            other[i] = 2 * now[i] - other[i] + 0.1 * (
                now[i - 1] + now[i + 1] + now[i - N] + now[i + N] - 4 * now[i])


with plait.open() as system, system.flow() as flow:
    swing, = system.kernels(KERNELS, "swing")
    start = [0.0] * N * N
    start[N // 2 * N + N // 2] = 1.0
    states = [list(start), list(start)]
    now, other = (flow.data("f", (N, N), floats(start)) for _ in states)
    for i in range(STEPS):
        flow(swing, now.near(1, 1, corners=False), other.own(), N, plait.chunk, items=(N, N), split=1)
        now, other = other, now
        step(states[i % 2], states[(i + 1) % 2])
    compare("wave", now.tolist(), states[STEPS % 2])
