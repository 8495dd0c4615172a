-- SPDX-License-Identifier: MIT
-- k-means: a loop whose body takes one of two branches.  After every point has
-- chosen its nearest centre, either all centres have points and move to their
-- middle, or one has none and is reseeded at a point.
local plait = require "plait"

local POINTS, CENTRES = 3000, 4
local here = arg[0]:match "^(.*)/" or "."

-- Generate points around four fixed centres, the same in every run.
local function make_points()
  local state, points = 1, {}
  local middles = {{2, 2}, {2, 8}, {8, 2}, {8, 8}}
  for i = 0, POINTS - 1 do
    for _, middle in ipairs(middles[i % 4 + 1]) do
      state = state * 16807 % 2147483647
      points[#points + 1] = middle + state / 2147483647 - 0.5
    end
  end
  return points
end

local system = plait.open()
local device = system.devices[1]
local choose, gather, move, reseed = system:kernels(here .. "/../kernels/kmeans",
                                                    "choose", "gather", "move", "reseed")
local points = device:array("float", make_points())
-- All centres but one start far from every point.
local centres = device:array("float", {5, 5, 1000, 1000, 1000, 1000, 1000, 1000})
local chosen, sums = device:buffer(4 * POINTS), device:buffer(12 * CENTRES)
local which = device:array("uint32_t", {0})
local state = device:array("uint32_t", {1, 0, 0})                 -- continue, moves, reseeds

local graph = system:graph()
local _, body = graph:loop(state, {times = 20})
local step = body:launch(choose, {points, centres, chosen, POINTS, CENTRES}, {items = POINTS})
step = body:launch(gather, {points, chosen, sums, which, POINTS, CENTRES}, {after = step})
local _, branches = body:case(which, 2, {after = step})
branches[1]:launch(move, {centres, sums, state, CENTRES})
branches[2]:launch(reseed, {centres, sums, points, state, POINTS, CENTRES})
graph:freeze()()

local counts = state:table()
print(("settled after %d moves and %d new seeds"):format(counts[2], counts[3]))
local found, lines = centres:table(), {}
for i = 1, #found, 2 do
  lines[#lines + 1] = ("a centre near %.1f, %.1f"):format(found[i], found[i + 1])
end
table.sort(lines)
print(table.concat(lines, "\n"))
