# SPDX-License-Identifier: MIT
"""Tests of the Python layer, on every available backend.

    PYTHONPATH=. python3 -m unittest discover -s tests
"""
import array
import ctypes
import gc
import os
import subprocess
import sys
import threading
import unittest

import plait
from plait import _raw
from plait._library import lib

SAXPY = ("saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
         "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")
COUNT_DOWN = ("count_down(left: inout pointer u32)", "KERNEL(count_down) { EACH(i, 1) left[i] -= 1; }")


def run_python(text, **environment):
    """Another interpreter, as a user would start it."""
    return subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, timeout=120,
                          env=dict(os.environ, **environment))


class Case(unittest.TestCase):
    """Every test leaves nothing behind."""

    def setUp(self):
        gc.collect()
        self.before = plait.live_count()
        self.system = plait.open()
        self.device = self.system.devices[0]
        self.queue = self.device.queue()

    def tearDown(self):
        self.queue = self.device = self.system = None
        gc.collect()
        # What is in flight ends by itself; nothing else is left to end it.  So may
        # what an earlier test, of another class, had in flight when this one began.
        for _ in range(1000):
            if plait.live_count() <= self.before:
                break
            threading.Event().wait(0.01)
        self.assertLessEqual(plait.live_count(), self.before)

    def floats(self, *values):
        return self.device.array(array.array("f", values))


class Layout(unittest.TestCase):
    def test_structs_are_the_library_s(self):
        for struct in _raw.STRUCTS:
            self.assertEqual(lib.plait_sizeof(struct.__name__.encode()), ctypes.sizeof(struct),
                             struct.__name__)

    def test_versions(self):
        self.assertRegex(plait.version(), r"^\d+\.\d+\.\d+$")

    def test_missing_library_says_what_was_tried(self):
        got = run_python("import plait", PLAIT_LIBRARY="/nowhere/libplait.so")
        self.assertIn("/nowhere/libplait.so", got.stdout)
        self.assertIn("set PLAIT_LIBRARY", got.stdout)

    def test_missing_backend_says_what_was_tried(self):
        with self.assertRaises(plait.UnavailableError) as caught:
            plait.open("nothing")
        self.assertIn("nothing", str(caught.exception))


class Images(Case):
    def test_a_kernel_samples_an_image(self):
        half = self.system.kernel("shrink(from: in image, by: sampler, to: out image)", """KERNEL(shrink) {
            EACH2(x, IMAGE_WIDTH(to), y, IMAGE_HEIGHT(to))
                IMAGE_WRITE(to, x, y, IMAGE_SAMPLE(from, by, 2 * x + 1.0f, 2 * y + 1.0f));
            }""")
        image, small = self.device.image(4, 2, label="image"), self.device.image(2, 1)
        self.assertEqual((image.size, small.size), (32, 8))
        self.queue.write(image, array.array("f", [1, 3, 5, 7, 1, 3, 9, 11]))
        self.queue.launch(half, image, plait.SAMPLER_LINEAR, small, items=(2, 1))
        got = array.array("f", [0, 0])
        self.queue.read(small, got)
        self.assertEqual(got.tolist(), [2, 8])
        with self.assertRaisesRegex(plait.Error, "not whole rows of .*image"):
            self.queue.write(image, array.array("f", [1]))
        with self.assertRaisesRegex(plait.Error, r'argument 0 "from" \(image\): the parameter needs an image'):
            self.queue.launch(half, self.device.buffer(32), 0, small)
        with self.assertRaisesRegex(ValueError, "0 x 1 pixels"):
            self.device.image(0, 1)
        with self.assertRaisesRegex(ValueError, "r32f"):
            self.device.image(1, 1, "rgb")


