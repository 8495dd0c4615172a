# SPDX-License-Identifier: MIT
"""An image is sharpened along its edges: two blurs and a search for edges read it at the same
time, then one launch joins them.
"""
import math

import plait
from frame import KERNELS, compare, floats, noise

N = 48


def blurred(image, x, y, radius):
    found = [image[b * N + a] for b in range(max(0, y - radius), min(N, y + radius + 1))
             for a in range(max(0, x - radius), min(N, x + radius + 1))]
    return sum(found) / len(found)


def edge_at(image, x, y):
    here = image[y * N + x]
    return math.hypot(image[y * N + min(x + 1, N - 1)] - here, image[min(y + 1, N - 1) * N + x] - here)


with plait.open() as system, system.flow() as flow:
    blur, edge, mix = system.kernels(KERNELS, "blur", "edge", "mix")
    image = [noise(i) for i in range(N * N)]
    picture = flow.data("f", (N, N), floats(image))
    near, far, edges, out = (flow.data("f", (N, N)) for _ in range(4))
    flow(blur, picture, near, 1, N, items=(N, N))
    flow(blur, picture, far, 4, N, items=(N, N))
    flow(edge, picture, edges, N, items=(N, N))
    flow(mix, picture, near, far, edges, out, N, items=(N, N))
    compare("images", out.tolist(), [
        image[y * N + x] + edge_at(image, x, y) * (blurred(image, x, y, 1) - blurred(image, x, y, 4))
        for y in range(N) for x in range(N)])
