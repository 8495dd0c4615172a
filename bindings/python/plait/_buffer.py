# SPDX-License-Identifier: MIT
"""Device buffers: creation, mapping, copies to and from Python memory, DLPack."""
from __future__ import annotations

import contextlib
import operator
import ctypes
import math
import struct
from ctypes import byref, c_char, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, Iterator, List, Optional, Tuple

from . import _raw, _tensor
from ._elements import ELEMENTS, element_of
from ._core import Handle, call, chosen, encode, lib, make, native_kind, sized
from ._functions import RUN, once

if TYPE_CHECKING:
    from ._system import Device


# Format letters that memoryview.cast accepts.
CASTS = set("bBhHiIlLqQnNfdc?")


def view_of(data, what):
    """Return a memoryview of an object with the buffer protocol."""
    try:
        return memoryview(data)
    except TypeError:
        raise TypeError("%s: %s does not support the buffer protocol; array.array(\"f\", ...) and "
                        "numpy.array(...) do" % (what, type(data).__name__)) from None


def address_of(data, writable=False):
    """Return (address, bytes, owner) of an object with the buffer protocol; the
    memory stays valid while the caller holds `owner`."""
    view = view_of(data, "data")
    if not view.contiguous:
        raise ValueError("the memory has strides; make it contiguous first")
    if writable and view.readonly:
        raise ValueError("the memory is read-only")
    if view.nbytes == 0:
        return None, 0, view
    if view.readonly:
        # ctypes accepts writable memory only; NumPy arrays expose their address.
        interface = getattr(data, "__array_interface__", None)
        if interface is not None:
            return interface["data"][0], view.nbytes, data
        copy = (c_char * view.nbytes).from_buffer_copy(view)
        return ctypes.addressof(copy), view.nbytes, copy
    there = (c_char * view.nbytes).from_buffer(view)
    return ctypes.addressof(there), view.nbytes, there


def compact(shape, size):
    """Return the strides, in bytes, of a compact row-major array."""
    made = []
    for count in reversed(shape):
        made.append(size)
        size *= count
    return tuple(reversed(made))


def positions(shape, strides, start):
    """Yield the byte offset of each element in row-major order."""
    if not shape:
        yield start
        return
    for i in range(shape[0]):
        yield from positions(shape[1:], strides[1:], start + i * strides[0])


class Rows:
    """The shape of a strided copy: `slices` slices of `count` rows of `size` bytes.
    `target_row`, `source_row`, `target_slice` and `source_slice` are pitches: bytes
    from the start of one row or slice to the next.  Default 0: contiguous.

        queue.copy(column, table, 4, rows=plait.Rows(100, source_row=40))
    """

    __slots__ = ("_raw",)

    def __init__(self, count: int, slices: int = 1, *, target_row: int = 0, target_slice: int = 0,
                 source_row: int = 0, source_slice: int = 0) -> None:
        given = {"rows": count, "slices": slices, "target_row": target_row, "target_slice": target_slice,
                 "source_row": source_row, "source_slice": source_slice}
        for name, value in given.items():
            if not hasattr(value, "__index__") or not 0 <= value < 2 ** 64:
                raise TypeError("Rows: %s: %r is not a number of 64 bits" % (name, value))
        self._raw = sized(_raw.plait_rows, **given)


def check_integers(what, **given):
    """Raise unless each number that is given is an integer."""
    for name, value in given.items():
        if value is not None and not hasattr(value, "__index__"):
            raise TypeError("%s: %s: %r is not an integer" % (what, name, value))


def copied(target, source, size, rows, turns=None):
    """Return the size of a copy in bytes; with `rows`, the size of one row.  `turns`: the class
    of sides that are buffers of rotations."""
    for name, side in (("target", target), ("source", source)):
        if turns is None or not isinstance(side, turns):
            check_buffer(side, "copy: the " + name)
    check_integers("copy", size=size)
    if rows is not None and not isinstance(rows, Rows):
        raise TypeError("copy: rows: %r is not a plait.Rows" % (rows,))
    if rows is not None and size is None:
        raise TypeError("copy: `rows` needs `size`, the bytes of one row")
    if rows is not None and 0 in (rows._raw.rows, rows._raw.slices):
        return 0  # an empty copy; the C struct reads 0 rows as 1
    return min(target.size, source.size) if size is None else size


