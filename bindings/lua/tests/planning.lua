-- SPDX-License-Identifier: MIT
-- Tests of planning, capture, waits and texts of errors; see run.lua.
local case = require "tests.case"
local plait = require "plait"
local ffi = require "plait.core".ffi
local unpack = unpack or table.unpack
local ok, is, raises, list, test, SAXPY = case.ok, case.is, case.raises, case.list, case.test, case.SAXPY

-- --- names, planning, waiting --------------------------------------------------

local function named(system, device)
  local kernel, graph = system:kernel(unpack(SAXPY)), system:graph()
  local x, y = device:array("float", {1, 2}, "x"), device:array("float", {0, 0}, "y")
  graph:launch(kernel, {plait.parameter "a", x, y, 2}, {items = 2, label = "saxpy", cost = 5})
  return graph, kernel, x, y
end

test("names of plans", function(system, device)
  local graph, kernel, x, y = named(system, device)
  local plan = system:read(graph:freeze():bytes())
  is(#plan:bindings(), 4, "names are listed")
  raises('"saxpy" is not bound: call plan:bind_kernel', "the call is named", plan, {a = 1})
  raises('"a" is not bound: give the run a value for it; see plan {name = value}', "a parameter that is not given",
    graph:freeze())
  raises("planning.lua:%d+: kernels: /nowhere/saxpy.plk: No such file.*folder with saxpy%.plk", "a file that is missing",
    function() system:kernels("/nowhere", "saxpy") end)
  plan:bind_kernel(kernel)
  plan:bind_buffer("x", x)
  raises('no buffer "z"', "a name that is not there", plan.bind_buffer, plan, "z", x)
  raises("bind_buffer: expected a buffer, not 3", "a number for a buffer", plan.bind_buffer, plan, "y", 3)
  raises("planning.lua:%d+: bind_function: expected a function", "a number for a function", function() plan:bind_function("f", 3) end)
  plan:bind_buffer("y", y)
  plan:prepare()
  plan {a = 3}
  is(list(y), "3 6", "a plan that was read runs")
end)

test("capture", function(system, device, queue)
  local other, signal = device:queue(), device:signal()
  local x, y = device:array("uint32_t", {0, 0}), device:array("uint32_t", {0, 0})
  local graph = system:capture({queue, other}, function()
    queue:fill(x, 7)
    queue:emit(signal)
    other:wait(signal)
    other:copy(y, x)
    raises("called once", "a function in a capture", queue.call, queue, function() end)
    raises("is captured", "a wait in a capture", queue.finish, queue)
  end, {local_signals = true})
  local nodes, edges = graph:size()
  is(nodes .. " " .. edges .. " " .. list(y), "2 1 0 0", "commands become nodes")
  graph:freeze() {}
  is(list(y), "7 7", "a captured graph runs")
  raises("stop", "an error in a capture", system.capture, system, {queue}, function() error("stop", 0) end)
end)

test("planning", function(system, device, queue)
  local graph, kernel, x, y = named(system, device)
  graph:edge(graph:mark "begin", graph:join {label = "end"})
  local nodes, edges = graph:size()
  is(nodes .. " " .. edges, "3 1", "a graph has a size")
  local extra = graph:mark("extra", {after = graph:mark "gone"})
  graph:remove_edge(extra - 1, extra)
  graph:remove {extra - 1, extra}
  raises("not a node", "a removed node", graph.edge, graph, extra, extra - 1)
  nodes, edges = graph:size()
  is(nodes .. " " .. edges, "3 1", "removed nodes do not count")
  graph:resource("bus", 2)
  local first, second = graph:mark("first", {cost = 5}), graph:mark("second", {cost = 5})
  graph:need(first, "bus", 2)
  graph:need(second, "bus")
  graph:priority(second, 7)
  raises("no resource 'bug'", "an unknown resource", graph.need, graph, first, "bug")
  is(graph:freeze({lanes = 4}):simulate().makespan, 10, "a limit")
  graph:remove {first, second}
  local plan = graph:freeze {hop_cost = 1}
  is(plan:query().nodes, 3, "so has a plan")
  is(plan:simulate().makespan, 5, "a run is predicted")
  is(plan:critical_path()[1].label, "saxpy", "with its path")
  is(#plan:commands(), 3, "commands are listed")
  plan:record()
  local run = plan:run(queue, {a = 1})
  run:wait()
  local records, dropped = run:records()
  ok(#records >= 1 and dropped == 0, "a run has records")
  is(run:query().commands, 3, "and a state")
  local tuned, info = plan:tune {mode = "strict"}
  is(info.runs, 1, "a plan is tuned")
  tuned:exchange(kernel, system:kernel(SAXPY[1], (SAXPY[2]:gsub("%+=", "-="))))
  tuned {a = 1}
  is(list(y), "0 0", "a kernel is exchanged")
  local rehearsal = graph:freeze()
  rehearsal:rehearse()
  rehearsal()
  is(list(y), "0 0", "a rehearsal calls nothing")
  raises('mode: "fast" is none of', "a mode that is none", graph.freeze, graph, {mode = "fast"})
  raises('no form "png"', "a form that is none", plan.text, plan, "png")
  is(system:read_graph("node a\nnode b after=a\n"):freeze():query().edges, 1, "a graph in text form")
  ok(plait.source_text(SAXPY[1], SAXPY[2], "host"):find "plait_i", "source in another language")
  local many = system:kernel("two(y: out pointer u32)", "KERNEL(two) { *y = twice(ONE); }", {before = {
    {"one.h", "#define ONE 1"}, {"twice.c", "FUNCTION u32 twice(u32 v) { return 2 * v; }"}}})
  ok(many, "a program of several texts")
  raises("twice.c", "a mistake in a text before it", system.kernel, system, "two(y: out pointer u32)",
    "KERNEL(two) { *y = 1; }", {before = {{"twice.c", "FUNCTION u32 twice(u32 v) { return w; }"}}})
  ok(plait.backend_report({backend = "host"}):find "host", "a report without a system")
  local text = ("int f(unsigned x)\n{ int unused = 3; return 0; } /* %s %s */\n"):format(os.time(), os.tmpname())
  local warned = system:kernel("f(x: u32)", {host = text}, {options = "-Wunused-variable"})
  ok(warned:messages(device):find("warning: unused variable", 1, true), "messages of compilers")
  is(system:device(device.name), device, "a device by its name")
end)

test("copies whose sides each run sets", function(system, device)
  local graph, a, b = system:graph(), device:buffer(8), device:buffer(8)
  local fill = graph:fill(plait.parameter "a", 7, {bytes = 8, pattern_bytes = 1})
  graph:copy(plait.parameter "b", plait.parameter "a", {bytes = 8, after = fill})
  graph:freeze() {a = a, b = b}
  is(list(b), "7 7 7 7 7 7 7 7", "they are copied")
  raises("a parameter needs `bytes`", "without a size", graph.fill, graph, plait.parameter "a", 7)
end)

test("waiting for several", function(system, device, queue)
  local gate, signal, b = device:signal {gate = true}, device:signal(), device:buffer(4)
  local given, taken = ffi.new("uint8_t[4]", {1, 2, 3, 4}), ffi.new "uint8_t[4]"
  queue:emit(signal)
  system:wait {{signal, 1}}
  is(system:wait({{gate, 1}, {signal, 1}}, true), 2, "one of two")
  queue:wait(gate, 1)
  queue:write(b, given, {wait = false})
  queue:read(b, taken, {wait = false})
  is(taken[3], 0, "a read that does not wait")
  gate:raise(1)
  queue:finish()
  is(taken[3], 4, "is complete after finish")
  queue:read(b, ffi.cast("uint8_t *", taken), {bytes = 2, offset = 2})
  is(taken[0] .. " " .. taken[1], "3 4", "a read into a pointer")
  raises("a pointer needs `bytes`", "without a size", queue.read, queue, b, ffi.cast("uint8_t *", taken))
  gate:fail "no more"
  raises("no more", "a gate that failed", gate.wait, gate, 2)
  gate:reset()
end)

test("runs that may overlap", function(system, device)
  local gate, begun, b = device:signal {gate = true}, device:signal(), device:buffer(4)
  local graph = system:graph()
  local wait = graph:wait(gate, 1, {after = graph:emit(begun)})
  graph:fill(b, 1, {after = wait, pattern_bytes = 1})
  local plan = graph:freeze()
  plan:set_flags {overlap = true}
  local first, second = plan:run(device:queue()), plan:run(device:queue())
  for _ = 1, 6000 do
    if begun:reached() == 2 then break end
    pcall(gate.wait, gate, 1, 0.01)
  end
  is(tonumber(begun:reached()), 2, "both have begun")
  gate:raise(1)
  first:wait()
  second:wait()
  is(list(b), "1 1 1 1", "both were in flight")
end)

test("temporaries", function(system, device)
  local graph, b = system:graph(), device:array("float", {0, 0})
  local between = graph:temporary(8, "between")
  local fill = graph:fill(between, 7, {pattern_bytes = 1})
  graph:copy(b, between, {after = fill})
  graph:freeze()()
  is(b:map(function(at) return ffi.cast("uint8_t *", at)[7] end), 7, "a copy through one")
  raises("temporary", "it has no memory itself", between.map, between, function() end)
  raises("size %-1", "a size below 0", graph.temporary, graph, -1)
  raises("size 1.5", "a size in parts of bytes", graph.temporary, graph, 1.5)
  raises("size \"a\"", "a size that is no number", graph.temporary, graph, "a")
end)

do
  local system = plait.open()
  local buffer = system.devices[1]:buffer(4)
  raises(".", "a buffer keeps its system alive", system.close, system, 0)
  raises("released", "which is given back all the same", system.report, system)
  buffer:release()
  system = plait.open()
  local graph = system:graph()
  graph:call(function() end)
  local plan = graph:freeze()
  plan()
  local run = plan:run()
  run:wait()
  -- A plan takes its own queue along; nothing waits for the garbage collector.
  for _, one in ipairs {run, plan, graph} do one:release() end
  system:close(60)
  raises("released", "a system that is closed", system.graph, system)
end

test("what mistakes say", function(system, device, queue)
  local graph = system:graph()
  raises('options are a table, {name = value}, not "gpu"', "a name for options", plait.open, "gpu")
  raises('planning.lua:%d+: array: "flot" is not a type of C', "a type that is none",
         function() device:array("flot", {1}) end)
  raises("the condition is a u32, the buffer was made of float", "a condition of floats", graph.loop, graph,
         device:array("float", {1}))
  local mine = device:buffer(4, "mine")
  mine:release()
  raises('Buffer "mine" was released at .*planning.lua:%d+', "a buffer that is gone", mine.table, mine)
  queue:call(function()
    local none
    none()
  end)
  local good, problem = pcall(queue.finish, queue)
  ok(not good and not problem.text:find "\n" and problem.text:find "attempt to call", "one line of text")
  ok(problem.trace and problem.trace:find "stack traceback" and select(2, problem.trace:gsub("\n", "")) > 2,
     "and the lines of the traceback")
end)

test("images", function(system, device, queue)
  local half = system:kernel("shrink(from: in image, by: sampler, to: out image)", [[KERNEL(shrink) {
    EACH2(x, IMAGE_WIDTH(to), y, IMAGE_HEIGHT(to))
      IMAGE_WRITE(to, x, y, IMAGE_SAMPLE(from, by, 2 * x + 1.0f, 2 * y + 1.0f)); }]])
  local image, small, got = device:image(4, 2), device:image(2, 1, "r32f", "small"), ffi.new "float[2]"
  queue:write(image, ffi.new("float[8]", {1, 3, 5, 7, 1, 3, 9, 11}))
  queue:launch(half, {image, plait.SAMPLER_LINEAR, small}, {items = {2, 1}})
  queue:read(small, got)
  is(("%g %g"):format(got[0], got[1]), "2 8", "a kernel samples an image")
  raises("are not whole rows", "a part of a row", queue.write, queue, image, ffi.new "float[1]")
  raises("rgba8", "a wrong format", device.image, device, 1, 1, "rgb")
  raises("0 x 1 pixels", "no pixels", device.image, device, 0, 1)
end)
