#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A wheel of the package with libplait and its plugins inside, for `make wheel`.

Usage: wheel.py LIBDIR VERSION FOLDER

LIBDIR has the installed libplait.so.0 and plait/*.so; the wheel of VERSION is
written to FOLDER, and its path printed. The tag of the wheel is the platform of
this Python, not manylinux: the library needs the glibc and the libffi that it was
linked with.
"""
import base64
import glob
import hashlib
import os
import re
import sys
import sysconfig
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HERE = os.path.join(ROOT, "bindings", "python")


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def field(name):
    """A text of pyproject.toml."""
    return re.search(r'^%s = "(.*)"$' % name, read(HERE, "pyproject.toml").decode(), re.M).group(1)


def content(libdir, version, tag):
    """A pair of name and bytes for each file."""
    for path in sorted(glob.glob(os.path.join(HERE, "plait", "*.py"))) + [os.path.join(HERE, "plait", "py.typed")]:
        yield "plait/" + os.path.basename(path), read(path)
    # The package looks beside itself for the library, and the library for plugins.
    yield "plait/libplait.so.0", read(libdir, "libplait.so.0")
    for path in sorted(glob.glob(os.path.join(libdir, "plait", "plait_*.so"))):
        yield "plait/" + os.path.basename(path), read(path)
    info = "plait-%s.dist-info/" % version
    yield info + "METADATA", (
        "Metadata-Version: 2.1\nName: plait\nVersion: %s\nSummary: %s\nLicense: MIT\nRequires-Python: %s\n"
        "Description-Content-Type: text/markdown\n\n" % (version, field("description"), field("requires-python"))
        ).encode() + read(HERE, "README.md")
    yield info + "WHEEL", ("Wheel-Version: 1.0\nGenerator: plait\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode()
    yield info + "LICENSE", read(ROOT, "LICENSE")


def main(libdir, version, folder):
    if field("version") != version:
        sys.exit("pyproject.toml has version %s, the library %s" % (field("version"), version))
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    path = os.path.join(folder, "plait-%s-%s.whl" % (version, tag))
    records = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in content(libdir, version, tag):
            wheel.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append("%s,sha256=%s,%d" % (name, digest, len(data)))
        name = "plait-%s.dist-info/RECORD" % version
        wheel.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), "\n".join(records + [name + ",,", ""]))
    print(path)


main(*sys.argv[1:])
