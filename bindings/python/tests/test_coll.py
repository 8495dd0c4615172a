# SPDX-License-Identifier: MIT
"""Collectives: programs, proofs, graphs."""
import array
import unittest

import plait


def content(buffer):
    with buffer.map() as memory:
        return memory.cast("B").cast(buffer.format).tolist()


class Collectives(unittest.TestCase):
    def setUp(self):
        self.system = plait.open("host")
        self.device = self.system.devices[0]

    def tearDown(self):
        self.system.release()

    def ring(self, n):
        made = self.system.coll("allreduce", ranks=n, chunks=n, in_place=True)
        for r in range(n):
            chunk = made.chunk((r + 1) % n, "i", r)
            for s in range(2, n + 1):
                chunk = made.chunk((r + s) % n, "i", r).reduce(chunk)
            for s in range(1, n):
                chunk = chunk.copy((r + s) % n)
        return made

    def test_ring(self):
        schedule = self.ring(4).compile(instances=2)
        proof = schedule.check()
        self.assertEqual((proof.reason, proof.safe_bytes, proof.same_bits, proof.steps), (None, None, True, 56))
        info = schedule.query()
        self.assertEqual((info.kind, info.ranks, info.in_place, info.share_chunks), ("allreduce", 4, True, 8))
        buffers = [self.device.array(array.array("f", [r + i for i in range(10)])) for r in range(4)]
        schedule.graph(10, outputs=buffers).freeze()()
        for buffer in buffers:
            self.assertEqual(content(buffer), [6 + 4 * i for i in range(10)])

    def test_simulation(self):
        schedule = self.ring(4).compile(instances=2)
        made = schedule.simulate("cluster ranks=4\nlane rate=1", 8)
        self.assertEqual((made.time_ns, made.tiles, made.critical_steps, made.latency_ns), (7000, 1, 7, 0))
        self.assertRegex(schedule.draw("cluster ranks=4\nlane rate=1", 8), "(?s)^<svg.*rank 3.*</svg>\n$")
        with self.assertRaisesRegex(plait.Error, "a.cluster:1: .*is no field"):
            schedule.simulate("cluster rank=4", 8, "a.cluster")

    def test_known_algorithm_and_parameters(self):
        schedule = self.system.coll("allgather", 2, algorithm="ring").compile()
        plan = schedule.graph(3, "i32", op="max").freeze()
        inputs = [self.device.array(array.array("i", [r, 5, 6])) for r in range(2)]
        outputs = [self.device.array(array.array("i", [0] * 6)) for _ in range(2)]
        plan(in0=inputs[0], in1=inputs[1], out0=outputs[0], out1=outputs[1])
        self.assertEqual(content(outputs[1]), [0, 5, 6, 1, 5, 6])

    def test_forms(self):
        schedule = self.ring(2).compile()
        data = schedule.write()
        self.assertEqual(self.system.read_schedule(data).write(), data)
        self.assertTrue(schedule.write("msccl").startswith(b"<algo"))
        text = "broadcast ranks=2\nfor r in 0..2 { copy(input[0, 0], output[r, 0]) }\n"
        self.assertEqual(self.system.read_coll(text).compile().query().kind, "broadcast")
        with self.assertRaisesRegex(plait.Error, "mine:1"):
            self.system.read_coll("x", "mine")

    def test_operations(self):
        coll = self.system.coll("custom", 2, inputs=2, outputs=2, promises={(1, 0): [(0, 0), (1, 0)]})
        both = coll.chunk(0, "i", 0).join(coll.chunk(0, "i", 1))
        with coll.parallel(2):
            copy = both.copy(1, "s", channel=1)
        coll.chunk(1, "i", 0).copy(1, "o", 0).reduce(copy.part(0), lanes=(1, 2))
        schedule = coll.compile(protocol="ll", fusion=False, separate_lanes=True)
        self.assertEqual(schedule.query().kind, "custom")
        with self.assertRaises(plait.Error) as caught:
            schedule.check(promises={(1, 0): [(0, 0)]})
        self.assertEqual(caught.exception.proof.reason, "value")

    def test_bad_input(self):
        schedule = self.ring(2).compile()
        for wrong in (lambda: self.system.coll("all", 2), lambda: schedule.graph(4, "f8"),
                      lambda: schedule.graph(4, op="xor"), lambda: schedule.graph(4, outputs=[None]),
                      lambda: schedule.write("pdf"), lambda: self.ring(2).chunk(0, "x", 0)):
            self.assertRaises(ValueError, wrong)


if __name__ == "__main__":
    unittest.main()
