# SPDX-License-Identifier: MIT
"""Hubs and authorities among pages that link each other: both are made anew from the other
one of the step before, so they overlap.
"""
import plait
from frame import KERNELS, compare, floats, noise

N, STEPS = 60, 8


def follow_of(rows, given):
    found = [sum(link * one for link, one in zip(row, given)) for row in rows]
    return [one / sum(found) for one in found]


with plait.open() as system, system.flow() as flow:
    follow, total, shrink = system.kernels(KERNELS, "follow", "total", "shrink")
    rows = [[float(noise(i * N + k) < 0.2) for k in range(N)] for i in range(N)]
    columns = list(zip(*rows))
    hubs = pages = [1 / N] * N
    links = flow.data("f", (N, N), floats(one for row in rows for one in row))
    hub, page = ([flow.data("f", N, floats(hubs)), flow.data("f", N)] for _ in range(2))
    sums = flow.data("f"), flow.data("f")
    for step in range(STEPS):
        now, then = step % 2, (step + 1) % 2
        for source, target, back, one in ((hub, page, 1, sums[0]), (page, hub, 0, sums[1])):
            flow(follow, links, source[now], target[then], N, back, items=N)
            flow(total, target[then], one, N)
            flow(shrink, target[then], one, N, items=N)
        hubs, pages = follow_of(rows, pages), follow_of(columns, hubs)
    compare("hits", hub[STEPS % 2].tolist() + page[STEPS % 2].tolist(), hubs + pages)
