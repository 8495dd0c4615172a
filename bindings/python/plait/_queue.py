# SPDX-License-Identifier: MIT
"""Queues and signals."""
from __future__ import annotations

from ctypes import byref, c_uint64
from typing import Any, Callable, List, Optional

from . import _raw
from ._batch import Batch
from ._buffer import Buffer, Rows, address_of, check_buffer, check_integers, copied
from ._core import (Handle, call, encode, ends_in_a_slice, handle_of, inside, lib, native_kind,
                    sized, wait_in_slices)
from ._functions import RUN, check_function, once
from ._kernel import Kernel, check_kernel


class Signal(Handle):
    """A monotonic counter that queues emit and wait for; the program raises a gate."""
    _release = lib.plait_signal_release
    __slots__ = ("device",)

    def __init__(self, device, handle, label=None) -> None:
        super().__init__(handle, label)
        self.device = device

    def _query(self):
        reached, submitted = c_uint64(), c_uint64()
        call(lib.plait_signal_query, self.handle, byref(reached), byref(submitted))
        return reached.value, submitted.value

    @property
    def reached(self) -> int:
        """The newest sequence number that was reached, failed ones included."""
        return self._query()[0]

    @property
    def submitted(self) -> int:
        """The newest sequence number that was submitted."""
        return self._query()[1]

    def wait(self, sequence: int, timeout: Optional[float] = None) -> None:
        """Wait until the signal reaches `sequence`.

        `timeout` is in seconds; None waits without limit.
        """
        wait_in_slices(timeout, lambda limit: call(
            lib.plait_signal_wait, self.handle, sequence, limit), self.device.system)

    async def reach(self, sequence: int = 0) -> None:
        """Let the task wait until the signal reaches `sequence`; 0: the newest sequence
        number submitted so far."""
        inbox = self.device.system._inbox
        await Event(self.device.system, lambda number: call(
            lib.plait_signal_notify, self.handle, sequence, inbox.handle, RUN, number))
        call(lib.plait_signal_wait, self.handle, sequence, 0)

    def raise_to(self, sequence: int) -> None:
        """Raise a gate to a sequence number."""
        call(lib.plait_signal_raise, self.handle, sequence)

    def fail(self, text: str, origin: int = 1) -> None:
        """Fail a gate: every wait on it ends with this error."""
        call(lib.plait_signal_fail, self.handle, origin, encode(text))

    def reset(self) -> None:
        """Clear the failure of a signal that has no pending work."""
        call(lib.plait_signal_reset, self.handle)

    def __repr__(self):
        return "<plait.%s on %s>" % (self._called(), self.device.name)


class Event:
    """An awaitable event of an inbox."""

    def __init__(self, system, notify):
        self.system, self.notify = system, notify

    def __await__(self):
        return self.system._await(self.notify)


