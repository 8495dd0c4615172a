# SPDX-License-Identifier: MIT
"""Collectives: chunk programs, their schedules, and graphs of those."""
from __future__ import annotations

import contextlib
import ctypes
from ctypes import byref, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, Optional, Sequence, Tuple, Union

from . import _raw
from ._core import Handle, call, chosen, encode, failure, handle_of, lib, local, make, plain, sized

if TYPE_CHECKING:
    from ._buffer import Buffer
    from ._graph import Graph
    from ._system import Device, System

    Promises = Dict[Tuple[int, int], Iterable[Tuple[int, int]]]


def _names(prefix, *names):
    return {name: getattr(_raw, prefix + name.upper()) for name in names}


_KINDS = _names("PLAIT_COLL_", "custom", "allreduce", "allgather", "reduce_scatter", "alltoall", "broadcast",
                "reduce", "gather", "scatter", "alltonext")
_TARGETS = _names("PLAIT_TARGET_", "plait", "msccl", "executor", "rccl")
_PROTOCOLS = _names("PLAIT_PROTOCOL_", "auto", "simple", "ll", "ll128")
_FORMATS = {"binary": _raw.PLAIT_SCHEDULE_BINARY, "msccl": _raw.PLAIT_SCHEDULE_XML_MSCCL,
            "executor": _raw.PLAIT_SCHEDULE_XML_EXECUTOR, "rccl": _raw.PLAIT_SCHEDULE_XML_RCCL}
_REASONS = {_raw.PLAIT_PROOF_PROVED: None, _raw.PLAIT_PROOF_SHAPE: "shape",
            _raw.PLAIT_PROOF_DEADLOCK: "deadlock", _raw.PLAIT_PROOF_RACE: "race",
            _raw.PLAIT_PROOF_VALUE: "value"}
_EXPORTS = {"msccl": _raw.PLAIT_PROOF_EXPORTS_MSCCL, "executor": _raw.PLAIT_PROOF_EXPORTS_EXECUTOR,
            "rccl": _raw.PLAIT_PROOF_EXPORTS_RCCL}
_REDUCTIONS = _names("PLAIT_REDUCE_", "sum", "prod", "min", "max")
_ELEMENTS = {"%s%d" % (letter, bits): (kind, bits)
             for letter, kind in (("i", _raw.PLAIT_ELEMENT_INT), ("u", _raw.PLAIT_ELEMENT_UINT),
                                  ("f", _raw.PLAIT_ELEMENT_FLOAT), ("bf", _raw.PLAIT_ELEMENT_BFLOAT))
             for bits in (8, 16, 32, 64)
             if letter in "iu" or bits == 16 or letter == "f" and bits > 16}


def _buffer_number(name):
    """Return the number of "i", "o", "s", "s1" ... (input, output, scratch)."""
    if name in ("i", "o"):
        return _raw.PLAIT_CHUNK_INPUT if name == "i" else _raw.PLAIT_CHUNK_OUTPUT
    if isinstance(name, str) and name[:1] == "s" and (name == "s" or name[1:].isdigit()):
        return _raw.PLAIT_CHUNK_SCRATCH + int(name[1:] or 0)
    raise ValueError('buffer: %r is none of "i", "o", "s", "s1", ...' % (name,))


def _promise_table(promises):
    """Return (array of promises, their arrays of sources) of {(rank, chunk): [(rank, chunk), ...]}."""
    made, keep = (_raw.plait_coll_promise * max(len(promises), 1))(), []
    for one, ((rank, index), given) in zip(made, sorted(promises.items())):
        sources = list(given)
        ranks = (ctypes.c_uint32 * len(sources))(*(source[0] for source in sources))
        indices = (c_uint64 * len(sources))(*(source[1] for source in sources))
        keep += [ranks, indices]
        one.size, one.rank, one.index, one.source_count = ctypes.sizeof(one), rank, index, len(sources)
        one.source_ranks = ctypes.cast(ranks, ctypes.POINTER(ctypes.c_uint32))
        one.source_indices = ctypes.cast(indices, ctypes.POINTER(c_uint64))
    return made, keep


