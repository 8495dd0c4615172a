# SPDX-License-Identifier: MIT
"""Two vectors are squared at a time, then the sum of their differences is reduced in pieces, in
rounds: the host writes new numbers as soon as the old ones are not needed any more.
"""
import plait
from frame import KERNELS, compare, floats, noise

N, PIECES, ROUNDS = 10000, 100, 5

with plait.open() as system, system.flow() as flow:
    square, differ, add = system.kernels(KERNELS, "square", "differ", "add")
    x, y, total = flow.data("f", N), flow.data("f", N), flow.data("f")
    got, wanted = [], []
    for turn in range(ROUNDS):
        left, right = ([noise(step * i + turn) for i in range(N)] for step in (1, 3))
        x.write(floats(left))
        y.write(floats(right))
        flow(square, x, N, items=N)
        flow(square, y, N, items=N)
        flow(differ, x.own(), y.own(), total.reduces(add), plait.chunk, items=N, split=1, pieces=PIECES)
        got.append(total[()])
        wanted.append(sum(a * a - b * b for a, b in zip(left, right)))
    compare("vec", got, wanted)
