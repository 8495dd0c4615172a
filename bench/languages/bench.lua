-- SPDX-License-Identifier: MIT
-- What bench.c measures, from LuaJIT.
local plait = require "plait"
local ffi = require "ffi"
ffi.cdef "typedef struct { long seconds, nanoseconds; } bench_time; int clock_gettime(int, bench_time *);"

local CALLS = 1000
local system = plait.open()
local device = system.devices[1]
local queue, queues, gate = device:queue(), {}, device:signal {gate = true}
for i = 1, 100 do queues[i] = device:queue() end
local graph = system:graph()
graph:join()
local plain = graph:freeze()
graph = system:graph()
graph:launch(system:kernel("put(a: f64, y: out pointer f64)", "KERNEL(put) { EACH(i, 1) y[i] = a; }"),
             {plait.parameter "a", device:array("double", {0})})
local told = graph:freeze()

local function call_plain()
  for _ = 1, CALLS do plain() end
end

local function call_told()
  for i = 1, CALLS do told {a = i} end
end

local function run_and_wait()
  for _ = 1, CALLS do
    local run = plain:run(queue)
    run:wait()
    run:release()
  end
end

local function work() end

local function submit_held(number)
  for _, one in ipairs(queues) do one:wait(gate, number) end
  for i = 1, CALLS do queues[i % #queues + 1]:call(work) end
end

local function call_pulled(number)
  gate:raise(number)
  for _, one in ipairs(queues) do one:finish() end
end

local at = ffi.new "bench_time"
local function now()
  ffi.C.clock_gettime(1, at)
  return tonumber(at.seconds) * 1e9 + tonumber(at.nanoseconds)
end

local function timed(batch, given)
  local begin = now()
  batch(given)
  return (now() - begin) / CALLS
end

local turn = 0
for _ in io.lines() do
  turn = turn + 1
  local called, told_so, waited = timed(call_plain), timed(call_told), timed(run_and_wait)
  submit_held(turn)
  print(("%.1f %.1f %.1f %.1f"):format(called, told_so, waited, timed(call_pulled, turn)))
  io.flush()
end
