# SPDX-License-Identifier: MIT
"""DLPack import and export of arrays, without a copy.  A capsule carries a tensor;
the name of the capsule tells whether a consumer has taken the tensor."""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_void_p, py_object
from typing import Any, Optional, Tuple

from . import _raw
from ._core import call, encode, lib, sized
from ._elements import Element, element_of_tensor

# Capsule names before and after the consumer takes the tensor.  Capsules keep the
# pointers, so these bytes objects live as long as the module.
NAMES = {True: (b"dltensor_versioned", b"used_dltensor_versioned"), False: (b"dltensor", b"used_dltensor")}
# Offset of the deleter in a managed tensor, in bytes.
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
    """Destructor of a capsule: release the tensor unless a consumer took it."""
    for versioned, (name, _) in NAMES.items():
        if _is_valid(capsule, name):
            _give_back(_pointer(capsule, name), versioned)


def export(handle: int, array: Any, versioned: bool) -> Any:
    """Return a capsule with a tensor on the memory of a buffer."""
    tensor = c_void_p()
    call(lib.plait_array_export, handle, byref(array), 0 if versioned else _raw.PLAIT_TENSOR_LEGACY, byref(tensor))
    return _new(tensor.value, NAMES[versioned][0], _forget)


def _ask(data: Any) -> Any:
    try:
        return data.__dlpack__(max_version=(1, 0))
    except TypeError:  # an exporter without versions (DLPack before 1.0)
        return data.__dlpack__()


def take(device: Any, data: Any, label: Optional[str]) -> Tuple[int, Element, Any]:
    """Return (buffer, element, plait_array) on the memory of an object with __dlpack__."""
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
