# SPDX-License-Identifier: MIT
"""Flows: tasks with data, whose order is inferred."""
from __future__ import annotations

import contextlib
import ctypes
import struct
from ctypes import POINTER, byref, c_char, c_uint32, c_uint64, c_void_p, cast
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from . import _raw
from ._core import (Handle, call, chosen, encode, handle_of, inside, lib, local, make, plain, sized,
                    wait_in_slices)
from ._data import Access, Data, _served
from ._elements import ELEMENTS, element_of
from ._functions import RUN, _table, check_function, once
from ._kernel import convert, extents

if TYPE_CHECKING:
    from ._graph import Graph
    from ._kernel import Kernel
    from ._plan import Plan
    from ._queue import Signal
    from ._system import Device, System

_MODES = {"reads": _raw.PLAIT_ACCESS_READ, "writes": _raw.PLAIT_ACCESS_WRITE, "updates": _raw.PLAIT_ACCESS_READ_WRITE}
_PEERS = {"all": _raw.PLAIT_PEERS_ALL, "ring": _raw.PLAIT_PEERS_RING, "none": _raw.PLAIT_PEERS_NONE}
_CHOICES = {"earliest": _raw.PLAIT_CHOOSE_EARLIEST, "single": _raw.PLAIT_CHOOSE_SINGLE,
            "round-robin": _raw.PLAIT_CHOOSE_ROUND_ROBIN, "stream-aware": _raw.PLAIT_CHOOSE_STREAM_AWARE,
            "min-size": _raw.PLAIT_CHOOSE_MIN_SIZE, "minmin-time": _raw.PLAIT_CHOOSE_MINMIN_TIME,
            "minmax-time": _raw.PLAIT_CHOOSE_MINMAX_TIME}
_PARENTS = {"best": _raw.PLAIT_PARENT_BEST, "same": _raw.PLAIT_PARENT_SAME, "disjoint": _raw.PLAIT_PARENT_DISJOINT,
            "early-disjoint": _raw.PLAIT_PARENT_EARLY_DISJOINT,
            "device-disjoint": _raw.PLAIT_PARENT_DEVICE_DISJOINT}
_LANES = {"reuse": _raw.PLAIT_LANE_REUSE, "always-new": _raw.PLAIT_LANE_ALWAYS_NEW}
_FORMATS = {"text": _raw.PLAIT_FLOW_TEXT, "json": _raw.PLAIT_FLOW_JSON, "dot": _raw.PLAIT_FLOW_DOT,
            "svg": _raw.PLAIT_FLOW_SVG}


def _text(function, *arguments):
    needed = c_uint64()
    call(function, *arguments, None, 0, byref(needed))
    room = (c_char * max(needed.value, 1))()
    call(function, *arguments, room, len(room), byref(needed))
    return room.raw[:needed.value].decode("utf-8", "replace")


class Piece:
    """A kernel argument of a split launch: the items of the piece, `c: chunk`."""


chunk = Piece()


