-- SPDX-License-Identifier: MIT
-- A Lua function as a node between two kernels.  One kernel fills a buffer in
-- shuffled order, Lua sorts it, another kernel counts the elements out of place.
local plait = require "plait"

local COUNT, RUNS = 1000, 10
local here = arg[0]:match "^(.*)/" or "."

local system = plait.open()
local device = system.devices[1]
local shuffle, steps = system:kernels(here .. "/../kernels/pipeline", "shuffle", "steps")
local zeros = {}
for i = 1, COUNT do zeros[i] = 0 end
local numbers = device:array("float", zeros)
local wrong = device:array("uint32_t", {0})

local function sort()
  local sorted = numbers:table()
  table.sort(sorted)
  numbers:map(function(memory)
    for i = 1, COUNT do memory[i - 1] = sorted[i] end
  end)
end

local graph = system:graph()
local first = graph:launch(shuffle, {numbers, COUNT, plait.parameter "turn"}, {items = COUNT})
local second = graph:call(sort, {after = first})
graph:launch(steps, {numbers, wrong, COUNT}, {items = COUNT, after = second})
local plan = graph:freeze()
for turn = 0, RUNS - 1 do plan {turn = turn} end
print(("%d runs, %d numbers out of place"):format(RUNS, wrong:table()[1]))
