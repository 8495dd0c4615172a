# SPDX-License-Identifier: MIT
"""The graph builder: nodes, loops, branches and freeze()."""
from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, Optional, Tuple, Union

from . import _raw
from ._buffer import Buffer, Rows, check_buffer, check_integers, copied
from ._elements import ELEMENTS
from ._core import Handle, call, encode, handle_of, lib, make, place, sized
from ._functions import RUN, Question, Reference, check_function, is_async
from ._kernel import Parameter, Turn, check_kernel, series_of

if TYPE_CHECKING:
    from ._kernel import Kernel
    from ._plan import Plan
    from ._queue import Signal
    from ._system import Device

    After = Union["Node", Iterable["Node"]]
    On = Union[Device, "Group", "Barrier", None]


class Node:
    """A node of a graph; pass it as `after` to nodes that depend on it."""

    __slots__ = ("graph", "number")

    def __init__(self, graph, number):
        self.graph, self.number = graph, number

    def __repr__(self):
        return "<plait.Node %d of %r>" % (self.number & 0xffffffff, self.graph)

    def after(self, *nodes: Node) -> Node:
        """Add edges: this node also starts after `nodes`.  Returns the node."""
        for node in nodes:
            self.graph.edge(node, self)
        return self


class _Devices:
    def __init__(self, *devices: Device) -> None:
        self.devices = devices


class Group(_Devices):
    """Several devices for a node: one member of the node runs on each.

        graph.launch(kernel, x, device=plait.Group(*system.devices))
    """
    flag = _raw.PLAIT_NODE_ON_ALL_GROUP


class Barrier(_Devices):
    """Several devices for a node that runs on the first: all wait for it, and it for all."""
    flag = _raw.PLAIT_NODE_ON_ALL_BARRIER


class Rotation:
    """A ring of buffers that advances by one per loop iteration.

    `now`, `next` and `ahead(n)` are kernel arguments, and sides of copies and fills: the
    buffer of this iteration, of the next one, and of the n-th one after this.
    """

    def __init__(self, number, size):
        self.now, self.next = Turn(number, 0, size), Turn(number, 1, size)

    def ahead(self, count: int) -> Turn:
        """Return a kernel argument: the buffer of the iteration `count` after this."""
        return Turn(self.now.number, count, self.now.size)


def check_node(given, what):
    if not isinstance(given, Node):
        raise TypeError("%s: %r is not a Node of this graph; launch(), call() and others "
                        "return one" % (what, given))


def numbers(nodes, what):
    """Return (C array or None, count) of one node or several."""
    nodes = tuple(nodes) if hasattr(nodes, "__iter__") else (nodes,)
    for node in nodes:
        check_node(node, what)
    return (c_uint64 * len(nodes))(*(n.number for n in nodes)) if nodes else None, len(nodes)


# Node fields of a parameter, or of a rotation, instead of an operand.
_PARAMETERS = {"target": "target_parameter", "source": "source_parameter"}
_TURNS = {"target": ("target_rotation", "target_ahead"), "source": ("source_rotation", "source_ahead")}


def _side(name, given, what, size):
    """Return the node fields of one operand: a buffer, one of a rotation, or a parameter."""
    if isinstance(given, Turn):
        return dict(zip(_TURNS[name], (given.number, given.ahead)))
    if not isinstance(given, Parameter):
        check_buffer(given, "%s: the %s" % (what, name))
        return {name: given.handle}
    if size is None:
        raise TypeError("%s: a parameter needs `size`" % what)
    return {_PARAMETERS[name]: encode(given.name)}


