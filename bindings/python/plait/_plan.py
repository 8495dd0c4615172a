# SPDX-License-Identifier: MIT
"""Plans, runs, and the binding of parameters."""
from __future__ import annotations

import asyncio
import ctypes
import os
from ctypes import byref, c_char, c_uint32, c_uint64
from typing import TYPE_CHECKING, Any, Dict, Optional, Union

from . import _raw
from ._buffer import Buffer
from ._core import Handle, call, encode, failure, lib, local, make, nanoseconds, sized
from ._functions import RUN, Question, once
from ._kernel import Kernel, _TYPES, check_pointer, convert

if TYPE_CHECKING:
    from ._system import Queue

_FORMATS = {"json": _raw.PLAIT_FORMAT_JSON, "dot": _raw.PLAIT_FORMAT_DOT,
            "svg": _raw.PLAIT_FORMAT_SVG}
_TRACES = {"json": _raw.PLAIT_TRACE_JSON, "svg": _raw.PLAIT_TRACE_SVG}
_plan_call, _poll, _wait = lib.plait_plan_call, lib.plait_run_poll, lib.plait_run_wait
# Types stored in a box without conversion; Slot.put converts all others.
_NUMBERS = frozenset((int, float, bool))


def _written(write, handle, form):
    """Return the text of a C function that reports the size it needs."""
    needed = c_uint64()
    call(write, handle, form, None, 0, byref(needed))
    room = (c_char * (needed.value + 1))()
    call(write, handle, form, room, len(room), byref(needed))
    return room.raw[:needed.value].decode()


class _Parameter:
    def __init__(self, number, info):
        self.number, self.kind, self.name = number, info.kind, info.name.decode()
        self.type = _TYPES.get(info.type.decode())


class _Slot:
    """One binding of a parameter, and the C object (box) that holds its value."""

    __slots__ = ("what", "binding", "box", "exact")

    def __init__(self, parameter, binding):
        self.what, self.binding = "parameter %r" % parameter.name, binding
        binding.size, binding.parameter = ctypes.sizeof(binding), parameter.number
        self.box = self.exact = None
        if parameter.kind == _raw.PLAIT_PARAMETER_VALUE:
            self.exact = not isinstance(parameter.type().value, (float, bytes))
            self._hold(parameter.type())
        elif parameter.kind == _raw.PLAIT_PARAMETER_LAUNCH:
            self._hold(sized(_raw.plait_launch))

    def _hold(self, box):
        self.box = box
        self.binding.value, self.binding.bytes = ctypes.addressof(box), ctypes.sizeof(box)

    def put(self, value):
        """Store a value that needs a conversion or a check."""
        if self.box is None:
            check_pointer(value, None, self.what)
            self.binding.buffer = value.handle
        elif self.exact is None:
            self._hold(Kernel._geometry(value))
        else:
            self.box.value = convert(type(self.box), value, self.what).value


class Bindings:
    """The plait_run_desc of a run and its bindings: allocated once, filled per run."""

    def __init__(self, plan):
        known = plan.parameters()
        self.array = (_raw.plait_binding * max(len(known), 1))()
        self.slots = {name: _Slot(parameter, binding)
                      for binding, (name, parameter) in zip(self.array, known.items())}
        self.desc = sized(_raw.plait_run_desc, bindings=ctypes.addressof(self.array),
                          binding_count=len(known), flags=plan._flags)
        self.at = byref(self.desc)

    def fill(self, given):
        if len(given) != len(self.slots):
            self._refuse(given)
        for name, value in given.items():
            slot = self.slots.get(name)
            if slot is None:
                self._refuse(given)
            if slot.exact is None or type(value) not in _NUMBERS:
                slot.put(value)
                continue
            try:
                slot.box.value = value
            except TypeError:
                slot.put(value)
            if slot.exact and slot.box.value != value:
                slot.put(value)
        return self.at

    def _refuse(self, given):
        unknown, missing = set(given) - set(self.slots), set(self.slots) - set(given)
        if unknown:
            raise TypeError("the plan has no parameter %s; it has %s" % (
                ", ".join(sorted(unknown)), ", ".join(sorted(self.slots)) or "none"))
        raise TypeError("the plan also needs %s: plan(%s)" % (
            ", ".join(sorted(missing)), ", ".join("%s=..." % name for name in self.slots)))


