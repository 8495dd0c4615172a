# SPDX-License-Identifier: MIT
"""Exceptions, and the base class of handles, for all other modules."""
from __future__ import annotations

import collections
import contextvars
import ctypes
import gc
import os
import re
import sys
import threading
import time
import types
import weakref
from ctypes import byref, c_char, c_uint64, c_void_p
from typing import Any, TypeVar

from . import _raw
from ._library import lib

FOREVER = 2 ** 64 - 1


# --- errors ------------------------------------------------------------------

class Error(Exception):
    """A failed call or command.

    status   the status code of the C library: a negative integer
    text     the message of the C library
    origin   the number that the failing function or driver call returned
    detail   further text, such as a compiler log; None if there is none
    """

    def __init__(self, status, text, origin=0, detail=None):
        name = lib.plait_status_name(status).decode()
        super().__init__("%s (%s)" % (text, name) if text else name)
        self.status, self.text, self.origin, self.detail = status, text, origin, detail


class InvalidError(Error, ValueError):
    """An argument is invalid."""


class MemoryExhausted(Error, MemoryError):
    """Memory, or the memory budget of a device, is exhausted."""


class UnsupportedError(Error, NotImplementedError):
    """The backend does not support the operation."""


class UnavailableError(Error):
    """A backend, library or compiler is not available; the text says why."""


class WaitTimeout(Error, TimeoutError):
    """A wait reached its timeout."""


class CancelledError(Error):
    """The run or command was cancelled."""


class FailedError(Error):
    """A host function failed; `__cause__` is the exception of a Python function.
    A KeyboardInterrupt or SystemExit is raised in place of this error."""


_CLASSES = {
    _raw.PLAIT_E_INVALID: InvalidError,
    _raw.PLAIT_E_NOMEM: MemoryExhausted,
    _raw.PLAIT_E_UNSUPPORTED: UnsupportedError,
    _raw.PLAIT_E_UNAVAILABLE: UnavailableError,
    _raw.PLAIT_E_TIMEOUT: WaitTimeout,
    _raw.PLAIT_E_CANCELLED: CancelledError,
    _raw.PLAIT_E_FAILED: FailedError,
}


class _Local(threading.local):
    """One plait_error per thread, reused by all calls of the thread."""
    tasks = 0  # functions of tasks that run, one inside of another

    def __init__(self):
        self.error = _raw.plait_error(size=ctypes.sizeof(_raw.plait_error))
        self.at = byref(self.error)
        # For functions without argtypes, which take this object as it is.
        self.pointer = c_void_p(ctypes.addressof(self.error))


local = _Local()

# (inbox, id) of the call whose function runs; of each step of a coroutine, too.
calling = contextvars.ContextVar("plait.calling", default=None)


class Raised:
    """Exceptions that Python functions raised inside callbacks of plait.

    keep() returns a number, which the callback returns to C.  The C library reports
    the number as the `origin` of its error, and failure() looks the exception up.
    A run and its queue report the same failure, so that a number is looked up more
    than once: after the first time the table has the words of the exception, and the
    exception as long as an Error has it.  Holds the last KEPT.  Guarded by _lock.
    """
    KEPT = 256

    def __init__(self):
        self._lock = threading.Lock()
        self._kept = collections.OrderedDict()
        self._last = 0
        self._ends = None

    def keep(self, exception):
        with self._lock:
            self._last = self._last % 0x3fffffff + 1
            number = 0x40000000 + self._last
            self._kept[number] = exception, None, None
            if len(self._kept) > self.KEPT:
                self._kept.popitem(last=False)
            if not isinstance(exception, Exception):
                self._ends = number
            return number

    def end(self):
        """Raise the KeyboardInterrupt or SystemExit that a function has raised, unless
        failure() was first: the wait that runs the function may not be one for it."""
        number, self._ends = self._ends, None
        cause, _ = self.find(number) or (None, None)
        if cause is not None:
            raise cause

    def find(self, number):
        """Return (exception or None, its words), or None for another number."""
        with self._lock:
            found = self._kept.get(number)
            if found is None:
                return None
            cause, words, error = found
            if cause is not None:
                words = "raised %s: %s" % (type(cause).__name__, cause)
                self._kept[number] = None, words, None
            elif error is not None and error() is not None:
                cause = error().__cause__
            return cause, words

    def shown(self, number, error):
        """Let later errors of the same failure have the exception of this one."""
        with self._lock:
            if number in self._kept:
                self._kept[number] = None, self._kept[number][1], weakref.ref(error)


raised = Raised()


