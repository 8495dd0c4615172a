# SPDX-License-Identifier: MIT
"""Flows: order, host access, functions as tasks, failures, pieces, records."""
import array
import asyncio
import gc
import json
import pickle
import unittest

import plait
from plait import _raw
from plait._core import lib

AXPY = ("axpy(a: f32, x: in pointer f32, y: pointer f32, n: u64)", "KERNEL(axpy) { EACH(i, n) y[i] += a * x[i]; }")
HEAT = ("heat(u: in pointer f32, v: out pointer f32, n: u64, c: struct chunk 48)", """
struct chunk { u64 low[3], high[3]; };
KERNEL(heat) {
	EACH(i, c.high[0] - c.low[0]) {
		u64 x = c.low[0] + i;
		v[x] = (u[x > 0 ? x - 1 : 0] + u[x] + u[x + 1 < n ? x + 1 : n - 1]) / 4;
	}
}
""")


class Flows(unittest.TestCase):
    def setUp(self):
        self.system = plait.open("host")

    def tearDown(self):
        self.system.release()

    def test_launches(self):
        axpy = self.system.kernel(*AXPY)
        with self.system.flow() as flow:
            x, y = flow.data("f", 3, array.array("f", [1, 2, 3])), flow.data("f", 3)
            for i in range(10):
                self.assertGreater(flow(axpy, i, x, y, 3, items=3), i)
            self.assertEqual(y.tolist(), [45, 90, 135])
            self.assertEqual((y[0], y[-1], y[1:]), (45, 135, [90, 135]))
            y[1] = 7
            y[2:] = array.array("f", [8])
            self.assertEqual(y.tolist(), [45, 7, 8])
            y[:] = 0
            self.assertEqual(y.read(), bytes(12))

    def test_shapes(self):
        with self.system.flow() as flow:
            u = flow.data("i", (2, 3), array.array("i", range(6)), label="u")
            self.assertEqual((u[1, 2], u[0], u[:, 1], u[1, :2], len(u)), (5, [0, 1, 2], [1, 4], [3, 4], 2))
            v = flow.data("i", (3, 2))
            flow.fill(v.at[1:, 0], -3)
            self.assertEqual(v.tolist(), [0, 0, -3, 0, -3, 0])
            w = flow.data("i", (2, 3))
            flow.copy(w.at[1], u.at[0])
            self.assertEqual(w.tolist(), [0, 0, 0, 0, 1, 2])
            with w.map("r") as memory:
                self.assertEqual(memory[1, 2], 2)
                self.assertTrue(memory.readonly)
            with w.map() as memory:
                memory[0, 0] = 9
            self.assertEqual(w[0, 0], 9)
            one = flow.data("d")
            one[()] = 2.5
            self.assertEqual((one[()], len(one)), (2.5, 1))
            for wrong in (9, (0, 0, 0), slice(1, 1), slice(0, 2, 2)):
                with self.assertRaises(IndexError):
                    u[wrong]
            with self.assertRaisesRegex(IndexError, r"^index 3 of Data \"w\", which has 3 elements along axis 1$"):
                flow.data("i", (2, 3), label="w")[1, 3]
            with self.assertRaisesRegex(IndexError, "^index -9 of Data, which has 8 elements$"):
                flow.data("i", 8)[-9]
            with self.assertRaisesRegex(ValueError, "8 bytes for elements of 24"):
                u.write(array.array("i", [1, 2]))

    def test_functions(self):
        seen = []
        with self.system.flow() as flow:
            u, total, order = flow.data("f", 4, array.array("f", [1, 2, 3, 4])), flow.data("d"), flow.token("order")

            def add(numbers, out):
                out[()] = sum(numbers)
            flow.call(add, u.reads(), total.writes())
            flow.call(lambda: seen.append("first"), updates=[order])
            flow.call(lambda t: seen.append(t), order)
            flow.call(lambda a, b: seen.append((a, b[()], b.readonly)), 3, total.reads(), updates=[order])
            self.assertEqual(total[()], 10)
            flow.wait()
            self.assertEqual(seen, ["first", order, (3, 10, True)])
            with self.assertRaises(TypeError):
                flow.call(3)
            with self.assertRaises(TypeError):
                flow.call(add, reads=[3])

    def test_failures(self):
        with self.system.flow() as flow:
            u = flow.data("f", 4, label="u")

            def fail(_):
                raise KeyError("lost")
            task = flow.call(fail, u.writes())
            behind = flow.call(lambda _: None, u.reads())
            with self.assertRaises(plait.FailedError) as caught:
                flow.wait(task)
            self.assertIsInstance(caught.exception.__cause__, KeyError)
            with self.assertRaisesRegex(plait.FailedError, "not run: task"):
                flow.wait(behind)
            with self.assertRaises(plait.FailedError):
                u.tolist()
            flow.fill(u, 1.5)
            self.assertEqual(u[0], 1.5)
            with self.assertRaises(plait.WaitTimeout):
                gate = self.system.devices[0].signal(gate=True)
                flow.wait(flow.wait_for(gate, 1), timeout=0.01)
            gate.raise_to(1)
            flow.cancel()
            try:
                flow.wait()
            except plait.Error:
                pass

    def test_waits_in_functions(self):
        with self.system.flow() as flow:
            u, v, w = (flow.data("i", 2, label=name) for name in "uvw")
            refused = []

            def wait(_):
                for attempt in (lambda: u[0], lambda: v.tolist(), lambda: u.write(array.array("i", [7, 7])),
                                flow.wait, lambda: flow.wait(behind), lambda: u.map().__enter__(),
                                lambda: v.__setitem__(0, 9)):
                    with self.assertRaisesRegex(plait.Error, "has to end first|behind a mapping") as caught:
                        attempt()
                    refused.append(caught.exception.status)
                w[0] = 5
                refused.append(w[0])
            task = flow.call(wait, u)
            behind = flow.call(lambda _, memory: memory.__setitem__(0, 3), u.reads(), v)
            flow.call(lambda memory: memory.__setitem__(1, 4), w)
            flow.wait(task)
            self.assertEqual(refused, [-13] * 7 + [5])
            # What was refused did not happen later.
            self.assertEqual((u.tolist(), v.tolist(), w.tolist()), ([0, 0], [3, 0], [5, 4]))

    def test_signals_and_plans(self):
        seen = []
        graph = self.system.graph()
        graph.call(seen.append, "plan")
        plan = graph.freeze()
        signal = self.system.devices[0].signal()
        with self.system.flow() as flow:
            order = flow.token()
            flow.call(seen.append, "before", updates=[order])
            flow.run(plan, updates=[order])
            flow.call(seen.append, "behind", updates=[order])
            flow.emit(signal, reads=[order])
            flow.wait()
            self.system.wait([(signal, 1)])
            self.assertEqual(seen, ["before", "plan", "behind"])

    def test_await(self):
        async def work(flow, u):
            flow.call(lambda memory: memory.__setitem__(0, 5), u)
            await flow
            return u[0]

        with self.system.flow() as flow:
            self.assertEqual(asyncio.run(work(flow, flow.data("i", 2))), 5)

    def test_pieces(self):
        heat, n = self.system.kernel(*HEAT), 40
        start = array.array("f", [0] * 19 + [4.0 ** 6] + [0] * 20)
        results = []
        for pieces in (1, 2, 7):
            with self.system.flow() as flow:
                u, v = flow.data("f", n, start), flow.data("f", n)
                for _ in range(6):
                    flow(heat, u.near(1), v.own(), n, plait.chunk, items=n, split=1, pieces=pieces)
                    u, v = v, u
                results.append(u.tolist())
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])
        self.assertEqual(results[0][13:16], [1, 6, 21])
        with self.system.flow() as flow:
            self.assertEqual(flow.split(10, pieces=3), [((0, 4),), ((4, 7),), ((7, 10),)])
            self.assertEqual(len(flow.split((8, 8), 2, 4)), 4)

    def test_records(self):
        with self.system.flow(record=True, lanes=1) as flow:
            u = flow.data("f", (4, 6), label="u")
            for access in (u.near(1, 2), u.near(1, 1, corners=False), u.slice(0), u.even(1)):
                self.assertIs(access.data, u)
            flow.call(lambda: None, writes=[u.at[1:3, 2]], label="one")
            flow.call(lambda: None, reads=[u], label="two")
            flow.read("data x\ntask a writes=x barrier")
            text = flow.explain()
            self.assertIn("writes u [2, 3) x [1, 3)", text)
            self.assertIn('after 1 "one": reads u [2, 3) x [1, 3), which it wrote', text)
            self.assertEqual([task["label"] for task in json.loads(flow.write("json"))["tasks"]], ["one", "two", "a"])
            self.assertEqual(flow.query().warnings, 1)
            with self.assertRaisesRegex(plait.InvalidError, "mine:1"):
                flow.read("x", "mine")
            with self.assertRaises(ValueError):
                flow.write("xml")

    def test_repeats(self):
        with self.system.flow(repeats=True) as flow:
            u, v = flow.data("i", 4), flow.data("i", 4)
            for _ in range(20):
                for i in range(10):
                    flow.fill(u, i)
                    flow.copy(v, u)
                flow.wait()
            info = flow.query()
            self.assertEqual(v.tolist(), [9] * 4)
            self.assertGreaterEqual(info.newest, 400)
            self.assertGreaterEqual(info.repeated, 200)
        with self.assertRaisesRegex(plait.Error, "PLAIT_FLOW_RECORD with PLAIT_FLOW_REPEATS"):
            self.system.flow(repeats=True, record=True)

    def test_devices_are_objects(self):
        for wrong in (["chaos:0"], "chaos:0", [0], [None]):
            with self.assertRaisesRegex(TypeError, "devices: give it a Device of system.devices, not "
                                        + type(wrong[0]).__name__):
                self.system.flow(devices=wrong)
        with self.system.flow(devices=self.system.devices[:1]) as flow:
            self.assertEqual(flow.data("i", 1).tolist(), [0])

    def test_wrong_arguments(self):
        axpy = self.system.kernel(*AXPY)
        with self.system.flow(label="mine") as flow, self.system.flow() as other:
            x, y, whole = flow.data("f", 3), flow.data("d", 3), flow.token()
            with self.assertRaisesRegex(TypeError, "pointer to f32, the data has f64"):
                flow(axpy, 1, x, y, 3)
            with self.assertRaisesRegex(TypeError, "4 arguments"):
                flow(axpy, 1)
            with self.assertRaisesRegex(TypeError, "needs data of the flow"):
                flow(axpy, 1, 2, x, 3)
            with self.assertRaisesRegex(TypeError, "not a pointer"):
                flow(axpy, x, x, x, 3)
            with self.assertRaisesRegex(TypeError, "is a token"):
                flow(axpy, 1, whole, x, 3)
            with self.assertRaisesRegex(plait.Error, "another flow"):
                other(axpy, 1, x, x, 3)
            with self.assertRaisesRegex(plait.InvalidError, "window 5"):
                self.system.flow(window=5)
            with self.assertRaises(TypeError):
                flow.data("x", 3)
            with self.assertRaises(TypeError):
                whole.tolist()
            self.assertIn("token", repr(whole))

    def test_a_predicate_of_a_task_cannot_wait_for_its_flow(self):
        refused = []
        with self.system.flow(window=16) as flow:
            u = flow.data("i", 1)

            def asks():
                for attempt in (lambda: [flow.fill(u, i) for i in range(17)], lambda: u.map().__enter__()):
                    with self.assertRaises(plait.Error) as caught:
                        attempt()
                    refused.append(caught.exception.status)
                return 0
            graph = self.system.graph()
            graph.loop(asks)
            flow.run(graph.freeze(), updates=[u])
            flow.wait()
            self.assertEqual(refused, [_raw.PLAIT_E_BUSY, _raw.PLAIT_E_DEADLOCK])

    def test_released_in_any_order(self):
        flow = self.system.flow()
        u = flow.data("i", 1)
        for _ in range(100):
            flow.call(lambda memory: None, u)
        flow.release()
        gc.collect()
        self.system.pump()
        u.release()

    def test_released_while_mapped(self):
        flow = self.system.flow()
        u, v = flow.data("i", 100, label="u"), flow.data("i", 1)
        with u.map() as memory:
            memory[0] = 3
            flow.fill(u, 7)
            u.release()
            flow.fill(v, 1)
            self.assertEqual((v[0], memory[0]), (1, 3))
            memory[99] = 4
        flow.wait()
        u = flow.data("i", 100)
        with u.map("w") as memory:
            u.release()
            part = memory[1:]
        del memory
        part[98] = 5  # the memory lives as long as a view of it
        gc.collect()
        count = lib.plait_live_count(_raw.PLAIT_OBJECT_DATA)
        del part
        gc.collect()
        self.assertEqual(lib.plait_live_count(_raw.PLAIT_OBJECT_DATA), count - 1)
        u = flow.data("i", 100)
        with self.assertRaises(BufferError):
            with u.map() as memory:
                exported = pickle.PickleBuffer(memory)
        u[0] = 1  # the mapping has ended
        self.assertEqual(u[0], 1)
        exported.release()


if __name__ == "__main__":
    unittest.main()
