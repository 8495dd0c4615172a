# SPDX-License-Identifier: MIT
"""Two products of matrices, one behind the other, in pieces of rows: a piece of the second
one needs the same rows of the first one, and no others.
"""
import plait
from frame import KERNELS, compare, floats, noise

N = 48


def product(a, b):
    columns = [b[x::N] for x in range(N)]
    return [sum(left * right for left, right in zip(a[y * N:(y + 1) * N], column))
            for y in range(N) for column in columns]


with plait.open() as system, system.flow() as flow:
    multiply, = system.kernels(KERNELS, "multiply")
    a, b = ([noise(step * i) - 0.5 for i in range(N * N)] for step in (1, 5))
    left, right = flow.data("f", (N, N), floats(a)), flow.data("f", (N, N), floats(b))
    first, second = flow.data("f", (N, N)), flow.data("f", (N, N))
    for given, result in ((left, first), (first, second)):
        flow(multiply, given.slice(1), right, result.own(), N, plait.chunk, items=(N, N), split=1)
    compare("matmul", second.tolist(), product(product(a, b), b))