def check_buffer(given, what):
    if not isinstance(given, Buffer):
        raise TypeError("%s: give it a Buffer, not %s%s" % (what, type(given).__name__, (
            "; device.array(array.array(\"f\", ...)) makes one"
            if isinstance(given, (list, tuple)) else "; device.array(...) makes one"
            if hasattr(given, "__len__") and not isinstance(given, str) else "")))


class Buffer(Handle):
    """Memory of a device.

    buffer[a:b] is a view of the elements a to b - 1, in row-major order, and
    buffer.bytes(a, b) one of bytes; buffer and view share the memory, and each keeps
    it alive.  len(buffer) counts elements.  The elements of device.buffer(size) are
    bytes.  `with buffer.map() as memory` gives a memoryview.  DLPack exports a buffer
    without a copy: numpy.from_dlpack(buffer).

    `size` is in bytes, as are all offsets.  `format` (a letter of the struct module),
    `shape` and `strides` (in bytes; None for a compact array) describe the array that
    the buffer was made from.
    """
    _release = lib.plait_buffer_release
    __slots__ = ("device", "size", "format", "shape", "strides", "_offset")

    def __init__(self, device, handle, label=None):
        super().__init__(handle, label)
        count = c_uint64()
        call(lib.plait_buffer_bytes, handle, byref(count))
        self.device, self.size = device, count.value
        self.format, self.shape = "B", (count.value,)
        self.strides, self._offset = None, 0

    @classmethod
    def create(cls, device, size: int, label: Optional[str] = None, flags: int = 0) -> Buffer:
        """Create a buffer; called by Device.buffer and Graph.temporary."""
        size = operator.index(size)
        if not 0 <= size < 1 << 63:
            raise ValueError("size is %d; a buffer has 0 to 2**63 - 1 bytes" % size)
        desc = sized(_raw.plait_buffer_desc, bytes=size, label=encode(label), flags=flags)
        return cls(device, make(lib.plait_buffer_create, device.handle, byref(desc)), label)

    @classmethod
    def image(cls, device, width: int, height: int, format: str, label: Optional[str] = None) -> Buffer:
        """Create an image; called by Device.image."""
        kind = chosen("image", format, {"r32f": _raw.PLAIT_IMAGE_R32F, "rgba32f": _raw.PLAIT_IMAGE_RGBA32F,
                                        "rgba8": _raw.PLAIT_IMAGE_RGBA8})
        width, height = operator.index(width), operator.index(height)
        if not (0 < width < 1 << 32 and 0 < height < 1 << 32):
            raise ValueError("an image of %d x %d pixels; each is 1 to 2**32 - 1" % (width, height))
        desc = sized(_raw.plait_buffer_desc, format=kind, width=width, height=height, label=encode(label))
        return cls(device, make(lib.plait_buffer_create, device.handle, byref(desc)), label)

    @classmethod
    def wrap(cls, device, data: Any, label: Optional[str] = None) -> Buffer:
        """Create a buffer on existing memory; called by Device.wrap."""
        view = view_of(data, "wrap")
        element_of(view.format)
        if view.readonly:
            raise ValueError("read-only memory cannot be wrapped; see Device.array")
        pointer, size, keep = address_of(view, writable=True)
        # The closure owns `keep`; calling it removes it from the table of callbacks.
        released = once(lambda: keep and None)
        desc = sized(_raw.plait_wrap_desc, pointer=pointer, bytes=size, label=encode(label),
                     inbox=device.system._inbox.handle, released=RUN, user_data=released)
        made = cls(device, make(lib.plait_buffer_wrap, device.handle, byref(desc)), label)
        made._has(view)
        return made

    @classmethod
    def from_dlpack(cls, device, data: Any, label: Optional[str] = None) -> Buffer:
        """Create a buffer on the memory of a tensor; called by Device.from_dlpack."""
        handle, element, array = _tensor.take(device, data, label)
        made = cls(device, handle, label)
        made.format, made.shape = element.letter, tuple(array.shape[:array.dimensions])
        made.strides = tuple(n * element.size for n in array.strides[:array.dimensions])
        made._offset = array.offset_bytes
        if not array.offset_bytes and made.strides == compact(made.shape, element.size):
            made.strides = None
        return made

    def _has(self, view):
        self.format, self.shape = element_of(view.format).letter, view.shape

    def __getitem__(self, where):
        if not isinstance(where, slice):
            raise TypeError("use map(), read() or tolist() to access the elements of a buffer")
        if self.strides is not None:
            raise TypeError("the array of this buffer has strides; buffer.bytes(a, b) is a view of its bytes")
        start, stop, step = where.indices(len(self))
        if step != 1:
            raise ValueError("a view of a buffer has no step")
        size, count = ELEMENTS[self.format].size, max(stop - start, 0)
        made = self.bytes(start * size, (start + count) * size)
        made.format, made.shape = self.format, (count,)
        return made

    def __len__(self):
        return math.prod(self.shape)

    def bytes(self, start: int = 0, stop: Optional[int] = None) -> Buffer:
        """Return a view of the bytes `start` to `stop` - 1; its elements are bytes."""
        stop = self.size if stop is None else stop
        return Buffer(self.device, make(lib.plait_buffer_view, self.handle, start, stop - start), self.label)

    def native(self, kind: str) -> Tuple[int, int]:
        """Return (native handle, offset in bytes), such as the cl_mem of "cl_memory";
        kinds are those of plait/native.h."""
        out, offset = c_uint64(), c_uint64()
        call(lib.plait_buffer_native, self.handle, native_kind(kind), byref(out), byref(offset))
        return out.value, offset.value

    @contextlib.contextmanager
    def map(self, mode: str = "r+", offset: int = 0,
            size: Optional[int] = None) -> Iterator[memoryview]:
        """Map the memory into this process until the `with` block ends.

        `mode` is "r", "w" or "r+".  `offset` and `size` are in bytes; the default
        size is the rest of the buffer.
        """
        flags = chosen("map", mode, {"r": _raw.PLAIT_MAP_READ, "w": _raw.PLAIT_MAP_WRITE,
                                     "r+": _raw.PLAIT_MAP_READ | _raw.PLAIT_MAP_WRITE})
        size = self.size - offset if size is None else size
        pointer = c_void_p()
        call(lib.plait_buffer_map, self.handle, offset, size, flags, byref(pointer))
        view = memoryview((c_char * size).from_address(pointer.value or 0)).cast("B")
        if mode == "r":
            view = view.toreadonly()
        try:
            yield view
        finally:
            view.release()
            call(lib.plait_buffer_unmap, self.handle, pointer)

    def write(self, data: Any, offset: int = 0) -> None:
        """Copy `data` into the buffer at `offset` and return when the copy is done.
        No command in flight may use the buffer."""
        view = view_of(data, "write")
        if view.nbytes:
            with self.map("w", offset, view.nbytes) as memory:
                memory[:] = view.cast("B") if view.c_contiguous and view.format in CASTS else view.tobytes()

    def read(self, offset: int = 0, size: Optional[int] = None) -> bytes:
        """Return a copy of the contents as bytes."""
        with self.map("r", offset, size) as memory:
            return bytes(memory)

    def tolist(self) -> List[Any]:
        """Return a copy of the elements as a flat list, in row-major order."""
        data, element = self.read(), ELEMENTS[self.format]
        if self.strides is None:
            data = data[:math.prod(self.shape) * element.size]
        else:
            places = positions(self.shape, self.strides, self._offset)
            data = b"".join(data[at:at + element.size] for at in places)
        if element.dtype[0] == "c":
            parts = memoryview(data).cast(self.format[1]).tolist()
            return [complex(*pair) for pair in zip(parts[::2], parts[1::2])]
        if self.format == "e":
            return [one for one, in struct.iter_unpack("e", data)]
        return memoryview(data).cast(self.format).tolist()

    def numpy(self, dtype: Any = None) -> Any:
        """Return a copy as a NumPy array with the shape and element type of the array
        that the buffer was made from.  With `dtype`, return a flat array of that type."""
        import numpy
        if dtype is not None:
            return numpy.frombuffer(self.read(), dtype=dtype).copy()
        return numpy.ndarray(self.shape, ELEMENTS[self.format].dtype, self.read(), self._offset,
                             self.strides).copy()

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if copy:
            raise BufferError("a buffer is exported as it is, without a copy")
        element, count = ELEMENTS[self.format], len(self.shape)
        array = sized(_raw.plait_array, element=element.code, element_bits=8 * element.size, lanes=1,
                      dimensions=count, offset_bytes=self._offset,
                      flags=_raw.PLAIT_ARRAY_COMPACT if self.strides is None else 0)
        array.shape[:count] = self.shape
        array.strides[:count] = [n // element.size for n in self.strides or (0,) * count]
        return _tensor.export(self.handle, array, bool(max_version) and tuple(max_version) >= (1, 0))

    def __dlpack_device__(self):
        return 1, 0  # host memory; __dlpack__ refuses any other

    def __repr__(self):
        return "<plait.%s of %d bytes on %s>" % (self._called(), self.size, self.device.name)
