# SPDX-License-Identifier: MIT
"""The Lua interpreters that tests use, and where they find the layer."""
import os

from tap import BUILD, ROOT, which

LAYER = os.path.join(ROOT, "bindings", "lua")
# The module in C that PUC Lua needs; configure builds it where the headers of Lua are.
MODULE = os.path.join(BUILD, "bindings/lua/ffi/.libs/ffi.so")
INTERPRETERS = {"luajit": which("luajit"), "lua5.4": os.path.exists(MODULE) and which("lua5.4") or None}
ENVIRONMENT = {"LUA_PATH": "%s/?.lua;%s/?/init.lua" % (LAYER, LAYER), "LUA_CPATH_5_4": MODULE}


def missing(name):
    """Why there is no such interpreter."""
    if name == "lua5.4" and which(name):
        return "plait.ffi is not built: liblua5.4-dev was missing when configure ran"
    return "no " + name
