# SPDX-License-Identifier: MIT
"""Tests of arrays of other packages: elements, strides, DLPack import and export."""
import array
import ctypes
import gc
import struct
import threading
import unittest

import plait
from plait._library import lib
from test_plait import SAXPY, Case

try:
    import numpy
except ImportError:
    numpy = None

# A letter of the buffer protocol, what kernels call it, and values at its ends.
KINDS = (("b", "i8", [-128, 127]), ("h", "i16", [-2 ** 15, 2 ** 15 - 1]), ("H", "u16", [0, 2 ** 16 - 1]),
         ("i", "i32", [-2 ** 31, 2 ** 31 - 1]), ("I", "u32", [0, 2 ** 32 - 1]), ("q", "i64", [-2 ** 63, 2 ** 63 - 1]),
         ("Q", "u64", [0, 2 ** 64 - 1]), ("f", "f32", [-1.5, 2.0 ** 127]), ("d", "f64", [0.1, -1e300]),
         ("?", "bool", [True, False]), ("B", "u8", [0, 255]),
         ("l", "i%d" % (8 * struct.calcsize("l")), [-1, 1]), ("L", "u%d" % (8 * struct.calcsize("L")), [0, 1]))


class Elements(Case):
    def kernel(self, name):
        return self.system.kernel("move(x: in pointer %s, y: out pointer %s)" % (name, name),
                                  "KERNEL(move) { EACH(i, 2) y[i] = x[i]; }")

    def test_each_type_goes_through_a_kernel(self):
        for letter, name, values in KINDS:
            with self.subTest(letter):
                x = self.device.array(memoryview(struct.pack("2" + letter, *values)).cast(letter))
                y = self.device.array(memoryview(bytes(2 * struct.calcsize(letter))).cast(letter))
                self.queue.launch(self.kernel(name), x, y, items=2)
                self.queue.finish()
                self.assertEqual(y.tolist(), values)

    def test_no_type_is_taken_for_another_one(self):
        buffers = {name: self.device.array(memoryview(bytes(16)).cast(letter)) for letter, name, _ in KINDS[:10]}
        for wanted in ("f32", "i32", "u64", "bool"):
            kernel = self.kernel(wanted)
            for name, buffer in buffers.items():
                if name != wanted:
                    with self.assertRaises(TypeError):
                        self.queue.launch(kernel, buffer, buffer, items=1)
        self.queue.finish()

    def test_another_order_of_bytes_is_refused(self):
        there = (ctypes.c_int32.__ctype_be__ * 2)(1, 2)
        for take in (self.device.array, self.device.wrap):
            with self.assertRaises(TypeError) as caught:
                take(there)
            self.assertIn("byte order", str(caught.exception))

    def test_nothing(self):
        self.assertEqual(self.device.array(array.array("d")).tolist(), [])

    @unittest.skipUnless(numpy, "no numpy")
    def test_what_kernels_do_not_have(self):
        for kind in ("f2", "c8", "c16"):
            there = numpy.array([1, 0, 3], kind)
            buffer = self.device.array(there)
            numpy.testing.assert_array_equal(buffer.numpy(), there)
            self.assertEqual(buffer.tolist(), there.tolist())
            with self.assertRaises(TypeError):
                self.queue.launch(self.kernel("f32"), buffer, buffer, items=1)

    def test_above_two_gigabytes(self):
        try:
            large = self.device.buffer(2 ** 32 + 16)
        except plait.MemoryExhausted:
            self.skipTest("this machine gives out no more than it has")
        self.assertEqual(large.size, 2 ** 32 + 16)
        self.queue.fill(large, 0x01020304, size=4, offset=2 ** 32 + 8)
        self.queue.finish()
        self.assertEqual(large.read(2 ** 32 + 8, 4), b"\4\3\2\1")
        self.assertEqual(large[2 ** 32:2 ** 32 + 12].size, 12)


