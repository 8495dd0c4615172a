# SPDX-License-Identifier: MIT
"""Tests of the Python layer: names of plans, planning, waiting, and what mistakes say."""
import array
import asyncio
import contextlib
import gc
import inspect
import os
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import plait
from plait._core import NAMES

from test_plait import SAXPY, Case


class Plans(Case):
    def saxpy(self, **how):
        """A graph: y += a * x, named; and its kernel, x and y."""
        kernel = self.system.kernel(*SAXPY)
        x = self.device.array(array.array("f", [1, 2]), "x")
        y = self.device.array(array.array("f", [0, 0]), "y")
        graph = self.system.graph()
        graph.launch(kernel, plait.Parameter("a"), x, y, 2, items=2, label="saxpy", **how)
        return graph, kernel, x, y

    def test_units_of_cost_below_a_nanosecond(self):
        plan = self.saxpy(cost=60000)[0].freeze()
        plan.record(8)
        plan.flags(record=True)
        run = plan.run(self.device.queue(), a=1)
        run.wait()
        self.assertRegex(run.trace("svg"), r" at [0-9.]*[1-9][0-9.]*(e-\d+)? ns per unit of cost")

    def test_a_plan_as_bytes_and_as_a_file(self):
        graph, kernel, x, y = self.saxpy()
        plan = graph.freeze()
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "a.plan")
            plan.save(path)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), plan.bytes())
        again = self.system.read(plan.bytes())
        self.assertEqual([(one.kind, one.name) for one in again.bindings() if one.kind != "device"],
                         [("kernel", "saxpy"), ("buffer", "x"), ("buffer", "y")])
        self.assertEqual(plan.bindings(), [])
        with self.assertRaisesRegex(plait.Error, r'kernel "saxpy" is not bound: call plan\.bind_kernel'):
            again(a=1)
        with self.assertRaisesRegex(plait.Error, r'"a" is not bound: give the run a value for it; see plan\.parameters'):
            plan()
        with self.assertRaisesRegex(plait.Error, r"not recorded: plan\.flags\(record=True\) was not set"):
            run = plan.run(self.device.queue(), a=0)
            run.wait()
            run.records()
        with self.assertRaisesRegex(FileNotFoundError, r"kernels: No such.* folder with saxpy\.plk.*/nowhere/saxpy\.plk"):
            self.system.kernels("/nowhere", "saxpy")
        with self.assertRaisesRegex(OverflowError, "^lanes: -1 does not fit"):
            graph.freeze(lanes=-1)
        again.bind_kernel(kernel)
        again.bind_buffer("x", x)
        with self.assertRaisesRegex(plait.Error, r'call plan\.bind_buffer'):
            again.prepare()
        with self.assertRaisesRegex(plait.InvalidError, 'no buffer "z"'):
            again.bind_buffer("z", x)
        with self.assertRaisesRegex(TypeError, "bind_buffer: give it a Buffer, not int"):
            again.bind_buffer("y", 3)
        with self.assertRaisesRegex(TypeError, "bind_kernel: a Kernel is needed, not int"):
            again.bind_kernel(3)
        again.bind_buffer("y", y)
        again(a=3)
        self.assertEqual(y.tolist(), [3, 6])
        with self.assertRaises(plait.Error):
            plan.bind_kernel(kernel)

    def test_functions_are_bound(self):
        def build(function, condition):
            graph = self.system.graph()
            loop, body = graph.loop(condition, label="more")
            body.call(function, label="note")
            return graph.freeze().bytes()
        plan = self.system.read(build(lambda: None, lambda: False))
        left, notes = iter((True, True, False)), []
        plan.bind_function("more", lambda: next(left))
        plan.bind_function("note", notes.append, 7)
        plan()
        self.assertEqual(notes, [7, 7])

        def broken():
            raise KeyError("no")
        plan = self.system.read(build(lambda: None, lambda: False))
        plan.bind_function("more", broken)
        plan.bind_function("note", notes.append, 7)
        with self.assertRaises(plait.FailedError) as caught:
            plan()
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        with self.assertRaisesRegex(TypeError, "bind_function: 3.5 is not a function"):
            self.system.read(build(lambda: None, lambda: False)).bind_function("note", 3.5)

    def test_capture(self):
        first, second = self.device.queue(), self.device.queue()
        signal = self.device.signal()
        x, y = self.device.buffer(16), self.device.buffer(16)
        data = bytearray(16)
        with self.system.capture(first, second) as graph:
            first.fill(x, 7)
            first.emit(signal)
            second.wait(signal)
            second.copy(y, x)
            second.read(y, data, wait=False)
            with self.assertRaisesRegex(plait.Error, "called once"):
                first.call(lambda: None)
            with self.assertRaisesRegex(plait.Error, "is captured"):
                first.finish()
        self.assertEqual((graph.size(), bytes(data)), ((4, 3), bytes(16)))
        graph.freeze()(host0=data)
        self.assertEqual(bytes(data), bytes([7, 0, 0, 0] * 4))

    def test_planning(self):
        graph, kernel, x, y = self.saxpy(cost=5)
        graph.edge(graph.mark("begin"), graph.join(label="end"))
        gone = graph.mark("gone"), graph.mark("extra")
        graph.edge(*gone)
        graph.remove_edge(*gone)
        with self.assertRaisesRegex(plait.Error, "no edge leads"):
            graph.remove_edge(*gone)
        graph.remove(gone)
        with self.assertRaisesRegex(plait.Error, "not a node of this graph"):
            graph.remove(gone[0])
        graph.resource("bus", 2)
        extra = [graph.mark("extra", cost=5) for _ in range(2)]
        for node in extra:
            graph.need(node, "bus", 2)
            graph.priority(node, -3)
        with self.assertRaisesRegex(plait.Error, "no resource 'bug'"):
            graph.need(extra[0], "bug")
        self.assertEqual(graph.freeze(lanes=4).simulate().makespan, 10)
        graph.remove(extra)
        plan = graph.freeze(hop_cost=1)
        self.assertEqual((graph.size(), plan.query().nodes), ((3, 1), 3))
        predicted = plan.simulate()
        self.assertEqual((predicted.makespan, predicted.critical_cost), (5, 5))
        self.assertEqual(sum(lane.commands for lane in predicted.lanes), 3)
        self.assertEqual([one.label for one in plan.critical_path()], ["saxpy"])
        self.assertEqual(sorted(one.label for one in plan.commands()), ["begin", "end", "saxpy"])
        plan.record()
        run = plan.run(self.queue, a=1)
        run.wait()
        records, dropped = run.records()
        self.assertEqual((len(records) >= 1, dropped, run.query().commands), (True, 0, 3))
        tuned, info = plan.tune(mode="strict")
        self.assertEqual(info.runs, 1)
        tuned(a=1)
        other = self.system.kernel(SAXPY[0], SAXPY[1].replace("+=", "-="))
        tuned.exchange(kernel, other)
        tuned(a=2)
        self.assertEqual(y.tolist(), [0, 0])
        with self.assertRaisesRegex(ValueError, "mode: 'fast' is none of"):
            plan.tune(mode="fast")
        plan = graph.freeze()
        plan.rehearse()
        plan()
        self.assertEqual(y.tolist(), [0, 0])

    def test_parts_and_flags(self):
        graph = self.system.graph()
        first = graph.call(lambda: seen.append(1))
        graph.call(lambda: seen.append(2), after=first)
        seen = []
        graph.freeze(sinks=[first], queues=True)()
        self.assertEqual(seen, [1])
        plan = graph.freeze()
        plan.flags(serial=True)
        plan()
        with self.assertRaises(plait.InvalidError):
            plan.flags(serial=True, parallel=True)
            plan()
        self.assertEqual(seen, [1, 1, 2])

    def test_runs_that_may_overlap(self):
        b, begun = self.device.buffer(4), self.device.signal()
        gate = self.device.signal(gate=True)
        graph = self.system.graph()
        wait = graph.wait(gate, 1, after=graph.emit(begun))
        graph.fill(b, 1, after=wait)
        plan = graph.freeze()
        plan.flags(overlap=True)
        runs = [plan.run(self.device.queue()) for _ in range(2)]
        end = time.monotonic() + 60
        while begun.reached < 2 and time.monotonic() < end:
            with contextlib.suppress(plait.Error):
                gate.wait(1, timeout=0.01)
        self.assertEqual(begun.reached, 2)
        gate.raise_to(1)
        for run in runs:
            run.wait()
        self.assertEqual(b.read(), b"\1\0\0\0")

    def test_a_system_that_is_closed(self):
        system = plait.System()
        buffer = system.devices[0].array(array.array("f", [1]))
        with self.assertRaises(plait.WaitTimeout):
            system.close(timeout=0)
        with self.assertRaisesRegex(ValueError, "System was released"):
            system.report
        buffer.release()
        with plait.System() as system:
            graph = system.graph()
            graph.call(lambda: None)
            plan = graph.freeze()
            plan()
            run = plan.run()
            run.wait()
            # A plan takes its own queue along; nothing waits for the garbage collector.
            for one in run, plan, graph:
                one.release()
            before = plait.live_count()
            system.close(timeout=60)
            self.assertLess(plait.live_count(), before)

    def test_what_holds_a_system_is_told(self):
        before = plait.live_count()
        system = plait.System()
        node, b = system.graph().join(), system.devices[0].buffer(4, "mine")
        with unittest.mock.patch("plait._system.CLOSE_TOLD", 0.05), warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(RuntimeWarning, 'still waits; release Buffer "mine", Graph$'):
                system.close()
        system = plait.System()
        held = system.devices[0].buffer(4, "held")
        with self.assertRaisesRegex(plait.WaitTimeout, 'this program holds Buffer "held"'):
            system.close(timeout=0.05)
        del node
        b.release()
        held.release()
        end = time.monotonic() + 60
        while plait.live_count() != before and time.monotonic() < end:
            threading.Event().wait(0.01)
        self.assertEqual(plait.live_count(), before)

    def test_copies_whose_sides_each_run_sets(self):
        graph, b = self.system.graph(), self.device.buffer(8)
        fill = graph.fill(plait.Parameter("from"), 7, size=8)
        graph.copy(plait.Parameter("to"), plait.Parameter("from"), 8, after=fill)
        plan, source = graph.freeze(), self.device.buffer(8)
        plan.run(self.queue, **{"to": b, "from": source}).wait()
        self.assertEqual(b.read(), b"\7\0\0\0" * 2)

    def test_a_graph_in_text_form(self):
        graph = self.system.read_graph("node a\nnode b after=a\n", "two.graph")
        self.assertEqual(graph.freeze().query().edges, 1)
        with self.assertRaisesRegex(plait.InvalidError, "two.graph:1"):
            self.system.read_graph("nod a\n", "two.graph")

    def test_one_node_on_several_devices(self):
        graph = self.system.graph()
        graph.join(device=plait.Barrier(self.device))
        graph.fill(self.device.buffer(4), device=plait.Group(self.device))
        graph.freeze()()

    def test_labels_and_devices_are_seen_by_editors(self):
        for name in ("join", "mark", "launch", "call", "copy", "fill", "emit", "wait", "subgraph", "loop", "case"):
            known = set(inspect.signature(getattr(plait.Graph, name)).parameters)
            self.assertLessEqual({"after", "label", "device", "cost"}, known, name)

    def test_texts(self):
        self.assertIn("plait_i", plait.source_text(*SAXPY, "host"))
        many = self.system.kernel("two(y: out pointer u32)", "KERNEL(two) { *y = twice(ONE); }", before=[
            ("one.h", "#define ONE 1"), ("twice.c", "FUNCTION u32 twice(u32 v) { return 2 * v; }")])
        self.assertEqual(many.name, "two")
        with self.assertRaisesRegex(plait.Error, "twice.c"):
            self.system.kernel("two(y: out pointer u32)", "KERNEL(two) { *y = 1; }",
                               before=[("twice.c", "FUNCTION u32 twice(u32 v) { return w; }")])
        self.assertIn("host", plait.backend_report("host"))

    def test_messages_of_compilers(self):
        text = "int f(unsigned x)\n{ int unused = 3; return 0; } /* %d */\n" % time.time_ns()
        kernel = self.system.kernel("f(x: u32)", {"host": text}, options="-Wunused-variable")
        self.assertIn("f:2:", kernel.messages(self.device))
        self.assertIn("warning: unused variable", kernel.messages(self.device))
        self.assertEqual(self.system.kernel(*SAXPY).messages(self.device), "")

    def test_devices_by_name(self):
        self.assertEqual(self.system.device(self.device.name), self.device)


