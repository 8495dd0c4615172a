# SPDX-License-Identifier: MIT
"""A small network: two branches of convolution, pooling and convolution look at an image at
the same time, and a dense layer joins them.
"""
import plait
from frame import KERNELS, compare, floats, noise

N, OUTPUTS = 34, 10
WIDE, HALF = N - 2, (N - 2) // 2
END, LAST = HALF - 2, (HALF - 2) ** 2


def convolved(image, weights, n):
    return [max(0, sum(one * image[(y + k // 3) * n + x + k % 3] for k, one in enumerate(weights)))
            for y in range(n - 2) for x in range(n - 2)]


def pooled(image, n):
    return [sum(image[i + k] for k in (0, 1, n, n + 1)) / 4
            for i in (2 * y * n + 2 * x for y in range(n // 2) for x in range(n // 2))]


def answer(image, filters, weights):
    ends = [one for first, second in (filters[:2], filters[2:])
            for one in convolved(pooled(convolved(image, first, N), WIDE), second, HALF)]
    return [sum(a * b for a, b in zip(weights[2 * LAST * o:], ends)) for o in range(OUTPUTS)]


def branch(flow, kernels, picture, first, second):
    convolve, pool = kernels
    wide, half, end = flow.data("f", (WIDE, WIDE)), flow.data("f", (HALF, HALF)), flow.data("f", LAST)
    flow(convolve, picture, flow.data("f", 9, floats(first)), wide, N, items=(WIDE, WIDE))
    flow(pool, wide, half, WIDE, items=(HALF, HALF))
    flow(convolve, half, flow.data("f", 9, floats(second)), end, HALF, items=(END, END))
    return end


with plait.open() as system, system.flow() as flow:
    *kernels, dense = system.kernels(KERNELS, "convolve", "pool", "dense")
    image = [noise(i) for i in range(N * N)]
    filters = [[noise(3 * (9 * f + i)) - 0.4 for i in range(9)] for f in range(4)]
    weights = [noise(5 * i) - 0.5 for i in range(OUTPUTS * 2 * LAST)]
    picture, out = flow.data("f", (N, N), floats(image)), flow.data("f", OUTPUTS)
    given = flow.data("f", (OUTPUTS, 2 * LAST), floats(weights))
    left, right = (branch(flow, kernels, picture, *filters[i:i + 2]) for i in (0, 2))
    flow(dense, left, right, given, out, LAST, OUTPUTS, items=OUTPUTS)
    compare("deep_learning", out.tolist(), answer(image, filters, weights))