class Graph(Handle):
    """A task graph under construction; freeze() schedules it.

    Nodes run in any order that the edges allow.  Every method that adds a node
    returns it and takes `after` (one node or several), `label`, `device` (a Device, or
    a plait.Group or plait.Barrier of several) and `cost` (a duration in any unit; by
    default 1).
    """
    _release = lib.plait_graph_release
    __slots__ = ("system", "_functions", "_outer")

    def __init__(self, system, handle, outer=None):
        super().__init__(handle)
        self.system, self._outer = system, outer
        self._functions = outer._functions if outer is not None else []

    # --- nodes

    def join(self, *, after: After = (), label: Optional[str] = None,
             device: On = None, cost: Optional[int] = None) -> Node:
        """Add an empty node, for edges from many nodes to many nodes."""
        return self._add(_raw.PLAIT_NODE_JOIN, (), after, label, device, cost)

    def mark(self, label: str, *, after: After = (), device: On = None,
             cost: Optional[int] = None) -> Node:
        """Add a mark in the timeline, a name without work."""
        return self._add(_raw.PLAIT_NODE_MARK, (), after, label, device, cost)

    def edge(self, before: Node, after: Node) -> None:
        """Add an edge: `before` completes before `after` starts."""
        for node in (before, after):
            check_node(node, "edge")
        call(lib.plait_graph_add_edge, self.handle, before.number, after.number)

    def remove(self, nodes: After) -> None:
        """Take nodes away, one or several, with their edges and bodies.

        Nodes before and after a removed one are not joined.
        """
        array, count = numbers(nodes, "remove")
        call(lib.plait_graph_remove, self.handle, array, count)

    def remove_edge(self, before: Node, after: Node) -> None:
        """Take an edge away, as often as it was added."""
        for node in (before, after):
            check_node(node, "remove_edge")
        call(lib.plait_graph_remove_edge, self.handle, before.number, after.number)

    def priority(self, node: Node, priority: int) -> None:
        """Say which of several ready nodes come first: -1000 to 1000, 0 by default."""
        check_node(node, "priority")
        call(lib.plait_graph_set_priority, self.handle, node.number, priority)

    def resource(self, name: str, units: int) -> None:
        """Add a resource, which limits how many nodes run at once."""
        call(lib.plait_graph_add_resource, self.handle, encode(name), units)

    def need(self, node: Node, name: str, units: int = 1) -> None:
        """Let a node hold units of a resource while it runs."""
        check_node(node, "need")
        call(lib.plait_graph_add_need, self.handle, node.number, encode(name), units)

    def size(self) -> Tuple[int, int]:
        """Return (number of nodes, number of edges), without those of bodies."""
        nodes, edges = c_uint64(), c_uint64()
        call(lib.plait_graph_size, self.handle, byref(nodes), byref(edges))
        return nodes.value, edges.value

    def launch(self, kernel: Kernel, *arguments: Any, items: Any = None, group: Any = None,
               scratch_bytes: int = 0, series: Iterable[Any] = (), after: After = (),
               label: Optional[str] = None, device: On = None, cost: Optional[int] = None) -> Node:
        """Add a kernel launch.

        `items` and `group` are numbers or tuples of up to 3; `items` may be a
        plait.Parameter that each run sets.  `scratch_bytes` sizes plait.scratch.
        `series`: in a loop, a plait.iteration(...) per dimension that the items follow,
        or None where they do not; a launch without items does nothing.
        """
        check_kernel(kernel)
        made = kernel._arguments(arguments)
        fields = {"kernel": kernel.handle, "scratch_bytes": scratch_bytes,
                  "arguments": ctypes.addressof(made.array) if arguments else None,
                  "argument_count": len(arguments)}
        sizes = series_of(list(series))
        if len(sizes):
            fields["series"], fields["series_count"] = ctypes.addressof(sizes), len(sizes)
        if hasattr(items, "name"):
            fields["launch_parameter"] = encode(items.name)
        else:
            launch = kernel._geometry(items, group)
            fields["launch"] = ctypes.addressof(launch)
        return self._add(_raw.PLAIT_NODE_LAUNCH, fields, after, label, device, cost)

    def call(self, function: Callable[..., Any], *arguments: Any, after: After = (), label: Optional[str] = None,
             device: On = None, cost: Optional[int] = None) -> Node:
        """Add a call of a Python function, on the thread that owns the system.  The
        default label is the function's name.  An `async def` function is a coroutine: others
        run while it awaits, and the node has ended when it has."""
        check_function(function, suspends=True)
        suspends = is_async(function)
        reference = (Question if suspends else Reference)(lambda: function(*arguments))
        self._functions.append(reference)
        fields = {"function": None if suspends else RUN, "user_data": reference.number,
                  "inbox": self.system._inbox.handle}
        label = getattr(function, "__name__", None) if label is None else label
        return self._add(_raw.PLAIT_NODE_CALL, fields, after, label, device, cost)

    def copy(self, target: Any, source: Any, size: Optional[int] = None,
             target_offset: int = 0, source_offset: int = 0, rows: Optional[Rows] = None,
             *, after: After = (), label: Optional[str] = None,
             device: On = None, cost: Optional[int] = None) -> Node:
        """Add a copy of `size` bytes from buffer to buffer.

        The default size is that of the smaller buffer.  `rows` is a plait.Rows for
        a strided copy, where `size` is the size of one row.  `target` or `source`
        may be a buffer of a plait.Rotation, or a plait.Parameter that each run sets; `size`
        is then required.
        """
        if not any(isinstance(side, Parameter) for side in (target, source)):
            size = copied(target, source, size, rows, Turn)
        return self._add(_raw.PLAIT_NODE_COPY, {
            **_side("target", target, "copy", size), **_side("source", source, "copy", size),
            "bytes": size, "target_offset": target_offset, "source_offset": source_offset,
            "rows": ctypes.addressof(rows._raw) if rows is not None else None}, after, label, device, cost)

    def read(self, source: Any, host: Parameter, size: Optional[int] = None, source_offset: int = 0,
             host_offset: int = 0, rows: Optional[Rows] = None, *, after: After = (),
             label: Optional[str] = None, device: On = None, cost: Optional[int] = None) -> Node:
        """Add a copy of `size` bytes from a buffer to memory of the program.

        `host` is a plait.Parameter: each run sets it to a writable object with the buffer
        protocol.  The default size is the rest of the buffer.
        """
        return self._transfer(_raw.PLAIT_NODE_READ, "source", source, source_offset, host, host_offset,
                              size, rows, after, label, device, cost)

    def write(self, target: Any, host: Parameter, size: Optional[int] = None, target_offset: int = 0,
              host_offset: int = 0, rows: Optional[Rows] = None, *, after: After = (),
              label: Optional[str] = None, device: On = None, cost: Optional[int] = None) -> Node:
        """Add a copy of `size` bytes from memory of the program to a buffer.

        `host` is a plait.Parameter: each run sets it to an object with the buffer protocol.
        The default size is the rest of the buffer.
        """
        return self._transfer(_raw.PLAIT_NODE_WRITE, "target", target, target_offset, host, host_offset,
                              size, rows, after, label, device, cost)

    def _transfer(self, kind, side, buffer, offset, host, host_offset, size, rows, *how):
        what = "read" if side == "source" else "write"
        if not isinstance(host, Parameter):
            raise TypeError("%s: the memory is a plait.Parameter, which each run sets, not %r" % (what, host))
        fields = _side(side, buffer, what, size)
        check_integers(what, size=size, offset=offset, host_offset=host_offset)
        return self._add(kind, {
            **fields, side + "_offset": offset, "host_parameter": encode(host.name),
            "host_offset": host_offset, "bytes": buffer.size - offset if size is None else size,
            "rows": ctypes.addressof(rows._raw) if rows is not None else None}, *how)

    def fill(self, target: Any, pattern: int = 0, pattern_bytes: int = 4,
             size: Optional[int] = None, offset: int = 0, *, after: After = (), label: Optional[str] = None,
             device: On = None, cost: Optional[int] = None) -> Node:
        """Add a fill: repeat a pattern of `pattern_bytes` bytes over a buffer.

        The default size is the rest of the buffer.  `target` may be a buffer of a
        plait.Rotation, or a plait.Parameter that each run sets; `size` is then required.
        """
        check_integers("fill", pattern=pattern, pattern_bytes=pattern_bytes, size=size, offset=offset)
        return self._add(_raw.PLAIT_NODE_FILL, {
            **_side("target", target, "fill", size), "target_offset": offset,
            "pattern": pattern,
            "pattern_bytes": pattern_bytes,
            "bytes": target.size - offset if size is None else size}, after, label, device, cost)

    def emit(self, signal: Signal, *, after: After = (), label: Optional[str] = None,
             device: On = None, cost: Optional[int] = None) -> Node:
        """Add an emission: increment a signal."""
        return self._add(_raw.PLAIT_NODE_EMIT, {"signal": handle_of(signal, "Signal", "emit")}, after, label, device, cost)

    def wait(self, signal: Signal, sequence: int = 0, *, after: After = (), label: Optional[str] = None,
             device: On = None, cost: Optional[int] = None) -> Node:
        """Add a wait until a signal reaches `sequence`; 0 is the newest sequence
        number submitted when a run starts."""
        return self._add(_raw.PLAIT_NODE_WAIT, {"signal": handle_of(signal, "Signal", "wait"),
                                               "sequence": sequence},
                         after, label, device, cost)

    def collective(self, collective: Collective, count: int, element: str = "f32", *, op: str = "sum",
                   input: Optional[Buffer] = None, output: Optional[Buffer] = None, after: After = (),
                   label: Optional[str] = None) -> Node:
        """Add a call of a collective of a world; paths order those of one world."""
        from ._world import add_to, call_of
        array, count_after = numbers(after, "after")
        node = array[0] if count_after == 1 else self.join(after=after).number if count_after else 0
        return Node(self, add_to(self, collective, call_of(count, element, op, input, output), label, node))

    def subgraph(self, graph: Graph, *, after: After = (), label: Optional[str] = None,
                 device: On = None, cost: Optional[int] = None) -> Node:
        """Add a copy of the nodes that `graph` has now."""
        handle = handle_of(graph, "Graph", "subgraph")
        self._functions.extend(getattr(graph, "_functions", ()))
        return self._add(_raw.PLAIT_NODE_SUBGRAPH, {"subgraph": handle}, after, label, device, cost)

    # --- loops and branches

    def loop(self, condition: Any, *, offset: int = 0, times: int = 0, first: bool = False,
             after: After = (), label: Optional[str] = None,
             device: On = None, cost: Optional[int] = None) -> Tuple[Node, Graph]:
        """Add a loop; returns (node, body), where the body is a Graph to fill.

        The loop runs while the condition is true.  A condition is a buffer, true
        while its u32 at `offset` (in bytes) is not 0, or a Python function, called
        on the thread that owns the system; an exception in it fails the node.
        `first`: run the body once before the first test.  `times`: the expected
        number of iterations, for the planner; 0 means 1.
        """
        kind = _raw.PLAIT_NODE_DO if first else _raw.PLAIT_NODE_WHILE
        fields = {"times": times, **self._predicate(condition, offset, bool)}
        node = self._add(kind, fields, after, label, device, cost)
        return node, self._body(node, 0)

    def repeat(self, count: Any, *, step: int = 1, offset: int = 0, times: int = 0,
               after: After = (), label: Optional[str] = None,
               device: On = None, cost: Optional[int] = None) -> Tuple[Node, Graph]:
        """Add a loop with a count; returns (node, body), where the body is a Graph to fill.

        `count` is a number, a plait.Parameter that each run sets (a u64), or a buffer
        whose u32 at `offset` (in bytes) is read when the loop is entered.  An iteration
        takes `step` of it, the last one the rest.  `times`: the expected count of a
        parameter or buffer, for the planner; 0 means 1.
        """
        fields = {"count_step": step, "times": times}
        if isinstance(count, Parameter):
            fields["count_parameter"] = encode(count.name)
        elif hasattr(count, "__index__"):
            fields["times"] = count
        else:
            fields.update(self._predicate(count, offset, int))
        node = self._add(_raw.PLAIT_NODE_REPEAT, fields, after, label, device, cost)
        return node, self._body(node, 0)

    def case(self, condition: Any, branches: int, *, offset: int = 0,
             expect: Optional[int] = None, after: After = (), label: Optional[str] = None,
             device: On = None, cost: Optional[int] = None) -> Tuple[Node, List[Graph]]:
        """Add a branch; returns (node, [body, ...]).

        The condition selects one of `branches` bodies by number, from 0: the u32 of
        a buffer at `offset` (in bytes), or the result of a Python function.  `expect`: the
        number of the likely body, for planning.
        """
        fields = {"branch_count": branches, "times": 0 if expect is None else expect + 1, **self._predicate(condition, offset, int)}
        node = self._add(_raw.PLAIT_NODE_CASE, fields, after, label, device, cost)
        return node, [self._body(node, i) for i in range(branches)]

    def temporary(self, size: int, device: Any = None, label: Optional[str] = None) -> Buffer:
        """Create a temporary of `size` bytes: a buffer for nodes only, of which each
        run in flight has a copy.  The default device is the system's first one."""
        return Buffer.create(device if device is not None else self.system.devices[0],
                             size, label, _raw.PLAIT_BUFFER_TEMPORARY)

    def rotate(self, *buffers: Buffer, prologue: bool = False) -> Rotation:
        """In the body of a loop: rotate through `buffers`, one per iteration; returns
        a plait.Rotation.  `prologue`: the first buffer is for iteration 0 only."""
        for buffer in buffers:
            check_buffer(buffer, "rotate")
        array = (c_void_p * len(buffers))(*(b.handle for b in buffers))
        number = c_uint64()
        call(lib.plait_graph_add_rotation, self.handle, array, len(buffers),
             _raw.PLAIT_ROTATION_PROLOGUE if prologue else 0, byref(number))
        return Rotation(number.value, buffers[0].size)

    # --- freezing

    def freeze(self, *, lanes: int = 0, widest: bool = False, mode: str = "auto",
               instances: int = 0, check: bool = False, order: str = "edges",
               queues: bool = False, hop_cost: int = 0,
               sources: Optional[Iterable[Node]] = None, sinks: Optional[Iterable[Node]] = None,
               whole: Optional[Plan] = None) -> Plan:
        """Schedule the graph; return a Plan, which runs any number of times.

        `lanes`: most lanes per device; 0: what the device can run at once.
        `widest`: as many lanes as the graph is wide, within the limits, instead of
        the shortest schedule found.  `mode`: "strict" keeps the order of each lane,
        for even work; "helped" keeps the edges only and lets idle workers run
        commands of other lanes, for uneven work; "auto" chooses by the spread of
        costs.  `instances`: most runs in flight; 0 means 2.  `check`: verify that
        edges order all nodes that use the same memory, and then the plan.  `order`:
        "edges", or "program", which adds edges between nodes that use the same
        memory, in the order of adding; functions are ordered with all nodes.  `queues`: run on queues, also on the host.
        `hop_cost`: the cost of observing another lane, in the unit of `cost`.
        `sources`, `sinks`: plan only the nodes on paths from one to the other, with
        the lanes of the plan `whole`, if it is given.
        """
        from ._plan import Plan, mode_of
        if order not in ("edges", "program"):
            raise ValueError("order: %r is neither \"edges\" nor \"program\"" % (order,))
        desc = sized(_raw.plait_freeze_desc, lanes=lanes, instances=instances, mode=mode_of(mode),
                     policy=_raw.PLAIT_POLICY_WIDEST if widest else _raw.PLAIT_POLICY_BOUNDED,
                     hop_cost=hop_cost, whole=handle_of(whole, "Plan", "whole") if whole is not None else None,
                     flags=(_raw.PLAIT_FREEZE_CHECK if check else 0) |
                     (_raw.PLAIT_FREEZE_PROGRAM_ORDER if order == "program" else 0) |
                     (_raw.PLAIT_FREEZE_QUEUES if queues else 0))
        # The description does not keep the arrays.
        first, desc.source_count = numbers(sources or (), "sources")
        last, desc.sink_count = numbers(sinks or (), "sinks")
        if first is not None:
            desc.sources = ctypes.cast(first, type(desc.sources))
        if last is not None:
            desc.sinks = ctypes.cast(last, type(desc.sinks))
        handle = make(lib.plait_graph_freeze, self.handle, byref(desc))
        return Plan(self.system, handle, tuple(self._functions))

    # --- inside

    def _predicate(self, condition, offset, kind):
        if not callable(condition):
            check_buffer(condition, "the condition is not a function")
            if condition.format not in "IiLlBc" or ELEMENTS[condition.format].size not in (1, 4):
                raise TypeError("the condition is a u32, the buffer was made of %s"
                                % (ELEMENTS[condition.format].kernel or condition.format))
            return {"predicate": condition.handle, "predicate_offset": offset}
        check_function(condition, "a condition")
        question = Question(lambda: kind(condition()))
        self._functions.append(question)
        return {"user_data": question.number, "inbox": self.system._inbox.handle}

    def _body(self, node, branch):
        return Graph(self.system, make(lib.plait_graph_body, self.handle, node.number, branch),
                     self)

    def _add(self, kind, fields, after, label, device, cost):
        file, line = place()
        desc = sized(_raw.plait_node_desc, kind=kind, label=encode(label), file=os.fsencode(file),
                     line=line, cost=cost or 0, **dict(fields))
        if cost == 0:
            desc.flags = _raw.PLAIT_NODE_FREE
        if isinstance(device, _Devices):
            handles = (c_void_p * len(device.devices))(*(
                handle_of(one, "Device", "device") for one in device.devices))
            desc.device_count, desc.flags = len(handles), desc.flags | device.flag
            if len(handles) == 1:
                desc.device = handles[0]
            else:
                desc.devices = ctypes.cast(handles, type(desc.devices))
        elif device is not None:
            desc.device, desc.device_count = handle_of(device, "Device", "device"), 1
        array, count = numbers(after, "after")
        out = c_uint64()
        call(lib.plait_graph_add, self.handle, byref(desc), array, count, byref(out))
        return Node(self, out.value)

    def __repr__(self):
        if self._handle is None:
            return "<plait.Graph, released>"
        return "<plait.Graph%s of %d nodes, %d edges>" % (
            " (a body)" if self._outer is not None else "", *self.size())
