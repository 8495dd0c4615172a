# SPDX-License-Identifier: MIT
"""Kernels, and the conversion of their launch arguments."""
import ctypes
import inspect
from typing import Optional
from ctypes import (byref, c_bool, c_char, c_double, c_float, c_int8, c_int16, c_int32, c_int64,
                    c_uint8, c_uint16, c_uint32, c_uint64)

from . import _raw
from ._buffer import Buffer, check_buffer
from ._elements import ELEMENTS
from ._core import Handle, encode, raised, lib, make, sized, text_of

_TYPES = {"i8": c_int8, "i16": c_int16, "i32": c_int32, "i64": c_int64, "u8": c_uint8,
          "u16": c_uint16, "u32": c_uint32, "u64": c_uint64, "f32": c_float, "f64": c_double,
          "bool": c_bool, "char": c_char, "sampler": c_uint32}
_NAMES = {"e": "f16", "Zf": "complex numbers of f32", "Zd": "complex numbers of f64"}


_structs = {}


def _struct_of(size):
    """Return the C type of a struct of `size` bytes, whose fields are not known."""
    if size not in _structs:
        _structs[size] = type("struct %d" % size, (c_char * size,), {"is_struct": True})
    return _structs[size]


def kind_of(words):
    """Return the C type of a value: of a number, a vector ("f32x4") or a struct."""
    if words[0] == "struct":
        return _struct_of(int(next(word for word in words[1:] if word.isdigit())))
    lane, _, lanes = words[-1].partition("x")
    return _TYPES[lane] * int(lanes) if lanes else _TYPES[lane]


def _convert_struct(kind, value, what):
    try:
        given = memoryview(value).tobytes()
    except TypeError:
        raise TypeError("%s is a struct: give it %d bytes, or a ctypes.Structure, not %r" % (
            what, ctypes.sizeof(kind), value)) from None
    if len(given) != ctypes.sizeof(kind):
        raise ValueError("%s is a struct of %d bytes, not %d" % (what, ctypes.sizeof(kind), len(given)))
    return kind.from_buffer_copy(given)


def _convert_vector(kind, value, what):
    try:
        given = [] if isinstance(value, str) else list(value)
    except TypeError:
        given = []
    if len(given) != kind._length_:
        raise TypeError("%s is a vector: give it %d numbers, not %r" % (what, kind._length_, value))
    return kind(*(convert(kind._type_, one, what).value for one in given))


def convert(kind, value, what):
    """Convert a value to a C type; raise if it does not fit, since ctypes truncates."""
    if issubclass(kind, ctypes.Array):
        return (_convert_struct if hasattr(kind, "is_struct") else _convert_vector)(kind, value, what)
    try:
        made = kind(value)
    except TypeError:
        raise TypeError("%s: %r is not %s" % (what, value, "an integer" if isinstance(value, float)
                                              else "a number")) from None
    if not isinstance(made.value, (float, bytes)) and made.value != value:
        raise OverflowError("%s: %r does not fit its type" % (what, value))
    return made


def extents(given, what):
    """Return a launch size as a list of at most 3 numbers."""
    try:
        sizes = (given,) if hasattr(given, "__index__") else tuple(given)
    except TypeError:
        sizes = (given,)
    if isinstance(given, str) or len(sizes) > 3:
        raise TypeError("%s: %r is not an integer, nor up to 3 of them" % (what, given))
    return [convert(c_uint64, size, what).value for size in sizes]


class Parameter:
    """A kernel argument that each run of a plan sets: plan(name=...)."""

    def __init__(self, name):
        self.name = name


class HostValue:
    """A kernel argument: a value in the memory that each run sets for plait.Parameter(name) of
    Graph.read and Graph.write, `offset` bytes from its start.  The launch reads it when all
    nodes before it are complete, in each iteration again."""

    def __init__(self, name, offset=0):
        self.name, self.offset = name, offset


class Scratch:
    """A kernel argument: scratch memory of the node, `scratch_bytes` long."""


class Iteration:
    """A kernel argument: the iteration number of the enclosing loop.

    Called, a number that follows it: iteration(scale=20, offset=1) is 20 * i + 1.
    `from_count` adds the count of the loop, which is one of Graph.repeat; `limit` is
    the most that the number may be, 0: none.  `series` of Graph.launch takes it too.
    """

    def __init__(self, series=None):
        self._series = series

    def __call__(self, *, scale=1, offset=0, from_count=False, limit=0):
        flags = _raw.PLAIT_SERIES_FROM_COUNT if from_count else 0
        return Iteration(sized(
            _raw.plait_series, flags=flags, scale=convert(ctypes.c_int64, scale, "scale").value,
            offset=convert(ctypes.c_int64, offset, "offset").value,
            limit=convert(ctypes.c_int64, limit, "limit").value))


