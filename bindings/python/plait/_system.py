# SPDX-License-Identifier: MIT
"""The system (a plait_context with an inbox), and its devices."""
from __future__ import annotations

import asyncio
import collections
import contextlib
import os
import re
import threading
import warnings
from ctypes import byref, c_int32, c_uint32, c_uint64, c_void_p
from typing import (TYPE_CHECKING, Any, Deque, Dict, Iterable, Iterator, List, Optional, Sequence,
                    Tuple, Union)

from . import _raw
from ._buffer import Buffer, view_of
from ._elements import element_of
from ._core import (FOREVER, Error, Handle, WaitTimeout, call, calling, encode, handle_of, held_by,
                    inside, lib, make, nanoseconds, native_kind, place, plain, sized, text_of,
                    wait_in_slices)
from ._coroutine import Coroutines
from ._functions import answer, once
from ._kernel import Kernel
from ._queue import Event, Queue, Signal

if TYPE_CHECKING:
    from ._coll import Coll, Schedule
    from ._flow import Flow
    from ._graph import Graph
    from ._plan import Plan
    from ._world import World

_CAPABILITIES = {name[len("PLAIT_DEVICE_"):].lower(): value
                 for name, value in vars(_raw).items() if name.startswith("PLAIT_DEVICE_")}
# An event loop whose devices need it gives the thread to plait for so long, in
# nanoseconds, and looks again after so long, in seconds, if that was of no use.
SLICE_NS, PAUSE = 1000000, 0.001
# close() runs signal handlers so often, and tells so late that it still waits, in seconds.
CLOSE_SLICE, CLOSE_TOLD = 0.05, 5


def context_desc(backend, workers, options, wrap, plugin_path, sync):
    flags = _raw.PLAIT_CONTEXT_SYNC if sync else 0
    if workers == 0:
        flags |= _raw.PLAIT_CONTEXT_NO_WORKERS
    return sized(_raw.plait_context_desc, flags=flags, workers=workers or 0,
                 backends=encode(backend), options=encode(options), wrap=encode(wrap),
                 plugin_path=encode(plugin_path))


def is_stopping() -> bool:
    """Return True inside a function of a run that was stopped, which can then return
    early."""
    if calling.get() is not None:
        return bool(lib.plait_inbox_is_stopping(*calling.get()))
    return bool(lib.plait_run_is_stopping())


def backend_report(backend: Optional[str] = None, *, workers: Optional[int] = None,
                   options: Optional[str] = None, wrap: Optional[str] = None,
                   plugin_path: Optional[str] = None, sync: bool = False) -> str:
    """Return what plait.open() with these options would find, without opening it."""
    desc = context_desc(backend, workers, options, wrap, plugin_path, sync)
    return text_of(lib.plait_backend_report, byref(desc))


