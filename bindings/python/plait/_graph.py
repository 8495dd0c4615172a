# SPDX-License-Identifier: MIT
"""The graph builder: nodes, loops, branches and freeze()."""
from __future__ import annotations

import ctypes
import os
import sys
from ctypes import byref, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Tuple

from . import _raw
from ._buffer import Buffer, Rows, check_buffer, copied
from ._core import Handle, call, encode, lib, make, sized
from ._functions import RUN, Question, Reference, check_function
from ._kernel import Parameter, Turn, check_kernel

if TYPE_CHECKING:
    from ._kernel import Kernel
    from ._plan import Plan
    from ._system import Signal


def _place():
    """Return the file and line of the innermost caller outside this package."""
    frame = sys._getframe(2)
    here = os.path.dirname(_place.__code__.co_filename)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("?", 0)


class Node:
    """A node of a graph; pass it as `after` to nodes that depend on it."""

    __slots__ = ("graph", "number")

    def __init__(self, graph, number):
        self.graph, self.number = graph, number

    def after(self, *nodes: Node) -> Node:
        """Add edges: this node also starts after `nodes`.  Returns the node."""
        for node in nodes:
            call(lib.plait_graph_add_edge, self.graph.handle, node.number, self.number)
        return self


class Rotation:
    """A ring of buffers that advances by one per loop iteration.

    `now`, `next` and `ahead(n)` are kernel arguments: the buffer of this iteration,
    of the next one, and of the n-th one after this.
    """

    def __init__(self, number):
        self.now, self.next, self._number = Turn(number), Turn(number, 1), number

    def ahead(self, count: int) -> Turn:
        """Return a kernel argument: the buffer of the iteration `count` after this."""
        return Turn(self._number, count)


def _side(name, given, what, size):
    """Return the node field for one operand: a buffer, or a parameter name."""
    if not isinstance(given, Parameter):
        check_buffer(given, "%s: the %s" % (what, name))
        return {name: given.handle}
    if size is None:
        raise TypeError("%s: a parameter needs `size`" % what)
    return {name + "_parameter": encode(given.name)}


