# SPDX-License-Identifier: MIT
"""Data of flows, and accesses to them."""
from __future__ import annotations

import contextlib
import ctypes
import math
import struct
import sys
from ctypes import byref, c_char, c_void_p
from typing import TYPE_CHECKING, Any, Iterator, List, Optional, Tuple, Union

from . import _raw
from ._buffer import CASTS, address_of, view_of
from ._core import Handle, call, chosen, encode, handle_of, inside, lib, local, make, sized
from ._elements import ELEMENTS
from ._kernel import extents

if TYPE_CHECKING:
    from ._kernel import Kernel
    from ._system import Device

    Index = Union[int, slice, Tuple[Union[int, slice], ...]]


def _served(system, *arguments):
    """Call C, which waits until the flow has room, and pump() after each event."""
    with inside():
        while call(*arguments) == _raw.PLAIT_EVENT_READY:
            system.pump()


class Access:
    """Elements of data that a task accesses; made by data[...], data.near() and others.

    reads(), writes() and updates() say how; for a kernel its signature does.
    """

    __slots__ = ("data", "_mode", "_box", "_mapper", "_reduction")

    def __init__(self, data, mode=0, box=None, mapper=None, reduction=None):
        self.data, self._mode, self._box, self._mapper, self._reduction = data, mode, box, mapper, reduction

    def reads(self) -> Access:
        """Return the access as one that reads."""
        return Access(self.data, _raw.PLAIT_ACCESS_READ, self._box, self._mapper)

    def writes(self) -> Access:
        """Return the access as one that gives each element a new value."""
        return Access(self.data, _raw.PLAIT_ACCESS_WRITE, self._box, self._mapper)

    def updates(self) -> Access:
        """Return the access as one that reads and writes."""
        return Access(self.data, _raw.PLAIT_ACCESS_READ_WRITE, self._box, self._mapper)

    def _raw_access(self, kept, mode=0):
        made = sized(_raw.plait_access, mode=self._mode or mode, data=self.data.handle)
        for name, value in (("box", self._box), ("mapper", self._mapper)):
            if value is not None:
                kept.append(value)
                setattr(made, name, ctypes.addressof(value))
        if self._reduction is not None:
            combine, identity, accumulate = self._reduction
            kept.append(combine)
            made.combine, made.identity = handle_of(combine, "Kernel", "reduces"), identity
            made.flags = _raw.PLAIT_ACCESS_ACCUMULATE if accumulate else 0
        kept.append(made)
        return made


class _Held(Handle):
    """A further reference to data: its mapping, and views of that, keep the memory."""
    _release = lib.plait_data_release
    __slots__ = ()

    def __init__(self, data):
        lib.plait_data_retain(data.handle)
        super().__init__(data.handle, data.label)