class Buffers(Case):
    def test_what_goes_in_comes_out(self):
        self.assertEqual(self.floats(1, 2, 3).tolist(), [1, 2, 3])
        self.assertEqual(self.device.array(b"abc").read(), b"abc")
        self.assertEqual(self.device.array(b"").size, 1)

    def test_map_is_the_memory(self):
        buffer = self.device.buffer(16)
        with buffer.map() as memory:
            memory[:] = bytes(range(16))
        self.assertEqual(buffer.read(4, 2), b"\4\5")
        with buffer.map("r") as memory:
            with self.assertRaises(TypeError):
                memory[0] = 1

    def test_views_are_the_same_memory(self):
        buffer = self.device.buffer(16)
        view = buffer[8:12]
        self.queue.fill(buffer, 0)
        self.queue.fill(view, 0x7f, 1)
        self.queue.finish()
        self.assertEqual(buffer.read(), bytes(8) + b"\x7f" * 4 + bytes(4))
        with self.assertRaises(ValueError):
            buffer[0:8:2]

    def test_wrapped_memory_is_kept_until_nothing_uses_it(self):
        memory = bytearray(8)
        wrapped = self.device.wrap(memory)
        with self.assertRaises(BufferError):
            memory.extend(b"more")
        self.queue.fill(wrapped, 0x01020304)
        self.queue.finish()
        self.assertEqual(memory, b"\4\3\2\1" * 2)
        wrapped.release()
        self.system.pump()
        gc.collect()
        memory.extend(b"more")

    def test_read_only_memory_is_not_wrapped(self):
        with self.assertRaises(ValueError):
            self.device.wrap(b"constant")

    def test_strides_are_refused_or_copied(self):
        matrix = memoryview(array.array("i", range(8)))[::2]
        with self.assertRaises(ValueError):
            self.queue.write(self.device.buffer(64), matrix)
        self.assertEqual(self.device.array(matrix).tolist(), [0, 2, 4, 6])

    def test_beyond_the_end(self):
        with self.assertRaises(plait.InvalidError):
            self.queue.fill(self.device.buffer(4), 0, 4, size=8)

    def test_budget(self):
        self.device.set_budget(1 << 20)
        with self.assertRaises(plait.MemoryExhausted) as caught:
            self.device.buffer(1 << 30)
        self.assertIsInstance(caught.exception, MemoryError)
        self.device.set_budget(0)

    def test_links(self):
        link = self.device.link_to()
        self.assertEqual(link, self.device.link_to(None))
        self.assertGreater(link.bytes_per_us, 0)
        self.assertGreater(self.device.link_from().bytes_per_us, 0)
        shared = self.device.link_to(self.device)
        self.assertTrue(shared.flags & plait._raw.PLAIT_LINK_SHARED)
        self.assertEqual(shared.latency_ns, 0)
        if "host" in self.device.capabilities:
            self.assertEqual((self.device.query().memory, link), (0, shared))

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        matrix = numpy.arange(6, dtype=numpy.float64).reshape(2, 3)
        numpy.testing.assert_array_equal(self.device.array(matrix).numpy(), matrix)
        numpy.testing.assert_array_equal(self.device.array(matrix.T).numpy(), matrix.T)
        self.queue.fill(self.device.wrap(matrix), 0, 8)
        self.queue.finish()
        self.assertEqual(matrix.sum(), 0)


