# SPDX-License-Identifier: MIT
"""Commands that a queue receives in one submission."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_uint64
from typing import TYPE_CHECKING, Any, List, Optional

from . import _raw
from ._buffer import Buffer, Rows, check_buffer, check_integers, copied
from ._core import call, encode, handle_of, lib, sized
from ._kernel import Kernel, check_kernel

if TYPE_CHECKING:
    from ._queue import Queue, Signal


class Batch:
    """Commands for one submission: the queue receives all of them, or none.

        with queue.batch() as batch:
            batch.fill(y)
            batch.launch(kernel, y, items=100)

    The end of the block submits; an exception in the block submits nothing.
    """

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.sequence = 0
        self._commands: List[Any] = []
        self._kept: List[Any] = []  # what the commands refer to

    def __len__(self):
        return len(self._commands)

    def _add(self, kind, label, kept, **fields):
        text = encode(label)
        self._commands.append(sized(_raw.plait_command, kind=kind, label=text, **fields))
        self._kept.append((text, kept))

    def launch(self, kernel: Kernel, *arguments: Any, items: Any = None, group: Any = None,
               label: Optional[str] = None) -> None:
        """Add a kernel launch; `items` and `group` are numbers or tuples of up to 3."""
        check_kernel(kernel)
        made = kernel._arguments(arguments)
        launch = kernel._geometry(items, group)
        self._add(_raw.PLAIT_COMMAND_LAUNCH, label, (kernel, arguments, made, launch),
                  kernel=kernel.handle, launch=ctypes.addressof(launch),
                  arguments=ctypes.addressof(made.array) if arguments else None,
                  argument_count=len(arguments))

    def copy(self, target: Buffer, source: Buffer, size: Optional[int] = None, target_offset: int = 0,
             source_offset: int = 0, rows: Optional[Rows] = None, label: Optional[str] = None) -> None:
        """Add a copy from buffer to buffer; the parameters are those of Queue.copy."""
        check_integers("copy", target_offset=target_offset, source_offset=source_offset)
        size = copied(target, source, size, rows)
        self._add(_raw.PLAIT_COMMAND_COPY, label, (target, source, rows), target=target.handle,
                  target_offset=target_offset, source=source.handle, source_offset=source_offset,
                  bytes=size, rows=ctypes.addressof(rows._raw) if rows is not None else None)

    def fill(self, target: Buffer, pattern: int = 0, pattern_bytes: int = 4, size: Optional[int] = None,
             offset: int = 0, label: Optional[str] = None) -> None:
        """Add a fill: repeat a pattern of `pattern_bytes` bytes over a buffer."""
        check_buffer(target, "fill: the target")
        check_integers("fill", pattern=pattern, pattern_bytes=pattern_bytes, size=size, offset=offset)
        self._add(_raw.PLAIT_COMMAND_FILL, label, target, target=target.handle, target_offset=offset,
                  bytes=target.size - offset if size is None else size, pattern=pattern,
                  pattern_bytes=pattern_bytes)

    def emit(self, signal: Signal) -> None:
        """Add an emission of a signal; after submit() `sequence` is that of the last one."""
        self._add(_raw.PLAIT_COMMAND_EMIT, None, signal, signal=handle_of(signal, "Signal", "emit"))

    def wait(self, signal: Signal, sequence: int = 0) -> None:
        """Add a wait: later commands start after the signal reaches `sequence`; 0: the
        newest sequence number submitted so far."""
        self._add(_raw.PLAIT_COMMAND_WAIT, None, signal, signal=handle_of(signal, "Signal", "wait"),
                  sequence=sequence)

    def submit(self) -> int:
        """Submit the commands and empty the batch; return the sequence number of the last
        emission, or 0.  After a mistake the queue has received none of them."""
        commands = (_raw.plait_command * len(self._commands))(*self._commands)
        sequence = c_uint64()
        call(lib.plait_queue_submit, self.queue.handle, commands, len(commands), byref(sequence))
        # Labels must live until the commands are done.
        self.queue._kept.append([text for text, _ in self._kept])
        self.sequence = sequence.value
        self.clear()
        return self.sequence

    def clear(self) -> None:
        """Forget the commands."""
        self._commands, self._kept = [], []

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, kind, value, trace) -> None:
        if kind is None:
            self.submit()
        else:
            self.clear()

    def __repr__(self):
        return "<plait.Batch of %d commands for %r>" % (len(self), self.queue)
