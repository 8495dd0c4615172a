-- SPDX-License-Identifier: MIT
-- Three stages as coroutines, with bounded queues between them: the first makes blocks, the
-- second smooths each on the device, the third adds them up.
local plait = require "plait"
local ffi = plait.ffi

local BLOCKS, LENGTH, DEPTH = 20, 64, 4
local here = arg[0]:match "^(.*)/" or "."

local system = plait.open()
local device = system.devices[1]
local kernel = system:kernels(here .. "/../kernels/coroutines", "smooth")
local graph = system:graph()
local x, y = graph:temporary(4 * LENGTH), graph:temporary(4 * LENGTH)
local last = graph:write(x, plait.parameter "given")
last = graph:launch(kernel, {x, y, LENGTH}, {items = LENGTH, after = last})
graph:read(y, plait.parameter "taken", {after = last})
local plan = graph:freeze()

-- A bounded queue of blocks.  The gates count what was put in and taken out.
local function bounded()
  local made = {filled = device:signal {gate = true}, emptied = device:signal {gate = true}}
  for i = 0, DEPTH - 1 do made[i] = ffi.new("uint32_t[?]", LENGTH) end
  return made
end

local function room(one, i)
  if i >= DEPTH then one.emptied:reach(i - DEPTH + 1) end
  return one[i % DEPTH]
end

local function block(one, i)
  one.filled:reach(i + 1)
  return one[i % DEPTH]
end

local raw, smoothed, sum, queue = bounded(), bounded(), 0, device:queue()

local function make()
  for i = 0, BLOCKS - 1 do
    local into = room(raw, i)
    for j = 0, LENGTH - 1 do into[j] = (37 * i + 11 * j) % 101 end
    raw.filled:raise(i + 1)
  end
end

local function smooth()
  for i = 0, BLOCKS - 1 do
    local given, taken = block(raw, i), room(smoothed, i)
    plait.await(plan:run(queue, {given = given, taken = taken}))
    raw.emptied:raise(i + 1)
    smoothed.filled:raise(i + 1)
  end
end

local function add_up()
  for i = 0, BLOCKS - 1 do
    local from = block(smoothed, i)
    for j = 0, LENGTH - 1 do sum = sum + (i + 1) * from[j] end
    smoothed.emptied:raise(i + 1)
  end
end

graph = system:graph()
for _, stage in ipairs {make, smooth, add_up} do graph:call(stage, {coroutine = true}) end
graph:freeze {widest = true}()
print(("%d blocks through 3 stages, sum %d"):format(BLOCKS, sum))