class PythonKernels(Case):
    SIGNATURE = "put(a: f32, n: i32, y: out pointer i32)"

    def setUp(self):
        super().setUp()
        if self.device.backend != "host":
            self.skipTest("functions run on the host")
        try:
            self.system.kernel("nothing()", function=lambda: None)
        except plait.UnsupportedError:
            self.skipTest("plait was built without libffi")

    def test_it_outlives_its_kernel(self):
        seen, y = [], self.device.array(array.array("i", [0]))
        graph = self.system.graph()
        graph.launch(self.system.kernel(self.SIGNATURE, function=lambda a, n, y: seen.append((a, n, y))),
                     0.5, -3, y)
        plan = graph.freeze()
        gc.collect()
        plan()
        self.assertEqual(seen[0][:2], (0.5, -3))
        self.assertIsInstance(seen[0][2], int)

    def test_an_exception_fails_the_launch(self):
        def wrong():
            raise KeyError("this one")
        self.queue.launch(self.system.kernel("wrong()", function=wrong))
        with self.assertRaises(plait.FailedError) as caught:
            self.queue.finish()
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        self.assertIn("this one", str(caught.exception))

    def test_functions_that_do_not_fit(self):
        def typed(a: int, n, y):
            pass

        def pointed(a, n, y: float):
            pass
        for function, text in (
                (lambda a: None, r"put: the signature has 3 parameters \(a, n, y\), the function takes \(a\)"),
                (typed, "put: the function wants an integer as 'a', but the signature gives a float"),
                (pointed, "wants a float as 'y', but the signature gives an integer, the address"),
                (3.5, "function: 3.5 is neither a Python function"),
                ("put", "function: 'put' is neither")):
            with self.assertRaisesRegex(TypeError, text):
                self.system.kernel(self.SIGNATURE, function=function)
        with self.assertRaisesRegex(TypeError, "put: a Python function has no result"):
            self.system.kernel("put(a: f32): u64", function=lambda a: None)
        for signature in ("put", "put(a: nothing)", "put(a"):
            with self.assertRaises(plait.InvalidError):
                self.system.kernel(signature, function=lambda a: None)


