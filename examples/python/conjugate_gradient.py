#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Poisson problem on a square, solved by conjugate gradients.

The whole solver is one plan: a kernel computes the residual and ends the
loop when it is small.
"""
import array
import os

import plait

SIZE, TOLERANCE = 64, 1e-8
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernels/conjugate_gradient")

with plait.open() as system:
    device = system.devices[0]
    apply, find_alpha, step, find_beta, turn = system.kernels(
        KERNELS, "apply", "find_alpha", "step", "find_beta", "turn")

    def numbers(*values, kind="d"):
        return device.array(array.array(kind, values))

    n = SIZE * SIZE
    x, r, p = numbers(*[0] * n), numbers(*[1] * n), numbers(*[1] * n)   # b is 1 everywhere
    q, parts, scalars = device.buffer(8 * n), device.buffer(8 * SIZE), numbers(0, 0, n)
    go, count = numbers(1, kind="I"), numbers(0, kind="I")

    graph = system.graph()
    _, body = graph.loop(go, times=150)
    last = body.launch(apply, p, q, parts, SIZE, items=SIZE)
    last = body.launch(find_alpha, parts, scalars, SIZE, after=last)
    last = body.launch(step, x, r, p, q, scalars, parts, SIZE, items=SIZE, after=last)
    last = body.launch(find_beta, parts, scalars, go, count, SIZE, TOLERANCE, after=last)
    body.launch(turn, p, r, scalars, n, items=n, after=last)
    graph.freeze()()

    residual = scalars.tolist()[2] ** 0.5
    print("%s after %d iterations, %.3f in the middle" % (
        "solved" if residual <= TOLERANCE else "not solved", count.tolist()[0],
        x.tolist()[SIZE // 2 * SIZE + SIZE // 2]))
