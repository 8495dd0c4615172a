# SPDX-License-Identifier: MIT
"""Plans, runs, and the binding of parameters."""
from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_char, c_uint32, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Union

from . import _raw
from ._buffer import address_of, check_buffer
from ._core import (SLICE_NS, Handle, call, calling, chosen, encode, failure, handle_of, inside, lib, local,
                    make, plain, sized, table, wait_in_slices)
from ._functions import RUN, Question, Reference, check_function, is_async
from ._kernel import Kernel, check_kernel, check_pointer, convert, kind_of

if TYPE_CHECKING:
    from ._buffer import Buffer
    from ._queue import Queue, Signal
    from ._system import Device

_FORMATS = {"json": _raw.PLAIT_FORMAT_JSON, "dot": _raw.PLAIT_FORMAT_DOT,
            "svg": _raw.PLAIT_FORMAT_SVG}
_TRACES = {"json": _raw.PLAIT_TRACE_JSON, "svg": _raw.PLAIT_TRACE_SVG}
_MODES = {"strict": _raw.PLAIT_MODE_STRICT, "helped": _raw.PLAIT_MODE_HELPED,
          "auto": _raw.PLAIT_MODE_AUTO}
_KINDS = {_raw.PLAIT_BINDING_KERNEL: "kernel", _raw.PLAIT_BINDING_BUFFER: "buffer",
          _raw.PLAIT_BINDING_SIGNAL: "signal", _raw.PLAIT_BINDING_FUNCTION: "function",
          _raw.PLAIT_BINDING_DEVICE: "device"}
_run, _poll, _wait = lib.plait_plan_run, lib.plait_run_poll, lib.plait_run_wait
# A function object of its own, without argtypes: ctypes passes c_void_p objects as
# they are, and converts nothing.  The result is a C int, as a plait_status is.
_plan_call = lib["plait_plan_call"]
# Types stored in a box without conversion; Slot.put converts all others.
_NUMBERS = frozenset((int, float, bool))


def _plan_call_inside(*arguments):
    with inside():
        return _plan_call(*arguments)


def _contents(write, handle, form):
    """Return the bytes of a C function that reports the size it needs."""
    needed = c_uint64()
    call(write, handle, form, None, 0, byref(needed))
    room = (c_char * (needed.value + 1))()
    call(write, handle, form, room, len(room), byref(needed))
    return room.raw[:needed.value]


def _written(write, handle, form):
    return _contents(write, handle, form).decode()


def mode_of(name):
    return chosen("mode", name, _MODES)


class _Parameter:
    def __init__(self, number, info):
        self.number, self.kind, self.name = number, info.kind, info.name.decode()
        self.writes = info.type != b"in"
        self.type = kind_of(info.type.decode().split()) if info.kind == _raw.PLAIT_PARAMETER_VALUE else None

    def __repr__(self):
        return "<parameter %r>" % self.name


class _Slot:
    """One binding of a parameter, and the C object (box) that holds its value."""

    __slots__ = ("what", "binding", "box", "exact", "host")

    def __init__(self, parameter, binding):
        self.what, self.binding = "parameter %r" % parameter.name, binding
        binding.size, binding.parameter = ctypes.sizeof(binding), parameter.number
        self.box = self.exact = self.host = None
        if parameter.kind == _raw.PLAIT_PARAMETER_VALUE:
            box = parameter.type()
            if not isinstance(box, ctypes.Array):
                self.exact = not isinstance(box.value, (float, bytes))
            self._hold(box)
        elif parameter.kind == _raw.PLAIT_PARAMETER_LAUNCH:
            self._hold(sized(_raw.plait_launch))
        elif parameter.kind == _raw.PLAIT_PARAMETER_HOST:
            self.host = parameter

    def _hold(self, box):
        self.box = box
        self.binding.value, self.binding.bytes = ctypes.addressof(box), ctypes.sizeof(box)

    def put(self, value):
        """Store a value that needs a conversion or a check."""
        if self.host is not None:
            self._put_memory(value)
        elif self.box is None:
            check_pointer(value, None, self.what)
            self.binding.buffer = value.handle
        elif isinstance(self.box, ctypes.Array):
            self._hold(convert(type(self.box), value, self.what))
        elif self.exact is None:
            self._hold(Kernel._geometry(value))
        else:
            self.box.value = convert(type(self.box), value, self.what).value


    def _put_memory(self, value):
        try:
            self.binding.value, self.binding.bytes, self.box = address_of(value, self.host.writes)
        except (TypeError, ValueError) as error:
            raise type(error)("%s: %s" % (self.what, error)) from None