class Waiting(Case):
    def test_several_points(self):
        signal, gate = self.device.signal(), self.device.signal("hold", gate=True)
        self.queue.emit(signal)
        self.system.wait([(signal, 1)])
        self.assertEqual(self.system.wait([(gate, 1), (signal, 1)], any=True), 1)
        with self.assertRaises(plait.WaitTimeout):
            self.system.wait([(gate, 1)], timeout=0)
        gate.fail("no more")
        with self.assertRaisesRegex(plait.Error, "no more"):
            gate.wait(1)
        gate.reset()
        gate.raise_to(1)
        gate.wait(1)

    def test_reads_and_writes_that_do_not_wait(self):
        gate, b = self.device.signal(gate=True), self.device.buffer(8)
        given, taken = bytearray(b"12345678"), bytearray(8)
        self.queue.wait(gate, 1)
        self.queue.write(b, given, wait=False)
        self.queue.read(b, taken, wait=False)
        self.assertEqual(taken, bytes(8))
        gate.raise_to(1)
        self.queue.finish()
        self.assertEqual(taken, b"12345678")

    def test_await_signal(self):
        signal = self.device.signal()

        async def main():
            await signal.reach(self.queue.emit(signal))
            return signal.reached
        if "notify" in self.device.capabilities:
            self.assertEqual(asyncio.run(main()), 1)


