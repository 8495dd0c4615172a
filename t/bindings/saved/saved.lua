-- SPDX-License-Identifier: MIT
-- Saves a plan, or runs one that another process saved: saved.lua save|run FILE.
local plait = require "plait"
local system = plait.open()
local device = system.devices[1]
local kernel = system:kernel("saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
                             "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")
local x, y = device:array("float", {1, 2}, "x"), device:array("float", {0, 0}, "y")
local done = device:signal {label = "done"}

local function save(path)
  local graph = system:graph()
  local loop, body = graph:loop(function() return false end, {times = 3, label = "more"})
  body:launch(kernel, {plait.parameter "a", x, y, 2}, {items = 2})
  local note = graph:call(function() end, {after = loop, label = "note"})
  graph:emit(done, {after = note})
  graph:freeze():save(path)
end

local function run(path)
  local left, notes, names = 4, {}, {}
  local plan = system:load(path)
  for i, one in ipairs(plan:bindings()) do
    names[i] = ("%s:%s:%d"):format(one.kind, one.name, one.bound and 1 or 0)
  end
  print(table.concat(names, " "))
  print(select(2, pcall(plan, {a = 2})))
  plan:bind_kernel(kernel)
  plan:bind_buffer("x", x)
  plan:bind_buffer("y", y)
  plan:bind_signal("done", done)
  plan:bind_function("more", function() left = left - 1; return left > 0 end)
  plan:bind_function("note", function() notes[#notes + 1] = "note" end)
  plan:bind_device("host:0", device)
  plan:prepare()
  plan {a = 2}
  print(("%g %g "):format(y:table()[1], y:table()[2]) .. table.concat(notes, " ") .. " " .. done:reached())
end

local what, path = ...
if what == "save" then save(path) else run(path) end
