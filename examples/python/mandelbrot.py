#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Mandelbrot set as a picture: one kernel, one launch.

    python3 mandelbrot.py [FILE.pgm]
"""
import os
import sys

import plait

WIDTH, HEIGHT, MOST = 600, 400, 255
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernels/mandelbrot")

path = sys.argv[1] if len(sys.argv) > 1 else "mandelbrot.pgm"
with plait.open() as system:
    device = system.devices[0]
    mandelbrot, = system.kernels(KERNELS, "mandelbrot")
    picture = device.buffer(WIDTH * HEIGHT)
    queue = device.queue()
    queue.launch(mandelbrot, picture, WIDTH, HEIGHT, MOST, items=(WIDTH, HEIGHT))
    queue.finish()
    pixels = picture.read()
with open(path, "wb") as file:
    file.write(b"P5 %d %d %d\n" % (WIDTH, HEIGHT, MOST))
    file.write(bytes(MOST - pixel for pixel in pixels))
print("%d x %d pixels, %.1f %% of them in the set" % (
    WIDTH, HEIGHT, 100 * pixels.count(MOST) / len(pixels)))
