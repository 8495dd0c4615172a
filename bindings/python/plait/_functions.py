# SPDX-License-Identifier: MIT
"""Callbacks: Python functions that plait calls on the thread that owns the inbox.

plait receives one C trampoline, created at import and never freed, and a number as
user data; `_table` maps the number to the Python function.  An entry keeps its
function alive while plait may call it, and an unknown number raises an error
instead of a crash.  Additions to the table are guarded by _lock.
"""
import inspect
import itertools
import threading
from ctypes import c_void_p, cast
from typing import Any, Callable, Dict

from . import _raw
from ._core import calling, raised

_numbers = itertools.count(1)
_table: Dict[int, Callable[[], Any]] = {}
_lock = threading.Lock()


class Reference:
    """A table entry that keeps one function callable until drop() or collection."""

    __slots__ = ("number",)

    def __init__(self, function):
        with _lock:
            self.number = next(_numbers)
            _table[self.number] = function

    def drop(self):
        _table.pop(self.number, None)

    __del__ = drop


class Question(Reference):
    """A function whose call the system pulls from the inbox as an event.

    A predicate: its result is a value or an exception, which a C host function cannot
    both return, so the system replies with answer().  Or an `async def` function, whose
    call is answered when its coroutine has ended (_coroutine.py).
    """

    __slots__ = ()


def is_async(function):
    return inspect.iscoroutinefunction(function)


def check_function(function, what="call", suspends=False):
    if not callable(function):
        raise TypeError("%s: %r is not a function" % (what, function))
    if is_async(function) and not suspends:
        raise TypeError("%s: %r is an async function; these are nodes of a graph: graph.call" % (what, function))


def once(function):
    """Register a function that plait calls once; return its number."""
    def run():
        del _table[number]
        function()

    with _lock:
        number = next(_numbers)
        _table[number] = run
    return number


def forget(number):
    """Drop a function of once() that was not called."""
    _table.pop(number, None)


def describe(error):
    """Return the words for an exception, as errors have them."""
    return "raised %s: %s" % (type(error).__name__, error)


def _find(number):
    try:
        return _table[number]
    except KeyError:
        raise ReferenceError("the graph of the function was collected") from None


def _run_in_turn(function):
    """Run a command within the wait of a call's function: it is not inside of that call."""
    token = calling.set(None)
    try:
        function()
    finally:
        calling.reset(token)


def _run(number):
    """Run a command; return 0, or the number of the exception."""
    try:
        if calling.get() is None:
            _find(number)()
        else:
            _run_in_turn(_find(number))
        return 0
    except BaseException as error:  # no exception may unwind through C frames
        return raised.keep(error)


def answer(number, begin):
    """Evaluate a predicate; return (value, None), or (exception number, text).  An async
    function: call begin(coroutine), and return None."""
    try:
        value = _find(number)()
        return begin(value) if inspect.iscoroutine(value) else (int(value), None)
    except Exception as error:  # fails the node; the waiting call raises it
        return raised.keep(error), describe(error)


_trampoline = _raw.plait_host_function(_run)
RUN = cast(_trampoline, c_void_p).value
