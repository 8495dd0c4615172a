# SPDX-License-Identifier: MIT
"""Loading of libplait; the error lists every path that was tried."""
import ctypes
import os
from ctypes.util import find_library

from . import _raw

NAME = "libplait.so.0"


def _candidates():
    chosen = os.environ.get("PLAIT_LIBRARY")
    if chosen:  # PLAIT_LIBRARY excludes all other paths
        return [chosen]
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)
    return [beside, NAME, find_library("plait") or "libplait.so"]


def _open():
    tried = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            tried.append("  %s: %s" % (path, error))
    raise ImportError(
        "libplait was not found; tried\n%s\nInstall it, or set PLAIT_LIBRARY to the file."
        % "\n".join(tried))


def _declare(library):
    for name, (result, parameters) in _raw.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(
                "%s has no %s: it is older than this package" % (library._name, name)) from None
        function.restype, function.argtypes = result, parameters


def _compare(library):
    """Raise ImportError if a struct of the library is smaller than this package's."""
    for struct in _raw.STRUCTS:
        have = library.plait_sizeof(struct.__name__.encode())
        if have < ctypes.sizeof(struct):
            raise ImportError("%s: its %s has %d bytes, this package's %d"
                              % (library._name, struct.__name__, have, ctypes.sizeof(struct)))


lib = _open()
_declare(lib)
_compare(lib)
