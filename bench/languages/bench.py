# SPDX-License-Identifier: MIT
"""What bench.c measures, from Python."""
import array
import sys
import time

import plait

CALLS = 1000
system = plait.open()
device = system.devices[0]
queue, queues, gate = device.queue(), [device.queue() for _ in range(100)], device.signal(gate=True)
graph = system.graph()
graph.join()
plain = graph.freeze()
graph = system.graph()
graph.launch(system.kernel("put(a: f64, y: out pointer f64)", "KERNEL(put) { EACH(i, 1) y[i] = a; }"),
             plait.Parameter("a"), device.array(array.array("d", [0])))
told = graph.freeze()


def call_plain():
    for _ in range(CALLS):
        plain()


def call_told():
    for i in range(CALLS):
        told(a=i)


def run_and_wait():
    for _ in range(CALLS):
        plain.run(queue).wait()


def work():
    pass


def submit_held(number):
    for one in queues:
        one.wait(gate, number)
    for i in range(CALLS):
        queues[i % len(queues)].call(work)


def call_pulled(number):
    gate.raise_to(number)
    for one in queues:
        one.finish()


def timed(batch, *given):
    begin = time.perf_counter_ns()
    batch(*given)
    return "%.1f" % ((time.perf_counter_ns() - begin) / CALLS)


for turn, _ in enumerate(sys.stdin, 1):
    figures = [timed(call_plain), timed(call_told), timed(run_and_wait)]
    submit_held(turn)
    print(*figures, timed(call_pulled, turn), flush=True)