class Kernels(Case):
    def test_source(self):
        x, y = self.floats(1, 2, 3), self.floats(1, 1, 1)
        self.queue.launch(self.system.kernel(*SAXPY), 2, x, y, 3, items=3)
        self.queue.finish()
        self.assertEqual(y.tolist(), [3, 5, 7])

    def test_values_that_the_host_computes(self):
        graph, state = self.system.graph(), array.array("f", [0, 2])
        x, y = self.floats(1, 2), self.floats(1, 1)
        _, body = graph.repeat(3)
        first = body.call(lambda: state.__setitem__(1, state[1] + 1))
        body.launch(self.system.kernel(*SAXPY), plait.HostValue("state", 4), x, y, 2, items=2, after=first)
        graph.freeze()(state=state)
        self.assertEqual(y.tolist(), [1 + 3 + 4 + 5, 1 + 2 * (3 + 4 + 5)])
        with self.assertRaisesRegex(plait.InvalidError, 'argument 0 "a".* offset_bytes is not aligned'):
            graph.launch(self.system.kernel(*SAXPY), plait.HostValue("state", 2), x, y, 2)
        with self.assertRaisesRegex(plait.InvalidError, 'argument 1 "x".*values only'):
            graph.launch(self.system.kernel(*SAXPY), 2, plait.HostValue("state"), y, 2)

    def test_reads_and_writes_in_a_graph(self):
        graph, buffer = self.system.graph(), self.device.buffer(16)
        first = graph.write(buffer, plait.Parameter("given"), 12, target_offset=4, host_offset=4, label="in")
        graph.read(buffer, plait.Parameter("got"), after=first)
        plan = graph.freeze()
        for turn in range(3):
            given, got = array.array("I", [9, turn, 2, 3]), bytearray(16)
            if turn == 1:
                plan.run(given=given.tobytes(), got=got).wait()
            else:
                plan(given=given, got=got)
            self.assertEqual(array.array("I", bytes(got)).tolist()[1:], [turn, 2, 3])
        got.append(1)  # no run holds it any more
        queue = self.device.queue()
        for turn in range(3):
            plan.run(queue, given=array.array("I", [0, 7, 8, turn]), got=got).wait()
        self.assertEqual(len(queue._kept), 1)
        queue.finish()
        self.assertEqual(got[12], 2)
        for given, text in ((b"x" * 8, "'in' uses|\"in\" uses 12 bytes, and there are 4"), (3, "parameter 'given'"),
                            (buffer, "parameter 'given'")):
            with self.assertRaisesRegex((plait.InvalidError, TypeError), text):
                plan(given=given, got=got)
        with self.assertRaisesRegex(ValueError, "parameter 'got': the memory is read-only"):
            plan(given=b"x" * 16, got=b"x" * 16)
        with self.assertRaisesRegex(TypeError, "a plait.Parameter, which each run sets"):
            graph.read(buffer, got)

    def test_a_batch_is_all_or_none(self):
        saxpy = self.system.kernel(*SAXPY)
        x, y, z = self.floats(1, 2, 3), self.floats(9, 9, 9), self.floats(0, 0, 0)
        signal = self.device.signal()
        with self.queue.batch() as batch:
            batch.fill(y)
            for factor in (2, 3):
                batch.launch(saxpy, factor, x, y, 3, items=3)
            batch.copy(z, y)
            batch.emit(signal)
            batch.wait(signal)
            batch.fill(y, label="last")
        self.queue.finish()
        self.assertEqual((z.tolist(), y.tolist(), batch.sequence, len(batch)), ([5, 10, 15], [0] * 3, 1, 0))
        with self.assertRaises(ZeroDivisionError), self.queue.batch() as batch:
            batch.fill(z)
            1 // 0
        with self.assertRaises(plait.InvalidError) as caught, self.queue.batch() as batch:
            batch.fill(z)
            batch.launch(saxpy, 1, x, y, 3, items=(2**63, 2), label="many")
        self.assertIn('command 1 "many": saxpy: ', str(caught.exception))
        self.queue.finish()
        self.assertEqual(z.tolist(), [5, 10, 15])
        self.assertIn("2 commands", repr(batch))

    def test_a_source_that_does_not_compile(self):
        with self.assertRaises(plait.InvalidError) as caught:
            self.system.kernel("f(x: inout pointer f32)", "KERNEL(f) {\n x[0] = oops; }")
        self.assertIn("f:2", str(caught.exception))
        self.assertIn("oops", caught.exception.detail)

    def test_wrong_arguments(self):
        kernel, x = self.system.kernel(*SAXPY), self.floats(1)
        for given in ((1, x, x), (1, 2, x, 1), ("a", x, x, 1)):
            with self.assertRaises(TypeError):
                self.queue.launch(kernel, *given, items=1)
        self.queue.finish()

    def test_numbers_that_do_not_fit(self):
        kernel = self.system.kernel("keep(x: u8, y: out pointer u8)", "KERNEL(keep) { EACH(i, 1) y[i] = x; }")
        out = self.device.buffer(1)
        for wrong in (-1, 256, 1.5):
            with self.assertRaises((OverflowError, TypeError)):
                self.queue.launch(kernel, wrong, out)
        with self.assertRaises(OverflowError):
            self.queue.launch(kernel, 1, out, items=-1)
        self.queue.launch(kernel, 255, out)
        self.queue.finish()
        self.assertEqual(out.read(), b"\xff")

    def test_arrays_of_another_type(self):
        x = self.device.array(array.array("d", [1]))
        with self.assertRaises(TypeError) as caught:
            self.queue.launch(self.system.kernel(*SAXPY), 1, x, x, 1)
        self.assertIn("pointer to f32", str(caught.exception))

    def test_large_numbers(self):
        kernel = self.system.kernel("keep(x: u64, y: out pointer u64)", "KERNEL(keep) { EACH(i, 1) y[i] = x; }")
        out = self.device.array(array.array("Q", [0]))
        self.queue.launch(kernel, 2 ** 63 + 7, out)
        self.queue.finish()
        self.assertEqual(out.tolist(), [2 ** 63 + 7])