class Data(Handle):
    """An array of a flow, or a token.  Indexed it is on the host: data[i, j] waits for the
    tasks that write the element, and so do tolist() and read().

    As an argument of a task it is an access to all elements; at[a:b, c:d] to some of them,
    and near(), own(), slice(), even() to those of a piece of a split launch.
    """
    _release = lib.plait_data_release
    __slots__ = ("flow", "format", "shape", "_pointer")

    def __init__(self, flow, form, shape, initial=None, label=None):
        self.flow, self.format, self.shape = flow, form, tuple(shape)
        desc = sized(_raw.plait_data_desc, dimensions=len(self.shape), label=encode(label),
                     element_bytes=ELEMENTS[form].size if form else 0)
        desc.extent[:len(self.shape)] = extents(self.shape[::-1], "shape")
        super().__init__(make(lib.plait_data_create, flow.handle, byref(desc)), label)
        info = sized(_raw.plait_data_info)
        call(lib.plait_data_query, self.handle, byref(info))
        self._pointer = info.pointer
        if initial is not None:
            self.write(initial)

    # --- accesses

    @property
    def at(self) -> _At:
        """at[a:b, c:d]: an access to these elements."""
        return _At(self)

    def reads(self) -> Access:
        """Return an access to all elements that reads."""
        return Access(self).reads()

    def writes(self) -> Access:
        """Return an access that gives each element a new value."""
        return Access(self).writes()

    def updates(self) -> Access:
        """Return an access that reads and writes all elements."""
        return Access(self).updates()

    def own(self) -> Access:
        """The elements with the coordinates of a piece's items: of data of shape (6, 8) those
        of items=(8, 6).  Items beyond the shape have none."""
        return self._mapped("ONE_TO_ONE")

    def near(self, *extent: int, corners: bool = True) -> Access:
        """As own(), and so many elements more on each side, in each dimension of the shape.
        Without `corners`: not those that differ in several dimensions."""
        made = self._mapped("NEIGHBORHOOD", flags=0 if corners else _raw.PLAIT_MAPPER_NO_CORNERS)
        made._mapper.extent[:len(extent)] = extents(extent[::-1], "near")
        return made

    def slice(self, axis: int) -> Access:
        """As own(), and all elements along an axis."""
        return self._mapped("SLICE", dimension=len(self.shape) - 1 - axis)

    def even(self, axis: int = 0) -> Access:
        """The part of a piece, of the data cut along an axis into as many as pieces."""
        return self._mapped("EVEN_SPLIT", dimension=len(self.shape) - 1 - axis)

    def reduces(self, combine: Kernel, identity: Any = 0, accumulate: bool = False) -> Access:
        """An access of a launch: each piece updates a partial result, which begins as
        `identity`, and `combine`, add(into: inout pointer T, from: in pointer T, n: u64), adds
        them to the data in the order of the pieces.  `accumulate`: to what was there."""
        if self.format is None:
            raise TypeError("a token has no elements to reduce")
        if len(self.format) > 1:
            raise TypeError("complex elements are not reduced")
        bits = struct.pack("@" + self.format, identity)
        return Access(self, _raw.PLAIT_ACCESS_REDUCE,
                      reduction=(combine, int.from_bytes(bits, sys.byteorder), accumulate))

    def _mapped(self, kind, **fields):
        return Access(self, mapper=sized(
            _raw.plait_mapper, kind=getattr(_raw, "PLAIT_MAPPER_" + kind), **fields))

    def _raw_access(self, kept, mode=0):
        return Access(self)._raw_access(kept, mode)

    # --- the host

    def _box(self, index):
        """Return (box, shape) of an index of integers and slices; None for an axis."""
        given = index if isinstance(index, tuple) else (index,)
        if len(given) > len(self.shape):
            raise IndexError("%d indices for %d dimensions" % (len(given), len(self.shape)))
        box, shape = _raw.plait_box(), []
        box.high[:] = (1, 1, 1)
        for axis, size in enumerate(self.shape):
            one, d = given[axis] if axis < len(given) else slice(None), len(self.shape) - 1 - axis
            if isinstance(one, slice):
                start, stop, step = one.indices(size)
                if step != 1 or start >= stop:
                    raise IndexError("a box has no step, and at least one element")
                shape.append(stop - start)
            else:
                start = self._place(one, axis, size)
                stop = start + 1
            box.low[d], box.high[d] = start, stop
        return box, shape

    def _place(self, index, axis, size):
        """Return the coordinate of an index, which counts from the end if it is negative."""
        try:
            return range(size)[index]
        except IndexError:
            where = "elements" if len(self.shape) == 1 else "elements along axis %d" % axis
            raise IndexError("index %d of %s, which has %d %s" % (
                index, self._called(), size, where)) from None

    def _count(self, shape):
        return math.prod(shape) * ELEMENTS[self._form()].size

    def _form(self):
        if not self.format:
            raise TypeError("%s is a token: it has no memory" % self._called())
        return self.format

    def _fetch(self, box, shape):
        room = (c_char * self._count(shape))()
        if local.tasks:
            self._move(lib.plait_data_read, box, ctypes.addressof(room))
        else:
            self.flow._transfer(_raw.PLAIT_TASK_READ, room, ctypes.addressof(room), source=self.handle,
                                source_box=ctypes.addressof(box))
        return memoryview(room).cast("B")

    def _store(self, box, shape, data):
        view = view_of(data, "write")
        if view.nbytes != self._count(shape):
            raise ValueError("%d bytes for elements of %d bytes" % (view.nbytes, self._count(shape)))
        if not view.c_contiguous:
            view = memoryview(view.tobytes())
        pointer, _, keep = address_of(view)
        if local.tasks:
            self._move(lib.plait_data_write, box, pointer)
        else:
            self.flow._transfer(_raw.PLAIT_TASK_WRITE, keep, pointer, target=self.handle,
                                target_box=ctypes.addressof(box))

    def _move(self, move, box, pointer):
        """Copy in a function of a task: with no task of its own, which would be behind that
        function even if the wait for it is refused."""
        while call(move, self.handle, byref(box), pointer) == _raw.PLAIT_EVENT_READY:
            self.flow.system.pump()

    def __getitem__(self, index: Index) -> Any:
        """Wait for the writers, and return an element, or a flat list of some."""
        box, shape = self._box(index)
        found = self._fetch(box, shape).cast(self._form()).tolist()
        return found if shape else found[0]

    def __setitem__(self, index: Index, value: Any) -> None:
        box, shape = self._box(index)
        form = self._form()
        if not hasattr(value, "__len__"):
            room = memoryview(bytearray(self._count(shape))).cast(form)
            for i in range(len(room)):
                room[i] = value
            value = room
        self._store(box, shape, value)

    def read(self) -> bytes:
        """Wait for the writers, and return a copy of the contents."""
        return bytes(self._fetch(*self._box(())))

    def write(self, data: Any) -> None:
        """Wait for the tasks that use the data, and copy `data` into it."""
        box, shape = self._box(())
        self._store(box, shape, data)

    def tolist(self) -> List[Any]:
        """Wait for the writers, and return the elements as a flat list, in row-major order."""
        return self._fetch(*self._box(())).cast(self._form()).tolist()

    def numpy(self) -> Any:
        """Wait for the writers, and return a copy as a NumPy array."""
        import numpy
        return numpy.frombuffer(self.read(), ELEMENTS[self._form()].dtype).reshape(self.shape).copy()

    @contextlib.contextmanager
    def map(self, mode: str = "r+") -> Iterator[memoryview]:
        """Have the memory of the data until the `with` block ends, also if the data is released
        in it: tasks that conflict wait meanwhile.  `mode` is "r", "w" or "r+"."""
        flags = chosen("map", mode, {"r": _raw.PLAIT_MAP_READ, "w": _raw.PLAIT_MAP_WRITE,
                                     "r+": _raw.PLAIT_MAP_READ | _raw.PLAIT_MAP_WRITE})
        pointer = c_void_p()
        self._form()
        held = _Held(self)
        _served(self.flow.system, lib.plait_data_map, held.handle, None, flags, byref(pointer))
        view = self._view(mode == "r", held)
        try:
            yield view
        finally:
            try:
                view.release()
            finally:
                call(lib.plait_data_unmap, held.handle, pointer)

    def advise(self, what: str, device: Optional[Device] = None, part: Index = ()) -> None:
        """Tell the flow what to expect of the data in a device's memory, None: the program's:
        "prefetch", tasks there will read the part; "reserve", they will use the data; "evict",
        none will for a time.  A hint: no result depends on it."""
        box, _ = self._box(part)
        self._form()
        memory = None if device is None else handle_of(device, "Device", "advise")
        call(lib.plait_data_advise, self.handle, byref(box), memory,
             chosen("advise", what, {"prefetch": _raw.PLAIT_ADVISE_PREFETCH, "reserve": _raw.PLAIT_ADVISE_RESERVE,
                                     "evict": _raw.PLAIT_ADVISE_EVICT}))

    def _view(self, readonly, held=None):
        """The memory itself: only inside of a task or a mapping.  It keeps `held`."""
        form = self._form() if self.format in CASTS else "B"
        memory = (c_char * self._count(self.shape)).from_address(self._pointer)
        memory.held = held
        whole = memoryview(memory).cast("B")
        view = whole.cast(form, self.shape) if form == self.format else whole
        return view.toreadonly() if readonly else view

    def __len__(self):
        return self.shape[0] if self.shape else 1

    def __repr__(self):
        return "<plait.%s %s%s>" % (self._called(), self.format or "token", list(self.shape) if self.shape else "")


class _At:
    __slots__ = ("_data",)

    def __init__(self, data):
        self._data = data

    def __getitem__(self, index):
        return Access(self._data, box=self._data._box(index)[0])
