# SPDX-License-Identifier: MIT
"""Two classifiers look at the same rows, one at their values, one at their differences from
the mean of the row; the answer is the mean of both.
"""
import math

import plait
from frame import KERNELS, compare, floats, noise

N, FEATURES, CLASSES = 100, 12, 4


def classify(row, weights):
    said = [math.exp(sum(a * b for a, b in zip(row, weights[c * FEATURES:]))) for c in range(CLASSES)]
    return [one / sum(said) for one in said]


def answer(row, first, second):
    centred = [one - sum(row) / FEATURES for one in row]
    return [(a + b) / 2 for a, b in zip(classify(row, first), classify(centred, second))]


with plait.open() as system, system.flow() as flow:
    centre, score, softmax, mean = system.kernels(KERNELS, "centre", "score", "softmax", "mean")
    x = [noise(i) for i in range(N * FEATURES)]
    weights = [[noise(step * i) - 0.5 for i in range(CLASSES * FEATURES)] for step in (3, 5)]
    rows, centred = flow.data("f", (N, FEATURES), floats(x)), flow.data("f", (N, FEATURES))
    said = [flow.data("f", (N, CLASSES)) for _ in range(3)]
    flow(centre, rows, centred, N, FEATURES, items=N)
    for given, one, out in zip((rows, centred), weights, said):
        flow(score, given, flow.data("f", (CLASSES, FEATURES), floats(one)), out, N, FEATURES, CLASSES,
             items=(CLASSES, N))
        flow(softmax, out, N, CLASSES, items=N)
    flow(mean, *said, N * CLASSES, items=N * CLASSES)
    compare("ensemble", said[2].tolist(), [
        one for i in range(N) for one in answer(x[i * FEATURES:(i + 1) * FEATURES], *weights)])