class Bindings:
    """The plait_run_desc of a run and its bindings: allocated once, filled per run."""

    def __init__(self, plan):
        known = plan.parameters()
        self.array = (_raw.plait_binding * max(len(known), 1))()
        self.slots = {name: _Slot(parameter, binding)
                      for binding, (name, parameter) in zip(self.array, known.items())}
        self.hosts = [slot for slot in self.slots.values() if slot.host]
        self.desc = sized(_raw.plait_run_desc, bindings=ctypes.addressof(self.array),
                          binding_count=len(known), flags=plan._flags)
        self.at = byref(self.desc)
        self.pointer = c_void_p(ctypes.addressof(self.desc))

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


class _Borrowed:
    """Memory of the program that a run in flight uses; its queue keeps it."""

    def __init__(self, run, memory):
        self.run, self.memory = run, memory

    def is_free(self):
        try:
            return _poll(self.run.handle, local.at) != _raw.PLAIT_PENDING
        except ValueError:  # the run was released, and may be in flight
            return False


class Plan(Handle):
    """A frozen schedule: plan(x=...) runs it and waits."""
    _release = lib.plait_plan_release
    __slots__ = ("system", "_functions", "_parameters", "_queue", "_flags", "_told", "_pointer",
                 "_asks", "_bound")

    def __init__(self, system, handle, functions=()):
        super().__init__(handle)
        self.system, self._functions = system, functions
        self._parameters = self._queue = self._told = None
        self._flags, self._pointer, self._bound = 0, c_void_p(handle), {}
        self._asks = any(isinstance(function, Question) for function in functions)

    def _drop(self):
        self._pointer.value = None
        super()._drop()

    def release(self) -> None:
        """Drop the reference now, and that of the plan's own queue; runs continue."""
        super().release()
        queue, self._queue = self._queue, None
        if queue is not None:  # it would keep the system alive
            queue.release()

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
        if self._asks:
            self._ask(given)
            return
        call_plan = _plan_call if calling.get() is None else _plan_call_inside
        if given or self._flags:
            # The call owns the bindings while it runs: another thread, or a function
            # that the plan calls, may run the plan meanwhile.
            told, self._told = self._told, None
            told = told or Bindings(self)
            told.fill(given)
            status = call_plan(self._pointer, None, told.pointer, local.pointer)
            for slot in told.hosts:
                slot.box = None  # the run has ended
            self._told = told
        else:
            status = call_plan(self._pointer, None, None, local.pointer)
        if status < 0:
            self.handle  # a released plan says so
            raise failure(status)

    def _ask(self, given):
        """Run a plan with predicates or coroutines of Python, which plait_plan_call cannot serve."""
        run = None
        try:
            run = self.run(None, **given)
            run.wait()
        except BaseException:
            if run is not None:  # interrupted: nothing of it begins any more
                run.cancel()
            self._queue = None  # a failed queue accepts nothing until it is finished
            raise

    def flags(self, *, serial: bool = False, parallel: bool = False, no_wait: bool = False,
              record: bool = False, overlap: bool = False) -> None:
        """Set the flags of later runs; those that are not given are off.

        `serial`: one lane at a time.  `parallel`: all lanes, also where no gain is
        expected; without both the library chooses.  `no_wait`: an Error instead of a
        wait if all instances are in flight.  `record`: see record().  `overlap`: runs
        that write the same memory do not take turns.
        """
        self._told = None
        self._flags = ((_raw.PLAIT_RUN_SERIAL if serial else 0) |
                       (_raw.PLAIT_RUN_PARALLEL if parallel else 0) |
                       (_raw.PLAIT_RUN_NO_WAIT if no_wait else 0) |
                       (_raw.PLAIT_RUN_OVERLAP if overlap else 0) |
                       (_raw.PLAIT_RUN_RECORD if record else 0))

    def run(self, queue: Optional[Queue] = None, **given: Any) -> Run:
        """Start a run after the commands in `queue`; returns a plait.Run.

        The default is a queue of the plan's own, on the first device.
        """
        if queue is None:
            if self._queue is None:
                self._queue = self.system.devices[0].queue()
            queue = self._queue
        told = Bindings(self) if given or self._flags else None
        out = c_void_p()
        call(_run, self.handle, handle_of(queue, "Queue", "run"), told.fill(given) if told else None, byref(out))
        run = Run(self, queue, out.value)
        memory = [slot.box for slot in told.hosts] if told else None
        if memory:
            queue._kept = [kept for kept in queue._kept if not (isinstance(kept, _Borrowed) and kept.is_free())]
            queue._kept.append(_Borrowed(run, memory))
        return run

    def function(self, signature: str) -> Function:
        """Return the plan as a function for C code, a plait.Function.

        A plan with Python functions is not suited: C code would have to pump them.
        """
        return Function(self, signature)

    def prepare(self) -> None:
        """Allocate and compile all that a run needs; the first run does so otherwise."""
        call(lib.plait_plan_prepare, self.handle)

    # --- names

    def bindings(self) -> List[Any]:
        """Return the names of a plan that was read: `name`, `kind` ("kernel", "buffer",
        "signal", "function" or "device"), `bound`, `bytes` (the smallest size of a
        buffer), `detail` (a signature, or a device) and `flags`."""
        found = []
        for i in range(self.query().bindings):
            one = sized(_raw.plait_plan_binding)
            call(lib.plait_plan_query_binding, self.handle, i, byref(one))
            made = plain(one)
            made.kind, made.bound = _KINDS.get(one.kind, one.kind), bool(one.bound)
            found.append(made)
        return found

    def bind_kernel(self, kernel: Kernel) -> None:
        """Bind a kernel of a plan that was read; its own name is the name."""
        check_kernel(kernel, "bind_kernel: a Kernel is needed")
        call(lib.plait_plan_bind_kernel, self.handle, kernel.handle)

    def bind_buffer(self, name: str, buffer: Buffer) -> None:
        """Bind a buffer to a name of a plan that was read."""
        check_buffer(buffer, "bind_buffer")
        call(lib.plait_plan_bind_buffer, self.handle, encode(name), buffer.handle)

    def bind_signal(self, name: str, signal: Signal) -> None:
        """Bind a signal to a name of a plan that was read."""
        call(lib.plait_plan_bind_signal, self.handle, encode(name),
             handle_of(signal, "Signal", "bind_signal"))

    def bind_function(self, name: str, function: Any, *arguments: Any) -> None:
        """Bind a function to a name of a plan that was read.

        A Python function runs on the thread that owns the system; for a loop or a
        case its result is the number that decides.  A function that runs on any
        thread is one of C: the address of an int32_t f(void *), as a number.
        """
        desc, kept = sized(_raw.plait_function_desc), None
        flags = next((one.flags for one in self.bindings()
                      if one.kind == "function" and one.name == name), 0)
        if isinstance(function, int):
            desc.function, desc.flags = function, flags & _raw.PLAIT_CALL_ANY_THREAD
        elif flags & _raw.PLAIT_BINDING_IS_ANY_THREAD:
            raise TypeError("bind_function: %r runs on any thread, a Python function on one: give it "
                            "the address of a C function" % (name,))
        else:
            predicate = flags & _raw.PLAIT_BINDING_IS_PREDICATE
            check_function(function, "bind_function", suspends=not predicate)
            pulled = predicate or is_async(function)
            kept = (Question if pulled else Reference)(lambda: function(*arguments))
            desc.function, desc.user_data = None if pulled else RUN, kept.number
        if not desc.flags:
            desc.inbox = self.system._inbox.handle
        call(lib.plait_plan_bind_function, self.handle, encode(name), byref(desc))
        self._bound[name] = kept
        self._functions = tuple(one for one in self._bound.values() if one is not None)
        self._asks = any(isinstance(one, Question) for one in self._functions)

    def bind_device(self, name: str, device: Device) -> None:
        """Bind a device to a name of a plan that was read."""
        call(lib.plait_plan_bind_device, self.handle, encode(name),
             handle_of(device, "Device", "bind_device"))

    def exchange(self, old: Kernel, kernel: Kernel) -> None:
        """Replace a kernel of the plan by one with an equal signature, for later runs."""
        check_kernel(old, "exchange: a Kernel is needed")
        check_kernel(kernel, "exchange: a Kernel is needed")
        call(lib.plait_plan_exchange, self.handle, old.handle, kernel.handle)

    # --- schedule

    def query(self) -> Any:
        """Return the properties of the plan: the fields of plait_plan_info."""
        info = sized(_raw.plait_plan_info)
        call(lib.plait_plan_query, self.handle, byref(info))
        return plain(info)

    def commands(self) -> List[Any]:
        """Return the commands of the plan: the fields of plait_command_info."""
        found = []
        for i in range(self.query().commands):
            info = sized(_raw.plait_command_info)
            call(lib.plait_plan_query_command, self.handle, i, byref(info))
            found.append(plain(info))
        return found

    def simulate(self, *, hop_cost: int = 0, submit_cost: int = 0, copy_alpha: int = 0,
                 copy_beta: int = 0) -> Any:
        """Predict a run from the costs of the nodes and those of a system.

        Returns the fields of plait_simulation, and `lanes`: those of plait_lane_use.
        """
        costs, out = _costs(hop_cost, submit_cost, copy_alpha, copy_beta), sized(_raw.plait_simulation)
        count = self.query().lanes
        lanes = table(_raw.plait_lane_use, count)
        call(lib.plait_plan_simulate, self.handle, byref(costs), byref(out), lanes, count)
        made = plain(out)
        made.lanes = [plain(one) for one in lanes[:count]]
        return made

    def critical_path(self, *, hop_cost: int = 0, submit_cost: int = 0, copy_alpha: int = 0,
                      copy_beta: int = 0) -> List[Any]:
        """Return the commands on the predicted critical path, in order of time: the
        fields of plait_critical_command."""
        costs = _costs(hop_cost, submit_cost, copy_alpha, copy_beta)
        out = sized(_raw.plait_simulation)
        call(lib.plait_plan_simulate, self.handle, byref(costs), byref(out), None, 0)
        count = out.critical_count
        path = table(_raw.plait_critical_command, count)
        call(lib.plait_plan_critical_path, self.handle, byref(costs), path, count)
        return [plain(one) for one in path[:count]]

    def rehearse(self, unit_ns: int = 0) -> None:
        """Turn the plan into a rehearsal: runs execute costs, `unit_ns` nanoseconds per
        unit, and call nothing."""
        call(lib.plait_plan_rehearse, self.handle, unit_ns)

    def tune(self, *, mode: str = "auto", lanes: int = 0, hop_ns: int = 0) -> Tuple[Plan, Any]:
        """Plan the same graph again with the costs that recorded runs measured.

        Returns (the new plan, the fields of plait_tune_info): compare `before_ns` and
        `after_ns`.  `lanes`: most lanes per device; 0: the limit of the plan.
        """
        desc = sized(_raw.plait_tune_desc, mode=mode_of(mode), lanes=lanes, hop_ns=hop_ns)
        info, out = sized(_raw.plait_tune_info), c_void_p()
        call(lib.plait_plan_tune, self.handle, byref(desc), byref(out), byref(info))
        made = Plan(self.system, out.value, self._functions)
        made._bound = dict(self._bound)
        return made, plain(info)

    def check(self) -> None:
        """Verify the schedule; the error names the violated property."""
        call(lib.plait_plan_check, self.handle)

    def text(self, form: str) -> str:
        """Return the plan as "json", or a drawing as "dot" or "svg"."""
        return _written(lib.plait_plan_write, self.handle, chosen("text", form, _FORMATS))

    def _repr_svg_(self):
        return self.text("svg")

    def record(self, records: int = 0) -> None:
        """Record what each lane does in all later runs; see Run.trace.

        `records`: room per lane; 0: enough for the expected numbers of iterations.
        """
        call(lib.plait_plan_record, self.handle, records)
        self._flags, self._told = self._flags | _raw.PLAIT_RUN_RECORD, None

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write the plan to a file, for System.load."""
        call(lib.plait_plan_save, self.handle, os.fsencode(path))

    def bytes(self) -> bytes:
        """Return what save() writes, for System.read."""
        return _contents(lib.plait_plan_write, self.handle, _raw.PLAIT_FORMAT_BINARY)

    def __repr__(self):
        if self._handle is None:
            return "<plait.Plan, released>"
        info, names = self.query(), ", ".join(self.parameters())
        return "<plait.Plan of %d nodes on %d lanes%s%s>" % (
            info.nodes, info.lanes, ", parameters " + names if names else "",
            ", %d names not bound" % info.unbound if info.unbound else "")


def _costs(hop_cost, submit_cost, copy_alpha, copy_beta):
    return sized(_raw.plait_system_desc, hop_cost=hop_cost, submit_cost=submit_cost,
                 copy_alpha=copy_alpha, copy_beta=copy_beta)


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
        # All fields of a Handle, without the call of its constructor: runs are many.
        self._handle, self._label, self._gone = handle, None, None
        self.plan, self.queue = plan, queue

    def _check(self, status):
        if status < 0:
            # The plan's own queue failed with the run, and no caller can finish it.
            if (status != _raw.PLAIT_E_TIMEOUT and self.plan._queue is self.queue and
                    lib.plait_run_poll(self.handle, None) != _raw.PLAIT_PENDING):
                self.plan._queue = None
            raise failure(status)  # without a name: its frame would be a cycle with it
        return status

    def poll(self) -> bool:
        """Return True if the run is done; raise its error if it failed."""
        return self._check(_poll(self.handle, local.at)) != _raw.PLAIT_PENDING

    def wait(self, timeout: Optional[float] = None) -> None:
        """Wait until the run is done; raise its error if it failed.

        `timeout` is in seconds; None waits without limit.
        """
        system = self.plan.system
        if timeout is None and not system._coroutines and _wait(self.handle, SLICE_NS, local.at) == _raw.PLAIT_OK:
            return  # as most do
        wait_in_slices(timeout, lambda limit: self._check(_wait(self.handle, limit, local.at)), system)

    def trace(self, form: str) -> str:
        """Return the trace of a recorded run that is done: a drawing as "svg", or
        "json" for Perfetto; see Plan.record."""
        return _written(lib.plait_run_write, self.handle, chosen("trace", form, _TRACES))

    def query(self) -> Any:
        """Return the state of the run: the fields of plait_run_info."""
        info = sized(_raw.plait_run_info)
        call(lib.plait_run_query, self.handle, byref(info))
        return plain(info)

    def records(self) -> Tuple[List[Any], int]:
        """Return ([the fields of each plait_record], the number of dropped ones) of a
        recorded run that is done; see Plan.record."""
        count, dropped = c_uint64(), c_uint64()
        call(lib.plait_run_records, self.handle, None, 0, byref(count), byref(dropped))
        found = table(_raw.plait_record, count.value)
        call(lib.plait_run_records, self.handle, found, count.value, byref(count), byref(dropped))
        return [plain(one) for one in found[:count.value]], dropped.value

    def cancel(self) -> None:
        """Cancel the run: no further command of it starts."""
        call(lib.plait_run_cancel, self.handle)

    def __await__(self):
        system = self.plan.system
        yield from system._await(lambda number: call(
            lib.plait_run_notify, self.handle, system._inbox.handle, RUN, number))
        self.poll()

    def __repr__(self):
        if self._handle is None:
            return "<plait.Run, released>"
        status = lib.plait_run_poll(self._handle, None)
        return "<plait.Run, %s, of %r>" % ("done" if status == _raw.PLAIT_OK else "pending" if (
            status == _raw.PLAIT_PENDING) else lib.plait_status_name(status).decode(), self.plan)

    def release(self) -> None:
        """Drop the reference; the run continues."""
        self._drop()  # runs are many: no look at the stack

    def _drop(self):
        handle, self._handle = self._handle, None
        if handle is None:
            return
        if self.plan._functions and lib.plait_run_poll(handle, None) == _raw.PLAIT_PENDING:
            self.plan.system._forget(handle, self.plan)
        else:
            lib.plait_run_release(handle)
