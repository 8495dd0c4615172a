-- SPDX-License-Identifier: MIT
-- The operations of bench.c, from LuaJIT or Lua 5.4.
local plait = require "plait"
local ffi = plait.ffi
ffi.cdef [[
typedef struct { long seconds, nanoseconds; } bench_time;
int clock_gettime(int, bench_time *);
]]

local CALLS, QUEUES, A_MOMENT_NS = 1000, 100, 500000
local system = plait.open()
local device = system.devices[1]
local queue, queues, gate = device:queue(), {}, device:signal {gate = true}
for i = 1, QUEUES do queues[i] = device:queue() end
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

local function submit_held(calls, number)
  for _, one in ipairs(queues) do one:wait(gate, number) end
  for i = 1, calls do queues[i % QUEUES + 1]:call(work) end
end

local function finish_all()
  for _, one in ipairs(queues) do one:finish() end
end

local function call_pulled(number)
  gate:raise(number)
  finish_all()
end

local function pull_waiting()
  local count = 0
  while count < QUEUES do count = count + system:pump() end
end

local at = ffi.new "bench_time"
local function now()
  ffi.C.clock_gettime(1, at)
  return tonumber(at.seconds) * 1e9 + tonumber(at.nanoseconds)
end

local function timed(batch, calls, given)
  local begin = now()
  batch(given)
  return (now() - begin) / calls
end

local turn = 0
local function time_pulls()
  local least = math.huge
  for _ = 1, CALLS / QUEUES do
    turn = turn + 1
    submit_held(QUEUES, turn)
    gate:raise(turn)
    local begin = now()
    while now() - begin < A_MOMENT_NS do end
    least = math.min(least, timed(pull_waiting, QUEUES))
    finish_all()
  end
  return least
end

for _ in io.lines() do
  local called, told_so, waited = timed(call_plain, CALLS), timed(call_told, CALLS), timed(run_and_wait, CALLS)
  local pulled = time_pulls()
  turn = turn + 1
  submit_held(CALLS, turn)
  print(("%.1f %.1f %.1f %.1f %.1f"):format(called, told_so, waited, pulled, timed(call_pulled, CALLS, turn)))
  io.flush()
end