class Turn:
    """A kernel argument, or a side of a copy or fill: the buffer of a rotation, `ahead`
    iterations from this; `size`, the bytes of each of its buffers."""

    def __init__(self, number, ahead=0, size=0):
        self.number, self.ahead, self.size = number, ahead, size


scratch, iteration = Scratch(), Iteration()


class Local:
    """In place of a value type: local memory, whose argument is its number of bytes."""


# Numbers behind the pointer of an array.
_PLACES = (("_at", "i64"), ("_pitch", "u64"), ("_slice", "u64"))


def parse(signature, in_flow=False):
    """Return [(name, value type, Local or None, pointee type or None)] of a signature; a flow
    adds the numbers of arrays."""
    inside = signature[signature.index("(") + 1:signature.rindex(")")]
    found = []
    for part in filter(None, (p.strip() for p in inside.split(","))):
        name, _, text = part.partition(":")
        words = text.split()
        array = next((int(word[5:]) for word in words if word in ("array1", "array2", "array3")), 0)
        pointer = "pointer" in words or words[-1] == "image" or array > 0
        if words == ["chunk"]:
            words = ["struct", "48"]
        kind = None if pointer else Local if words[0] == "local" else kind_of(words)
        found.append((name.strip(), kind, words[-1] if pointer else None))
        if not in_flow:
            found += [(name.strip() + suffix, _TYPES[number], None) for suffix, number in _PLACES[:array]]
    return found


def _is_address(kind):
    """Return True for what arrives as an address: pointers and local memory."""
    return kind is None or kind is Local


def check_kernel(given, what="launch(kernel, argument, ...): a Kernel comes first"):
    if not isinstance(given, Kernel):
        raise TypeError("%s, not %s" % (what, type(given).__name__))


def check_pointer(given, target, what):
    """Raise TypeError if the element type of a buffer is not that of the pointer."""
    check_buffer(given, "%s is a pointer" % what)
    if target is None:
        return
    if given.strides is not None:
        raise TypeError("%s: the array of this buffer has strides; buffer.bytes() is its bytes as they lie" % what)
    have = ELEMENTS[given.format].kernel or _NAMES[given.format]
    # Bytes match every pointer type.
    if given.format not in ("B", "c") and target in _TYPES and have != target:
        raise TypeError("%s is a pointer to %s, the buffer was made of %s" % (what, target, have))


class Arguments:
    """A C array of arguments, and the Python objects that its pointers refer to."""

    def __init__(self, count):
        self.array = (_raw.plait_argument * count)()
        self.kept = []
        for slot in self.array:
            slot.size = ctypes.sizeof(_raw.plait_argument)

    def set(self, index, kind, given, what):
        slot = self.array[index]
        if isinstance(given, Parameter):
            name = encode(given.name)
            self.kept.append(name)
            slot.kind, slot.name = _raw.PLAIT_ARGUMENT_PARAMETER, name
        elif isinstance(given, HostValue):
            name = encode(given.name)
            self.kept.append(name)
            slot.kind, slot.name = _raw.PLAIT_ARGUMENT_HOST, name
            slot.offset_bytes = convert(c_uint64, given.offset, what + ": offset").value
        elif isinstance(given, Turn):
            slot.kind = _raw.PLAIT_ARGUMENT_ROTATION
            slot.rotation, slot.ahead = given.number, given.ahead
        elif isinstance(given, Scratch):
            slot.kind = _raw.PLAIT_ARGUMENT_SCRATCH
        elif isinstance(given, Iteration):
            slot.kind = _raw.PLAIT_ARGUMENT_ITERATION
            if given._series is not None:
                self.kept.append(given._series)
                slot.series = ctypes.addressof(given._series)
        elif kind is None:
            slot.kind, slot.buffer = _raw.PLAIT_ARGUMENT_BUFFER, given.handle
        elif kind is Local:
            slot.kind = _raw.PLAIT_ARGUMENT_LOCAL
            slot.bytes = convert(c_uint64, given, what + " is local memory: give its bytes").value
        else:
            value = convert(kind, given, what)
            self.kept.append(value)
            slot.kind, slot.bytes = _raw.PLAIT_ARGUMENT_VALUE, ctypes.sizeof(value)
            slot.value = ctypes.addressof(value)