def _handles(given, ranks, what):
    """Return an array of handles, one per rank, None for a rank without; or None."""
    if given is None:
        return None
    given = tuple(given)
    if len(given) != ranks:
        raise ValueError("%s: %d given, the schedule has %d ranks" % (what, len(given), ranks))
    return (c_void_p * ranks)(*(None if one is None else handle_of(one, what[:-1], what) for one in given))


class Chunk:
    """Neighbouring chunks of one buffer of one rank, with the values that they have now.

    A later write makes a chunk stale, and its use an error.
    """

    __slots__ = ("coll", "number")

    def __init__(self, coll, number):
        self.coll, self.number = coll, number

    def copy(self, rank: int, buffer: Optional[str] = None, index: Optional[int] = None, *,
             channel: Optional[int] = None, lanes: Optional[Tuple[int, int]] = None) -> Chunk:
        """Copy to a rank: to the same place, to `buffer` and `index`, or without an index
        to the end of a scratch buffer.  Returns the copy."""
        place = self.coll._place(channel, lanes, rank=rank)
        if buffer is not None:
            place.flags |= _raw.PLAIT_CHUNK_APPEND if index is None else _raw.PLAIT_CHUNK_HAS_BUFFER
            place.buffer, place.index = _buffer_number(buffer), index or 0
        return self._made(lib.plait_coll_copy, byref(place))

    def reduce(self, other: Chunk, *, channel: Optional[int] = None,
               lanes: Optional[Tuple[int, int]] = None) -> Chunk:
        """Add another chunk to this one.  Returns this chunk as it is then."""
        place = self.coll._place(channel, lanes)
        return self._made(lib.plait_coll_reduce, other.number, byref(place))

    def part(self, first: int, count: int = 1) -> Chunk:
        """Return some of the chunks."""
        return self._made(lib.plait_coll_part, first, count)

    def join(self, other: Chunk) -> Chunk:
        """Return these chunks and neighbouring ones as one."""
        return self._made(lib.plait_coll_join, other.number)

    def _made(self, function, *arguments):
        out = c_uint64()
        call(function, self.coll.handle, self.number, *arguments, byref(out))
        return Chunk(self.coll, out.value)


