-- SPDX-License-Identifier: MIT
-- Tests of plans: parameters, loops, functions; see run.lua.
local case = require "tests.case"
local plait = require "plait"
local ffi = require "plait.core".ffi
local lib = require "plait.core".lib
local unpack = unpack or table.unpack
local ok, is, raises, list, test, SAXPY, DOWN = case.ok, case.is, case.raises, case.list, case.test, case.SAXPY, case.DOWN

test("plans", function(system, device, queue)
  local x, y = device:array("float", {1, 2}), device:array("float", {0, 0})
  local graph = system:graph()
  graph:launch(system:kernel(unpack(SAXPY)), {plait.parameter "a", x, plait.parameter "y", 2},
               {items = 2})
  local plan = graph:freeze {check = true}
  plan {a = 3, y = y}
  local run = plan:run(queue, {a = 1, y = y})
  run:wait()
  is(list(y), "4 8", "parameters")
  raises("no parameter", "an unknown one", plan, {b = 3})
  raises("the plan also needs .*: plan {", "a missing one", plan, {a = 3})
  raises('no argument "y"', "a function that does not fit", plan.callable, plan, "f(a: f32): i32",
         "int32_t (*)(float)")
  local good, made = pcall(plan.callable, plan, "f(y: pointer, a: f32): i32",
                           "int32_t (*)(plait_buffer *, float)")
  if good then
    is(made.call(y:handle(), 2), 0, "a plan as a function")
    is(list(y), "6 12", "which has run")
    is(made.call(nil, 2), lib.PLAIT_E_HANDLE, "and says what is wrong")
    made:release()
  else
    is(made.status, lib.PLAIT_E_UNSUPPORTED, "built without libffi")
  end
  plan:check()
  ok(plan:text "svg":find "<svg", "a picture")
  local path = os.tmpname()
  local joined = system:graph()
  joined:join {label = "only"}
  joined:freeze():save(path)
  system:load(path)()
  os.remove(path)
  local ran, calling = {}, system:graph()
  local one = calling:call(function() ran[#ran + 1] = 1 end)
  calling:call(function() error "this one" end, {after = one})
  raises("this one", "an error of a node fails the run", calling:freeze())
  is(#ran, 1, "what is before it has run")
  local wrong, count, crowd = true, 0, system:graph()
  crowd:call(function()
    count = count + 1
    if wrong then error "not yet" end
  end)
  local again = crowd:freeze {instances = 2}
  raises("not yet", "a plan that fails", again)
  wrong = false
  again()
  is(count, 2, "runs again")
  local runs, queue = {}, device:queue()
  for i = 1, 10 do runs[i] = again:run(queue) end
  for i = 1, 10 do runs[i]:wait() end
  is(count, 12, "more runs than can be in flight")
  raises("unknown option affter", "a misspelt option of a node", graph.fill, graph, y, 1, {affter = 1})
  raises("unknown option instancs", "and of a plan", graph.freeze, graph, {instancs = 1})
  raises("plans.lua", "errors name the place", function() graph:fill(y, 1, {pattern_bytes = 3}) end)
end)

test("what plans are told", function(system, device)
  local x, y, n = device:array("float", {1, 2}), device:array("float", {0, 0}), plait.parameter "n"
  local graph = system:graph()
  graph:launch(system:kernel(unpack(SAXPY)), {plait.parameter "a", plait.parameter "x", y, n}, {items = 2})
  local plan = graph:freeze()
  for i = 1, 200 do plan {a = i % 2, x = x, n = 2} end
  is(list(y), "100 200", "as often as one likes")
  raises("the plan also needs a, x: plan {a = ...", "one that is missing", plan, {n = 2})
  raises("is a pointer: give it a buffer, not 2", "a number for a buffer", plan, {a = 1, x = 2, n = 2})
  raises("not a number", "a text for a number", plan, {a = "1", x = x, n = 2})
  raises("n: 1.5 is not an integer", "a fraction for a whole number", plan, {a = 1, x = x, n = 1.5})
  raises("no parameter z", "one too many", plan, {a = 1, x = x, n = 2, z = 1})
  raises("no parameter 1", "one without a name", plan, {a = 1, x = x, 2})
  local gone = device:array("float", {0, 0})
  gone:release()
  raises("was released", "what was released", plan, {a = 1, x = gone, n = 2})
  plan {a = 1, x = x, n = ffi.cast("uint64_t", 2)}
  is(list(y), "101 202", "it goes on after each of them")
  local size, out = plait.parameter "size", device:array("uint32_t", {0, 0, 0})
  local counting = system:graph()
  counting:launch(system:kernel("one(y: inout pointer u32)", "KERNEL(one) { EACH(i, 3) y[i] += 1; }"), {out},
                  {items = size})
  local counts = counting:freeze()
  counts {size = 3}
  counts {size = {3, 1}}
  is(list(out), "2 2 2", "geometries")
  local both = system:graph()
  both:subgraph(counting, {after = both:call(function() end)})
  both:freeze() {size = 3}
  is(list(out), "3 3 3", "a graph in another one")
end)

test("traces", function(system, device, queue)
  local graph = system:graph()
  graph:fill(device:array("float", {0}), 7, {label = "only"})
  local plan = graph:freeze()
  plan:record()
  plan()
  local run = plan:run(queue)
  run:wait()
  ok(run:trace "json":find "only", "as text")
  ok(run:trace "svg":find "<svg", "as a picture")
end)

test("memory of ours", function(system, device, queue)
  local numbers = ffi.new("uint32_t[4]", {1, 2, 3, 4})
  local known = setmetatable({numbers}, {__mode = "v"})
  local buffer = device:wrap("uint32_t", numbers, 4)
  numbers = nil
  collectgarbage()
  queue:fill(buffer:view(4, 8), 9)
  queue:finish()
  is(list(buffer), "1 9 9 4", "a buffer on it")
  is(known[1][1], 9, "is the same memory, which it keeps")
  raises("wrap: 20 bytes, and the memory has 16", "more than there is", device.wrap, device, "int", known[1], 5)
  raises("wrap: memory is a cdata, not a table", "no memory", device.wrap, device, "int", {1, 2}, 2)
  raises("read: 17 bytes, and the memory has 16", "a read of more", queue.read, queue, buffer, known[1], {bytes = 17})
  raises("write: 17 bytes, and the memory has 16", "a write of more", queue.write, queue, buffer, known[1], {bytes = 17})
  buffer:release()
  for _ = 1, 1000 do
    collectgarbage()
    system:pump()
    if not known[1] then break end
    ffi.C.poll(nil, 0, 10)
  end
  is(known[1], nil, "until nothing uses it")
end)

test("memory of ours when the system goes", function(_, device)
  local numbers = ffi.new("uint32_t[4]")
  local known = setmetatable({numbers}, {__mode = "v"})
  local other = plait.open()
  local buffer = other.devices[1]:wrap("uint32_t", numbers, 4)
  numbers = nil
  buffer:release()
  other:release()
  buffer, other = nil, nil
  for _ = 1, 3 do collectgarbage() end
  is(known[1], nil, "what was released before is let go, though nobody pumped")
end)

test("loops and branches", function(system, device)
  local left, x, y = device:array("uint32_t", {5}), device:array("float", {1}), device:array("float", {0})
  local graph = system:graph()
  local loop, body = graph:loop(left)
  local step = body:launch(system:kernel(unpack(SAXPY)), {1, x, y, 1}, {items = 1})
  body:launch(system:kernel(unpack(DOWN)), {left}, {after = step})
  local which, out = device:array("uint32_t", {2}), device:array("uint32_t", {0})
  local _, branches = graph:case(which, 3, {after = loop, expect = 2})
  for i, branch in ipairs(branches) do branch:fill(out, 10 + i) end
  is(graph:freeze():text("json"):match '"take": (%d)', "2", "the expected branch")
  graph:freeze()()
  is(list(y), "5", "a loop over a word")
  is(list(out), "13", "the branch that a word says")
  local a, b, again = device:array("float", {0}), device:array("float", {0}), device:array("uint32_t", {3})
  local turning = system:graph()
  local _, inner = turning:loop(again)
  local turns = inner:rotate(a, b)
  local more = system:kernel("more(x: in pointer f32, y: out pointer f32)",
                             "KERNEL(more) { EACH(i, 1) y[i] = x[i] + 1; }")
  local first = inner:launch(more, {turns.now, turns.next})
  inner:launch(system:kernel(unpack(DOWN)), {again}, {after = first})
  turning:freeze()()
  is(list(b), "3", "buffers take turns")
  local c, d, last = device:array("uint32_t", {5, 5}), device:array("uint32_t", {6, 6}), device:array("uint32_t", {7, 7})
  local moving = system:graph()
  local count, moved = moving:repeat_times(3)
  local sides = moved:rotate(c, d)
  local half = moved:copy(sides.next, sides.now, {bytes = 4})
  moved:fill(sides.next, 9, {bytes = 4, offset = 4, after = half})
  moving:copy(last, sides.now, {after = count})
  moving:freeze()()
  is(list(last), "5 9", "buffers that take turns are copied and filled")
end)

test("loops with a count", function(system, device)
  local more = system:kernel("more(x: inout pointer u32, n: u32)",
                             "KERNEL(more) { EACH(i, 1) x[0] = 10 * x[0] + n; }")
  local x, word = device:array("uint32_t", {0}), device:array("uint32_t", {7})
  local graph = system:graph()
  local first, body = graph:repeat_times(10, {step = 4})
  body:launch(more, {x, plait.iteration {scale = -4, from_count = true, limit = 4}})
  local second, inner = graph:repeat_times(plait.parameter "n", {after = first})
  inner:launch(more, {x, plait.iteration}, {series = {plait.iteration {offset = -1}}})
  local _, last = graph:repeat_times(word, {step = 3, after = second})
  last:launch(more, {x, plait.iteration {offset = 5}})
  graph:freeze() {n = 3}
  is(list(x), "4422567", "numbers and sizes follow the iteration")
end)

test("functions decide", function(system, device)
  local left, ran, out = 3, 0, device:array("uint32_t", {0})
  local graph = system:graph()
  local loop, body = graph:loop(function() left = left - 1; return left >= 0 end)
  body:call(function() ran = ran + 1 end)
  local _, branches = graph:case(function() return 1 end, 2, {after = loop})
  for i, branch in ipairs(branches) do branch:fill(out, 10 + i) end
  local plan = graph:freeze()
  plan()
  is(ran, 3, "a loop goes on while a function says so")
  is(list(out), "12", "the branch that a function says")
  local wrong = system:graph()
  wrong:loop(function() error "no idea" end)
  local bad = wrong:freeze()
  raises("no idea", "an error in a predicate fails the plan", function() bad() end)
  left = 2
  plan()
  is(ran, 5, "and others go on")
end)

test("functions of stopped runs", function(system, device, queue)
  local gate, seen, run = device:signal {gate = true}, {}, nil
  local graph = system:graph()
  graph:call(function()
    seen[1] = plait.is_stopping()
    run:cancel()
    seen[2] = plait.is_stopping()
  end)
  queue:wait(gate, 1)
  run = graph:freeze():run(queue)
  gate:raise(1)
  raises("cancelled", "a run that its function cancels", function() run:wait() end)
  pcall(queue.finish, queue)
  is(tostring(seen[1]) .. tostring(seen[2]) .. tostring(plait.is_stopping()), "falsetruefalse",
     "a function asks whether its run was stopped")
end)