class Queue(Handle):
    """An in-order queue: its commands run one after another."""
    _release = lib.plait_queue_release
    __slots__ = ("device", "_kept")

    def __init__(self, device, handle, label=None) -> None:
        super().__init__(handle, label)
        self.device = device
        self._kept: List[Any] = []  # memory used by commands since the last finish()

    def launch(self, kernel: Kernel, *arguments: Any, items: Any = None, group: Any = None) -> None:
        """Submit a kernel; `items` and `group` are numbers or tuples of up to 3."""
        check_kernel(kernel)
        made = kernel._arguments(arguments)
        launch = kernel._geometry(items, group)
        call(lib.plait_queue_launch, self.handle, kernel.handle, byref(launch), made.array,
             len(made.array))

    def call(self, function: Callable[..., Any]) -> None:
        """Submit a call of a Python function, on the thread that owns the system."""
        check_function(function)
        self._submit(kind=_raw.PLAIT_COMMAND_CALL, function=RUN, user_data=once(function),
                     inbox=self.device.system._inbox.handle)

    def copy(self, target: Buffer, source: Buffer, size: Optional[int] = None,
             target_offset: int = 0, source_offset: int = 0, rows: Optional[Rows] = None) -> None:
        """Submit a copy of `size` bytes from buffer to buffer.

        The default size is that of the smaller buffer.  `rows` is a plait.Rows for
        a strided copy, where `size` is the size of one row.
        """
        check_integers("copy", target_offset=target_offset, source_offset=source_offset)
        size = copied(target, source, size, rows)
        where = (self.handle, target.handle, target_offset, source.handle, source_offset, size)
        if rows is None:
            call(lib.plait_queue_copy, *where)
        else:
            call(lib.plait_queue_copy_rows, *where, byref(rows._raw))

    def fill(self, target: Buffer, pattern: int = 0, pattern_bytes: int = 4,
             size: Optional[int] = None, offset: int = 0) -> None:
        """Submit a fill: repeat a pattern of `pattern_bytes` bytes over a buffer."""
        check_buffer(target, "fill: the target")
        check_integers("fill", pattern=pattern, pattern_bytes=pattern_bytes, size=size, offset=offset)
        call(lib.plait_queue_fill, self.handle, target.handle, offset,
             target.size - offset if size is None else size, pattern, pattern_bytes)

    def read(self, source: Buffer, data: Any, offset: int = 0, wait: bool = True) -> None:
        """Copy a buffer into `data` after the queue's commands, and wait.

        `data` is a writable object with the buffer protocol.  The queue keeps it
        alive until finish(): a predicate function can interrupt the wait.  Without
        `wait` the call submits the copy only, and `data` is complete after finish(),
        or when a signal reaches what the queue emits next.
        """
        check_buffer(source, "read: the source")
        pointer, size, keep = address_of(data, writable=True)
        if wait:
            with inside():
                call(lib.plait_queue_read, self.handle, source.handle, offset, pointer, size)
        else:
            self._submit(kind=_raw.PLAIT_COMMAND_READ, source=source.handle, source_offset=offset,
                         host=pointer, bytes=size)
        self._kept.append(keep)

    def write(self, target: Buffer, data: Any, offset: int = 0, wait: bool = True) -> None:
        """Copy `data` into a buffer after the queue's commands, and wait.

        The queue keeps `data` alive until finish(): a predicate function can
        interrupt the wait.  Without `wait` the call submits the copy only.  `data`
        must not change before finish().
        """
        check_buffer(target, "write: the target")
        pointer, size, keep = address_of(data)
        if wait:
            with inside():
                call(lib.plait_queue_write, self.handle, target.handle, offset, pointer, size)
        else:
            self._submit(kind=_raw.PLAIT_COMMAND_WRITE, target=target.handle, target_offset=offset,
                         host=pointer, bytes=size)
        self._kept.append(keep)

    def batch(self) -> Batch:
        """Return an empty batch: commands that the queue receives in one submission."""
        return Batch(self)

    def _submit(self, **fields):
        command = sized(_raw.plait_command, **fields)
        call(lib.plait_queue_submit, self.handle, byref(command), 1, None)

    def emit(self, signal: Signal) -> int:
        """Submit an emission of a signal; return its sequence number."""
        sequence = c_uint64()
        call(lib.plait_queue_emit, self.handle, handle_of(signal, "Signal", "emit"),
             byref(sequence))
        return sequence.value

    def wait(self, signal: Signal, sequence: int = 0) -> None:
        """Submit a wait: later commands start after the signal reaches `sequence`.

        The call does not block.  0: the newest sequence number submitted so far.
        """
        call(lib.plait_queue_wait, self.handle, handle_of(signal, "Signal", "wait"), sequence)

    def finish(self, timeout: Optional[float] = None) -> None:
        """Wait until all commands are done; raise the first failure.

        `timeout` is in seconds; None waits without limit.
        """
        system = self.device.system
        if (timeout is not None or system._coroutines or
                not ends_in_a_slice(lib.plait_queue_finish, self.handle, system)):
            wait_in_slices(timeout, lambda limit: call(
                lib.plait_queue_finish, self.handle, limit), system)
        self._kept.clear()

    def native(self, kind: str) -> int:
        """Return the native handle of the queue, such as "cl_queue" or "cu_stream"."""
        out = c_uint64()
        call(lib.plait_queue_native, self.handle, native_kind(kind), byref(out))
        return out.value

    def __repr__(self):
        return "<plait.%s on %s>" % (self._called(), self.device.name)
