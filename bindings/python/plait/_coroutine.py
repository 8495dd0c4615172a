# SPDX-License-Identifier: MIT
"""Coroutines of Python as nodes: `async def` functions, which the thread that owns a
system begins, and asyncio runs.

Such a node is a call that the system pulls as an event, and answers when the coroutine has
ended.  The event loop that runs on the thread runs the coroutine.  If none does, because
the thread is inside plan(...), run.wait() or pump(), a loop of the system's own does, which
gets a turn between two waits inside C.  No frame of Python is on any stack while the
coroutine awaits.
"""
import asyncio
import contextvars
import functools
import selectors

from . import _raw
from ._core import SLICE_NS, call, encode, lib, raised
from ._functions import RUN, describe, forget, once

# Between two turns a wait inside C is this long, in nanoseconds, while a coroutine awaits
# something that is not of plait, and so cannot end the wait.
POLL_NS = 1_000_000


class _Selector(selectors.DefaultSelector):
    """The selector of an own loop, which stops the loop when that has nothing to do; then
    `left` is the time in seconds until its next timer, or None."""
    loop, left = None, None

    def select(self, timeout=None):
        events = super().select(0)
        if not events and (timeout is None or timeout > 0):
            self.left = timeout
            self.loop.stop()
        return events


class Coroutines:
    """The coroutines of a system that have begun and not ended.

    Used on the thread that owns the system.  `awaiting` counts those that await an object
    of plait in the own loop; `blocked` the waits inside C that the thread is in.
    """
    __slots__ = ("awaiting", "blocked", "_tasks", "_loop", "_selector")

    def __init__(self):
        self.awaiting = self.blocked = 0
        self._tasks = set()
        self._loop = self._selector = None

    def __len__(self):
        return len(self._tasks)

    def owns(self, loop):
        return loop is self._loop

    def begin(self, inbox, number, coroutine):
        """Begin the coroutine of the call with that number, which its end answers."""
        stop = once(lambda: task.cancel())
        try:
            loop = self._find_loop()
            call(lib.plait_inbox_notify_stop, inbox, number, RUN, stop)
        except BaseException:
            forget(stop)
            coroutine.close()
            raise
        # The context is copied, so that is_stopping() knows the call in each step.
        task = contextvars.copy_context().run(loop.create_task, coroutine)
        self._tasks.add(task)
        task.add_done_callback(functools.partial(self._end, inbox, number, stop))

    def _find_loop(self):
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self._make_loop()
        if self.blocked and not self.owns(loop):
            raise RuntimeError("the thread is in a call that blocks its event loop, which would run the "
                               "coroutine: await the run instead")
        return loop

    def _make_loop(self):
        if self._loop is None:
            self._selector = _Selector()
            self._loop = self._selector.loop = asyncio.SelectorEventLoop(self._selector)
        return self._loop

    def _end(self, inbox, number, stop, task):
        forget(stop)
        self._tasks.discard(task)
        value, text = 0, None
        if task.cancelled():
            value, text = -1, "was cancelled"
        elif task.exception() is not None:
            value, text = raised.keep(task.exception()), describe(task.exception())
        # An inbox that is closed has answered it.
        lib.plait_inbox_answer(inbox, number, value, encode(text), None)

    def turn(self):
        """Let the coroutines of the own loop go on as far as they can; return the longest
        time, in nanoseconds, that the thread may wait inside C before the next turn."""
        if not self._tasks or self._loop is None or _is_inside_loop():
            return SLICE_NS
        self._loop.run_forever()
        left, tasks = self._selector.left, asyncio.all_tasks(self._loop)
        most = SLICE_NS if len(tasks) <= self.awaiting else POLL_NS
        return most if left is None else min(most, int(left * 1e9))

    def close(self):
        """Cancel all of them; those of the own loop end now."""
        for task in self._tasks:
            task.cancel()
        loop, self._loop = self._loop, None
        if loop is None or _is_inside_loop():
            return
        if self._tasks:
            loop.run_forever()
        loop.close()


def _is_inside_loop():
    try:
        return asyncio.get_running_loop() is not None
    except RuntimeError:
        return False
