-- SPDX-License-Identifier: MIT
-- Tests of coroutines and event loops; see run.lua.
local case = require "tests.case"
local plait = require "plait"
local core = require "plait.core"
local ffi, lib = core.ffi, core.lib
local is, raises, list, test = case.is, case.raises, case.list, case.test

test("coroutines", function(system, device, queue)
  local out, order = device:array("uint32_t", {0}), {}
  local graph = system:graph()
  graph:fill(out, 7)
  local plan = graph:freeze {instances = 4}
  local function worker(name)
    return coroutine.create(function()
      for i = 1, 3 do
        plait.await(plan:run(queue))
        order[#order + 1] = name .. i
      end
    end)
  end
  local threads = {worker "a", worker "b"}
  for _, thread in ipairs(threads) do assert(coroutine.resume(thread)) end
  while #order < 6 do
    lib.plait_inbox_wait(system.inbox:handle(), core.nanoseconds(), core.error)
    system:pump()
  end
  is(#order, 6, "both were resumed until they ended")
  raises("for coroutines", "outside of one", plait.await, plan:run(queue))
  queue:finish()
end)

test("coroutines that are nodes", function(system, device, queue)
  local order, gates, first = {}, {device:signal {gate = true}, device:signal {gate = true}}, 1
  local graph = system:graph()
  graph:call(function()
    for i = first, first + 2 do
      order[#order + 1] = i
      gates[1]:raise(i)
      gates[2]:reach(i)
    end
  end, {coroutine = true})
  graph:call(function()
    for i = first, first + 2 do
      gates[1]:reach(i)
      order[#order + 1] = -i
      gates[2]:raise(i)
    end
  end, {coroutine = true})
  local plan = graph:freeze {widest = true}
  plan()
  is(table.concat(order, " "), "1 -1 2 -2 3 -3", "two that wait for each other")
  first = 4
  plan:run(queue):wait()
  is(table.concat(order, " ", 7), "4 -4 5 -5 6 -6", "and again")

  local out, flow, done = device:array("uint32_t", {0}), system:flow(), {}
  local data = flow:data("int32_t", {1, 2})
  graph = system:graph()
  graph:fill(out, 7)
  local inner = graph:freeze()
  graph = system:graph()
  graph:call(function()
    plait.await(inner:run(queue))
    done[#done + 1] = list(out)
    flow:call(function(memory) memory[0] = 5 end, {updates = {data}})
    flow:await()
    done[#done + 1] = data[0]
    for _ = 1, 3 do coroutine.yield() end
    done[#done + 1] = "yielded"
  end, {coroutine = true})
  graph:freeze()()
  is(table.concat(done, " "), "7 5 yielded", "runs, tasks and turns")

  -- Each turn lets the other one go on.
  local turns, begun = {}, 0
  graph = system:graph()
  for _, name in ipairs {"a", "b"} do
    graph:call(function()
      begun = begun + 1
      while begun < 2 do coroutine.yield() end
      for _ = 1, 5 do
        turns[#turns + 1] = name
        coroutine.yield()
      end
    end, {coroutine = true})
  end
  graph:freeze {widest = true}()
  local first, last = {}, {}
  for i, name in ipairs(turns) do
    first[name], last[name] = first[name] or i, i
  end
  is(#turns == 10 and first.a < last.b and first.b < last.a, true, "two that yield alternate")

  local function failing(fn)
    local one = system:graph()
    one:call(fn, {coroutine = true})
    return one:freeze()
  end
  raises("at once", "what fails at once", failing(function() error "at once" end))
  local gate = device:signal {gate = true}
  gate:raise(1)
  raises("later", "what fails later", failing(function()
    gate:reach(1)
    error "later"
  end))
  raises("failed with 9", "a result that is not 0", failing(function() gate:reach(1) return 9 end))
end)

test("coroutines of a run that is stopped", function(system, device)
  for _, how in ipairs {"cancelled", "failed"} do
    local gate, seen, begun = device:signal {gate = true}, {}, false
    local queue = device:queue()
    local graph = system:graph()
    graph:call(function()
      begun = true
      for _ = 1, 2 do
        local good, problem = pcall(gate.reach, gate, 1)
        seen[#seen + 1] = tostring(good) .. " " .. problem.name .. " " .. tostring(plait.is_stopping())
      end
    end, {coroutine = true})
    if how == "failed" then graph:call(function() error "another node" end) end
    local run = graph:freeze {widest = true}:run(queue)
    if how == "cancelled" then
      raises("not over", "it is suspended", run.wait, run, 0.01)
      while not begun do pcall(run.wait, run, 0.01) end
      run:cancel()
    end
    raises(how == "failed" and "another node" or "cancelled", "the run is " .. how, run.wait, run)
    is(table.concat(seen, ", "), "false PLAIT_E_CANCELLED true, false PLAIT_E_CANCELLED true",
       "each await of it says so")
    pcall(queue.finish, queue)
  end
end)

-- An event loop as luv has one: sleep in poll until the descriptor is readable, then
-- pump.
test("an event loop", function(system, device, queue)
  local entry = ffi.new("poll_entry", {system:descriptor(), 1, 0})
  local gate, order = device:signal {gate = true}, {}
  is(ffi.C.poll(entry, 1, 0), 0, "nothing to do, nothing to read")
  queue:wait(gate, 1)
  queue:call(function() order[#order + 1] = "called" end)
  local graph = system:graph()
  graph:fill(device:array("uint32_t", {0}), 7)
  local run = graph:freeze():run(queue)
  coroutine.wrap(function()
    plait.await(run)
    order[#order + 1] = "awaited"
  end)()
  is(ffi.C.poll(entry, 1, 0), 0, "what waits for something is not there yet")
  gate:raise(1)
  while #order < 2 do
    -- A device that needs a pump makes no progress while the loop sleeps.
    ffi.C.poll(entry, 1, 10)
    system:pump()
  end
  is(table.concat(order, " "), "called awaited", "it comes by itself")
  queue:finish()
end)