class Plan(Handle):
    """A frozen schedule: plan(x=...) runs it and waits."""
    _release = lib.plait_plan_release
    __slots__ = ("system", "_functions", "_parameters", "_queue", "_flags", "_told")

    def __init__(self, system, handle, functions):
        super().__init__(handle)
        self.system, self._functions = system, functions
        self._parameters = self._queue = self._told = None
        self._flags = 0

    def parameters(self) -> Dict[str, Any]:
        """Return {name: parameter} of the parameters that each run must set."""
        if self._parameters is None:
            count = c_uint32()
            call(lib.plait_plan_parameter_count, self.handle, byref(count))
            found = {}
            for i in range(count.value):
                info = sized(_raw.plait_parameter_info)
                call(lib.plait_plan_query_parameter, self.handle, i, byref(info))
                parameter = _Parameter(i, info)
                found[parameter.name] = parameter
            self._parameters = found
        return self._parameters

    def __call__(self, *unnamed: Any, **given: Any) -> None:
        """Run the plan and wait; `given` sets all its parameters by name."""
        if unnamed:
            raise TypeError("a plan takes its parameters by name: plan(%s)"
                            % ", ".join("%s=..." % name for name in self.parameters()))
        if any(isinstance(function, Question) for function in self._functions):
            self._ask(given)
            return
        if given or self._flags:
            # The call owns the bindings while it runs: another thread, or a function
            # that the plan calls, may run the plan meanwhile.
            told, self._told = self._told, None
            told = told or Bindings(self)
            status = _plan_call(self._handle, None, told.fill(given), local.at)
            self._told = told
        else:
            status = _plan_call(self._handle, None, None, local.at)
        if status < 0:
            raise failure(status)

    def _ask(self, given):
        """Run a plan that has predicate functions; plait_plan_call cannot serve them."""
        try:
            self.run(None, **given).wait()
        except BaseException:
            self._queue = None  # a failed queue accepts nothing until it is finished
            raise

    def run(self, queue: Optional[Queue] = None, **given: Any) -> Run:
        """Start a run after the commands in `queue`; returns a plait.Run.

        The default is a queue of the plan's own, on the first device.
        """
        if queue is None:
            if self._queue is None:
                self._queue = self.system.devices[0].queue()
            queue = self._queue
        told = Bindings(self) if given or self._flags else None
        return Run(self, queue, make(lib.plait_plan_run, self.handle, queue.handle,
                                     told.fill(given) if told else None))

    def function(self, signature: str) -> Function:
        """Return the plan as a function for C code, a plait.Function.

        A plan with Python functions is not suited: C code would have to pump them.
        """
        return Function(self, signature)

    def query(self) -> Any:
        """Return the plait_plan_info of the plan."""
        info = sized(_raw.plait_plan_info)
        call(lib.plait_plan_query, self.handle, byref(info))
        return info

    def check(self) -> None:
        """Verify the schedule; the error names the violated property."""
        call(lib.plait_plan_check, self.handle)

    def text(self, form: str) -> str:
        """Return the plan as "json", or a drawing as "dot" or "svg"."""
        return _written(lib.plait_plan_write, self.handle, _FORMATS[form])

    def _repr_svg_(self):
        return self.text("svg")

    def record(self) -> None:
        """Record what each lane does in all later runs; see Run.trace."""
        call(lib.plait_plan_record, self.handle, 0)
        self._flags, self._told = _raw.PLAIT_RUN_RECORD, None

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write the plan to a file, for System.load."""
        call(lib.plait_plan_save, self.handle, os.fsencode(path))


class Function(Handle):
    """A plan as a C function: C code may call `address` while this object lives.

    The signature names the plan's parameters; the result is the status.  A pointer
    parameter takes the `handle` of a plait.Buffer:

        step = plan.function("step(dt: f64, x: pointer, n: u64): i32")
        ctypes.CFUNCTYPE(c_int32, c_double, c_void_p, c_uint64)(step.address)
    """
    _release = lib.plait_callable_release
    __slots__ = ("plan", "address")

    def __init__(self, plan, signature):
        desc = sized(_raw.plait_callable_desc, signature=encode(signature))
        super().__init__(make(lib.plait_callable_create, plan.handle, byref(desc)))
        self.plan = plan
        found = ctypes.c_void_p()
        call(lib.plait_callable_function, self.handle, byref(found))
        self.address = found.value


class Run(Handle):
    """A run in flight: wait() for it, await it, or cancel() it."""
    _release = lib.plait_run_release
    __slots__ = ("plan", "queue")

    def __init__(self, plan, queue, handle):
        super().__init__(handle)
        self.plan, self.queue = plan, queue

    def _check(self, status):
        if status < 0:
            error = failure(status)
            # The plan's own queue failed with the run, and no caller can finish it.
            if (self.plan._queue is self.queue and
                    lib.plait_run_poll(self.handle, None) != _raw.PLAIT_PENDING):
                self.plan._queue = None
            raise error
        return status

    def poll(self) -> bool:
        """Return True if the run is done; raise its error if it failed."""
        return self._check(_poll(self.handle, local.at)) != _raw.PLAIT_PENDING

    def wait(self, timeout: Optional[float] = None) -> None:
        """Wait until the run is done; raise its error if it failed.

        `timeout` is in seconds; None waits without limit.
        """
        while self._check(_wait(self.handle, nanoseconds(timeout),
                                local.at)) == _raw.PLAIT_EVENT_READY:
            self.plan.system.pump()

    def trace(self, form: str) -> str:
        """Return the trace of a recorded run that is done: a drawing as "svg", or
        "json" for Perfetto; see Plan.record."""
        return _written(lib.plait_run_write, self.handle, _TRACES[form])

    def cancel(self) -> None:
        """Cancel the run: no further command of it starts."""
        call(lib.plait_run_cancel, self.handle)

    def __await__(self):
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self.plan.system.attach(loop)
        number = once(lambda: future.done() or future.set_result(None))
        call(lib.plait_run_notify, self.handle, self.plan.system._inbox.handle, RUN, number)
        yield from future.__await__()
        self.poll()

    def release(self) -> None:
        """Drop the reference; the run continues."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        if self.plan._functions and lib.plait_run_poll(handle, None) == _raw.PLAIT_PENDING:
            self.plan.system._forget(handle, self.plan)
        else:
            lib.plait_run_release(handle)
