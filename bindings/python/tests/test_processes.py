#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the layer when its process forks or ends."""
import os
import signal
import subprocess
import sys
import unittest

from test_plait import run_python

# An endless run of the host: a word in memory decides, a Python function, or both.
ENDLESS = """
import asyncio, os, signal, sys, plait
s = plait.open()
d = s.devices[0]
q, gate, word = d.queue(), d.signal(gate=True), d.buffer(4)
word.write(b"\\1\\0\\0\\0")
g = s.graph()
b = g.loop(%s)[1]
b.fill(d.buffer(64), 7)
p = g.freeze()
%s
r = p.run(q)
print("ready", flush=True)
try:
    %s
except KeyboardInterrupt:
    print("interrupted", flush=True)
r.cancel()
try:
    r.wait()
except (plait.CancelledError, plait.FailedError):  # a predicate that was interrupted
    print("ended", flush=True)
"""
CONDITIONS = ("word", "lambda: 1")
WAITS = ("r.wait()", "q.finish()", "s.wait([(gate, 1)])", "gate.wait(1)", "r.wait(100)")


def interrupt(text, **environment):
    """The output of another interpreter that gets a SIGINT once it has printed a line."""
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True,
                          env=dict(os.environ, **environment)) as process:
        first = process.stdout.readline()
        try:
            subprocess.run([sys.executable, "-c", "import time; time.sleep(0.2)"], check=True)
            process.send_signal(signal.SIGINT)
            return first + process.communicate(timeout=60)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            return first + "no end:\n" + process.communicate()[0]


class Interrupts(unittest.TestCase):
    def test_waits_without_limit(self):
        for workers in ("0", "1"):
            for condition in CONDITIONS:
                for wait in WAITS:
                    got = interrupt(ENDLESS % (condition, "", wait), PLAIT_WORKERS=workers)
                    self.assertEqual(got, "ready\ninterrupted\nended\n",
                                     (workers, condition, wait))

    def test_a_call_with_a_predicate(self):
        got = interrupt(ENDLESS.replace("r = p.run(q)", "").split("r.cancel()")[0]
                        % ("lambda: 1", "", "p()"), PLAIT_WORKERS="0")
        self.assertIn("ready\ninterrupted\n", got)

    def test_functions_that_end_the_program(self):
        for what in ("KeyboardInterrupt", "SystemExit"):
            for run in ("p()", "p.run(q).wait()", "r = p.run(q); gate.wait(1)"):
                got = run_python(
                    "import plait\n"
                    "s = plait.open()\n"
                    "d, g = s.devices[0], s.graph()\n"
                    "q, gate = d.queue(), d.signal(gate=True)\n"
                    "def end(): raise %s(3)\n"
                    "g.call(end)\n"
                    "p = g.freeze()\n"
                    "try:\n"
                    "    %s\n"
                    "except %s as error:\n"
                    "    print('ended', error.args)\n"
                    "    gate.raise_to(1)\n"
                    "    gate.wait(1, 10)\n" % (what, run, what))
                self.assertEqual(got.stdout, "ended (3,)\n", (what, run))

    def test_a_bounded_await(self):
        for workers in ("0", "1"):
            for condition in CONDITIONS:
                got = run_python(ENDLESS % (condition, """
async def main(run):
    ticks = 0
    async def tick():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1
    clock = asyncio.ensure_future(tick())
    async def ends():
        await run
    try:
        await asyncio.wait_for(ends(), 0.3)
    except asyncio.TimeoutError:
        print("late", ticks > 2)
    clock.cancel()
""", "asyncio.run(main(r))"), PLAIT_WORKERS=workers)
                self.assertEqual(got.stdout, "ready\nlate True\nended\n", (workers, condition))


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

    def test_a_system_that_never_ends(self):
        got = run_python(
            "import plait\n"
            "s = plait.System(workers=1, wrap='fault', options='fault:slot=signal_poll,from=1')\n"
            "q, b = s.devices[0].queue(), s.devices[0].buffer(4)\n"
            "q.fill(b, 1)\n"
            "b.release()\n"
            "q.release()\n"
            "try:\n"
            "    s.close(timeout=60)\n"
            "except plait.Error as error:\n"
            "    print(error)\n"
            "try:\n"
            "    s.report\n"
            "except ValueError as error:\n"
            "    print(error)\n")
        self.assertIn("never ends", got.stdout)
        self.assertIn("PLAIT_E_LOST", got.stdout)
        self.assertIn("System was released", got.stdout)

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
