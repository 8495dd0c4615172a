# SPDX-License-Identifier: MIT
"""Shared part of the programs of flows: kernels, numbers, the comparison."""
import array
import os
import sys

KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernels/flow")


def noise(i):
    """Return a number from 0 to 1, another one for each i."""
    return i * 7919 % 1009 / 1009


def floats(numbers):
    return array.array("f", numbers)


def compare(name, got, wanted):
    """Print that the numbers are those of the sequential version, or exit."""
    for i, (one, other) in enumerate(zip(got, wanted)):
        if not abs(one - other) <= 1e-4 * max(1, abs(other)):
            sys.exit("%s: number %d is %g, not %g" % (name, i, one, other))
    assert len(got) == len(wanted)
    print("%s: %d numbers as in the sequential version" % (name, len(got)))