class Tensors(Case):
    def give_back(self, shared):
        """Its event comes when nothing uses it any more, and gives the tensor back."""
        shared.release()
        while not self.system.pump():
            lib.plait_inbox_wait(self.system._inbox.handle, 10 ** 9, None)

    def test_to_us_and_from_us(self):
        ours = self.device.array(array.array("f", [1, 2, 3]))
        shared = self.device.from_dlpack(ours)
        self.assertEqual((shared.format, shared.shape, shared.strides), ("f", (3,), None))
        self.queue.fill(ours, 0)
        self.queue.finish()
        self.assertEqual(shared.tolist(), [0, 0, 0])
        self.give_back(shared)

    def test_kept_until_nothing_uses_it(self):
        ours = self.device.array(array.array("q", [7]))
        shared = self.device.from_dlpack(ours)
        ours.release()
        self.assertEqual(shared.tolist(), [7])
        self.give_back(shared)

    def test_given_back_when_the_system_goes(self):
        system = plait.open()
        memory, ours = bytearray(8), self.device.array(array.array("q", [7]))
        shared, wrapped = system.devices[0].from_dlpack(ours), system.devices[0].wrap(memory)
        for one in (ours, shared, wrapped):
            one.release()
        system.release()  # which was never pumped
        gc.collect()
        memory.extend(b"more")  # and the tensor is not left, which is counted

    def test_a_tensor_that_nobody_takes(self):
        ours = self.device.array(array.array("q", [7]))
        for version in (None, (1, 0)):
            ours.__dlpack__(max_version=version)
        self.assertEqual(ours.__dlpack_device__(), (1, 0))

    def test_what_returns_no_tensor(self):
        class Wrong:
            def __dlpack__(self):
                return 7
        with self.assertRaises(TypeError):
            self.device.from_dlpack(Wrong())

    def test_a_tensor_is_taken_once(self):
        ours = self.device.array(array.array("q", [7]))
        capsule = ours.__dlpack__()

        class Twice:
            def __dlpack__(self):
                return capsule
        shared = self.device.from_dlpack(Twice())
        self.assertEqual(shared.tolist(), [7])
        with self.assertRaises(TypeError):
            self.device.from_dlpack(Twice())
        self.give_back(shared)

    @unittest.skipUnless(numpy, "no numpy")
    def test_numpy_both_ways(self):
        there = numpy.arange(6, dtype="f4").reshape(2, 3)
        for part in (there, there.T, there[:, ::-1], there[1:], there[::-1, 1:]):
            buffer = self.device.from_dlpack(part)
            numpy.testing.assert_array_equal(buffer.numpy(), part)
            self.assertEqual(buffer.tolist(), part.ravel().tolist())
            back = numpy.from_dlpack(buffer)
            self.assertEqual(back.ctypes.data, part.ctypes.data)
            numpy.testing.assert_array_equal(back, part)
        self.queue.fill(self.device.from_dlpack(there), 0)
        self.queue.finish()
        self.assertEqual(there.sum(), 0)

    @unittest.skipUnless(numpy, "no numpy")
    def test_strides_are_not_for_kernels(self):
        buffer = self.device.from_dlpack(numpy.zeros((4, 4), "f4")[:, ::2])
        with self.assertRaises(TypeError) as caught:
            self.queue.launch(self.system.kernel(*SAXPY), 1, buffer, buffer, 1)
        self.assertIn("strides", str(caught.exception))

    @unittest.skipUnless(numpy, "no numpy")
    def test_what_must_not_be_written_is_not(self):
        there = numpy.zeros(4, "f4")
        there.flags.writeable = False
        try:
            buffer = self.device.from_dlpack(there)
        except (BufferError, TypeError):
            self.skipTest("this numpy does not export it")
        with self.assertRaises(plait.Error):
            self.queue.fill(buffer, 1)
        self.queue.finish()


class Load(Case):
    def test_ten_thousand_functions(self):
        ran = []
        for i in range(10000):
            self.queue.call(lambda i=i: ran.append(i))
        self.queue.finish()
        self.assertEqual(ran, list(range(10000)))

    def test_another_thread_collects_and_releases(self):
        runs, ended = [], threading.Event()

        def elsewhere():
            while not ended.is_set() or runs:
                gc.collect()
                if runs:
                    runs.pop().release()
        thread = threading.Thread(target=elsewhere)
        thread.start()
        for i in range(100):
            graph = self.system.graph()
            graph.fill(self.device.buffer(64), i)
            graph.call(gc.collect)
            runs.append(graph.freeze().run(self.queue))
        ended.set()
        self.queue.finish()
        thread.join()

    def test_traces(self):
        graph = self.system.graph()
        graph.fill(self.device.buffer(4), 7, label="only")
        plan = graph.freeze()
        plan.record()
        plan()
        run = plan.run(self.queue)
        run.wait()
        self.assertIn("only", run.trace("json"))
        self.assertIn("<svg", run.trace("svg"))


if __name__ == "__main__":
    unittest.main()
