-- SPDX-License-Identifier: MIT
-- A search in a tree whose shape is data: queens on a board, none of which attacks another.  A
-- plan finds the free squares of the next row; a coroutine below each square of the first row
-- awaits it, and goes into all of them.
local plait = require "plait"
local ffi = plait.ffi

local SIZE = 7
local here = arg[0]:match "^(.*)/" or "."

local system = plait.open()
local kernel = system:kernels(here .. "/../kernels/coroutines", "squares")
local graph = system:graph()
local found = graph:temporary(4)
local last = graph:launch(kernel, {plait.parameter "columns", plait.parameter "left",
                                   plait.parameter "right", SIZE, found}, {items = 1})
graph:read(found, plait.parameter "squares", {after = last})
local plan = graph:freeze {instances = SIZE}

local places, solutions = 1, 0

-- A row of squares is a number with a bit for each.  A free square is in none of the rows, so
-- that a sum adds it.
local function search(queue, columns, left, right)
  places = places + 1
  if columns == 2 ^ SIZE - 1 then
    solutions = solutions + 1
    return
  end
  local out = ffi.new "uint32_t[1]"
  plait.await(plan:run(queue, {columns = columns, left = left, right = right, squares = out}))
  for i = 0, SIZE - 1 do
    local square = 2 ^ i
    if math.floor(out[0] / square) % 2 == 1 then
      search(queue, columns + square, 2 * (left + square), math.floor((right + square) / 2))
    end
  end
end

graph = system:graph()
for i = 0, SIZE - 1 do
  local queue, square = system.devices[1]:queue(), 2 ^ i
  graph:call(function() search(queue, square, 2 * square, math.floor(square / 2)) end, {coroutine = true})
end
graph:freeze {widest = true}()
print(("%d queens: %d solutions in %d places"):format(SIZE, solutions, places))
