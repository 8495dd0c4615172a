# SPDX-License-Identifier: MIT
"""Memory of a device, as Python sees it."""
import contextlib
import ctypes
from ctypes import byref, c_char, c_uint64, c_void_p

from . import _raw
from ._core import Handle, call, encode, lib, make, sized
from ._functions import RUN, once


def address_of(data, writable=False):
    """(address, bytes, what keeps it there) of what has the buffer protocol."""
    view = memoryview(data)
    if not view.contiguous:
        raise ValueError("the memory has strides; make it contiguous first")
    if writable and view.readonly:
        raise ValueError("the memory is read-only")
    if view.nbytes == 0:
        return None, 0, view
    if view.readonly:
        # ctypes takes writable memory only; NumPy tells where it lies.
        interface = getattr(data, "__array_interface__", None)
        if interface is not None:
            return interface["data"][0], view.nbytes, data
        copy = (c_char * view.nbytes).from_buffer_copy(view)
        return ctypes.addressof(copy), view.nbytes, copy
    there = (c_char * view.nbytes).from_buffer(view)
    return ctypes.addressof(there), view.nbytes, there


class Buffer(Handle):
    """Memory of a device.

    buffer[a:b] is a view of the bytes from a to before b: the same memory, kept
    alive by both.  `with buffer.map() as memory` is a memoryview of it.
    """
    _release = lib.plait_buffer_release
    __slots__ = ("device", "size", "format", "shape")

    def __init__(self, device, handle):
        super().__init__(handle)
        count = c_uint64()
        call(lib.plait_buffer_bytes, handle, byref(count))
        self.device, self.size = device, count.value
        self.format, self.shape = "B", (count.value,)

    @classmethod
    def create(cls, device, size, label=None):
        """What Device.buffer calls."""
        desc = sized(_raw.plait_buffer_desc, bytes=size, label=encode(label))
        return cls(device, make(lib.plait_buffer_create, device.handle, byref(desc)))

    @classmethod
    def wrap(cls, device, data, label=None):
        """What Device.wrap calls."""
        view = memoryview(data)
        if view.readonly:
            raise ValueError("read-only memory cannot be wrapped; see Device.array")
        pointer, size, keep = address_of(view, writable=True)
        # Called when nothing uses the memory any more; it drops `keep`.
        released = once(lambda: keep and None)
        desc = sized(_raw.plait_wrap_desc, pointer=pointer, bytes=size, label=encode(label),
                     inbox=device.system._inbox.handle, released=RUN, user_data=released)
        made = cls(device, make(lib.plait_buffer_wrap, device.handle, byref(desc)))
        made.format, made.shape = view.format, view.shape
        return made

    def __getitem__(self, where):
        if not isinstance(where, slice):
            raise TypeError("bytes of a buffer are reached by map() or read()")
        start, stop, step = where.indices(self.size)
        if step != 1:
            raise ValueError("a view of a buffer has no step")
        return Buffer(self.device, make(lib.plait_buffer_view, self.handle, start, stop - start))

    def __len__(self):
        return self.size

    @contextlib.contextmanager
    def map(self, mode="r+", offset=0, size=None):
        """The memory itself, until the `with` ends; "r", "w" or "r+"."""
        flags = {"r": _raw.PLAIT_MAP_READ, "w": _raw.PLAIT_MAP_WRITE,
                 "r+": _raw.PLAIT_MAP_READ | _raw.PLAIT_MAP_WRITE}[mode]
        size = self.size - offset if size is None else size
        pointer = c_void_p()
        call(lib.plait_buffer_map, self.handle, offset, size, flags, byref(pointer))
        view = memoryview((c_char * size).from_address(pointer.value)).cast("B")
        if mode == "r":
            view = view.toreadonly()
        try:
            yield view
        finally:
            view.release()
            call(lib.plait_buffer_unmap, self.handle, pointer)

    def write(self, data, offset=0):
        """Copy from `data` now; nothing may be using the buffer."""
        view = memoryview(data)
        if view.nbytes:
            with self.map("w", offset, view.nbytes) as memory:
                memory[:] = view if view.format == "B" and view.ndim == 1 else \
                    view.tobytes() if not view.c_contiguous else view.cast("B")

    def read(self, offset=0, size=None):
        """A copy, as bytes."""
        with self.map("r", offset, size) as memory:
            return bytes(memory)

    def tolist(self):
        """A copy, as a list of what array() was given."""
        return memoryview(self.read()).cast(self.format).tolist()

    def numpy(self, dtype=None):
        """A copy, as a NumPy array of the type and shape that array() was given."""
        import numpy
        flat = numpy.frombuffer(self.read(), dtype=dtype or self.format).copy()
        return flat.reshape(self.shape) if dtype is None else flat

    def __repr__(self):
        return "<plait.Buffer of %d bytes on %s>" % (self.size, self.device.name)