_FORMS = {"portable": _raw.PLAIT_SOURCE_PORTABLE, "host": _raw.PLAIT_SOURCE_C,
          "opencl": _raw.PLAIT_SOURCE_OPENCL_C, "cuda": _raw.PLAIT_SOURCE_CUDA_C}


def _texts_before(before):
    """Return an array of plait_source for (name, text) pairs."""
    array = (_raw.plait_source * max(len(before), 1))()
    array._keep = [(encode(name), ctypes.create_string_buffer(text.encode())) for name, text in before]
    for slot, (name, code) in zip(array, array._keep):
        slot.size, slot.file, slot.code = ctypes.sizeof(slot), name, ctypes.addressof(code)
    return array


def sources_of(source, defines=None, options=None, file=None, flags=0, before=()):
    """Return a plait_source for each text."""
    texts = {} if source is None else source if isinstance(source, dict) else {"portable": source}
    unknown = set(texts) - set(_FORMS)
    if unknown:
        raise ValueError("sources are for %s, not for %s"
                         % (", ".join(_FORMS), ", ".join(sorted(unknown))))
    made = []
    for name, text in texts.items():
        code = ctypes.create_string_buffer(text.encode())
        one = sized(_raw.plait_source, form=_FORMS[name], defines=encode(defines), flags=flags,
                    options=encode(options), file=encode(file))
        array = _texts_before(before)
        one.before, one.before_count = ctypes.addressof(array) if before else None, len(before)
        one.code, one._keep = ctypes.addressof(code), (code, array)
        made.append(one)
    return made


def source_text(signature: str, source: str, form: str, *, defines: Optional[str] = None) -> str:
    """Return portable source in the language of a backend: "host", "opencl" or "cuda"."""
    if form not in _FORMS:
        raise ValueError("source_text: %r is none of %s" % (form, ", ".join(_FORMS)))
    one, = sources_of(source, defines)
    return text_of(lib.plait_source_text, encode(signature), byref(one), _FORMS[form])


# C functions made of Python functions.  A plan may call one after its Kernel is
# collected, and C reports no end of a kernel: none is ever freed.
_made = []
_KINDS = {int: "an integer", float: "a float", bool: "a bool"}


def _check_annotations(name, known, parameters):
    """Raise TypeError if an annotation int, float or bool is not what the kernel gives."""
    for one, (parameter, kind, _) in zip(known, parameters):
        given = int if _is_address(kind) else type(kind().value)
        wanted = {"int": int, "float": float, "bool": bool}.get(one.annotation, one.annotation)
        if wanted in _KINDS and wanted is not given:
            raise TypeError("%s: the function wants %s as %r, but the signature gives %s%s" % (
                name, _KINDS[wanted], one.name, _KINDS.get(given, "bytes"),
                ", the address" if _is_address(kind) else ""))


