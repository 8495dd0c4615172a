# SPDX-License-Identifier: MIT
"""Exceptions, and the base class of handles, for all other modules."""
from __future__ import annotations

import collections
import ctypes
import threading
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
    """A host function failed; `__cause__` is the exception of a Python function."""


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

    def __init__(self):
        self.error = _raw.plait_error(size=ctypes.sizeof(_raw.plait_error))
        self.at = byref(self.error)


local = _Local()


class Raised:
    """Exceptions that Python functions raised inside callbacks of plait.

    keep() returns a number, which the callback returns to C.  The C library reports
    the number as the `origin` of its error, and failure() looks the exception up.
    The table holds the last KEPT exceptions.  Guarded by _lock.
    """
    KEPT = 256

    def __init__(self):
        self._lock = threading.Lock()
        self._kept = collections.OrderedDict()
        self._last = 0

    def keep(self, exception):
        with self._lock:
            self._last = self._last % 0x3fffffff + 1
            number = 0x40000000 + self._last
            self._kept[number] = exception
            if len(self._kept) > self.KEPT:
                self._kept.popitem(last=False)
            return number

    def find(self, number):
        with self._lock:
            return self._kept.pop(number, None)


raised = Raised()


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
    text = error.text.decode("utf-8", "replace")
    cause = raised.find(error.origin)
    if cause is not None:
        text = text.replace("failed with %d" % error.origin, "raised %s: %s"
                            % (type(cause).__name__, cause))
    made = _CLASSES.get(status, Error)(status, text, error.origin, detail_text(error.detail))
    made.__cause__ = cause
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


# --- handles -----------------------------------------------------------------

H = TypeVar("H", bound="Handle")


class Handle:
    """One owned reference to an object of plait.

    release(), the end of a `with` block or the garbage collector drops the
    reference, in any order and on any thread.
    """
    _release = None
    __slots__ = ("_handle", "__weakref__")

    def __init__(self, handle):
        self._handle = handle

    @property
    def handle(self):
        """The C handle, for ctypes and other libraries."""
        if self._handle is None:
            raise ValueError("%s was released" % type(self).__name__)
        return self._handle

    def release(self) -> None:
        """Drop the reference now; the object cannot be used afterwards."""
        handle, self._handle = self._handle, None
        if handle is not None and self._release is not None:
            type(self)._release(handle)

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            self.release()

    def __enter__(self: H) -> H:
        return self

    def __exit__(self, *_: Any) -> None:
        self.release()


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
    return struct(size=ctypes.sizeof(struct), **fields)


def nanoseconds(seconds):
    return FOREVER if seconds is None else max(0, int(seconds * 1e9))