# The functions of C that error texts name, as this layer calls them.
NAMES = {
    "plait_plan_bind_kernel": "plan.bind_kernel", "plait_plan_bind_buffer": "plan.bind_buffer",
    "plait_plan_bind_signal": "plan.bind_signal", "plait_plan_bind_function": "plan.bind_function",
    "plait_plan_bind_device": "plan.bind_device", "plait_plan_call": "plan()",
    "plait_plan_run": "plan.run",
    "plait_plan_record": "plan.record", "plait_run_cancel": "run.cancel",
    "plait_signal_reset": "signal.reset", "plait_inbox_adopt": "system.adopt",
    "plait_plan_find_parameter": "plan.parameters", "plait_flow_repeat": "flow.repeat",
}
# Its options and structs that error texts name.
_OPTIONS = {"plait_launch": "launch", "PLAIT_RUN_RECORD": "plan.flags(record=True)"}
_NAME = re.compile(r"\bplait_[a-z_]+|\bPLAIT_RUN_RECORD\b")


def _python_name(found):
    """Return Python's name of a function, an option or a struct of options of C."""
    name = found.group(0)
    return NAMES.get(name) or _OPTIONS.get(name) or re.sub(r"^plait_([a-z]+)_desc$", r"\1", name)


def detail_text(number):
    if number == 0:
        return None
    needed = c_uint64()
    lib.plait_error_detail(number, None, 0, byref(needed))
    room = (c_char * (needed.value + 1))()
    if lib.plait_error_detail(number, room, len(room), byref(needed)) < 0:
        return None
    return room.value.decode("utf-8", "replace")


def failure(status):
    """Return the exception for the status that the last call on this thread returned."""
    error = local.error
    text = _NAME.sub(_python_name, error.text.decode("utf-8", "replace"))
    cause, words = raised.find(error.origin) or (None, None)
    if words is not None:
        text = text.replace("failed with %d" % error.origin, words)
    made = _CLASSES.get(status, Error)(status, text, error.origin, detail_text(error.detail))
    if cause is None:
        return made
    if not isinstance(cause, Exception):  # KeyboardInterrupt, SystemExit
        cause.__cause__ = made
        return cause
    made.__cause__ = cause
    raised.shown(error.origin, made)
    return made


def check(status):
    if status < 0:
        raise failure(status)
    return status


def call(function, *arguments):
    """Call a C function whose last parameter is the error; raise if it fails."""
    status = function(*arguments, local.at)
    if status < 0:
        raise failure(status)
    return status


# --- places ------------------------------------------------------------------