def _check_takes(function, name, parameters):
    """Raise TypeError if a Python function does not take the parameters of the kernel."""
    for one, kind, _ in parameters:
        if not _is_address(kind) and issubclass(kind, ctypes.Array):
            raise TypeError("%s: %r is a struct or vector, which a Python function cannot take" % (name, one))
    try:
        takes = inspect.signature(function)
    except (TypeError, ValueError):
        return  # a function of C without a description
    try:
        takes.bind(*parameters)
    except TypeError:
        raise TypeError("%s: the signature has %d parameters (%s), the function takes %s" % (
            name, len(parameters), ", ".join(one[0] for one in parameters), takes)) from None
    known = [one for one in takes.parameters.values()
             if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    _check_annotations(name, known, parameters)


def c_function(function, name, parameters):
    """Return a C function, int32_t f(values and addresses), that calls a Python function."""
    _check_takes(function, name, parameters)

    def run(*arguments):
        try:
            function(*arguments)
            return 0
        except BaseException as error:  # no exception may unwind through C frames
            return raised.keep(error)

    made = ctypes.CFUNCTYPE(c_int32, *(ctypes.c_void_p if _is_address(kind) else kind
                                       for _, kind, _ in parameters))(run)
    _made.append(made)
    return made


def described(function, signature):
    """Return (what a kernel desc takes for `function`, the signature).  A Python function
    gets a result in the signature, by which its exceptions fail the launch."""
    if isinstance(function, (int, ctypes._CFuncPtr, ctypes.c_void_p)):
        return function, signature
    if not callable(function):
        raise TypeError("function: %r is neither a Python function, a function of ctypes nor "
                        "an address" % (function,))
    try:
        parameters = parse(signature)
    except (ValueError, LookupError):
        return ctypes.c_void_p(1), signature  # plait_kernel_create says where it is wrong
    name, result = signature[:signature.index("(")].strip(), signature[signature.rindex(")") + 1:]
    if result.strip(" :") not in ("", "i32"):
        raise TypeError("%s: a Python function has no result; end the signature with \")\"" % name)
    return c_function(function, name, parameters), signature if result.strip() else signature + ": i32"


def series_of(given):
    """Return an array of a plait_series per dimension; None leaves the items as they are."""
    made = (_raw.plait_series * len(given))()
    for slot, one in zip(made, given):
        if not (one is None or isinstance(one, Iteration)):
            raise TypeError("series: %r is neither None nor plait.iteration(...)" % (one,))
        # Plain iteration is the number itself.
        at = iteration()._series if one is iteration else one and one._series
        if at:
            ctypes.memmove(ctypes.addressof(slot), ctypes.addressof(at), ctypes.sizeof(slot))
        slot.size = ctypes.sizeof(slot)
    return made


class Kernel(Handle):
    """A kernel: code and its signature.

        system.kernel("saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
                      "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")

    `source` is portable source, or a dictionary {"opencl": text, "cuda": text} with
    one text per backend.  Without `source`, `library` and `symbol` name a compiled C
    function, or `function` is its address.  `function` may be a Python function: one
    call processes all items, on any thread; values arrive as numbers, pointers and local
    memory as addresses, and an exception fails the launch.  `file` is the name that compiler
    messages give the source.  `strict`: no fused multiply-add; `fast`: arithmetic may
    be reordered; `no_alias`: no two pointers of a launch address the same memory.
    `before`: (name, text) pairs that come before the source, as if it included them.
    `grain`: fewest items per call of a compiled range function.  The argument of local
    memory (`sums: local f32`) is its number of bytes for each group, that of a vector
    (`f32x4`) a sequence of numbers, and that of a struct its bytes, or a ctypes.Structure.
    """
    _release = lib.plait_kernel_release
    __slots__ = ("system", "name", "parameters", "flow_parameters", "_keep")

    def __init__(self, system, signature, source=None, *, library=None, symbol=None,
                 function=None, defines=None, options=None, file=None, before=(), strict=False,
                 fast=False, no_alias=False, grain=0):
        if function is not None:
            function, signature = described(function, signature)
        desc = sized(_raw.plait_kernel_desc, signature=encode(signature),
                     library=encode(library), symbol=encode(symbol), grain=grain)
        flags = ((_raw.PLAIT_SOURCE_STRICT if strict else 0) | (_raw.PLAIT_SOURCE_FAST if fast else 0) |
                 (_raw.PLAIT_SOURCE_NO_ALIAS if no_alias else 0))
        texts = sources_of(source, defines, options, file, flags, before)
        if texts:
            array = (_raw.plait_source * len(texts))(*texts)
            desc.sources, desc.source_count = ctypes.addressof(array), len(texts)
        if function is not None:
            desc.described = ctypes.cast(function, ctypes.c_void_p)
        super().__init__(make(lib.plait_kernel_create, system.handle, byref(desc)))
        self.system, self._keep = system, function
        whole = text_of(lib.plait_kernel_signature, self.handle)
        self.name, self.parameters = whole[:whole.index("(")].strip(), parse(whole)
        self.flow_parameters = parse(whole, in_flow=True)
        self._label = self.name

    def messages(self, device):
        """Return what the compiler wrote about the code for a device, with the warnings of a
        build that succeeded; "" for functions, and for code from the cache."""
        return text_of(lib.plait_kernel_messages, self.handle, device.handle)

    def _arguments(self, given):
        if len(given) != len(self.parameters):
            raise TypeError("%s takes %d arguments (%s), not %d" % (
                self.name, len(self.parameters), ", ".join(p[0] for p in self.parameters),
                len(given)))
        made = Arguments(len(given))
        for i, (name, kind, target) in enumerate(self.parameters):
            what = "%s: argument %d %r" % (self.name, i, name)
            if kind is None and not isinstance(given[i], (Parameter, HostValue, Turn, Scratch, Iteration)):
                check_pointer(given[i], target, what)
            made.set(i, kind, given[i], what)
        return made

    @staticmethod
    def _geometry(items, group=None):
        """Return a plait_launch; the default is 1 item."""
        sizes = extents((1,) if items is None else items, "items")
        launch = sized(_raw.plait_launch, dimensions=len(sizes))
        launch.items[:len(sizes)] = sizes
        groups = extents(() if group is None else group, "group")
        launch.group[:len(groups)] = groups
        return launch

    def __repr__(self):
        return "<plait.Kernel %s(%s)>" % (self.name, ", ".join(p[0] for p in self.parameters))
