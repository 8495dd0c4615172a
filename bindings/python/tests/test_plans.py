# SPDX-License-Identifier: MIT
"""Tests of the Python layer: graphs, plans, runs."""
import array
import asyncio
import ctypes
import gc
import os
import tempfile
import unittest

import plait
from plait import _raw
from test_plait import COUNT_DOWN, SAXPY, Case


class Plans(Case):
    def test_parameters(self):
        x, y, z = self.floats(1, 2), self.floats(0, 0), self.floats(5, 5)
        graph = self.system.graph()
        graph.launch(self.system.kernel(*SAXPY), plait.Parameter("a"), x, plait.Parameter("y"), 2,
                     items=2)
        plan = graph.freeze(check=True)
        plan(a=3, y=y)
        plan(a=1, y=z)
        plan.run(self.queue, a=1, y=z).wait()
        self.assertEqual((y.tolist(), z.tolist()), ([3, 6], [7, 9]))
        for wrong in ({"a": 1}, {"a": 1, "b": 2}, {"a": 1, "y": 3}):
            with self.assertRaises((TypeError, plait.InvalidError)):
                plan(**wrong)

    def test_order_of_the_program(self):
        graph, x = self.system.graph(), self.floats(0, 0)
        graph.fill(x, 1, pattern_bytes=4)
        graph.launch(self.system.kernel(*SAXPY), 2, x, x, 2, items=2)
        graph.fill(x, 7, pattern_bytes=4)
        for lanes in (1, 4):
            with self.assertRaises(plait.InvalidError) as caught:
                graph.freeze(check=True, lanes=lanes)
            self.assertIn("no edge orders node 0", str(caught.exception))
        plan = graph.freeze(check=True, order="program", widest=True)
        plan()
        self.assertEqual(x.read(), b"\7\0\0\0" * 2)
        with self.assertRaises(ValueError):
            graph.freeze(order="added")

    def test_buffers_of_copies_and_fills(self):
        graph, x = self.system.graph(), self.floats(1, 2, 3, 4)
        first = graph.fill(plait.Parameter("to"), 7, pattern_bytes=4, size=8, offset=8)
        graph.copy(plait.Parameter("to"), plait.Parameter("from"), 8, after=first)
        plan = graph.freeze()
        for _ in range(2):
            y = self.floats(0, 0, 0, 0)
            plan(**{"to": y, "from": x})
            self.assertEqual(bytes(y.read())[:8], bytes(x.read())[:8])
            self.assertEqual(bytes(y.read())[8:], bytes([7, 0, 0, 0] * 2))
        for wrong in (lambda: graph.copy(plait.Parameter("to"), x),
                      lambda: graph.fill(plait.Parameter("to"), 7)):
            with self.assertRaisesRegex(TypeError, "a parameter needs `size`"):
                wrong()
        with self.assertRaisesRegex(TypeError, "the source: give it a Buffer"):
            graph.copy(plait.Parameter("to"), 3, 8)

    def test_parameters_are_told_again(self):
        """What is kept between calls is of no call: neither after an error nor inside
        of the plan itself."""
        out, inner = self.device.array(array.array("d", [0])), []
        put = self.system.kernel("put(a: f64, n: u32, y: out pointer f64)",
                                 "KERNEL(put) { EACH(i, 1) y[i] = a + n; }")
        graph = self.system.graph()
        graph.launch(put, plait.Parameter("a"), plait.Parameter("n"), plait.Parameter("y"),
                     items=plait.Parameter("items"))
        plan = graph.freeze()
        for a, n in ((1, 2), (2.5, 3), (-1, 2 ** 32 - 1), (True, False)):
            plan(y=out, items=1, n=n, a=a)
            self.assertEqual(out.tolist(), [a + n])
        for wrong in (dict(n=2 ** 32), dict(n=-1), dict(n=1.5), dict(a="1"), dict(y=[1]),
                      dict(items="1"), dict(b=1)):
            with self.assertRaises((TypeError, OverflowError)):
                plan(**{**dict(a=1, n=1, y=out, items=1), **wrong})
            plan(a=4, n=5, y=out, items=(1, 1))
            self.assertEqual(out.tolist(), [9])
        graph = self.system.graph()
        graph.call(lambda: inner.append(plan(a=6, n=7, y=out, items=1)))
        graph.freeze()()
        self.assertEqual((out.tolist(), inner), ([13], [None]))

    def test_as_a_c_function(self):
        x, y = self.floats(1, 2), self.floats(0, 0)
        graph = self.system.graph()
        graph.launch(self.system.kernel(*SAXPY), plait.Parameter("a"), x, plait.Parameter("y"), 2,
                     items=2)
        plan = graph.freeze()
        with self.assertRaises(plait.InvalidError) as caught:
            plan.function("f(a: f32): i32")
        self.assertIn('no argument "y"', str(caught.exception))
        try:
            function = plan.function("f(y: pointer, a: f32): i32")
        except plait.UnsupportedError:
            self.skipTest("plait was built without libffi")
        plan.release()
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_float)
        self.assertEqual(kind(function.address)(y.handle, 3), 0)
        self.assertEqual(y.tolist(), [3, 6])
        self.assertEqual(kind(function.address)(None, 3), _raw.PLAIT_E_HANDLE)
        function.release()

    def test_rows(self):
        """The second column of three, of a table of two pages, by a queue and by a plan."""
        table = self.device.array(array.array("i", range(24)))
        graph, rows = self.system.graph(), plait.Rows(4, 2, source_row=12, source_slice=48)
        column, again = (self.device.array(array.array("i", [0] * 8)) for _ in range(2))
        self.queue.copy(column, table, 4, source_offset=4, rows=rows)
        self.queue.finish()
        graph.copy(again, table, 4, source_offset=4, rows=rows)
        graph.freeze(check=True)()
        self.assertEqual(column.tolist(), list(range(1, 24, 3)))
        self.assertEqual(again.tolist(), column.tolist())
        for none in (plait.Rows(0), plait.Rows(4, 0)):
            empty = self.system.graph()
            self.queue.copy(column, table, 4, rows=none)
            self.queue.finish()
            empty.copy(again, table, 4, rows=none)
            empty.freeze(check=True)()
        self.assertEqual(column.tolist() + again.tolist(), 2 * list(range(1, 24, 3)))
        with self.assertRaises(plait.InvalidError) as caught:
            graph.copy(again, table, 4, 4, rows=rows)
        self.assertIn("32 bytes, but the target has 28", str(caught.exception))
        for wrong, part in ((lambda: graph.copy(again, table, rows=rows), "the bytes of one"),
                            (lambda: self.queue.copy(again, table, 4, rows=3), "is not a plait.Rows"),
                            (lambda: plait.Rows("3"), "rows: '3' is not"),
                            (lambda: plait.Rows(1, target_row=-1), "target_row: -1 is not")):
            with self.assertRaises(TypeError) as caught:
                wrong()
            self.assertIn(part, str(caught.exception))

    def test_order(self):
        buffer = self.device.buffer(4)
        graph = self.system.graph()
        first = graph.fill(buffer, 1)
        second = graph.fill(buffer, 2, after=first)
        graph.fill(buffer, 3, after=[first, second])
        graph.freeze()()
        self.assertEqual(buffer.read(), b"\3\0\0\0")

    def test_loop_over_a_word(self):
        left, x, y = self.device.array(array.array("I", [5])), self.floats(1), self.floats(0)
        graph = self.system.graph()
        _, body = graph.loop(left)
        step = body.launch(self.system.kernel(*SAXPY), 1, x, y, 1, items=1)
        body.launch(self.system.kernel(*COUNT_DOWN), left, after=step)
        graph.freeze()()
        self.assertEqual(y.tolist(), [5])

    def test_repeat(self):
        more = self.system.kernel("more(x: inout pointer u32, n: u32)",
                                  "KERNEL(more) { EACH(i, 1) x[0] = 10 * x[0] + n; }")
        x, word = self.device.array(array.array("I", [0])), self.device.array(array.array("I", [7]))
        graph = self.system.graph()
        first, body = graph.repeat(10, step=4)
        body.launch(more, x, plait.iteration(scale=-4, from_count=True, limit=4))
        second, body = graph.repeat(plait.Parameter("n"), after=first)
        body.launch(more, x, plait.iteration, series=[plait.iteration(offset=-1)])
        _, body = graph.repeat(word, step=3, after=second)
        body.launch(more, x, plait.iteration(offset=5))
        graph.freeze()(n=3)
        self.assertEqual(x.tolist(), [4422567])
        with self.assertRaises(plait.InvalidError):
            graph.launch(more, x, 1, series=[plait.iteration])
        with self.assertRaises(TypeError):
            body.launch(more, x, 1, series=[1])

    def test_functions_decide(self):
        out, ran, left = self.floats(0), [], [3]

        def goes_on():
            left[0] -= 1
            return left[0] >= 0
        graph = self.system.graph()
        loop, body = graph.loop(goes_on)
        body.call(ran.append, 1)
        _, branches = graph.case(lambda: 1, 2, after=loop)
        for i, branch in enumerate(branches):
            branch.fill(out, 10 + i)
        plan = graph.freeze()
        for count in (3, 6):
            plan()
            self.assertEqual(len(ran), count)
            self.assertEqual(out.read(), b"\x0b\0\0\0")
            left[0] = 3
        plan.run(self.queue).wait()
        self.assertEqual(len(ran), 9)

    def test_a_function_that_decides_may_raise(self):
        asked, ran = [], []

        def goes_on():
            asked.append(1)
            if len(asked) == 3:
                raise KeyError("no idea")
            return True
        graph = self.system.graph()
        loop, body = graph.loop(goes_on, label="asks")
        body.call(ran.append, 1)
        graph.call(ran.append, 2, after=loop)
        plan = graph.freeze()
        with self.assertRaises(plait.FailedError) as caught:
            plan()
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        self.assertIn('"asks"', str(caught.exception))
        self.assertIn("no idea", str(caught.exception))
        self.assertEqual(ran, [1, 1])

    def test_functions_as_nodes(self):
        ran = []
        graph = self.system.graph()
        first = graph.call(ran.append, 1)
        graph.call(ran.append, 2, after=first)
        plan = graph.freeze()
        graph.release()
        plan()
        plan.run(self.queue).wait()
        self.assertEqual(ran, [1, 2, 1, 2])

    def test_a_function_cannot_wait_for_itself(self):
        refused, runs, graph = [], [], self.system.graph()
        words, memory = self.floats(1, 2), bytearray(8)

        def wait():
            for attempt in (self.queue.finish, lambda: self.queue.finish(3600), lambda: runs[0].wait() if runs else
                            self.queue.finish(), lambda: self.queue.read(words, memory),
                            lambda: self.queue.write(words, memory)):
                with self.assertRaisesRegex(plait.Error, "has to end first") as caught:
                    attempt()
                refused.append(caught.exception.status)
        self.queue.call(wait)
        self.queue.finish()
        graph.call(wait)
        plan = graph.freeze()
        runs.append(plan.run(self.queue))
        runs[0].wait()
        self.queue.finish()
        self.assertEqual(refused, [-13] * 10)  # PLAIT_E_DEADLOCK

        async def suspends():
            wait()
        for add in (lambda graph: graph.loop(lambda: wait()), lambda graph: graph.call(suspends)):
            graph = self.system.graph()
            add(graph)
            refused.clear()
            runs[0] = graph.freeze().run(self.queue)
            runs[0].wait()
            self.queue.finish()
            self.assertEqual(refused, [-13] * 5)
        runs.clear()  # a run keeps the function, which has the list

    def test_a_stop_reaches_a_plan_that_a_predicate_calls(self):
        ended, runs, inner = [], [], self.system.graph()
        inner.emit(self.device.signal())
        called = inner.freeze()

        def asks():
            runs[0].cancel()
            with self.assertRaises(plait.CancelledError):
                called()
            ended.append(1)
        graph = self.system.graph()
        graph.loop(asks)
        runs.append(graph.freeze().run(self.queue))
        with self.assertRaises(plait.CancelledError):
            runs[0].wait()
        with self.assertRaises(plait.CancelledError):
            self.queue.finish()
        self.assertEqual(ended, [1])
        runs.clear()

    def test_a_function_inside_the_wait_of_a_predicate(self):
        seen, runs, other = [], [], self.device.queue()
        signal = self.device.signal()

        def plain():
            seen.append(plait.is_stopping())
            other_signal = self.device.signal()
            self.device.queue().emit(other_signal)
            other_signal.wait(1)  # ends no call but its own

        def asks():
            other.call(plain)
            runs[0].cancel()
            other.emit(signal)
            signal.wait(1)
            other.finish()
            seen.append(plait.is_stopping())
            with self.assertRaisesRegex(plait.Error, "has to end first"):
                self.queue.finish()
            return 0
        graph = self.system.graph()
        graph.loop(asks)
        runs.append(graph.freeze().run(self.queue))
        with self.assertRaises(plait.CancelledError):
            runs[0].wait()
        with self.assertRaises(plait.CancelledError):
            self.queue.finish()
        self.assertEqual(seen, [False, True])
        runs.clear()

    def test_a_function_that_raises_fails_its_node(self):
        def wrong():
            raise KeyError("this one")
        after = []
        graph = self.system.graph()
        graph.call(after.append, 1, after=graph.call(wrong))
        plan = graph.freeze()
        with self.assertRaises(plait.FailedError) as caught:
            plan()
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        self.assertIn("wrong", str(caught.exception))
        self.assertEqual(after, [])

    def test_a_plan_runs_again_after_it_failed(self):
        wrong = [True]

        def sometimes():
            if wrong[0]:
                raise KeyError("this one")
        graph = self.system.graph()
        graph.call(sometimes)
        plan = graph.freeze()
        for _ in range(2):
            with self.assertRaises(plait.FailedError) as caught:
                plan.run().wait()
            self.assertIsInstance(caught.exception.__cause__, KeyError)
        wrong[0] = False
        plan.run().wait()
        plan()

    def test_branches(self):
        which, out = self.device.array(array.array("I", [2])), self.device.buffer(4)
        graph = self.system.graph()
        _, branches = graph.case(which, 3, expect=1)
        for i, branch in enumerate(branches):
            branch.fill(out, 10 + i)
        graph.freeze()()
        self.assertEqual(out.read(), b"\x0c\0\0\0")
        self.assertIn('"take": 1', graph.freeze().text("json"))
        with self.assertRaisesRegex(plait.InvalidError, "the expected body"):
            graph.case(which, 3, expect=3)

    def test_rotation(self):
        left = self.device.array(array.array("I", [3]))
        a, b, one = self.floats(0), self.floats(0), self.floats(1)
        kernel = self.system.kernel(
            "next(x: in pointer f32, one: in pointer f32, y: out pointer f32)",
            "KERNEL(next) { EACH(i, 1) y[i] = x[i] + one[i]; }")
        graph = self.system.graph()
        _, body = graph.loop(left)
        turns = body.rotate(a, b)
        step = body.launch(kernel, turns.now, one, turns.next)
        body.launch(self.system.kernel(*COUNT_DOWN), left, after=step)
        graph.freeze()()
        self.assertEqual(b.tolist(), [3])

    def test_rotation_that_is_copied(self):
        a, b, out = (self.device.array(array.array("I", [n, n])) for n in (5, 6, 7))
        graph = self.system.graph()
        loop, body = graph.repeat(3)
        turns = body.rotate(a, b)
        half = body.copy(turns.next, turns.now, 4)
        body.fill(turns.next, 9, size=4, offset=4, after=half)
        graph.copy(out, turns.now, after=loop)
        graph.read(turns.ahead(1), plait.Parameter("seen"), after=loop)
        seen = bytearray(8)
        graph.freeze()(seen=seen)
        self.assertEqual(out.tolist(), [5, 9])
        self.assertEqual(bytes(seen), b"\5\0\0\0\x09\0\0\0")
        with self.assertRaisesRegex(plait.InvalidError, "target_rotation: ahead is more"):
            body.fill(turns.ahead(16))

    def test_runs_that_share_a_buffer(self):
        self.run_pairs(lambda graph, size: self.device.buffer(size))

    def test_runs_with_a_temporary(self):
        self.run_pairs(lambda graph, size: graph.temporary(size, label="tmp"))
        with self.assertRaises(plait.InvalidError) as caught:
            self.system.graph().temporary(8, label="tmp").read(0, 4)
        self.assertIn("temporary", str(caught.exception))

    def run_pairs(self, make_shared):
        count = 100000
        outs = [self.device.buffer(4 * count) for _ in range(2)]
        queues = [self.device.queue() for _ in range(2)]
        graph = self.system.graph()
        shared = make_shared(graph, 4 * count)
        kernel = self.system.kernel("set_all(y: out pointer f32, a: f32, n: u64)",
                                    "KERNEL(set_all) { EACH(i, n) y[i] = a; }")
        node = graph.launch(kernel, shared, plait.Parameter("a"), count, items=count)
        graph.copy(plait.Parameter("out"), shared, 4 * count, after=node)
        plan = graph.freeze(check=True)
        for _ in range(50):
            runs = [plan.run(queues[i], a=float(i), out=outs[i]) for i in (0, 1)]
            for run in runs:
                run.wait()
            for i in (0, 1):
                read = memoryview(outs[i].read(0, 4 * count)).cast("f")
                self.assertEqual(set(read), {float(i)})

    def test_errors_name_the_place(self):
        graph = self.system.graph()
        with self.assertRaises(plait.InvalidError) as caught:
            graph.fill(self.device.buffer(4), 0, 3, label="mine")
        self.assertIn("mine", str(caught.exception))
        self.assertIn("test_plans.py", str(caught.exception))

    def test_cancel(self):
        gate = self.device.signal(gate=True)
        self.queue.wait(gate, 1)
        graph = self.system.graph()
        graph.fill(self.device.buffer(4), 1)
        run = graph.freeze().run(self.queue)
        self.assertFalse(run.poll())
        with self.assertRaises(plait.WaitTimeout):
            run.wait(0)
        run.cancel()
        gate.raise_to(1)
        with self.assertRaises(plait.CancelledError):
            run.wait()
        with self.assertRaises(plait.Error):
            self.queue.finish()

    def test_stopping_functions(self):
        seen, runs, gate = [], [], self.device.signal(gate=True)

        def ask():
            seen.append(plait.is_stopping())
            runs[-1].cancel()
            seen.append(plait.is_stopping())
            return 0

        for build in (lambda graph: graph.call(ask), lambda graph: graph.loop(ask)):
            graph = self.system.graph()
            build(graph)
            plan = graph.freeze()
            self.queue.wait(gate, len(runs) + 1)
            runs.append(plan.run(self.queue))
            gate.raise_to(len(runs))
            with self.assertRaises(plait.CancelledError):
                runs[-1].wait()
            with self.assertRaises(plait.Error):
                self.queue.finish()
            self.assertEqual(seen, [False, True] * len(runs))
            self.assertFalse(plait.is_stopping())
        runs.clear()  # ends a cycle: a run keeps the functions of its plan

    def test_pictures_and_files(self):
        graph = self.system.graph()
        graph.join(label="only")
        plan = graph.freeze()
        plan.check()
        self.assertIn("only", plan.text("json"))
        self.assertTrue(plan.text("svg").startswith("<"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "one.plan")
            plan.save(path)
            self.system.load(path)()

    def test_released_in_any_order(self):
        graph = self.system.graph()
        buffer = self.device.buffer(4)
        graph.fill(buffer, 7)
        plan = graph.freeze()
        run = plan.run(self.queue)
        for thing in (plan, graph, buffer, self.queue):
            thing.release()
        run.wait()
        with self.assertRaises(ValueError):
            plan.check()

    def test_collected_while_in_flight(self):
        for _ in range(200):
            graph = self.system.graph()
            graph.fill(self.device.buffer(64), 7)
            graph.freeze().run(self.queue)
            if _ % 20 == 0:
                gc.collect()
        self.queue.finish()

    def test_awaited(self):
        out = self.floats(0)
        graph = self.system.graph()
        graph.launch(self.system.kernel(*SAXPY), plait.Parameter("a"), self.floats(1), out, 1, items=1)
        plan = graph.freeze()

        async def several():
            for a in (1, 2, 3):
                await plan.run(self.queue, a=a)
        asyncio.run(several())
        self.assertEqual(out.tolist(), [6])


if __name__ == "__main__":
    unittest.main()