class Functions(Case):
    def test_they_run_on_this_thread(self):
        ran = []
        for _ in range(100):
            self.queue.call(lambda: ran.append(threading.get_ident()))
        self.queue.finish()
        self.assertEqual(ran, [threading.get_ident()] * 100)

    def test_an_exception_fails_the_command_and_comes_back(self):
        def wrong():
            raise KeyError("this one")
        self.queue.call(wrong)
        with self.assertRaises(plait.FailedError) as caught:
            self.queue.finish()
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        self.assertIn("this one", str(caught.exception))
        self.assertTrue(caught.exception.__cause__.__traceback__)
        self.queue.finish()

    def test_another_thread_is_told_so(self):
        caught = []

        def elsewhere():
            try:
                self.system.pump()
            except plait.Error as error:
                caught.append(str(error))
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        self.assertIn("thread", caught[0])

    def test_it_can_be_adopted(self):
        ran = []
        self.queue.call(lambda: ran.append(threading.get_ident()))

        def elsewhere():
            self.system.adopt()
            self.queue.finish()
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        self.assertEqual(len(ran), 1)
        self.assertNotEqual(ran[0], threading.get_ident())
        self.system.adopt()


TURN = ("turn(row: local i32, x: inout pointer i32)",
        "GROUP_KERNEL(turn, 4, 1, 1) {"
        " ITEMS row[LOCAL_ID(0)] = x[LOCAL_ID(0)]; ITEMS x[LOCAL_ID(0)] = row[3 - LOCAL_ID(0)]; }")


class LocalMemory(Case):
    def test_a_queue_and_a_plan(self):
        turn, x = self.system.kernel(*TURN), self.device.array(array.array("i", [1, 2, 3, 4]))
        self.queue.launch(turn, 16, x, items=4)
        self.queue.finish()
        self.assertEqual(x.tolist(), [4, 3, 2, 1])
        graph = self.system.graph()
        graph.launch(turn, plait.Parameter("bytes"), x, items=4)
        graph.freeze()(bytes=32)
        self.assertEqual(x.tolist(), [1, 2, 3, 4])
        self.assertGreaterEqual(self.device.query().local_bytes, 32768)

    def test_a_python_function_gets_an_address(self):
        seen = []
        kernel = self.system.kernel("look(row: local i32, n: i32)", function=lambda row, n: seen.append((row, n)))
        self.queue.launch(kernel, 64, 5)
        self.queue.finish()
        self.assertEqual([(row % 64, n) for row, n in seen], [(0, 5)])

    def test_mistakes(self):
        turn, x = self.system.kernel(*TURN), self.device.array(array.array("i", [1, 2, 3, 4]))
        for wrong, kind, part in (
                ("16", TypeError, "turn: argument 0 'row' is local memory: give its bytes: '16' is not a number"),
                (x, TypeError, "turn: argument 0 'row' is local memory: give its bytes"),
                (-1, OverflowError, "turn: argument 0 'row' is local memory"),
                (6, plait.Error, '"row" (local i32): 6 bytes of local memory are not a multiple of 4'),
                (1 << 40, plait.Error, '"row" (local i32): 1099511627776 bytes of local memory')):
            with self.assertRaises(kind) as caught:
                self.queue.launch(turn, wrong, x, items=4)
            self.assertIn(part, str(caught.exception))


