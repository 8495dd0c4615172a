#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A server of images: handlers await requests, and for each the device, which shades the
image.  A client sends all requests, and awaits the answers.  While one handler waits for the
device, the others and the client go on, on one thread."""
import array
import os

import plait

REQUESTS, HANDLERS, WIDTH = 12, 3, 16
PIXELS = WIDTH * WIDTH
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernels/coroutines")


class Request:
    def __init__(self, number):
        self.gain = number + 1
        self.pixels = array.array("I", [i % WIDTH * (i // WIDTH) % 128 for i in range(PIXELS)])


class Handler:
    """Takes each third request; the gates count what it was asked and has answered."""

    def __init__(self, device, number):
        self.asked, self.answered = device.signal(gate=True), device.signal(gate=True)
        self.queue, self.number = device.queue(), number

    async def handle(self, plan, requests):
        for i in range(REQUESTS // HANDLERS):
            await self.asked.reach(i + 1)
            request = requests[i * HANDLERS + self.number]
            await plan.run(self.queue, given=request.pixels, taken=request.pixels, gain=request.gain)
            self.answered.raise_to(i + 1)


async def ask(handlers, requests, sums):
    for i in range(REQUESTS):
        requests.append(Request(i))
        handlers[i % HANDLERS].asked.raise_to(i // HANDLERS + 1)
    for i, request in enumerate(requests):
        await handlers[i % HANDLERS].answered.reach(i // HANDLERS + 1)
        sums.append((i + 1) * sum(request.pixels))


with plait.open() as system:
    device = system.devices[0]
    kernel, = system.kernels(KERNELS, "shade")
    graph = system.graph()
    buffer = graph.temporary(4 * PIXELS)
    last = graph.write(buffer, plait.Parameter("given"))
    last = graph.launch(kernel, buffer, plait.Parameter("gain"), PIXELS, items=PIXELS, after=last)
    graph.read(buffer, plait.Parameter("taken"), after=last)
    plan = graph.freeze(instances=HANDLERS)

    handlers, requests, sums = [Handler(device, i) for i in range(HANDLERS)], [], []
    graph = system.graph()
    for handler in handlers:
        graph.call(handler.handle, plan, requests)
    graph.call(ask, handlers, requests, sums)
    graph.freeze(widest=True)()
    print("%d images by %d handlers, sum %d" % (REQUESTS, HANDLERS, sum(sums)))
