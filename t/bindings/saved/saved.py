# SPDX-License-Identifier: MIT
"""Saves a plan, or runs one that another process saved: saved.py save|run FILE."""
import array
import sys

import plait

SAXPY = ("saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
         "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")
system = plait.open()
device = system.devices[0]
kernel = system.kernel(*SAXPY)
x, y = device.array(array.array("f", [1, 2]), "x"), device.array(array.array("f", [0, 0]), "y")
done = device.signal("done")


def save(path):
    graph = system.graph()
    loop, body = graph.loop(lambda: False, times=3, label="more")
    body.launch(kernel, plait.Parameter("a"), x, y, 2, items=2)
    note = graph.call(lambda: None, after=loop, label="note")
    graph.emit(done, after=note)
    graph.freeze().save(path)


def run(path):
    left, notes = iter((1, 1, 1, 0)), []
    plan = system.load(path)
    print(*("%s:%s:%d" % (one.kind, one.name, one.bound) for one in plan.bindings()))
    try:
        plan(a=2)
    except plait.Error as error:
        print(error)
    plan.bind_kernel(kernel)
    plan.bind_buffer("x", x)
    plan.bind_buffer("y", y)
    plan.bind_signal("done", done)
    plan.bind_function("more", lambda: next(left))
    plan.bind_function("note", lambda: notes.append("note"))
    plan.bind_device("host:0", device)
    plan.prepare()
    plan(a=2)
    print(*(int(one) for one in y.tolist()), *notes, done.reached)


(save if sys.argv[1] == "save" else run)(sys.argv[2])