class Body(ctypes.Structure):
    _fields_ = [("mass", ctypes.c_double), ("count", ctypes.c_int32)]


WEIGH = ("weigh(b: struct body 16, v: f32x4, i: i16x2, y: out pointer f64)",
         "struct body { f64 mass; i32 count; };"
         "KERNEL(weigh) { EACH(k, 1) y[0] = b.mass * b.count + v.v[0] + 10 * v.v[3] + i.v[1]; }")


class Values(Case):
    def test_structs_and_vectors(self):
        weigh, y = self.system.kernel(*WEIGH), self.device.array(array.array("d", [0]))
        for body in (Body(1.5, 4), bytes(Body(1.5, 4)), bytearray(Body(1.5, 4))):
            self.queue.launch(weigh, body, (1, 2, 3, 4.5), [7, -8], y)
            self.queue.finish()
            self.assertEqual(y.tolist(), [6 + 1 + 45 - 8])
        graph = self.system.graph()
        graph.launch(weigh, plait.Parameter("b"), plait.Parameter("v"), (0, 1), y)
        plan = graph.freeze()
        for count in range(3):
            plan(b=Body(2, count), v=array.array("f", [count, 0, 0, 1]))
            self.assertEqual(y.tolist(), [2 * count + count + 10 + 1])
        with self.assertRaisesRegex(TypeError, "parameter 'v' is a vector: give it 4 numbers, not 3"):
            plan(b=Body(2, 1), v=3)
        with self.assertRaisesRegex(ValueError, "parameter 'b' is a struct of 16 bytes, not 8"):
            plan(b=bytes(8), v=(1, 2, 3, 4))

    def test_arrays_and_chunks(self):
        turn = self.system.kernel("turn(u: in array2 f32, v: out array1 f32, c: chunk)",
                                  "KERNEL(turn) { CHUNK1(x) AT1(v, x) = AT2(u, 1, x); }")
        numbers, items = array.array("f", [1, 2, 3, 4, 5, 6]), array.array("Q", [0, 0, 0, 3, 1, 1])
        u, v = self.device.array(numbers), self.device.array(array.array("f", [0] * 3))
        self.queue.launch(turn, u, 0, 2, v, 0, items, items=3)
        self.queue.finish()
        self.assertEqual(v.tolist(), [2, 4, 6])
        graph = self.system.graph()
        graph.launch(turn, u, plait.Parameter("at"), 2, v, 0, items, items=3)
        graph.freeze()(at=-1)
        self.assertEqual(v.tolist(), [1, 3, 5])
        with self.assertRaisesRegex(TypeError, r"turn takes 6 arguments \(u, u_at, u_pitch, v, v_at, c\), not 3"):
            self.queue.launch(turn, u, v, items, items=3)
        with self.assertRaisesRegex(OverflowError, "turn: argument 2 'u_pitch': -1 does not fit"):
            self.queue.launch(turn, u, 0, -1, v, 0, items, items=3)
        flow = self.system.flow()
        a, b = flow.data("f", (3, 2), numbers), flow.data("f", 3)
        flow(turn, a, b, plait.chunk, items=3)
        self.assertEqual([b[i] for i in range(3)], [2, 4, 6])
        with self.assertRaisesRegex(TypeError, r"turn takes 3 arguments \(u, v, c\), not 6"):
            flow(turn, a, 0, 2, b, 0, plait.chunk, items=3)

    def test_mistakes(self):
        weigh, y = self.system.kernel(*WEIGH), self.device.array(array.array("d", [0]))
        body, v = Body(1, 1), (1, 2, 3, 4)
        for given, kind, part in (
                ((3, v, (1, 2)), TypeError, "weigh: argument 0 'b' is a struct: give it 16 bytes"),
                ((bytes(15), v, (1, 2)), ValueError, "weigh: argument 0 'b' is a struct of 16 bytes, not 15"),
                ((body, 3, (1, 2)), TypeError, "weigh: argument 1 'v' is a vector: give it 4 numbers, not 3"),
                ((body, "1234", (1, 2)), TypeError, "argument 1 'v' is a vector"),
                ((body, v, (1, 40000)), OverflowError, "weigh: argument 2 'i': 40000 does not fit"),
                ((body, v, (1, "2")), TypeError, "weigh: argument 2 'i': '2' is not a number")):
            with self.assertRaises(kind) as caught:
                self.queue.launch(weigh, *given, y)
            self.assertIn(part, str(caught.exception))
        with self.assertRaisesRegex(TypeError, "'v' is a struct or vector, which a Python function cannot take"):
            self.system.kernel("f(v: f32x4)", function=lambda v: None)