class Coll(Handle):
    """A chunk program: the copies and reductions of a collective, in order.

        ring = system.coll("allreduce", ranks=n, chunks=n, in_place=True)
        for r in range(n):
            c = ring.chunk((r + 1) % n, "i", r)
            for s in range(2, n + 1):
                c = ring.chunk((r + s) % n, "i", r).reduce(c)
            for s in range(1, n):
                c = c.copy((r + s) % n)
        schedule = ring.compile()
    """
    _release = lib.plait_coll_release
    __slots__ = ("system", "ranks")

    def __init__(self, system, handle, label=None):
        super().__init__(handle, label)
        self.system = system

    @classmethod
    def create(cls, system: System, kind: str, ranks: int, *, algorithm: Optional[str] = None,
               chunks: int = 0, root: int = 0, in_place: bool = False, inputs: int = 0, outputs: int = 0,
               promises: Optional[Promises] = None, label: Optional[str] = None) -> Coll:
        """Create an empty program, or that of a known algorithm; called by System.coll."""
        made, _keep = _promise_table(promises or {})
        desc = sized(_raw.plait_coll_desc, kind=chosen("kind", kind, _KINDS), ranks=ranks, chunks=chunks,
                     root=root, flags=_raw.PLAIT_COLL_IN_PLACE if in_place else 0, input_chunks=inputs,
                     output_chunks=outputs, promise_count=len(promises or {}),
                     promises=ctypes.addressof(made), label=encode(label))
        if algorithm is None:
            return cls(system, make(lib.plait_coll_create, system.handle, byref(desc)), label)
        return cls(system, make(lib.plait_coll_known, system.handle, encode(algorithm), byref(desc)), label)

    @classmethod
    def read(cls, system: System, text: str, name: Optional[str] = None, *, ranks: int = 0,
             chunks: int = 0) -> Coll:
        """Create a program from its text form; called by System.read_coll."""
        code = text.encode()
        return cls(system, make(lib.plait_coll_read, system.handle, code, len(code), encode(name), ranks, chunks))

    def chunk(self, rank: int, buffer: str, index: int, count: int = 1) -> Chunk:
        """Return chunks as they are now.  `buffer` is "i" (input), "o" (output) or "s",
        "s1", ... (scratch)."""
        out = c_uint64()
        call(lib.plait_coll_chunk, self.handle, rank, _buffer_number(buffer), index, count, byref(out))
        return Chunk(self, out.value)

    @contextlib.contextmanager
    def parallel(self, ways: int) -> Iterator[None]:
        """Split each operation of a `with` block into parts that move at the same time."""
        call(lib.plait_coll_parallel, self.handle, ways)
        try:
            yield
        finally:
            call(lib.plait_coll_end, self.handle)

    def compile(self, *, target: str = "plait", protocol: str = "auto", instances: int = 0, depth: int = 0,
                lanes: int = 0, channels: int = 0, slot_bytes: int = 0, min_bytes: int = 0, max_bytes: int = 0,
                fusion: bool = True, separate_lanes: bool = False, aggregate: bool = False,
                message_chunks: int = 0) -> Schedule:
        """Compile the program as it is now, and prove the schedule.  0 is the target's
        choice.  fusion=False: each send, receipt and reduction is a step of its own;
        separate_lanes: no lane both sends and receives; aggregate: messages of neighbouring
        chunks that are ready at about one time become one, of at most message_chunks."""
        flags = ((0 if fusion else _raw.PLAIT_COMPILE_NO_FUSION) |
                 (_raw.PLAIT_COMPILE_SEPARATE_LANES if separate_lanes else 0) |
                 (_raw.PLAIT_COMPILE_AGGREGATE if aggregate else 0))
        desc = sized(_raw.plait_compile_desc, flags=flags, target=chosen("target", target, _TARGETS),
                     protocol=chosen("protocol", protocol, _PROTOCOLS), instances=instances, depth=depth,
                     lanes=lanes, channels=channels, slot_bytes=slot_bytes, min_bytes=min_bytes,
                     max_bytes=max_bytes, message_chunks=message_chunks)
        return Schedule(self.system, make(lib.plait_coll_compile, self.handle, byref(desc)))

    @staticmethod
    def _place(channel, lanes, **fields):
        place = sized(_raw.plait_chunk_place, channel=channel or 0, **fields)
        if channel is not None:
            place.flags |= _raw.PLAIT_CHUNK_HAS_CHANNEL
        if lanes is not None:
            place.flags |= _raw.PLAIT_CHUNK_HAS_LANES
            place.send_lane, place.recv_lane = lanes
        return place