class Flow(Handle):
    """A stream of tasks.  Their order is inferred from the data that they access.

        with system.flow() as flow:
            u, v = flow.data("f", (n,), numbers), flow.data("f", (n,))
            for step in range(1000):
                flow(heat, u, v, n, items=n)
                u, v = v, u
            print(u[0])                           # waits for its writer

    Called with a kernel, a flow submits a launch; each task has a number.  The end of a
    `with` block waits for all tasks.
    """
    _release = lib.plait_flow_release
    __slots__ = ("system", "_calls", "_kept", "_captured")

    def __init__(self, system: System, *, window: int = 0, lanes: int = 0, record: bool = False,
                 strict: bool = False, check: bool = False, devices: Sequence[Device] = (),
                 choose: str = "earliest", parent: str = "best", lane: str = "reuse", device_lanes: int = 0,
                 threshold: int = 0, memory_bytes: int = 0, history: Optional[str] = None,
                 links: Optional[str] = None, fixed: bool = False, repeats: bool = False,
                 label: Optional[str] = None) -> None:
        handles = (c_void_p * len(devices))(
            *(handle_of(device, "Device of system.devices", "devices") for device in devices))
        desc = sized(_raw.plait_flow_desc, window=window, lanes=lanes, label=encode(label),
                     devices=cast(handles, POINTER(c_void_p)), device_count=len(devices),
                     choose=chosen("choose", choose, _CHOICES), parent=chosen("parent", parent, _PARENTS),
                     lane=chosen("lane", lane, _LANES), device_lanes=device_lanes, threshold=threshold,
                     memory_bytes=memory_bytes, history=encode(history), links=encode(links),
                     flags=(_raw.PLAIT_FLOW_RECORD if record else 0) |
                     (_raw.PLAIT_FLOW_STRICT if strict else 0) |
                     (_raw.PLAIT_FLOW_CHECK if check else 0) |
                     (_raw.PLAIT_FLOW_FIXED if fixed else 0) |
                     (_raw.PLAIT_FLOW_REPEATS if repeats else 0))
        super().__init__(make(lib.plait_flow_create, system.handle, byref(desc)), label)
        # Functions that may not have been called, and memory of tasks in flight.
        self.system, self._calls, self._kept = system, [], []
        # Tasks become nodes: those end after one call that use objects of Python.
        self._captured = False

    def __exit__(self, *error: Any) -> None:
        if error[0] is None:
            self.wait()
        self.release()

    def data(self, format: str, shape: Union[int, Sequence[int]] = (), initial: Any = None, *,
             label: Optional[str] = None) -> Data:
        """Create data of zeros, or with a copy of `initial`, an object with the buffer
        protocol.  `format` is a letter of the struct module, `shape` has the last axis
        innermost, and up to three; () is one element.  The `items` of a launch are in the
        opposite order, the first innermost: flow.data("f", (6, 8)), 6 rows of 8 elements, is
        launched with items=(8, 6), of which split=1 cuts the rows."""
        shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
        return Data(self, element_of(format).letter, shape, initial, label)

    def token(self, label: Optional[str] = None) -> Data:
        """Create a token, which has no memory and orders the tasks that name it."""
        return Data(self, None, (), None, label)

    def __call__(self, kernel: Kernel, *arguments: Any, items: Any = None, group: Any = None, split: int = 0,
                 pieces: int = 0, reads: Iterable[Any] = (), writes: Iterable[Any] = (),
                 updates: Iterable[Any] = (), label: Optional[str] = None, urgent: bool = False,
                 barrier: bool = False) -> int:
        """Submit a launch: values, data, accesses and plait.chunk for the parameters of the
        kernel.  `items` has the first dimension innermost: (8, 6) for data of shape (6, 8).
        `split`: how many of the outermost, the last ones, are cut into `pieces`.  Returns the
        number of the task."""
        kept: List[Any] = []
        made = self._arguments(kernel, arguments, kept)
        launch = kernel._geometry(items, group)
        return self._submit(_raw.PLAIT_TASK_LAUNCH, kept, reads, writes, updates, label, urgent, barrier,
                            kernel=kernel.handle, launch=ctypes.addressof(launch),
                            arguments=ctypes.addressof(made), argument_count=len(arguments), split=split,
                            pieces=pieces)

    def _arguments(self, kernel, given, kept):
        wanted = kernel.flow_parameters
        if len(given) != len(wanted):
            raise TypeError("%s takes %d arguments (%s), not %d" % (
                kernel.name, len(wanted), ", ".join(p[0] for p in wanted), len(given)))
        made = (_raw.plait_argument * max(len(given), 1))()
        for slot, (name, kind, target), one in zip(made, wanted, given):
            slot.size = ctypes.sizeof(_raw.plait_argument)
            what = "%s: argument %r" % (kernel.name, name)
            if isinstance(one, (Data, Access)):
                _check_element(one, kind, target, what)
                slot.kind, slot.value = _raw.PLAIT_ARGUMENT_ACCESS, ctypes.addressof(one._raw_access(kept))
            elif isinstance(one, Piece):
                slot.kind = _raw.PLAIT_ARGUMENT_CHUNK
            elif kind is None or not isinstance(kind, type) or not hasattr(kind, "_type_"):
                raise TypeError("%s needs data of the flow, not %r" % (what, one))
            else:
                value = convert(kind, one, what)
                kept.append(value)
                slot.kind, slot.bytes = _raw.PLAIT_ARGUMENT_VALUE, ctypes.sizeof(value)
                slot.value = ctypes.addressof(value)
        return made

    def call(self, function: Callable[..., Any], *arguments: Any, reads: Iterable[Any] = (),
             writes: Iterable[Any] = (), updates: Iterable[Any] = (), label: Optional[str] = None,
             barrier: bool = False) -> int:
        """Submit a Python function; it runs on the thread that owns the system, while that
        waits.  It may wait for tasks and data that are not behind its own task; for others
        the wait raises PLAIT_E_DEADLOCK.  Arguments that are data or accesses arrive as memoryviews of all of the
        data: for data.reads() read-only, and for data itself, which it updates, writable."""
        check_function(function)
        self._refuse_captured("a function that is called once; call it from the graph")
        kept: List[Any] = []
        given = [one if isinstance(one, Access) else Access(one).updates() if isinstance(one, Data) else None
                 for one in arguments]
        modes = [None if one is None else one._mode for one in given]

        def run():
            views = [one if access is None else access.data._view(mode == _raw.PLAIT_ACCESS_READ)
                     if access.data.format else access.data
                     for one, access, mode in zip(arguments, given, modes)]
            local.tasks += 1
            try:
                function(*views)
            finally:
                local.tasks -= 1
        extra = [one if one._mode else one.updates() for one in given if one is not None]
        number = once(run)
        try:
            task = self._submit(_raw.PLAIT_TASK_CALL, kept, reads, writes, updates, label or _name(function), False,
                                barrier, extra, function=RUN, user_data=number, inbox=self.system._inbox.handle)
        except BaseException:
            _table.pop(number, None)
            raise
        self._calls.append(number)
        return task

    def copy(self, target: Union[Data, Access], source: Union[Data, Access], label: Optional[str] = None) -> int:
        """Submit a copy between data, or boxes of data with the same shape."""
        kept: List[Any] = []
        into, out = target._raw_access(kept), source._raw_access(kept)
        return self._submit(_raw.PLAIT_TASK_COPY, kept, (), (), (), label, False, False, target=into.data,
                            target_box=into.box, source=out.data, source_box=out.box)

    def fill(self, target: Union[Data, Access], value: Any, label: Optional[str] = None) -> int:
        """Submit a fill: each element becomes `value`."""
        kept: List[Any] = []
        into = target._raw_access(kept)
        form = (target.data if isinstance(target, Access) else target)._form()
        room = bytearray(ELEMENTS[form].size)
        memoryview(room).cast(form)[0] = value
        return self._submit(_raw.PLAIT_TASK_FILL, kept, (), (), (), label, False, False, target=into.data,
                            target_box=into.box, pattern=int.from_bytes(room, "little"))

    def run(self, plan: Plan, *, reads: Iterable[Any] = (), writes: Iterable[Any] = (),
            updates: Iterable[Any] = (), label: Optional[str] = None) -> int:
        """Submit a run of a plan without parameters, which accesses this data."""
        return self._submit(_raw.PLAIT_TASK_PLAN, [plan], reads, writes, updates, label, False, False,
                            plan=handle_of(plan, "Plan", "run"))

    def emit(self, signal: Signal, *, reads: Iterable[Any] = (), writes: Iterable[Any] = ()) -> int:
        """Submit the next emission of a signal, behind the tasks that the accesses name."""
        return self._submit(_raw.PLAIT_TASK_EMIT, [], reads, writes, (), None, False, False,
                            signal=handle_of(signal, "Signal", "emit"))

    def wait_for(self, signal: Signal, sequence: int = 0, *, reads: Iterable[Any] = (),
                 writes: Iterable[Any] = ()) -> int:
        """Submit a wait for an emission; 0: the newest one."""
        return self._submit(_raw.PLAIT_TASK_WAIT, [], reads, writes, (), None, False, False,
                            signal=handle_of(signal, "Signal", "wait_for"), sequence=sequence)

    def _submit(self, kind, kept, reads, writes, updates, label, urgent, barrier, extra=(), **fields):
        accesses = [one._raw_access(kept) for one in extra]
        for mode, given in (("reads", reads), ("writes", writes), ("updates", updates)):
            accesses += [_access(one, mode)._raw_access(kept) for one in given]
        table = (_raw.plait_access * max(len(accesses), 1))(*accesses)
        name = _labels.setdefault(label, encode(label))
        desc = sized(_raw.plait_task_desc, kind=kind, label=name, priority=1 if urgent else 0,
                     flags=_raw.PLAIT_TASK_BARRIER if barrier else 0, accesses=ctypes.addressof(table),
                     access_count=len(accesses), **fields)
        task = c_uint64()
        _served(self.system, lib.plait_flow_submit, self.handle, byref(desc), byref(task))
        return task.value

    def _transfer(self, kind, memory, pointer, **fields):
        """Copy to or from memory, and wait; the memory lives as long as the task."""
        self._refuse_captured("a wait for tasks that do not run")
        entry = (memory, pointer)
        self._kept.append(entry)
        task = self._submit(kind, [], (), (), (), None, False, False, host=pointer, **fields)
        self._wait(task, None)
        self._kept.remove(entry)

    def _wait(self, task, timeout):
        wait_in_slices(timeout, lambda limit: call(lib.plait_flow_wait, self.handle, task, limit), self.system)

    def wait(self, task: int = 0, timeout: Optional[float] = None) -> None:
        """Wait for a task, or for all; raise the failure of the task, or the first one that
        was not raised.  `timeout` is in seconds."""
        calls = len(self._calls)
        self._wait(task, timeout)
        if task == 0:
            # Functions of tasks that were not run.
            for number in self._calls[:calls]:
                _table.pop(number, None)
            del self._calls[:calls], self._kept[:]

    def __await__(self):
        yield from self.system._await(lambda number: call(
            lib.plait_flow_notify, self.handle, 0, self.system._inbox.handle, RUN, number))
        self._wait(0, 0)

    def _refuse_captured(self, what):
        if self._captured:
            raise RuntimeError("the flow is captured, which refuses " + what)

    def _end_capture(self):
        self._captured = False
        call(lib.plait_flow_capture, self.handle, None)

    @contextlib.contextmanager
    def capture(self, graph: Graph) -> Iterator[None]:
        """Turn the tasks that a block submits into nodes of a graph, and their order into
        edges; they do not run.

            graph = system.graph()
            with flow.capture(graph):
                flow(heat, u, v, n, items=n)
            plan = graph.freeze()

        The number of a task is that of its node.  Functions are refused, and waits for data.
        """
        call(lib.plait_flow_capture, self.handle, handle_of(graph, "Graph", "capture"))
        self._captured = True
        try:
            yield
        finally:
            self._end_capture()

    def repeat(self, key: int, body: Callable[[], Any]) -> int:
        """Run a repetition of tasks as one task: those that body() submits.  It is called for a
        new `key` only, under a capture; later calls run the same tasks again.  Values are
        those of the first time.  Returns the number of the run."""
        task, asked = c_uint64(), key
        _served(self.system, lib.plait_flow_repeat, self.handle, asked, byref(task))
        if task.value:
            return task.value
        self._captured = True
        try:
            body()
        except BaseException:
            self._end_capture()
            raise
        self._captured, asked = False, 0
        with inside():
            while call(lib.plait_flow_repeat, self.handle, asked, byref(task)) == _raw.PLAIT_EVENT_READY:
                self.system.pump()
                asked = key  # known by now
        return task.value

    def cancel(self) -> None:
        """End all tasks submitted so far that have not begun."""
        call(lib.plait_flow_cancel, self.handle)

    def query(self) -> Any:
        """Return the properties: window, lanes, newest, settled, failed, pieces and others."""
        info = sized(_raw.plait_flow_info)
        call(lib.plait_flow_query, self.handle, byref(info))
        return plain(info)

    def split(self, items: Any, split: int = 1, pieces: int = 0) -> List[Tuple[Tuple[int, int], ...]]:
        """Return the chunks of a launch: for each, (begin, end) of each dimension of `items`."""
        sizes = extents(items, "items")
        launch = sized(_raw.plait_launch, dimensions=len(sizes))
        launch.items[:len(sizes)] = sizes
        desc = sized(_raw.plait_task_desc, launch=ctypes.addressof(launch), split=split, pieces=pieces)
        boxes, count = (_raw.plait_box * 256)(), c_uint64()
        call(lib.plait_flow_split, self.handle, byref(desc), boxes, len(boxes), byref(count))
        return [tuple((box.low[d], box.high[d]) for d in range(len(sizes))) for box in boxes[:count.value]]

    def read(self, text: str, name: Optional[str] = None) -> None:
        """Submit the tasks of a text, which do nothing; see doc/flow-text.md."""
        code = text.encode()
        call(lib.plait_flow_read, self.handle, code, len(code), encode(name))

    def write(self, format: str = "text") -> str:
        """Return the tasks of a flow with `record`, and why each waits for others, as "text",
        "json", "dot" or "svg"."""
        return _text(lib.plait_flow_write, self.handle, chosen("format", format, _FORMATS))

    def instructions(self, devices: int, peers: str = "all", shared: bool = False, lookahead: bool = True,
                     format: str = "text", choose: str = "earliest", parent: str = "best", lane: str = "reuse",
                     lanes: Optional[int] = 1, memory_bytes: int = 0, links: Optional[str] = None,
                     strict: bool = False, weights: Sequence[int] = ()) -> str:
        """Return what the tasks of a flow with `record` would do on devices with memories, as
        "text" or "json"; see doc/flow-memories.md. `peers`: memories that copy to each other
        directly: "all", "ring" or "none". `shared`: the devices have one memory in all. Without
        `lookahead` blocks grow when a task needs it. `choose`, `parent`, `lane`: policies for
        devices and lanes. `lanes`: per device, None: no limit. `memory_bytes`: of each memory of
        devices, 0: no limit. `links`: lines "From,To,Bandwidth". `strict`: warnings are an error.
        `weights`: each device's share of the pieces of a split launch."""
        if weights and len(weights) != devices:
            raise ValueError("instructions: %d weights for %d devices" % (len(weights), devices))
        shares = (c_uint32 * len(weights))(*weights) if weights else None
        flags = ((_raw.PLAIT_MEMORIES_SHARED if shared else 0) |
                 (0 if lookahead else _raw.PLAIT_MEMORIES_NO_LOOKAHEAD) |
                 (_raw.PLAIT_MEMORIES_STRICT if strict else 0))
        desc = sized(_raw.plait_memories_desc, devices=devices, peers=chosen("peers", peers, _PEERS), flags=flags,
                     choose=chosen("choose", choose, _CHOICES), parent=chosen("parent", parent, _PARENTS),
                     lane=chosen("lane", lane, _LANES), lanes=0xffffffff if lanes is None else lanes,
                     memory_bytes=memory_bytes, links=encode(links),
                     weights=cast(shares, POINTER(c_uint32)) if weights else None)
        return _text(lib.plait_flow_write_instructions, self.handle, byref(desc), chosen("format", format, _FORMATS))

    def explain(self) -> str:
        """Return the tasks of a flow with `record`, and why each waits for others."""
        return self.write("text")


# Labels live until their tasks are done: as long as the process.
_labels = {None: None}


def _name(function):
    name = getattr(function, "__name__", None)
    return name if name != "<lambda>" else None


def _access(one, mode):
    if isinstance(one, Data):
        return getattr(one, mode)()
    if isinstance(one, Access):
        return getattr(one, mode)()
    raise TypeError("%s: give it data or accesses, not %r" % (mode, one))


def _check_element(one, kind, target, what):
    """Raise TypeError if the elements of data are not those of the pointer."""
    data = one.data if isinstance(one, Access) else one
    if kind is not None:
        raise TypeError("%s is not a pointer" % what)
    have = ELEMENTS[data._form()].kernel
    if target is not None and have not in (None, target) and data.format not in ("B", "c"):
        raise TypeError("%s is a pointer to %s, the data has %s" % (what, target, have))
