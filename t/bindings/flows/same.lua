-- SPDX-License-Identifier: MIT
-- The program of same.py: t/bindings/flows.t compares their outputs.
local plait = require "plait"

local SIGNATURE = "heat(u: in array1 f32, v: out array1 f32, n: u64, c: chunk)"
local SOURCE = [[
KERNEL(heat) {
	CHUNK1(x)
		AT1(v, x) = AT1(u, x > 0 ? x - 1 : 0) + AT1(u, x) + AT1(u, x + 1 < n ? x + 1 : n - 1);
}
]]

local SUM = [[
struct chunk { u64 low[3], high[3]; };
KERNEL(sum) { EACH(i, 1) for (u64 k = c.low[0]; k < c.high[0]; k++) t[0] += u[k]; }
]]

local function numbers_of(data)
  local numbers = data:table()
  for i, number in ipairs(numbers) do numbers[i] = ("%g"):format(number) end
  return table.concat(numbers, " ")
end

local system = plait.open {backend = "host"}
local heat = system:kernel(SIGNATURE, SOURCE)
local flow = system:flow {record = true, check = true, fixed = true, lanes = 2}
local u = flow:data("float", {0, 0, 0, 1, 0, 0, 0, 0}, {label = "u"})
local v, total = flow:data("float", 8, {label = "v"}), flow:data("double", 1, {label = "total"})
for _ = 1, 3 do
  flow:launch(heat, {u:near(1), v:own(), 8, plait.chunk}, {items = 8, split = 1, pieces = 2})
  u, v = v, u
end
flow:call(function(numbers, out)
  out[0] = 0
  for i = 0, 7 do out[0] = out[0] + numbers[i] end
end, {reads = {u}, writes = {total}, label = "add"})
print(("%g"):format(total[0]) .. " " .. numbers_of(u))
local add_up = system:kernel("sum(u: in pointer f32, t: inout pointer f64, c: struct chunk 48)", SUM)
local join = system:kernel("add(into: inout pointer f64, from: in pointer f64, n: u64)",
                           "KERNEL(add) { EACH(i, n) into[i] += from[i]; }")
flow:launch(add_up, {u, total:reduces(join, {accumulate = true}), plait.chunk}, {items = 8, split = 1, pieces = 2})
print(("%g"):format(total[0]))
u[2] = 9
flow:fill(v:box {2, 4}, 5)
print(("%g %g"):format(u[2], v[3]))
local task = flow:call(function() error "lost" end, {updates = {v}, label = "fail"})
if not pcall(flow.wait, flow, task) then print "failed" end
if not pcall(function() return v[0] end) then print "poisoned" end
flow:fill(v, 2)
print(("%g"):format(v[0]))
local chunks = {}
for i, chunk in ipairs(flow:split {items = 10, pieces = 3}) do
  chunks[i] = ("%d-%d"):format(chunk[1][1], chunk[1][2])
end
print(table.concat(chunks, " "))
flow:fill(u, 1)
local graph = system:graph()
flow:capture(graph, function() flow:launch(heat, {u, v, 8, plait.chunk}, {items = 8}) end)
local plan = graph:freeze()
for _ = 1, 3 do
  flow:replay(1, function()
    flow:launch(heat, {u:near(1), v:own(), 8, plait.chunk}, {items = 8, split = 1, pieces = 2})
    flow:copy(u, v)
  end)
end
print(("%g"):format(u[4]))
plan()
print(("%g"):format(v[4]))
local near = system:flow {devices = system.devices, choose = "min-size", parent = "disjoint", lane = "always-new", device_lanes = 2, threshold = 50}
local a, b = near:data("float", {1, 1, 1, 1, 1, 1, 1, 1}), near:data("float", 8)
for _, what in ipairs {"prefetch", "reserve", "evict", "prefetch"} do a:advise(what, system.devices[1]) end
a:advise("prefetch", nil, a:box {2, 4})
near:launch(heat, {a, b, 8, plait.chunk}, {items = 8})
print(("%g"):format(b[4]))
flow:read "data x 8\ntask late writes=x[2:4]\ntask last reads=x[2:4]\n"
local last
for line in flow:explain():gmatch "[^\n]+" do
  if line:find "which it wrote" then last = line:match "%S.*" end
end
print(last)
print((flow:instructions {devices = 3, peers = "ring", shared = true, lookahead = false, strict = true, weights = {1, 1, 1},
  choose = "min-size",
  parent = "disjoint", lane = "always-new", lanes = math.huge, memory_bytes = 2^30, links = "-1,0,2\n"}:match "[^\n]*"))
flow:wait()
