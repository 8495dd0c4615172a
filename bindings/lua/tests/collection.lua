-- SPDX-License-Identifier: MIT
-- Tests of the garbage collector beside work in flight; see run.lua.
local case = require "tests.case"
local ffi = require "plait.core".ffi
local unpack = unpack or table.unpack
local is, raises, list, test, SAXPY = case.is, case.raises, case.list, case.test, case.SAXPY

test("collected under load", function(system, device, queue)
  local ran = 0
  for i = 1, 100 do
    local graph = system:graph()
    graph:fill(device:buffer(64), i)
    graph:call(function() ran = ran + 1; collectgarbage() end)
    graph:freeze {instances = 4}:run(queue)
    queue:call(function() collectgarbage "step" end)
  end
  collectgarbage()
  queue:finish()
  is(ran, 100, "functions of what was collected run")
end)

-- Each step of a call is followed by a collection, and new memory lies where old memory was.
test("collected in the midst of calls", function(system, device, queue)
  local saxpy, y, junk = system:kernel(unpack(SAXPY)), device:array("float", {0, 0}), {}
  local x, z = device:array("float", {1, 2}), device:buffer(8)
  local function collecting(fn)
    debug.sethook(function()
      collectgarbage()
      for i = 1, 40 do junk[i] = ffi.new("float[1]", -1) end
    end, "", 3)
    local made = fn()
    debug.sethook()
    return made
  end
  local graph = system:graph()
  local first = collecting(function() return graph:launch(saxpy, {2, x, y, 2}, {items = 2}) end)
  collecting(function() return graph:copy(z, y, {after = first, bytes = 4, rows = 2, slices = 1}) end)
  collecting(function() return graph:freeze() end)()
  is(list(y), "2 4", "arguments of a node are kept until they are read")
  collecting(function() return queue:launch(saxpy, {3, x, y, 2}, {items = 2}) end)
  queue:finish()
  is(list(y), "5 10", "and those of a command")
end)

test("release in any order, collect in flight", function(system, device, queue)
  for i = 1, 200 do
    local graph = system:graph()
    graph:fill(device:buffer(64), i)
    graph:freeze():run(queue)
    if i % 20 == 0 then collectgarbage() end
  end
  queue:finish()
  local graph = system:graph()
  local plan = graph:freeze()
  graph:release()
  plan:release()
  raises("was released", "what was released says so", plan.check, plan)
end)
