# SPDX-License-Identifier: MIT
"""What bench.c measures, from Python."""
import array
import sys
import time

import plait

CALLS, QUEUES, A_MOMENT_NS = 1000, 100, 500000
system = plait.open()
device = system.devices[0]
queue, queues, gate = device.queue(), [device.queue() for _ in range(QUEUES)], device.signal(gate=True)
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


def submit_held(calls):
    global turn
    turn += 1
    for one in queues:
        one.wait(gate, turn)
    for i in range(calls):
        queues[i % QUEUES].call(work)


def finish_all():
    for one in queues:
        one.finish()


def call_pulled():
    gate.raise_to(turn)
    finish_all()


def pull_waiting():
    count = 0
    while count < QUEUES:
        count += system.pump()


def timed(batch, calls):
    begin = time.perf_counter_ns()
    batch()
    return (time.perf_counter_ns() - begin) / calls


def time_pull():
    submit_held(QUEUES)
    gate.raise_to(turn)
    begin = time.perf_counter_ns()
    while time.perf_counter_ns() - begin < A_MOMENT_NS:
        pass
    spent = timed(pull_waiting, QUEUES)
    finish_all()
    return spent


turn = 0
for _ in sys.stdin:
    figures = [timed(call_plain, CALLS), timed(call_told, CALLS), timed(run_and_wait, CALLS)]
    figures.append(min(time_pull() for _ in range(CALLS // QUEUES)))
    submit_held(CALLS)
    figures.append(timed(call_pulled, CALLS))
    print(*("%.1f" % one for one in figures), flush=True)