class Schedule(Handle):
    """A schedule of a collective: what each rank sends, receives and reduces, for any count.

        print(schedule.check())
        plan = schedule.graph(1000, outputs=[left, right]).freeze()
        plan()                                    # both have the sum
    """
    _release = lib.plait_schedule_release
    __slots__ = ("system",)

    def __init__(self, system, handle):
        super().__init__(handle)
        self.system = system

    @classmethod
    def read(cls, system: System, data: Union[str, bytes], name: Optional[str] = None) -> Schedule:
        """Read MSCCL XML or the binary form; called by System.read_schedule."""
        data = data.encode() if isinstance(data, str) else bytes(data)
        return cls(system, make(lib.plait_schedule_read, system.handle, data, len(data), encode(name)))

    def query(self) -> Any:
        """Return the properties: kind, ranks, root, in_place, share_chunks, input_chunks,
        output_chunks, target, depth, lanes, steps, name."""
        info = sized(_raw.plait_schedule_info)
        call(lib.plait_schedule_query, self.handle, byref(info))
        made = plain(info)
        made.in_place = bool(made.__dict__.pop("flags") & _raw.PLAIT_SCHEDULE_IN_PLACE)
        made.kind = {number: name for name, number in _KINDS.items()}[made.kind]
        made.target = {number: name for name, number in _TARGETS.items()}[made.target]
        return made

    def check(self, *, target: Optional[str] = None, depth: int = 0, kind: Optional[str] = None, root: int = 0,
              slot_bytes: int = 0, promises: Optional[Promises] = None) -> Any:
        """Prove the schedule, for what it says of itself or for what is given; raise if it
        is refused, with the proof as `proof` of the error.  Returns the proof: depth_min,
        safe_bytes (None: any size), same_bits, exports, lanes, channels, steps and others."""
        made, _keep = _promise_table(promises or {})
        desc = sized(_raw.plait_proof_desc, depth=depth, root=root, slot_bytes=slot_bytes,
                     target=0 if target is None else chosen("target", target, _TARGETS),
                     kind=0 if kind is None else chosen("kind", kind, _KINDS),
                     promise_count=len(promises or {}),
                     promises=ctypes.addressof(made))
        desc.flags = ((0 if target is None else _raw.PLAIT_PROOF_HAS_TARGET) |
                      (0 if kind is None else _raw.PLAIT_PROOF_HAS_KIND) |
                      (0 if promises is None else _raw.PLAIT_PROOF_HAS_PROMISES))
        proof = sized(_raw.plait_proof)
        status = lib.plait_schedule_check(self.handle, byref(desc), byref(proof), local.at)
        result = _proof(proof)
        if status < 0:
            error = failure(status)
            error.proof = result
            raise error
        return result

    def write(self, format: str = "binary") -> bytes:
        """Return the schedule in binary form, or as XML: "msccl", "executor" or "rccl"."""
        number, needed = chosen("format", format, _FORMATS), c_uint64()
        call(lib.plait_schedule_write, self.handle, number, None, 0, byref(needed))
        room = ctypes.create_string_buffer(max(needed.value, 1))
        call(lib.plait_schedule_write, self.handle, number, room, needed.value, byref(needed))
        return room.raw[:needed.value]

    def simulate(self, cluster: str, size: int, name: Optional[str] = None) -> Any:
        """Predict the time on a cluster, a text of doc/cluster.md, with `size` bytes in the
        larger one of a rank's input and output.  Returns time_ns, tiles, executed_tiles,
        tile_bytes, critical_steps, critical_ns, latency_ns."""
        code, result = cluster.encode(), sized(_raw.plait_coll_simulation)
        call(lib.plait_schedule_simulate, self.handle, code, len(code), encode(name), size, byref(result))
        made = plain(result)
        del made.__dict__["flags"]
        return made

    def draw(self, cluster: str, size: int, name: Optional[str] = None) -> str:
        """Return the first tile of a simulation as SVG: lanes, steps, messages, waits, and
        the critical path outlined."""
        code, needed = cluster.encode(), c_uint64()
        given = self.handle, code, len(code), encode(name), size
        call(lib.plait_schedule_draw, *given, None, 0, byref(needed))
        room = ctypes.create_string_buffer(needed.value)
        call(lib.plait_schedule_draw, *given, room, needed.value, None)
        return room.value.decode()

    def graph(self, count: int, element: str = "f32", *, op: str = "sum",
              inputs: Optional[Sequence[Optional[Buffer]]] = None,
              outputs: Optional[Sequence[Optional[Buffer]]] = None,
              devices: Optional[Sequence[Device]] = None) -> Graph:
        """Make a graph for all ranks, with `count` elements in a share.  `element` is "f16",
        "bf16", "f32", "f64" or "i8" to "u64"; `op` is "sum", "prod", "min" or "max".  Without
        buffers, runs bind in0, out0, ...; in place, outputs alone."""
        from ._graph import Graph
        kind, bits = chosen("element", element, _ELEMENTS)
        ranks = self.query().ranks
        desc = sized(_raw.plait_collective_desc, element=kind, element_bits=bits,
                     reduction=chosen("op", op, _REDUCTIONS), count=count)
        tables = {"inputs": _handles(inputs, ranks, "inputs"), "outputs": _handles(outputs, ranks, "outputs"),
                  "devices": _handles(devices, ranks, "devices")}
        for name, handles in tables.items():
            if handles is not None:
                setattr(desc, name, ctypes.cast(handles, ctypes.POINTER(c_void_p)))
        return Graph(self.system, make(lib.plait_schedule_graph, self.handle, byref(desc)))


def _proof(proof):
    made = plain(proof)
    flags = made.__dict__.pop("flags")
    made.reason = _REASONS[made.reason]
    made.same_bits = bool(flags & _raw.PLAIT_PROOF_SAME_BITS)
    made.exports = [name for name, flag in _EXPORTS.items() if flags & flag]
    made.safe_bytes = None if made.safe_bytes == 2 ** 64 - 1 else made.safe_bytes
    return made