class Graph(Handle):
    """A task graph under construction; freeze() schedules it.

    Nodes run in any order that the edges allow.  Every method that adds a node
    returns it and takes `after` (one node or several), `label`, `device` and `cost`
    (a duration in any unit; 0 means 1).
    """
    _release = lib.plait_graph_release
    __slots__ = ("system", "_functions", "_outer")

    def __init__(self, system, handle, outer=None):
        super().__init__(handle)
        self.system, self._outer = system, outer
        self._functions = outer._functions if outer is not None else []

    # --- nodes

    def join(self, **how: Any) -> Node:
        """Add an empty node, for edges from many nodes to many nodes."""
        return self._add(_raw.PLAIT_NODE_JOIN, **how)

    def launch(self, kernel: Kernel, *arguments: Any, items: Any = None, group: Any = None,
               scratch_bytes: int = 0, **how: Any) -> Node:
        """Add a kernel launch.

        `items` and `group` are numbers or tuples of up to 3; `items` may be a
        plait.Parameter that each run sets.  `scratch_bytes` sizes plait.scratch.
        """
        check_kernel(kernel)
        made = kernel._arguments(arguments)
        fields = {"kernel": kernel.handle, "scratch_bytes": scratch_bytes,
                  "arguments": ctypes.addressof(made.array) if arguments else None,
                  "argument_count": len(arguments)}
        if hasattr(items, "name"):
            fields["launch_parameter"] = encode(items.name)
        else:
            launch = kernel._geometry(items, group)
            fields["launch"] = ctypes.addressof(launch)
        return self._add(_raw.PLAIT_NODE_LAUNCH, fields, **how)

    def call(self, function: Callable[..., Any], *arguments: Any, **how: Any) -> Node:
        """Add a call of a Python function, on the thread that owns the system."""
        check_function(function)
        reference = Reference(lambda: function(*arguments))
        self._functions.append(reference)
        fields = {"function": RUN, "user_data": reference.number,
                  "inbox": self.system._inbox.handle}
        how.setdefault("label", getattr(function, "__name__", None))
        return self._add(_raw.PLAIT_NODE_CALL, fields, **how)

    def copy(self, target: Any, source: Any, size: Optional[int] = None,
             target_offset: int = 0, source_offset: int = 0, rows: Optional[Rows] = None,
             **how: Any) -> Node:
        """Add a copy of `size` bytes from buffer to buffer.

        The default size is that of the smaller buffer.  `rows` is a plait.Rows for
        a strided copy, where `size` is the size of one row.  `target` or `source`
        may be a plait.Parameter that each run sets; `size` is then required.
        """
        if not any(isinstance(side, Parameter) for side in (target, source)):
            size = copied(target, source, size, rows)
        return self._add(_raw.PLAIT_NODE_COPY, {
            **_side("target", target, "copy", size), **_side("source", source, "copy", size),
            "bytes": size, "target_offset": target_offset, "source_offset": source_offset,
            "rows": ctypes.addressof(rows._raw) if rows is not None else None}, **how)

    def fill(self, target: Any, pattern: int = 0, pattern_bytes: int = 4,
             size: Optional[int] = None, offset: int = 0, **how: Any) -> Node:
        """Add a fill: repeat a pattern of `pattern_bytes` bytes over a buffer.

        The default size is the rest of the buffer.  `target` may be a
        plait.Parameter that each run sets; `size` is then required.
        """
        return self._add(_raw.PLAIT_NODE_FILL, {
            **_side("target", target, "fill", size), "target_offset": offset,
            "pattern": pattern,
            "pattern_bytes": pattern_bytes,
            "bytes": target.size - offset if size is None else size}, **how)

    def emit(self, signal: Signal, **how: Any) -> Node:
        """Add an emission: increment a signal."""
        return self._add(_raw.PLAIT_NODE_EMIT, {"signal": signal.handle}, **how)

    def wait(self, signal: Signal, sequence: int = 0, **how: Any) -> Node:
        """Add a wait until a signal reaches `sequence`; 0 is the newest sequence
        number submitted when a run starts."""
        return self._add(_raw.PLAIT_NODE_WAIT, {"signal": signal.handle,
                                                "sequence": sequence}, **how)

    def subgraph(self, graph: Graph, **how: Any) -> Node:
        """Add a copy of the nodes that `graph` has now."""
        self._functions.extend(graph._functions)
        return self._add(_raw.PLAIT_NODE_SUBGRAPH, {"subgraph": graph.handle}, **how)

    # --- loops and branches

    def loop(self, condition: Any, *, offset: int = 0, times: int = 0, first: bool = False,
             **how: Any) -> Tuple[Node, Graph]:
        """Add a loop; returns (node, body), where the body is a Graph to fill.

        The loop runs while the condition is true.  A condition is a buffer, true
        while its u32 at `offset` (in bytes) is not 0, or a Python function, called
        on the thread that owns the system; an exception in it fails the node.
        `first`: run the body once before the first test.  `times`: the expected
        number of iterations, for the planner; 0 means 1.
        """
        kind = _raw.PLAIT_NODE_DO if first else _raw.PLAIT_NODE_WHILE
        node = self._add(kind, {"times": times, **self._predicate(condition, offset, bool)}, **how)
        return node, self._body(node, 0)

    def case(self, condition: Any, branches: int, *, offset: int = 0,
             **how: Any) -> Tuple[Node, List[Graph]]:
        """Add a branch; returns (node, [body, ...]).

        The condition selects one of `branches` bodies by number, from 0: the u32 of
        a buffer at `offset` (in bytes), or the result of a Python function.
        """
        fields = {"branch_count": branches, **self._predicate(condition, offset, int)}
        node = self._add(_raw.PLAIT_NODE_CASE, fields, **how)
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
        return Rotation(number.value)

    # --- freezing

    def freeze(self, *, lanes: int = 0, widest: bool = False, mode: str = "auto",
               instances: int = 0, check: bool = False) -> Plan:
        """Schedule the graph; return a Plan, which runs any number of times.

        `lanes`: most lanes per device; 0: what the device can run at once.
        `widest`: as many lanes as the graph is wide, within the limits, instead of
        the shortest schedule found.  `mode`: "strict" keeps the order of each lane,
        for even work; "helped" keeps the edges only and lets idle workers run
        commands of other lanes, for uneven work; "auto" chooses by the spread of
        costs.  `instances`: most runs in flight; 0 means 2.  `check`: verify the
        plan before returning it.
        """
        from ._plan import Plan
        if mode not in ("strict", "helped", "auto"):
            raise ValueError("mode: %r is none of \"strict\", \"helped\" and \"auto\"" % (mode,))
        modes = {"strict": _raw.PLAIT_MODE_STRICT, "helped": _raw.PLAIT_MODE_HELPED,
                 "auto": _raw.PLAIT_MODE_AUTO}
        desc = sized(_raw.plait_freeze_desc, lanes=lanes, instances=instances, mode=modes[mode],
                     policy=_raw.PLAIT_POLICY_WIDEST if widest else _raw.PLAIT_POLICY_BOUNDED,
                     flags=_raw.PLAIT_FREEZE_CHECK if check else 0)
        handle = make(lib.plait_graph_freeze, self.handle, byref(desc))
        return Plan(self.system, handle, tuple(self._functions))

    # --- inside

    def _predicate(self, condition, offset, kind):
        if not callable(condition):
            check_buffer(condition, "the condition is not a function")
            return {"predicate": condition.handle, "predicate_offset": offset}
        question = Question(lambda: kind(condition()))
        self._functions.append(question)
        return {"user_data": question.number, "inbox": self.system._inbox.handle}

    def _body(self, node, branch):
        return Graph(self.system, make(lib.plait_graph_body, self.handle, node.number, branch),
                     self)

    def _add(self, kind, fields=(), after=(), label=None, device=None, cost=0):
        file, line = _place()
        desc = sized(_raw.plait_node_desc, kind=kind, label=encode(label), file=os.fsencode(file),
                     line=line, cost=cost, **dict(fields))
        if device is not None:
            desc.device, desc.device_count = device.handle, 1
        nodes = tuple(after) if hasattr(after, "__iter__") else (after,)
        for node in nodes:
            if not isinstance(node, Node):
                raise TypeError("after: %r is not a Node of this graph; launch(), call() and others "
                                "return one" % (node,))
        array = (c_uint64 * len(nodes))(*(n.number for n in nodes)) if nodes else None
        out = c_uint64()
        call(lib.plait_graph_add, self.handle, byref(desc), array, len(nodes), byref(out))
        return Node(self, out.value)