class System(Handle):
    """An open context: its devices, and the inbox for Python functions.

        with plait.open() as system:
            device = system.devices[0]

    The thread that opens the system owns its inbox: Python functions run on that
    thread, while it waits for an object of plait or calls pump().
    """
    _release = lib.plait_context_release
    __slots__ = ("devices", "_inbox", "_coroutines", "_awaited", "_forgotten", "_needs_pump", "_waiting",
                 "_attached", "_tick")

    def __init__(self, backend: Optional[str] = None, *, workers: Optional[int] = None,
                 options: Optional[str] = None, wrap: Optional[str] = None,
                 plugin_path: Optional[str] = None, sync: bool = False) -> None:
        desc = context_desc(backend, workers, options, wrap, plugin_path, sync)
        self._inbox: Any = None
        self._coroutines = Coroutines()
        self._awaited: Optional[asyncio.AbstractEventLoop] = None
        # Awaits in progress, whether the program attached a loop, and the timer that
        # pumps for them.
        self._waiting, self._attached, self._tick = 0, False, None
        # Released runs in flight: each entry keeps a plan, and so its functions.
        self._forgotten: Deque[Tuple[int, Plan]] = collections.deque()
        super().__init__(make(lib.plait_context_open, byref(desc)))
        self._inbox = Inbox(make(lib.plait_inbox_create, self.handle))
        count = c_uint32()
        call(lib.plait_context_device_count, self.handle, byref(count))
        self.devices: List[Device] = [
            Device(self, make(lib.plait_context_device, self.handle, i)) for i in range(count.value)]
        self._needs_pump = any("needs_pump" in device.capabilities for device in self.devices)

    def device(self, name: str) -> Device:
        """Return the device with that name, such as "host:0"."""
        found = make(lib.plait_context_find_device, self.handle, encode(name))
        return next(d for d in self.devices if d.handle == found)

    @property
    def report(self) -> str:
        """The report of the backends that were found, chosen and rejected, and why."""
        return text_of(lib.plait_context_report, self.handle)

    def kernel(self, signature: str, source: Union[str, Dict[str, str], None] = None, *,
               library: Optional[str] = None, symbol: Optional[str] = None, function: Any = None,
               defines: Optional[str] = None, options: Optional[str] = None,
               file: Optional[str] = None, before: Sequence[Tuple[str, str]] = (),
               strict: bool = False, fast: bool = False, no_alias: bool = False, grain: int = 0) -> Kernel:
        """Create a kernel; see plait.Kernel."""
        return Kernel(self, signature, source, library=library, symbol=symbol, function=function,
                      defines=defines, options=options, file=file, before=before, strict=strict,
                      fast=fast, no_alias=no_alias, grain=grain)

    def kernels(self, folder: str, *names: str) -> List[Kernel]:
        """Create kernels from files of portable source, FOLDER/NAME.plk for each
        name; the comment NAME(...) in the file is the signature."""
        return [self._read(folder, name) for name in names]

    def _read(self, folder, name):
        path = os.path.join(folder, name + ".plk")
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            raise type(error)(error.errno, "kernels: %s; give the folder with %s.plk, absolute or "
                              "relative to %s" % (error.strerror, name, os.getcwd()), path) from None
        found = re.search(r"/\*\s*(%s\s*\([^*]*\))\s*\*/" % re.escape(name), text)
        if not found:
            raise ValueError("%s has no comment with the signature %s(...)" % (path, name))
        return self.kernel(" ".join(found.group(1).split()), text, file=path)

    def graph(self) -> Graph:
        """Create an empty graph; see plait.Graph."""
        from ._graph import Graph
        return Graph(self, make(lib.plait_graph_create, self.handle))

    def read_graph(self, text: str, name: Optional[str] = None) -> Graph:
        """Create a graph from its text form; see plait-graph(5).  `name` is that of the
        file, for errors."""
        from ._graph import Graph
        code = text.encode()
        return Graph(self, make(lib.plait_graph_read, self.handle, code, len(code), encode(name)))

    @contextlib.contextmanager
    def capture(self, *queues: Queue, local_signals: bool = False) -> Iterator[Graph]:
        """Turn what a block submits to queues into a graph.

            with system.capture(first, second) as graph:
                submit_work(first, second)
            plan = graph.freeze()

        The graph is there when the block has ended.  Emissions become edges to waits, and
        nodes unless `local_signals`; reads and writes without waiting are nodes whose
        memory each run gives as `host0`, `host1`, ...  Functions are refused, and calls
        that wait.
        """
        from ._graph import Graph
        handles = (c_void_p * len(queues))(
            *(handle_of(queue, "Queue", "capture") for queue in queues))
        call(lib.plait_queue_capture, handles, len(queues), _raw.PLAIT_CAPTURE_NO_CALLS |
             (_raw.PLAIT_CAPTURE_LOCAL_SIGNALS if local_signals else 0))
        graph = Graph(self, None)
        try:
            yield graph
        finally:
            graph._handle = make(lib.plait_queue_end_capture, queues[0].handle)

    def flow(self, *, window: int = 0, lanes: int = 0, record: bool = False, strict: bool = False,
             check: bool = False, devices: Sequence[Device] = (), choose: str = "earliest",
             parent: str = "best", lane: str = "reuse", device_lanes: int = 0, threshold: int = 0,
             memory_bytes: int = 0, history: Optional[str] = None, links: Optional[str] = None,
             fixed: bool = False, repeats: bool = False, label: Optional[str] = None) -> Flow:
        """Create a flow: tasks with data, whose order is inferred; see plait.Flow.
        `window`: tasks that may be not done; `lanes`: tasks that run at a time; 0: the
        library chooses.  `record`: keep the tasks for Flow.explain; `strict`: so, and refuse
        tasks that it would warn of; `check`: prove the order while it runs.  `devices`: where
        launches run; none: on the host; `choose`, `parent`, `lane`: policies for devices and
        lanes, as of Flow.instructions; `device_lanes`: queues of each device, 0: one; `threshold`: per
        mille, of "min_size" and the like; `memory_bytes`: of buffers in each memory of devices,
        others are evicted; 0: no limit; `history`: a file of measured times, read and written;
        `links`: a file of lines From,To,Bandwidth in GB/s, the host is -1; `fixed`: times decide
        nothing, so equal calls give equal texts; `repeats`: find tasks that repeat, and run
        them as one."""
        from ._flow import Flow
        return Flow(self, window=window, lanes=lanes, record=record, strict=strict, check=check,
                    devices=devices, choose=choose, parent=parent, lane=lane,
                    device_lanes=device_lanes, threshold=threshold, memory_bytes=memory_bytes,
                    history=history, links=links, fixed=fixed, repeats=repeats, label=label)

    def coll(self, kind: str, ranks: int, *, algorithm: Optional[str] = None, chunks: int = 0, root: int = 0,
             in_place: bool = False, inputs: int = 0, outputs: int = 0, promises: Any = None,
             label: Optional[str] = None) -> Coll:
        """Create a chunk program for a collective ("allreduce", "allgather", ...); see
        plait.Coll.  `chunks` of a rank's share; `algorithm` is a known one ("ring", "tree",
        ...).  A "custom" one has `inputs` and `outputs` chunks, and promises
        {(rank, chunk): [(rank, chunk), ...]}: an output chunk is the sum of input chunks."""
        from ._coll import Coll
        return Coll.create(self, kind, ranks, algorithm=algorithm, chunks=chunks, root=root, in_place=in_place,
                           inputs=inputs, outputs=outputs, promises=promises, label=label)

    def read_coll(self, text: str, name: Optional[str] = None, *, ranks: int = 0, chunks: int = 0) -> Coll:
        """Create a chunk program from its text form; see doc/coll-text.md."""
        from ._coll import Coll
        return Coll.read(self, text, name, ranks=ranks, chunks=chunks)

    def read_schedule(self, data: Union[str, bytes], name: Optional[str] = None) -> Schedule:
        """Read a schedule: MSCCL XML of any dialect, or what Schedule.write returned."""
        from ._coll import Schedule
        return Schedule.read(self, data, name)

    def world(self, transports: Optional[str] = None, *, rank: int = 0, ranks: int = 0,
              open_time: Optional[float] = None, silence: Optional[float] = None) -> World:
        """Open a world of processes; see plait.World.  `transports` is "shm,mpi", by default
        PLAIT_TRANSPORT; 0 ranks: a launcher says rank and ranks.  The others have
        `open_time` seconds to come, by default 60; a call in which nothing moves for
        `silence` seconds fails, by default never."""
        from ._world import World
        return World.open(self, transports, rank, ranks, open_time, silence)

    def load(self, path: Union[str, os.PathLike[str]]) -> Plan:
        """Read a plan from a file that Plan.save wrote, in any language.  Its names have
        to be bound before it runs: Plan.bindings, Plan.bind_kernel and others."""
        from ._plan import Plan
        return Plan(self, make(lib.plait_plan_load, self.handle, os.fsencode(path)))

    def read(self, data: bytes) -> Plan:
        """Read a plan from what Plan.bytes returned; see load()."""
        from ._plan import Plan
        return Plan(self, make(lib.plait_plan_read, self.handle, data, len(data)))

    def wait(self, points: Iterable[Tuple[Signal, int]], any: bool = False,
             timeout: Optional[float] = None) -> int:
        """Wait until signals reach sequence numbers: [(signal, sequence), ...].

        All of them, or with `any` one, whose index is the result.  `timeout` is in
        seconds; None waits without limit.
        """
        points = list(points)
        array = (_raw.plait_point * max(len(points), 1))()
        for slot, (signal, sequence) in zip(array, points):
            slot.signal, slot.sequence = handle_of(signal, "Signal", "wait"), sequence
        index, mode = c_uint64(), _raw.PLAIT_WAIT_ANY if any else _raw.PLAIT_WAIT_ALL
        wait_in_slices(timeout, lambda limit: call(
            lib.plait_signal_wait_points, array, len(points), mode, limit, byref(index)), self)
        return index.value

    def pump(self) -> int:
        """Run the Python functions that are pending for this thread; return their
        number."""
        self._sweep()
        count, total = c_uint64(), 0
        while call(lib.plait_inbox_pump, self._inbox.handle, 0,
                   byref(count)) == _raw.PLAIT_EVENT_READY:
            total += count.value + self._answer()
        self._coroutines.turn()
        return total + count.value

    def _forget(self, run, plan):
        self._forgotten.append((run, plan))

    def _sweep(self, most=32):
        """Release up to `most` forgotten runs that are done.  The garbage collector
        may append or sweep on any thread meanwhile; popleft() gives each entry to
        one thread."""
        for _ in range(min(len(self._forgotten), most)):
            try:
                run, plan = self._forgotten.popleft()
            except IndexError:
                return
            if lib.plait_run_poll(run, None) == _raw.PLAIT_PENDING:
                self._forgotten.append((run, plan))
            else:
                lib.plait_run_release(run)

    def _answer(self):
        """Pull one event; evaluate a predicate and reply, or begin a coroutine.

        An exception of a signal handler may come at any place, and a run whose call
        is not answered never ends: so the call is answered in any case, and the
        library refuses a second answer.
        """
        event, inbox, answered = sized(_raw.plait_event), self._inbox.handle, False
        try:
            call(lib.plait_inbox_next, inbox, byref(event))
            if event.kind != _raw.PLAIT_EVENT_CALL or event.status != _raw.PLAIT_OK:
                answered = True
                return 0
            token = calling.set((inbox, event.id))
            try:
                found = answer(event.user_data, lambda coroutine: self._coroutines.begin(inbox, event.id, coroutine))
            finally:
                calling.reset(token)
            if found is not None:
                call(lib.plait_inbox_answer, inbox, event.id, found[0], encode(found[1]))
            answered = True
            return 1
        finally:
            if not answered and event.kind == _raw.PLAIT_EVENT_CALL:
                lib.plait_inbox_answer(inbox, event.id, -1, b"was interrupted", None)

    def descriptor(self) -> int:
        """Return a file descriptor that is readable while pump() has work, for event
        loops."""
        out = c_int32()
        call(lib.plait_inbox_descriptor, self._inbox.handle, byref(out))
        return out.value

    def adopt(self) -> None:
        """Make the calling thread the owner, on which Python functions run."""
        call(lib.plait_inbox_adopt, self._inbox.handle)

    def attach(self, loop: Optional[asyncio.AbstractEventLoop] = None) -> None:
        """Let an asyncio loop call pump() from now on: when the descriptor is readable,
        and where a device needs it, by a timer.  Awaiting attaches the loop meanwhile."""
        self._watch(loop or asyncio.get_running_loop())
        self._waiting, self._attached = self._waiting - 1, True

    def _watch(self, loop):
        """Count one await; an earlier loop is forgotten."""
        if self._awaited is not loop:
            self._forget_loop()
            self._awaited = loop
            loop.add_reader(self.descriptor(), self.pump)
        self._waiting += 1
        if self._needs_pump and self._tick is None:
            self._tick = loop.call_soon(self._drive, loop)

    def _forget_loop(self):
        loop, self._awaited = self._awaited, None
        if self._tick is not None:
            self._tick.cancel()
        self._waiting, self._tick, self._attached = 0, None, False
        if loop is not None and not loop.is_closed():
            loop.remove_reader(self.descriptor())

    def _drive(self, loop):
        """Progress devices that need a pump, for a moment, while anything is awaited."""
        self._tick = None
        if self._awaited is not loop or not (self._waiting or self._attached) or self._handle is None:
            return
        status = lib.plait_inbox_wait(self._inbox.handle, SLICE_NS, None)
        self.pump()
        if self._awaited is loop and self._tick is None:
            # Nothing can happen by itself: the loop has to do something first.
            pause = PAUSE if status < 0 and status != _raw.PLAIT_E_TIMEOUT else 0
            self._tick = loop.call_later(pause, self._drive, loop)

    def _await(self, notify):
        """Let the running task wait for the event that notify(number) asks for."""
        loop = asyncio.get_running_loop()
        future, own = loop.create_future(), self._coroutines.owns(loop)
        if own:
            self._coroutines.awaiting += 1
        else:
            self._watch(loop)
        try:
            notify(once(lambda: future.done() or future.set_result(None)))
            yield from future.__await__()
        finally:
            if own:
                self._coroutines.awaiting -= 1
            elif self._awaited is loop:
                self._waiting -= 1

    def release(self) -> None:
        """Close the inbox and drop the reference.

        Calls of Python functions that have not been answered fail as cancelled.
        Objects made from the system may be released before or after it.
        """
        super().release()

    def close(self, timeout: Optional[float] = 60) -> None:
        """Release the system and wait until all its work, memory and threads are gone
        and traces are written.

        Release the objects made from the system before; any of them keeps it alive, and
        a Node its graph.  `timeout` is in seconds, 60 by default; None waits without a
        limit.  After 5 seconds a warning names the objects, and so does the WaitTimeout;
        after it, and after Ctrl-C, the system is released all the same, and ends later;
        after an Error with PLAIT_E_LOST it never ends: a backend does not tell the end of
        work.  After one with PLAIT_E_FAILED it has ended, and a flow over ranks had failed
        without the error of a call.
        """
        handle = self.handle
        self._part()
        self._handle, self._gone = None, place()
        try:
            self._close(handle, FOREVER if timeout is None else nanoseconds(timeout))
        except WaitTimeout as error:
            held = held_by(self)
            if not held:
                raise
            raise WaitTimeout(error.status, "%s; this program holds %s" % (error.text, held),
                              error.origin) from None
        except Error as error:
            if error.status not in (_raw.PLAIT_E_LOST, _raw.PLAIT_E_FAILED):
                self._handle = handle  # the call gave nothing back
            raise

    def _close(self, handle, timeout_ns):
        """Close on another thread, since this one has to run signal handlers.  A second
        call cannot go on with a close that timed out: the first gave the reference back."""
        ended, failed = threading.Event(), []

        def close():
            try:
                call(lib.plait_context_close, handle, timeout_ns)
            except BaseException as error:  # raised by the thread that closes
                failed.append(error)
            ended.set()
        threading.Thread(target=close, name="plait-close", daemon=True).start()
        slices = max(int(CLOSE_TOLD / CLOSE_SLICE), 1)
        while not ended.wait(CLOSE_SLICE):
            slices -= 1
            if slices == 0:
                warnings.warn("close: the system still waits; release %s" % (
                    held_by(self) or "what other languages hold"), RuntimeWarning, stacklevel=3)
        if failed:
            raise failed[0]

    def _part(self):
        """Give back all but the context."""
        if self._inbox is not None and self._inbox._handle is not None:
            self._forget_loop()
            self._coroutines.close()
            self._let_go()
            self._inbox.release()
        while self._forgotten:
            lib.plait_run_release(self._forgotten.popleft()[0])

    def _drop(self):
        self._part()
        super()._drop()

    def _let_go(self):
        """Close the inbox and serve its release events only.  Wrapped memory that is
        still in use leaks: no later event reports its release."""
        inbox, event = self._inbox._handle, sized(_raw.plait_event)
        if inbox is None:
            return
        lib.plait_inbox_close(inbox, None)
        while lib.plait_inbox_next(inbox, byref(event), None) == _raw.PLAIT_OK:
            if event.kind == _raw.PLAIT_EVENT_RELEASED and event.status == _raw.PLAIT_OK and event.function:
                _raw.plait_host_function(event.function)(event.user_data)

    def __repr__(self):
        return "<plait.System %s>" % ", ".join(d.name for d in self.devices)


