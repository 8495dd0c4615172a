#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the layer when its process forks or ends."""
import unittest

from test_plait import run_python


class Processes(unittest.TestCase):
    def test_a_child_is_told(self):
        got = run_python(
            "import os, plait\n"
            "s = plait.open()\n"
            "pid = os.fork()\n"
            "if pid == 0:\n"
            "    try:\n"
            "        s.devices[0].buffer(4)\n"
            "    except plait.Error as error:\n"
            "        print('told:', error, flush=True)\n"
            "    os._exit(0)\n"
            "os.waitpid(pid, 0)\n")
        self.assertIn("told:", got.stdout)
        self.assertIn("fork", got.stdout)

    def test_an_interrupt_ends_a_close(self):
        got = run_python(
            "import os, signal, threading, plait\n"
            "s = plait.open()\n"
            "n = s.graph().join()\n"
            "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "try:\n"
            "    s.close()\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted')\n")
        self.assertEqual((got.returncode, got.stdout), (0, "interrupted\n"))

    def test_exit_with_work_in_flight(self):
        got = run_python(
            "import plait\n"
            "s = plait.open()\n"
            "q = s.devices[0].queue()\n"
            "b = s.devices[0].buffer(1 << 20)\n"
            "for i in range(100): q.fill(b, i)\n"
            "q.call(print)\n"
            "print('end')\n")
        self.assertEqual((got.returncode, got.stdout), (0, "end\n"))

    def test_exit_with_runs_on_their_way(self):
        got = run_python(
            "import plait\n"
            "s = plait.open()\n"
            "d = s.devices[0]\n"
            "q, held, gate = d.queue(), d.queue(), d.signal(gate=True)\n"
            "g = s.graph()\n"
            "g.call(print, 'never', after=g.fill(d.buffer(1 << 20), 1))\n"
            "p = g.freeze(instances=8)\n"
            "held.wait(gate, 1)\n"
            "runs = [p.run(held)] + [p.run(q) for _ in range(7)]\n"
            "print('end')\n")
        self.assertEqual((got.returncode, got.stdout), (0, "end\n"))


if __name__ == "__main__":
    unittest.main()