class Mistakes(Case):
    def says(self, text, kind, function, *arguments, **named):
        with self.assertRaisesRegex(kind, text):
            function(*arguments, **named)

    def test_numbers(self):
        kernel, x = self.system.kernel(*SAXPY), self.floats(1)
        self.says(r"argument 3 'n': 10\.5 is not an integer", TypeError, self.queue.launch, kernel, 1, x, x, 10.5)
        self.says(r"argument 3 'n': 'ten' is not a number", TypeError, self.queue.launch, kernel, 1, x, x, "ten")
        self.says(r"items: 10\.0 is not an integer", TypeError, self.queue.launch, kernel, 1, x, x, 1, items=10.0)
        for one in (self.queue, self.system.graph()):
            self.says(r"fill: pattern: b'.x00' is not an integer", TypeError, one.fill, x, b"\0")
            self.says(r"fill: offset: 1\.5 is not an integer", TypeError, one.fill, x, 1, 4, offset=1.5)
            self.says(r"copy: size: '4' is not an integer", TypeError, one.copy, x, x, "4")

    def test_unknown_names_come_with_the_known_ones(self):
        graph, b = self.system.graph(), self.device.buffer(4)
        graph.fill(b, 1)
        plan = graph.freeze()
        plan.record()
        run = plan.run(self.queue)
        run.wait()
        self.says('text: \'png\' is none of "json", "dot", "svg"', ValueError, plan.text, "png")
        self.says('trace: \'dot\' is none of "json", "svg"', ValueError, run.trace, "dot")
        self.says("text: .1. is none of", ValueError, plan.text, [1])
        self.says('map: \'rw\' is none of "r", "w", "r.?"', ValueError, b.map("rw").__enter__)
        self.says('mode: 3 is none of "strict"', ValueError, graph.freeze, mode=3)
        self.says('device "%s:77" does not exist.*%s' % (self.device.backend, self.device.name),
                  plait.Error, self.system.device, self.device.backend + ":77")

    def test_objects_of_another_kind(self):
        graph = self.system.graph()
        plan = graph.freeze()
        for wrong, kind in ((lambda: plan.run("q"), "run: give it a Queue"),
                            (lambda: plan.bind_signal("s", "s"), "bind_signal: give it a Signal"),
                            (lambda: plan.bind_device("d", "d"), "bind_device: give it a Device"),
                            (lambda: graph.emit("s"), "emit: give it a Signal"),
                            (lambda: graph.wait("s"), "wait: give it a Signal"),
                            (lambda: graph.subgraph("g"), "subgraph: give it a Graph"),
                            (lambda: graph.join(device="host:0"), "device: give it a Device"),
                            (lambda: graph.join(device=plait.Group("d")), "device: give it a Device"),
                            (lambda: graph.freeze(whole="p"), "whole: give it a Plan"),
                            (lambda: self.queue.emit("s"), "emit: give it a Signal"),
                            (lambda: self.queue.wait("s"), "wait: give it a Signal"),
                            (lambda: self.system.wait([("s", 1)]), "wait: give it a Signal")):
            self.says(kind + ", not str", TypeError, wrong)

    def test_released(self):
        b = self.device.buffer(4, "mine")
        b.release()
        self.says(r'Buffer "mine" was released at .*test_abilities.py:\d+', ValueError, b.read)
        plan = self.system.graph().freeze()
        plan.release()
        self.says("Plan was released at", ValueError, plan)
        self.assertEqual(repr(plan), "<plait.Plan, released>")

    def test_conditions_are_words(self):
        graph = self.system.graph()
        self.says("the condition is a u32, the buffer was made of f32", TypeError, graph.loop, self.floats(1))
        self.says("the condition is a u32, the buffer was made of f64", TypeError, graph.case,
                  self.device.array(array.array("d", [1])), 2)
        graph.loop(self.device.buffer(4))
        graph.case(self.device.array(array.array("i", [1])), 2)

    def test_parts_count_elements(self):
        b = self.floats(1, 2, 3, 4)
        self.assertEqual((len(b), b[1:3].tolist(), len(b[1:3]), b[1:3].size), (4, [2, 3], 2, 8))
        self.assertEqual((b[2:1].size, b[-1:].tolist(), b.bytes(4, 8).read()), (0, [4], b[1:2].read()))
        self.assertEqual(len(self.device.buffer(10)), 10)

    def test_a_failure_has_its_words_each_time(self):
        def broken():
            raise KeyError("no")
        graph = self.system.graph()
        graph.call(broken)
        run = graph.freeze().run(self.queue)
        with self.assertRaises(plait.FailedError) as first:
            run.wait()
        with self.assertRaises(plait.FailedError) as second:
            self.queue.finish()
        for one in first, second:
            self.assertIn("raised KeyError: 'no'", str(one.exception))
            self.assertIsInstance(one.exception.__cause__, KeyError)

    def test_each_object_shows_what_it_is(self):
        queue = self.device.queue("copies")
        self.assertEqual(repr(queue), '<plait.Queue "copies" on %s>' % self.device.name)
        graph = self.system.graph()
        graph.join()
        self.assertEqual(repr(graph), "<plait.Graph of 1 nodes, 0 edges>")
        plan = graph.freeze()
        self.assertEqual(repr(plan), "<plait.Plan of 1 nodes on 1 lanes>")
        run = plan.run(queue)
        run.wait()
        self.assertRegex(repr(run), "^<plait.Run, done, of <plait.Plan")
        self.assertRegex(repr(self.device.signal("s")), '<plait.Signal "s" on')

    def test_functions_of_c_have_names_here(self):
        for name in NAMES.values():
            object_, _, member = name.rstrip("()").partition(".")
            self.assertTrue(hasattr(getattr(plait, object_.capitalize()), member or "__call__"), name)


if __name__ == "__main__":
    unittest.main()