class Inbox(Handle):
    _release = lib.plait_inbox_release
    __slots__ = ()


class Device:
    """A processor with memory that runs kernels, as a backend reports it."""

    def __init__(self, system, handle) -> None:
        self.system, self.handle = system, handle
        info = self._query()
        self.name, self.backend = info.name.decode(), info.backend.decode()
        self.description = info.description.decode()
        self.capabilities = frozenset(name for name, bit in _CAPABILITIES.items()
                                      if info.capabilities & bit)

    def _query(self):
        info = sized(_raw.plait_device_info)
        call(lib.plait_device_query, self.handle, byref(info))
        return info

    def query(self) -> Any:
        """Return the properties of the device: the fields of plait_device_info."""
        return plain(self._query())

    def native(self, kind: str) -> int:
        """Return a native handle, such as "cl_device" or "cu_context"."""
        out = c_uint64()
        call(lib.plait_device_native, self.handle, native_kind(kind), byref(out))
        return out.value

    def link_to(self, other: Optional["Device"] = None) -> Any:
        """Return how copies get from the device's memory to that of `other`, None: of the
        program: the fields of plait_link_info."""
        info = sized(_raw.plait_link_info)
        call(lib.plait_device_query_link, self.handle, other and other.handle, byref(info))
        return plain(info)

    def link_from(self, other: Optional["Device"] = None) -> Any:
        """Return how copies get from the memory of `other`, None: of the program, to that of
        the device: the fields of plait_link_info."""
        info = sized(_raw.plait_link_info)
        call(lib.plait_device_query_link, other and other.handle, self.handle, byref(info))
        return plain(info)

    @property
    def used_bytes(self) -> int:
        """The total size of the device's buffers, in bytes."""
        return self.query().used_bytes

    def set_budget(self, count: int) -> None:
        """Limit the total size of the device's buffers, in bytes; 0: no limit."""
        call(lib.plait_device_set_budget, self.handle, count)

    def queue(self, label: Optional[str] = None, priority: int = 0, capacity: int = 0,
              native: Optional[Tuple[str, int]] = None) -> Queue:
        """Create an in-order queue.  `capacity`: most pending commands; 0: 2^20.
        `native`: submit to this queue of the driver, ("cu_stream", handle)."""
        kind, handle = (native_kind(native[0]), native[1]) if native else (0, 0)
        desc = sized(_raw.plait_queue_desc, label=encode(label), priority=priority,
                     capacity=capacity, native_kind=kind, native=handle)
        return Queue(self, make(lib.plait_queue_create, self.handle, byref(desc)), label)

    def signal(self, label: Optional[str] = None, gate: bool = False) -> Signal:
        """Create a signal, or with `gate` one that the program raises."""
        desc = sized(_raw.plait_signal_desc, label=encode(label),
                     flags=_raw.PLAIT_SIGNAL_GATE if gate else 0)
        return Signal(self, make(lib.plait_signal_create, self.handle, byref(desc)), label)

    def buffer(self, size: int, label: Optional[str] = None) -> Buffer:
        """Create a buffer of `size` bytes."""
        return Buffer.create(self, size, label)

    def image(self, width: int, height: int, format: str = "r32f", label: Optional[str] = None) -> Buffer:
        """Create an image of `width` times `height` pixels for kernels with parameters of
        type image.  `format` is "r32f", "rgba32f" or "rgba8"; copies, reads and writes in a
        queue or graph move whole rows.  The argument of a sampler is the sum of
        plait.SAMPLER_LINEAR and plait.SAMPLER_ZERO, or 0."""
        return Buffer.image(self, width, height, format, label)

    def array(self, data: Any, label: Optional[str] = None) -> Buffer:
        """Create a buffer with a copy of `data`: an object with the buffer protocol
        (a NumPy array, for example), with or without strides."""
        view = view_of(data, "array")
        element_of(view.format)
        made = Buffer.create(self, max(view.nbytes, 1), label)
        made._has(view)
        made.write(view)
        return made

    def wrap(self, data: Any, label: Optional[str] = None) -> Buffer:
        """Create a buffer on the memory of `data`, without a copy.

        The buffer keeps `data` alive until no command uses the memory; pump() or a
        wait then releases it.
        """
        return Buffer.wrap(self, data, label)

    def from_dlpack(self, data: Any, label: Optional[str] = None) -> Buffer:
        """Create a buffer on the memory of a tensor with `__dlpack__` (NumPy,
        PyTorch...), without a copy; the tensor may have strides.

        The tensor stays alive until no command uses the memory; pump() or a wait
        then releases it.
        """
        return Buffer.from_dlpack(self, data, label)

    def __repr__(self):
        return "<plait.Device %s: %s>" % (self.name, self.description)
