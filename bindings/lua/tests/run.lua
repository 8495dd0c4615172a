-- SPDX-License-Identifier: MIT
-- Tests of the Lua layer, for LuaJIT and Lua 5.4; TAP.
--
--     LUA_PATH="?.lua;?/init.lua" luajit tests/run.lua
local tap = require "tests.tap"
local plait = require "plait"
local core = require "plait.core"
local ok, is, raises = tap.ok, tap.is, tap.raises

for name in pairs {plait_error = 1, plait_event = 1, plait_node_desc = 1, plait_command = 1,
                   plait_argument = 1, plait_binding = 1, plait_run_desc = 1, plait_array = 1,
                   plait_freeze_desc = 1, plait_device_info = 1} do
  is(tonumber(core.lib.plait_sizeof(name)), core.ffi.sizeof(name), "size of " .. name)
end
ok(plait.version():find "^%d+%.%d+%.%d+$", "a version")
raises("nothing", "a backend that is not there", plait.open, {backend = "nothing"})
raises("unknown option bakend; the options are backend", "an option that is misspelt", plait.open,
       {bakend = "host"})

for _, part in ipairs {"objects", "plans", "coroutines", "collection", "planning", "front_ends"} do
  require("tests." .. part)
end
tap.done()
