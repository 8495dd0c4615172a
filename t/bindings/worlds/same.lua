-- SPDX-License-Identifier: MIT
-- The program of same.py: t/bindings/worlds.t compares their outputs.
local plait = require "plait"

local function content(buffer)
  local numbers = buffer:table()
  for i, number in ipairs(numbers) do numbers[i] = ("%g"):format(number) end
  return table.concat(numbers, " ")
end

local function truth(held) return held and "True" or "False" end

local system = plait.open {backend = "host", workers = 2}
local world = system:world {silence = 100}
local device = system.devices[1]
print(("%d ranks %d machine"):format(world.ranks, world.machines))
local ring = system:coll("allreduce", world.ranks, {algorithm = "ring", in_place = true}):compile()
local total = world:collective(ring)
local numbers = {}
for i = 1, 4 do numbers[i] = world.rank + i end
local data = device:array("float", numbers)
total:call(4, {output = data})
print("called: " .. content(data))
local queue = device:queue()
total:submit(queue, 4, {output = data})
queue:finish()
print("submitted: " .. content(data))
local graph = system:graph()
local first = graph:collective(total, 4, {output = data, label = "first"})
graph:collective(total, 4, {op = "max", output = data, after = {first}})
local plan = graph:freeze()
plan {}
print("in a graph: " .. content(data))
local shared = world:buffer(16)
shared.ctype = "float"
shared:map(function(at) for i = 0, 3 do at[i] = world.rank + 1 end end)
total:call(4, {output = shared})
print(("shared: %g"):format(shared:table()[4]))
local good, problem = pcall(graph.collective, graph, total, 4)
print("refused: " .. truth(not good and tostring(problem):find("the output of rank", 1, true)))
print("reached: " .. truth(world:report():find(("rank %d"):format(1 - world.rank), 1, true)))
