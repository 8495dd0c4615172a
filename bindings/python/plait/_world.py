# SPDX-License-Identifier: MIT
"""Worlds: ranks that are processes, and the collectives of all of them."""
from __future__ import annotations

from ctypes import byref, c_uint64, c_void_p
from typing import TYPE_CHECKING, Iterable, Optional, Sequence, Union

from . import _buffer, _raw
from ._coll import _ELEMENTS, _REDUCTIONS
from ._core import Handle, call, chosen, encode, handle_of, lib, make, nanoseconds, sized, text_of

if TYPE_CHECKING:
    from ._buffer import Buffer
    from ._coll import Schedule
    from ._queue import Queue
    from ._system import Device


def call_of(count, element, op, input, output):
    """Return the arguments of a call for C, and the buffers that they refer to."""
    kind, bits = chosen("element", element, _ELEMENTS)
    buffers = [None if one is None else handle_of(one, "Buffer", name)
               for one, name in ((input, "input"), (output, "output"))]
    return sized(_raw.plait_collective_run, element=kind, element_bits=bits,
                 reduction=chosen("op", op, _REDUCTIONS), count=count, input=buffers[0], output=buffers[1])


class World(Handle):
    """The ranks of a program, which are processes; made by System.world.

        world = system.world()                       # PLAIT_TRANSPORT, or a launcher
        ring = system.coll("allreduce", world.ranks, algorithm="ring", in_place=True)
        total = world.collective(ring.compile())
        total(len(numbers), output=numbers)          # on all ranks
    """
    _release = lib.plait_world_release
    __slots__ = ("system", "rank", "ranks", "machines")

    def __init__(self, system, handle):
        super().__init__(handle)
        self.system = system
        info = sized(_raw.plait_world_info)
        call(lib.plait_world_query, handle, byref(info))
        self.rank, self.ranks, self.machines = info.rank, info.ranks, info.machines

    @classmethod
    def open(cls, system, transports, rank, ranks, open_time, silence):
        """Open a world; called by System.world."""
        desc = sized(_raw.plait_world_desc, transports=encode(transports), rank=rank, ranks=ranks,
                     open_ns=0 if open_time is None else nanoseconds(open_time),
                     silence_ns=0 if silence is None else nanoseconds(silence))
        return cls(system, make(lib.plait_world_open, system.handle, byref(desc)))

    def report(self) -> str:
        """Return by which transport each rank is reached, and why not by others."""
        return text_of(lib.plait_world_report, self.handle)

    def buffer(self, size: int, label: Optional[str] = None, *, device: Optional[Device] = None) -> Buffer:
        """Create a buffer of `size` bytes that the ranks of this machine read in place in
        collectives; an ordinary one where nothing can be shared.  `device`: of the system;
        without it the host."""
        where = device if device is not None else next(
            (one for one in self.system.devices if "host" in one.capabilities), self.system.devices[0])
        desc = sized(_raw.plait_buffer_desc, bytes=size, label=encode(label))
        return _buffer.Buffer(where, make(lib.plait_world_buffer, self.handle, where.handle, byref(desc)), label)

    def collective(self, schedules: Union[Schedule, Sequence[Schedule]]) -> Collective:
        """Make a collective of schedules, on all ranks; a call takes the first one that is
        for its size."""
        many: Iterable = schedules if isinstance(schedules, (list, tuple)) else (schedules,)
        handles = [handle_of(one, "Schedule", "collective") for one in many]
        table = (c_void_p * max(len(handles), 1))(*handles)
        return Collective(self, make(lib.plait_collective_create, self.handle, table, len(handles)))


class Collective(Handle):
    """A collective of a world.  Called, submitted and added to graphs in one order on all
    ranks; `element`, `op` and the buffers are those of Schedule.graph, of this rank."""
    _release = lib.plait_collective_release
    __slots__ = ("world",)

    def __init__(self, world, handle):
        super().__init__(handle)
        self.world = world

    def __call__(self, count: int, element: str = "f32", *, op: str = "sum", input: Optional[Buffer] = None,
                 output: Optional[Buffer] = None) -> None:
        """Execute the collective with `count` elements in a share, and wait."""
        call(lib.plait_collective_call, self.handle, byref(call_of(count, element, op, input, output)))

    def submit(self, queue: Queue, count: int, element: str = "f32", *, op: str = "sum",
               input: Optional[Buffer] = None, output: Optional[Buffer] = None) -> None:
        """Submit a call to a queue, which holds no thread while other ranks are late."""
        call(lib.plait_collective_submit, self.handle, handle_of(queue, "Queue", "submit"),
             byref(call_of(count, element, op, input, output)), None)


def add_to(graph, collective, run, label, after):
    """Add a call to a graph; return the number of the node."""
    out = c_uint64()
    call(lib.plait_graph_collective, graph.handle, handle_of(collective, "Collective", "collective"), byref(run),
         encode(label), after, byref(out))
    return out.value
