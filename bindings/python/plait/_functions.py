# SPDX-License-Identifier: MIT
"""Python functions that plait calls: always on the thread that owns the inbox.

plait is handed one C function, made once and for ever, and a number; the table
here says which Python function that is.  So nothing that plait may
still call is ever collected, and a number that is no longer known is an error,
not a crash.
"""
import itertools
import threading
from ctypes import c_void_p, cast
from typing import Any, Callable, Dict

from . import _raw
from ._core import raised

_numbers = itertools.count(1)
_table: Dict[int, Callable[[], Any]] = {}
_lock = threading.Lock()


class Reference:
    """Keeps one function callable until it is dropped."""

    __slots__ = ("number",)

    def __init__(self, function):
        with _lock:
            self.number = next(_numbers)
            _table[self.number] = function

    def drop(self):
        _table.pop(self.number, None)

    __del__ = drop


class Question(Reference):
    """A predicate.  It has an answer, or raises; plait's C function cannot say
    both, so its calls are pulled and answered by answer()."""

    __slots__ = ()


def check_function(function):
    if not callable(function):
        raise TypeError("call: %r is not a function" % (function,))


def once(function):
    """The number of a function that plait calls once."""
    def run():
        del _table[number]
        function()

    with _lock:
        number = next(_numbers)
        _table[number] = run
    return number


def _find(number):
    try:
        return _table[number]
    except KeyError:
        raise ReferenceError("the function belongs to a graph that is gone") from None


def _run(number):
    """A command: 0, or the number of what it raised."""
    try:
        _find(number)()
        return 0
    except BaseException as error:  # C frames are below: nothing may pass
        return raised.keep(error)


def answer(number):
    """A question: (its answer, None), or the number of what it raised and a text."""
    try:
        return int(_find(number)()), None
    except BaseException as error:  # it fails the node, and comes out of the wait
        return raised.keep(error), "raised %s: %s" % (type(error).__name__, error)


_trampoline = _raw.plait_host_function(_run)
RUN = cast(_trampoline, c_void_p).value