class Mistakes(Case):
    """What is wrong, where, and what to do: never an error of Python's inside of the layer."""

    def test_messages(self):
        buffer, queue, graph = self.floats(1, 2), self.queue, self.system.graph()
        saxpy = self.system.kernel(*SAXPY)
        graph.launch(saxpy, plait.Parameter("a"), buffer, self.floats(1, 2), 2)
        plan = graph.freeze()
        for wrong, part in (
                (lambda: plan(3), "by name: plan(a=...)"),
                (lambda: plan(b=1), "no parameter b; it has a"),
                (lambda: plan(a="3"), "parameter 'a': '3' is not a number"),
                (lambda: queue.launch(buffer, 1), "a Kernel comes first, not Buffer"),
                (lambda: graph.launch(buffer, 1), "a Kernel comes first, not Buffer"),
                (lambda: queue.launch(saxpy, 1, [1.0], buffer, 2),
                 "argument 1 'x' is a pointer: give it a Buffer, not list; device.array("),
                (lambda: queue.launch(saxpy, buffer, buffer, buffer, 2), "argument 0 'a'"),
                (lambda: queue.launch(saxpy, 1, buffer, buffer, 2, items="3"), "items: '3'"),
                (lambda: queue.launch(saxpy, 1, buffer, buffer, 2, items=(1, 2, 3, 4)), "up to 3"),
                (lambda: self.device.array([1, 2]), "array: list"),
                (lambda: self.device.wrap([1, 2]), "wrap: list"),
                (lambda: queue.copy(buffer, [1]), "the source: give it a Buffer, not list"),
                (lambda: graph.copy([1], buffer), "the target: give it a Buffer, not list"),
                (lambda: graph.fill([1]), "the target: give it a Buffer, not list"),
                (lambda: graph.join(after=3), "after: 3 is not a Node"),
                (lambda: graph.loop(3), "the condition is not a function"),
                (lambda: graph.rotate(3), "rotate: give it a Buffer, not int"),
                (lambda: graph.call(3), "call: 3 is not a function"),
                (lambda: queue.call(3), "call: 3 is not a function"),
                (lambda: graph.join(label=3), "expected a str, not 3")):
            with self.assertRaises(TypeError) as caught:
                wrong()
            self.assertIn(part, str(caught.exception))
        with self.assertRaises(ValueError) as caught:
            graph.freeze(mode="fast")
        self.assertIn('none of "strict"', str(caught.exception))
