-- SPDX-License-Identifier: MIT
local plait = require "plait"
local system = plait.open()
local x = system.devices[1]:array("float", {1, 2, 3})
local twice = system:kernel("twice(x: inout pointer f32)", "KERNEL(twice) { EACH(i, 3) x[i] *= 2; }")
local graph = system:graph()
graph:launch(twice, {x}, {items = 3})
local plan = graph:freeze()
plan()
plan()
for _, value in ipairs(x:table()) do print(("%g"):format(value)) end -- 4 8 12
