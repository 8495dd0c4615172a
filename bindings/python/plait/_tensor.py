# SPDX-License-Identifier: MIT
"""DLPack: arrays to and from other packages without a copy.  A tensor travels in
a capsule, which says by its name whether somebody has taken it over already."""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_void_p, py_object
from typing import Any, Optional, Tuple

from . import _raw
from ._core import call, encode, lib, sized
from ._elements import Element, element_of_tensor

# The tensor's own name, and the one that it has afterwards; capsules keep the
# pointers, so these stay.
NAMES = {True: (b"dltensor_versioned", b"used_dltensor_versioned"), False: (b"dltensor", b"used_dltensor")}
# Where the function is that gives a tensor back.
DELETER_AT = {True: 16, False: 56}

_api = ctypes.pythonapi
_Destructor = ctypes.PYFUNCTYPE(None, c_void_p)
_new = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, _Destructor)(("PyCapsule_New", _api))
_is_valid = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _api))
_rename = ctypes.PYFUNCTYPE(c_int, py_object, c_char_p)(("PyCapsule_SetName", _api))


def _give_back(tensor: int, versioned: bool) -> None:
    at = c_void_p.from_address(tensor + DELETER_AT[versioned]).value
    if at:
        ctypes.CFUNCTYPE(None, c_void_p)(at)(tensor)


@_Destructor
def _forget(capsule: int) -> None:
    """A capsule goes; a tensor that nobody has taken goes with it."""
    for versioned, (name, _) in NAMES.items():
        if _is_valid(capsule, name):
            _give_back(_pointer(capsule, name), versioned)


def export(handle: int, array: Any, versioned: bool) -> Any:
    """A capsule with an array that lies in a buffer."""
    tensor = c_void_p()
    call(lib.plait_array_export, handle, byref(array), 0 if versioned else _raw.PLAIT_TENSOR_LEGACY, byref(tensor))
    return _new(tensor.value, NAMES[versioned][0], _forget)


def _ask(data: Any) -> Any:
    try:
        return data.__dlpack__(max_version=(1, 0))
    except TypeError:  # written before there were versions
        return data.__dlpack__()


def take(device: Any, data: Any, label: Optional[str]) -> Tuple[int, Element, Any]:
    """(buffer, element, plait_array) on the memory of what has __dlpack__."""
    capsule = _ask(data)
    versioned = next((v for v, (name, _) in NAMES.items() if _is_valid(id(capsule), name)), None)
    if versioned is None:
        raise TypeError("%s.__dlpack__ returned no tensor" % type(data).__name__)
    name, used = NAMES[versioned]
    array, out = sized(_raw.plait_array), c_void_p()
    desc = sized(_raw.plait_import_desc, inbox=device.system._inbox.handle, label=encode(label),
                 flags=0 if versioned else _raw.PLAIT_TENSOR_LEGACY)
    call(lib.plait_array_import, device.handle, _pointer(id(capsule), name), byref(desc), byref(array), byref(out))
    _rename(capsule, used)
    try:
        return out.value or 0, element_of_tensor(array.element, array.element_bits, array.lanes), array
    except TypeError:
        lib.plait_buffer_release(out)
        raise
