-- SPDX-License-Identifier: MIT
-- The program of same.py: t/bindings/colls.t compares their outputs.
local plait = require "plait"

local CLUSTER = "cluster ranks=4\nlane rate=1"

local function content(buffer)
  local numbers = buffer:table()
  for i, number in ipairs(numbers) do numbers[i] = ("%g"):format(number) end
  return table.concat(numbers, " ")
end

local function truth(held) return held and "True" or "False" end

local function ring_of(system, n)
  local made = system:coll("allreduce", n, {chunks = n, in_place = true})
  for r = 0, n - 1 do
    local chunk = made:chunk((r + 1) % n, "i", r)
    for s = 2, n do chunk = made:chunk((r + s) % n, "i", r):reduce(chunk) end
    for s = 1, n - 1 do chunk = chunk:copy((r + s) % n) end
  end
  return made
end

local system = plait.open {backend = "host"}
local device = system.devices[1]
local ring = ring_of(system, 4):compile {instances = 2}
local proof, info = ring:check(), ring:query()
print(("%d %d %s"):format(proof.steps, proof.depth_min, proof.same_bits and "same bits" or "other bits"))
print(("%d %d %s"):format(info.ranks, info.share_chunks, info.in_place and "in place" or "out of place"))
local buffers = {}
for r = 0, 3 do buffers[r + 1] = device:array("float", {r, r + 1, r + 2, r + 3, r + 4}) end
ring:graph(5, {outputs = buffers}):freeze()()
print(content(buffers[4]))
local time = ring:simulate(CLUSTER, 8)
print(("%d %d %s"):format(time.time_ns, time.critical_steps, truth(ring:draw(CLUSTER, 8):find("</svg>", 1, true))))

local gather = system:coll("allgather", 2, {algorithm = "ring"}):compile():graph(3, {element = "i32", op = "max"}):freeze()
local inputs, outputs = {}, {}
for r = 0, 1 do
  inputs[r], outputs[r] = device:array("int32_t", {r, 5, 6}), device:array("int32_t", {0, 0, 0, 0, 0, 0})
end
gather {in0 = inputs[0], in1 = inputs[1], out0 = outputs[0], out1 = outputs[1]}
print(content(outputs[1]))

local custom = system:coll("custom", 2, {inputs = 2, outputs = 2, promises = {{1, 0, {{0, 0}, {1, 0}}}}})
custom:parallel(2, function()
  local both = custom:chunk(0, "i", 0):join(custom:chunk(0, "i", 1))
  local moved = both:part(0):copy(1, "s", nil, {channel = 1})
  custom:chunk(1, "i", 0):copy(1, "o", 0):reduce(moved)
end)
local schedule = custom:compile()
local held, refused = pcall(schedule.check, schedule, {promises = {{1, 0, {{1, 0}}}}})
if not held then print("refused: " .. refused.proof.reason) end
local again = system:read_schedule(schedule:write()):write() == schedule:write()
print(schedule:write("msccl"):match "%S+" .. " " .. truth(again))
local steps = system:read_coll("broadcast ranks=2 chunks=8 in_place\nfor i in 0..8 { copy(input[0, i], 1) }\n")
print(tostring(tonumber(steps:compile():check().steps)) .. " "
      .. tostring(tonumber(steps:compile {aggregate = true, message_chunks = 4}:check().steps)))
local _, wrong = pcall(system.read_coll, system, "broadcast ranks=2\nnothing", "mine")
print(tostring(wrong):match "%S*mine%S*")
