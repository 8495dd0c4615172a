-- SPDX-License-Identifier: MIT
-- Heat spreads over a plate until nothing changes much: a loop inside a plan.
-- A kernel sets the loop condition; the program waits once, for the whole plan.
local plait = require "plait"

local SIZE, TOLERANCE = 64, 1e-4
local here = arg[0]:match "^(.*)/" or "."

local system = plait.open()
local device = system.devices[1]
local spread, change, decide = system:kernels(here .. "/../kernels/heat",
                                              "spread", "change", "decide")
local plate = {}
for i = 1, SIZE * SIZE do plate[i] = i <= SIZE and 100 or 0 end   -- one edge is hot
local one, other = device:array("float", plate), device:array("float", plate)
local changes = device:buffer(4 * SIZE)
local go, count = device:array("uint32_t", {1}), device:array("uint32_t", {0})

local graph = system:graph()
local _, body = graph:loop(go, {times = 1000})
local plates = body:rotate(one, other)
local step = body:launch(spread, {plates.now, plates.next, SIZE}, {items = {SIZE, SIZE}})
step = body:launch(change, {plates.now, plates.next, changes, SIZE}, {items = SIZE, after = step})
body:launch(decide, {changes, go, count, SIZE, TOLERANCE}, {after = step})
graph:freeze()()

local steps = count:table()[1]
local last = (steps % 2 == 1 and other or one):table()
print(("settled after %d steps, %.1f degrees in the middle"):format(
  steps, last[SIZE / 2 * SIZE + SIZE / 2 + 1]))