def place():
    """Return the file and line of the innermost caller outside this package."""
    frame = sys._getframe(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == _FOLDER:
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("?", 0)


_FOLDER = os.path.dirname(place.__code__.co_filename)


# --- handles -----------------------------------------------------------------

H = TypeVar("H", bound="Handle")


class Handle:
    """One owned reference to an object of plait.

    release(), the end of a `with` block or the garbage collector drops the
    reference, in any order and on any thread.
    """
    _release = None
    __slots__ = ("_handle", "_label", "_gone", "__weakref__")

    def __init__(self, handle, label=None):
        self._handle, self._label, self._gone = handle, label, None

    @property
    def handle(self):
        """The C handle, for ctypes and other libraries."""
        if self._handle is None:
            raise ValueError("%s was released%s" % (self._called(), (
                " at %s:%d" % self._gone) if self._gone else ""))
        return self._handle

    @property
    def label(self):
        """The name in errors and drawings, or None."""
        return self._label

    def _called(self):
        return type(self).__name__ + (' "%s"' % self._label if self._label else "")

    def release(self) -> None:
        """Drop the reference now; the object cannot be used afterwards."""
        if self._handle is not None:
            self._gone = place()
        self._drop()

    def _drop(self):
        handle, self._handle = self._handle, None
        if handle is not None and self._release is not None:
            type(self)._release(handle)

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            self._drop()

    def __enter__(self: H) -> H:
        return self

    def __exit__(self, *_: Any) -> None:
        self.release()


def held_by(system):
    """Return the objects of this process that keep a system alive, as text."""
    found = {}
    for one in gc.get_objects():
        if not isinstance(one, Handle) or one._handle is None or one is system._inbox:
            continue
        owner = one
        for name in ("plan", "device", "system"):
            owner = getattr(owner, name, owner)
        if owner is system and one is not system:
            found[one._called()] = found.get(one._called(), 0) + 1
    return ", ".join("%s%s" % (name, " (%d)" % count if count > 1 else "")
                     for name, count in sorted(found.items()))


def make(function, *arguments):
    """Call a plait_..._create, whose out parameter precedes the error; return the handle."""
    out = c_void_p()
    call(function, *arguments, byref(out))
    return out.value


def text_of(function, *arguments):
    """Return a text of unknown length: one call asks for the size, one for the text."""
    needed = c_uint64()
    call(function, *arguments, None, 0, byref(needed))
    room = (c_char * (needed.value + 1))()
    call(function, *arguments, room, len(room), byref(needed))
    return room.value.decode("utf-8", "replace")


def encode(text):
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError("expected a str, not %r" % (text,))
    return text.encode()


def sized(struct, **fields):
    """Return a C struct with its size; raise if a number does not fit, since ctypes truncates."""
    made = struct(size=ctypes.sizeof(struct), **fields)
    for name, value in fields.items():
        if type(value) is int and getattr(made, name) != value:
            raise OverflowError("%s: %d does not fit its type" % (name, value))
    return made


def plain(struct):
    """Return a C struct as a namespace: texts as str, without size and padding."""
    made = types.SimpleNamespace()
    for name, _ in struct._fields_:
        value = getattr(struct, name)
        if name != "size" and not name.startswith("reserved"):
            setattr(made, name, value.decode("utf-8", "replace") if isinstance(value, bytes) else value)
    return made


def table(kind, count):
    """Return a C array of structs whose `size` is set."""
    made = (kind * max(count, 1))()
    for one in made:
        one.size = ctypes.sizeof(kind)
    return made


def native_kind(kind):
    """Return the number of a kind of native handle: "cl_queue", or the number."""
    if not isinstance(kind, str):
        return kind
    found = getattr(_raw, "PLAIT_NATIVE_" + kind.upper(), None)
    if found is None:
        raise ValueError("native: %r is none of %s" % (kind, ", ".join(sorted(
            name[len("PLAIT_NATIVE_"):].lower() for name in vars(_raw) if name.startswith("PLAIT_NATIVE_")))))
    return found


class inside:
    """Count the thread as inside the call that Python runs, if any, during a call of C that
    may wait: a wait for that call fails, and a stop of its run reaches plans that are
    called.  A block within another one has no effect."""
    __slots__ = ("_begun",)

    def __enter__(self):
        found = calling.get()
        good = found is not None and lib.plait_inbox_begin(*found, None) == _raw.PLAIT_OK
        self._begun = found if good else None

    def __exit__(self, *error):
        if self._begun is not None:
            lib.plait_inbox_end(*self._begun, None)


# Longest time that a wait is inside C, where no signal handler of Python runs.
SLICE_NS = 50_000_000


def ends_in_a_slice(wait, handle, system):
    """Call wait(handle, one slice), and pump() after each event.  Return True if it
    succeeds, False for a time-out, or if a coroutine has begun; raise its error.  Most
    waits end so, and cost no more than the calls."""
    status, coroutines = wait(handle, SLICE_NS, local.at), system._coroutines
    while status == _raw.PLAIT_EVENT_READY:
        coroutines.blocked += 1
        try:
            system.pump()
        finally:
            coroutines.blocked -= 1
        raised.end()
        if coroutines:
            return False
        status = wait(handle, SLICE_NS, local.at)
    if status < 0 and status != _raw.PLAIT_E_TIMEOUT:
        raise failure(status)
    return status == _raw.PLAIT_OK


def wait_in_slices(timeout, wait, system):
    """Call wait(nanoseconds) until it returns no event, and pump() after each event.

    Python runs signal handlers and coroutines between two slices, so that Ctrl-C ends any
    wait.  A slice that ends early is one of simulated time, where nothing is left to do:
    the next one takes all the time that is left, and the C library tells a deadlock.
    A predicate or coroutine, which Python runs, is inside its call meanwhile.
    """
    system._coroutines.blocked += 1
    try:
        with inside():
            _wait_in_slices(timeout, wait, system.pump, system._coroutines.turn)
    finally:
        system._coroutines.blocked -= 1


def _wait_in_slices(timeout, wait, pump, turn):
    left, whole = nanoseconds(timeout), False
    while True:
        most = turn()
        given = left if whole and most == SLICE_NS else min(left, most)
        start = time.monotonic_ns()
        try:
            while wait(given) == _raw.PLAIT_EVENT_READY:
                pump()
                raised.end()
                if left != FOREVER:
                    break
            else:
                return
        except WaitTimeout:
            if given == left:
                raise
            raised.end()
            whole = time.monotonic_ns() - start < given // 2
        if left != FOREVER:
            left = max(left - (given if whole else time.monotonic_ns() - start), 0)


def chosen(what, given, known):
    """Return the value of a name; raise ValueError with the known names for another."""
    if not isinstance(given, str) or given not in known:
        raise ValueError("%s: %r is none of %s" % (
            what, given, ", ".join('"%s"' % name for name in known)))
    return known[given]


def handle_of(given, kind, what):
    """Return the C handle of an object; raise TypeError for one that has none."""
    try:
        return given.handle
    except AttributeError:
        raise TypeError("%s: give it a %s, not %s" % (what, kind, type(given).__name__)) from None


def nanoseconds(seconds):
    return FOREVER if seconds is None else max(0, int(seconds * 1e9))
