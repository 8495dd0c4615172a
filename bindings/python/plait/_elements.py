# SPDX-License-Identifier: MIT
"""Element types of arrays: buffer-protocol letter, kernel type, NumPy dtype and
DLPack type code."""
import struct
from typing import Dict, Optional, Tuple

from . import _raw


class Element:
    """One element type; `kernel` is None if kernels have no such type."""

    __slots__ = ("letter", "size", "kernel", "dtype", "code")

    def __init__(self, letter: str, size: int, kernel: Optional[str], dtype: str, code: int) -> None:
        self.letter, self.size, self.kernel, self.dtype, self.code = letter, size, kernel, dtype, code


def _integer(letter: str) -> Element:
    size, signed = struct.calcsize(letter), letter.islower()
    return Element(letter, size, "%s%d" % ("i" if signed else "u", 8 * size),
                   "%s%d" % ("i" if signed else "u", size),
                   _raw.PLAIT_ELEMENT_INT if signed else _raw.PLAIT_ELEMENT_UINT)


ELEMENTS: Dict[str, Element] = {letter: _integer(letter) for letter in "bBhHiIlLqQnN"}
ELEMENTS.update({one.letter: one for one in (
    Element("?", 1, "bool", "?", _raw.PLAIT_ELEMENT_BOOL),
    Element("c", 1, "char", "S1", _raw.PLAIT_ELEMENT_UINT),
    Element("e", 2, None, "f2", _raw.PLAIT_ELEMENT_FLOAT),
    Element("f", 4, "f32", "f4", _raw.PLAIT_ELEMENT_FLOAT),
    Element("d", 8, "f64", "f8", _raw.PLAIT_ELEMENT_FLOAT),
    Element("Zf", 8, None, "c8", _raw.PLAIT_ELEMENT_COMPLEX),
    Element("Zd", 16, None, "c16", _raw.PLAIT_ELEMENT_COMPLEX))})
# The first letter wins where two have one size: "i", not "l", if both have 4 bytes.
_NUMBERS: Dict[Tuple[int, int], str] = {}
for _letter in ("?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", "d", "Zf", "Zd"):
    _NUMBERS.setdefault((ELEMENTS[_letter].code, 8 * ELEMENTS[_letter].size), _letter)
_OWN = "@=" + ("<" if struct.pack("=H", 1) == b"\1\0" else ">")


def element_of(form: str) -> Element:
    """Return the Element of a buffer-protocol format in native byte order."""
    letter = form[1:] if form[:1] in _OWN else form
    found = ELEMENTS.get(letter)
    if found is None:
        raise TypeError("elements must be numbers in native byte order, not %r" % form)
    return found


def element_of_tensor(code: int, bits: int, lanes: int) -> Element:
    """Return the Element of a DLPack data type."""
    letter = _NUMBERS.get((code, bits)) if lanes == 1 else None
    if letter is None:
        raise TypeError("Python has no elements of DLPack's type %d with %d bits and %d lanes" % (code, bits, lanes))
    return ELEMENTS[letter]
