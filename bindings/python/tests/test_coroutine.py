# SPDX-License-Identifier: MIT
"""Tests of the Python layer: nodes that are coroutines."""
import array
import asyncio
import gc
import warnings

import plait

from test_plait import Case


class Coroutines(Case):
    def setUp(self):
        super().setUp()
        if "notify" not in self.device.capabilities:
            self.skipTest("the device does not announce completions")

    def gate(self):
        return self.device.signal(gate=True)

    def plan(self, *functions):
        graph = self.system.graph()
        for function in functions:
            graph.call(function)
        return graph.freeze(widest=True)

    def await_begin(self, run, begun):
        """Run coroutines of a run until one has added to `begun`; the run does not end."""
        while not begun:
            with self.assertRaises(plait.WaitTimeout):
                run.wait(0.01)

    def test_two_that_wait_for_each_other(self):
        gates, order, numbers = [self.gate(), self.gate()], [], [1, 2, 3]

        async def first():
            for i in numbers:
                order.append(i)
                gates[0].raise_to(i)
                await gates[1].reach(i)

        async def second():
            for i in numbers:
                await gates[0].reach(i)
                order.append(-i)
                gates[1].raise_to(i)
        plan = self.plan(first, second)
        plan()
        self.assertEqual(order, [1, -1, 2, -2, 3, -3])
        numbers = [4, 5, 6]
        plan.run(self.queue).wait()
        self.assertEqual(order[6:], [4, -4, 5, -5, 6, -6])

    def test_runs_and_tasks_and_what_is_not_of_plait(self):
        buffer, done = self.device.array(array.array("I", [0])), []
        graph = self.system.graph()
        graph.fill(buffer, 7)
        inner, queues = graph.freeze(instances=2), [self.device.queue(), self.device.queue()]
        flow = self.system.flow()
        data = flow.data("i", 2)

        async def work():
            await inner.run(queues[0])
            await asyncio.gather(*(self.awaited(inner.run(one)) for one in queues))
            done.append(buffer.tolist())
            flow.call(lambda memory: memory.__setitem__(0, 5), data)
            await flow
            done.append(data[0])
            await asyncio.sleep(0.001)
            done.append(await asyncio.get_running_loop().run_in_executor(None, sum, [1, 2]))
        plan = self.plan(work)
        for _ in range(2):
            done.clear()
            plan()
            self.assertEqual(done, [[7], 5, 3])
        for queue in queues:
            queue.finish()

    async def awaited(self, one):
        await one

    def test_what_it_raises_fails_the_node(self):
        async def at_once():
            raise KeyError("at once")

        async def later():
            await asyncio.sleep(0)
            raise KeyError("later")
        for function, words in (at_once, "at once"), (later, "later"):
            plan = self.plan(function)
            with self.assertRaisesRegex(plait.FailedError, "raised KeyError: '%s'" % words) as caught:
                plan()
            self.assertIsInstance(caught.exception.__cause__, KeyError)

    def test_a_run_that_is_stopped(self):
        gate, begun, seen = self.gate(), [], []

        async def patient():
            begun.append(True)
            try:
                await gate.reach(1)
            except asyncio.CancelledError:
                seen.append(plait.is_stopping())
                raise

        async def stubborn():
            begun.append(True)
            try:
                await gate.reach(1)
            except asyncio.CancelledError:
                await asyncio.sleep(0)
                seen.append(plait.is_stopping())

        async def fail():
            while not begun:
                await asyncio.sleep(0)
            raise ValueError("another node")
        for function in patient, stubborn:
            for other in None, fail:
                begun.clear()
                seen.clear()
                graph = self.system.graph()
                graph.call(function)
                if other is not None:
                    graph.call(other)
                run = graph.freeze(widest=True).run(self.queue)
                if other is None:
                    self.await_begin(run, begun)
                    run.cancel()
                with self.assertRaises(plait.CancelledError if other is None else plait.FailedError):
                    run.wait()
                self.assertEqual(seen, [True])
                with self.assertRaises(plait.Error):
                    self.queue.finish()
        self.assertFalse(plait.is_stopping())

    def test_a_deadline(self):
        gate, seen = self.gate(), []

        async def impatient():
            try:
                await asyncio.wait_for(gate.reach(1), 0.001)
            except asyncio.TimeoutError:
                seen.append("too late")
        self.plan(impatient)()
        self.assertEqual(seen, ["too late"])

    def test_in_an_event_loop(self):
        gate, seen = self.gate(), []

        async def node(event):
            seen.append("node")
            await event.wait()
            seen.append("event")
            await gate.reach(1)
            seen.append("gate")

        async def main():
            event, graph = asyncio.Event(), self.system.graph()
            graph.call(node, event)
            run = graph.freeze().run(self.queue)

            async def beside():
                while "node" not in seen:
                    await asyncio.sleep(0)
                event.set()
                while "event" not in seen:
                    await asyncio.sleep(0)
                gate.raise_to(1)
            await asyncio.gather(self.awaited(run), beside())
        asyncio.run(main())
        self.assertEqual(seen, ["node", "event", "gate"])

    def test_a_call_that_blocks_its_event_loop(self):
        async def node():
            await asyncio.sleep(0)
        plan = self.plan(node)

        async def main():
            plan()
        with self.assertRaisesRegex(plait.FailedError, "await the run instead"):
            asyncio.run(main())

    def test_nodes_only(self):
        async def node():
            pass
        flow = self.system.flow()
        for refuse in self.queue.call, flow.call, lambda one: self.system.graph().loop(one):
            with self.assertRaisesRegex(TypeError, "async function"):
                refuse(node)

    def test_a_plan_that_was_saved(self):
        seen = []

        async def node(word):
            await asyncio.sleep(0)
            seen.append(word)
        graph = self.system.graph()
        graph.call(node, "first", label="node")
        again = self.system.read(graph.freeze().bytes())
        again.bind_function("node", node, "second")
        again()
        self.assertEqual(seen, ["second"])

    def test_a_system_that_is_released(self):
        gate, begun, seen = self.gate(), [], []

        async def node():
            begun.append(True)
            try:
                await gate.reach(1)
            finally:
                seen.append("ended")
        run = self.plan(node).run(self.queue)
        self.await_begin(run, begun)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.system.release()
            self.assertEqual(seen, ["ended"])
            gc.collect()

    def test_many(self):
        gate, ended = self.gate(), []

        async def node(number):
            await gate.reach(1)
            ended.append(number)

        async def opens():
            gate.raise_to(1)
        graph = self.system.graph()
        for number in range(50):
            graph.call(node, number)
        graph.call(opens)
        graph.freeze(widest=True)()
        self.assertEqual(sorted(ended), list(range(50)))
