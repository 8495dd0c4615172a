# SPDX-License-Identifier: MIT
"""Light in a room, as a table that grows by a row in each step: a step reads all rows before
its own, so what it accesses is never twice the same.
"""
import plait
from frame import KERNELS, compare, floats, noise

N, STEPS = 100, 40


def row_behind(rows):
    count = len(rows)
    return [0.5 * sum(row[(x * (y + 1) + 1) % N] / (count - y + 1) for y, row in enumerate(rows))
            for x in range(N)]


with plait.open() as system, system.flow() as flow:
    shine, = system.kernels(KERNELS, "shine")
    rows = [[noise(x) for x in range(N)]]
    light = flow.data("f", (STEPS + 1, N), floats(rows[0] + [0] * STEPS * N))
    for count in range(1, STEPS + 1):
        flow(shine, light.at[:count], light.at[count], count, N, items=N)
        rows.append(row_behind(rows))
    compare("rsim", light.tolist(), [one for row in rows for one in row])
