# SPDX-License-Identifier: MIT
"""plait for Python: task graphs, scheduled once and replayed.

    import plait

    with plait.open() as system:                  # PLAIT_BACKEND chooses
        device = system.devices[0]
        saxpy = system.kernel(
            "saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
            "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")
        x, y = device.array(xs), device.array(ys)
        graph = system.graph()
        first = graph.launch(saxpy, plait.Parameter("a"), x, y, len(xs), items=len(xs))
        graph.call(print, "done", after=first)
        plan = graph.freeze()
        plan(a=2.0)                               # may be called any number of times
"""
from ._batch import Batch
from ._buffer import Buffer, Rows
from ._coll import Chunk, Coll, Schedule
from ._core import (CancelledError, Error, FailedError, InvalidError, MemoryExhausted,
                    UnavailableError, UnsupportedError, WaitTimeout)
from ._data import Access, Data
from ._flow import Flow, chunk
from ._graph import Barrier, Graph, Group, Node, Rotation
from ._kernel import HostValue, Kernel, Parameter, iteration, scratch, source_text
from ._library import lib as _lib
from ._plan import Function, Plan, Run
from ._raw import PLAIT_SAMPLER_LINEAR as SAMPLER_LINEAR, PLAIT_SAMPLER_ZERO as SAMPLER_ZERO
from ._queue import Queue, Signal
from ._system import Device, System, backend_report, is_stopping
from ._world import Collective, World

__all__ = ["Access", "Barrier", "Batch", "Buffer", "CancelledError", "Chunk", "Coll", "Collective", "Data",
           "Device", "Error", "FailedError", "Flow", "Function", "Graph", "Group",
           "HostValue", "InvalidError", "Kernel", "MemoryExhausted", "Node", "Parameter", "Plan", "Queue", "Rotation", "Rows", "Run",
           "SAMPLER_LINEAR", "SAMPLER_ZERO", "Schedule", "Signal", "System", "UnavailableError", "UnsupportedError", "WaitTimeout", "World",
           "backend_report", "chunk", "is_stopping", "iteration", "live_count", "open", "scratch", "source_text", "version"]

open = System


def version():
    """Return the version of the C library, as text."""
    return _lib.plait_version().decode()


def live_count():
    """Return the number of live plait objects in this process."""
    return _lib.plait_live_count(0)
