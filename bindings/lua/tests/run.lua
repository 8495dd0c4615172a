-- SPDX-License-Identifier: MIT
-- Tests of the Lua layer, for LuaJIT and Lua 5.4; TAP.
--
--     LUA_PATH="?.lua;?/init.lua" luajit tests/run.lua
local unpack = unpack or table.unpack
local count, failed = 0, 0
local function ok(held, name)
  count = count + 1
  if not held then failed = failed + 1 end
  print((held and "ok " or "not ok ") .. count .. " - " .. name)
end
local function is(got, want, name)
  ok(got == want, name)
  if got ~= want then print("#   got " .. tostring(got) .. ", wanted " .. tostring(want)) end
end
local function raises(pattern, name, fn, ...)
  local good, text = pcall(fn, ...)
  ok(not good and tostring(text):find(pattern), name)
  if good or not tostring(text):find(pattern) then print("#   got " .. tostring(text)) end
end
local function list(buffer)
  local numbers = buffer:table()
  for i, number in ipairs(numbers) do numbers[i] = ("%.14g"):format(number) end -- not 2.0
  return table.concat(numbers, " ")
end

local plait = require "plait"
local core = require "plait.core"
local ffi, lib = core.ffi, core.lib
ffi.cdef [[
typedef struct { int descriptor; short wanted, found; } poll_entry;
int poll(poll_entry *, unsigned long, int);
]]

local SAXPY = {"saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
               "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }"}
local DOWN = {"down(left: inout pointer u32)", "KERNEL(down) { EACH(i, 1) left[i] -= 1; }"}

-- Run a test with its own system, and check that no object is left.
local function test(name, fn)
  local system = plait.open()
  local good, text = xpcall(function() fn(system, system.devices[1], system.devices[1]:queue()) end,
                            debug.traceback)
  if not good then
    ok(false, name)
    print((tostring(text):gsub("^", "#   "):gsub("\n", "\n#   ")))
  end
  system:release()
  system = nil
  for _ = 1, 3 do collectgarbage() end
  -- Work in flight ends on other threads.
  for _ = 1, 1000 do
    if plait.live_count() == 0 then break end
    ffi.C.poll(nil, 0, 10)
  end
  is(plait.live_count(), 0, name .. ": nothing is left")
end

for name in pairs {plait_error = 1, plait_event = 1, plait_node_desc = 1, plait_command = 1,
                   plait_argument = 1, plait_binding = 1, plait_run_desc = 1, plait_array = 1,
                   plait_freeze_desc = 1, plait_device_info = 1} do
  is(tonumber(lib.plait_sizeof(name)), ffi.sizeof(name), "size of " .. name)
end
ok(plait.version():find "^%d+%.%d+%.%d+$", "a version")
raises("nothing", "a backend that is not there", plait.open, {backend = "nothing"})
raises("unknown option bakend; the options are backend", "an option that is misspelt", plait.open,
       {bakend = "host"})

test("rows", function(system, device, queue)
  -- The second of three columns, in a table of two pages.
  local numbers, zeros = {}, {0, 0, 0, 0, 0, 0, 0, 0}
  for i = 1, 24 do numbers[i] = i - 1 end
  local whole, how = device:array("int", numbers), {bytes = 4, source_offset = 4, rows = 4, slices = 2,
                                                   source_row = 12, source_slice = 48}
  local column, again = device:array("int", zeros), device:array("int", zeros)
  queue:copy(column, whole, how)
  queue:finish()
  is(list(column), "1 4 7 10 13 16 19 22", "a queue copies rows")
  local graph = system:graph()
  graph:copy(again, whole, how)
  graph:freeze()()
  is(list(again), list(column), "so does a plan")
  queue:copy(column, whole, {bytes = 4, rows = 0})
  queue:copy(column, whole, {bytes = 4, rows = 4, slices = 0})
  queue:finish()
  is(list(column), list(again), "no rows are none")
  queue:copy(again, whole, {bytes = 8, target_offset = 4})
  queue:finish()
  is(list(again), "1 0 1 10 13 16 19 22", "a part of a buffer")
  raises("needs `bytes`", "rows of how many bytes", queue.copy, queue, again, whole, {rows = 2})
  raises("unknown option row", "a misspelt option", queue.copy, queue, again, whole, {row = 2})
  raises("32 bytes, but the target has 28", "rows that do not fit", graph.copy, graph, again, whole,
         {bytes = 4, rows = 8, target_offset = 4})
end)

test("local memory", function(system, device, queue)
  local turn = system:kernel("turn(row: local i32, x: inout pointer i32)", [[GROUP_KERNEL(turn, 4, 1, 1) {
    ITEMS row[LOCAL_ID(0)] = x[LOCAL_ID(0)]; ITEMS x[LOCAL_ID(0)] = row[3 - LOCAL_ID(0)]; }]])
  local x = device:array("int32_t", {1, 2, 3, 4})
  queue:launch(turn, {16, x}, {items = 4})
  queue:finish()
  is(table.concat(x:table(), " "), "4 3 2 1", "a launch")
  local graph = system:graph()
  graph:launch(turn, {plait.parameter "bytes", x}, {items = 4})
  graph:freeze() {bytes = 32}
  is(table.concat(x:table(), " "), "1 2 3 4", "a size that a run sets")
  is(device:query().local_bytes >= 32768, true, "the limit of the device")
  local function says(part, ...) raises(part, "says: " .. part, queue.launch, queue, turn, {...}, {items = 4}) end
  says('turn: argument 0 "row" is local memory: give its bytes: plait Buffer is not a number', x, x)
  says('"row" %(local i32%): 6 bytes of local memory are not a multiple of 4', 6, x)
  says('"row" %(local i32%): 1099511627776 bytes of local memory', 2 ^ 40, x)
end)

test("structs and vectors", function(system, device, queue)
  ffi.cdef "struct test_body { double mass; int32_t count; };"
  local weigh = system:kernel("weigh(b: struct body2 16, v: f32x4, i: i16x2, y: out pointer f64)", [[
    struct body2 { f64 mass; i32 count; };
    KERNEL(weigh) { EACH(k, 1) y[0] = b.mass * b.count + v.v[0] + 10 * v.v[3] + i.v[1]; }]])
  local y, body = device:array("double", {0}), ffi.new("struct test_body", 1.5, 4)
  queue:launch(weigh, {body, {1, 2, 3, 4.5}, {7, -8}, y})
  queue:launch(weigh, {ffi.string(body, 16), {1, 2, 3, 4.5}, {7, -8}, y})
  queue:finish()
  is(y:table()[1], 6 + 1 + 45 - 8, "a launch")
  local graph = system:graph()
  graph:launch(weigh, {plait.parameter "b", plait.parameter "v", {0, 1}, y})
  local plan = graph:freeze()
  for count = 0, 2 do
    plan {b = ffi.new("struct test_body", 2, count), v = {count, 0, 0, 1}}
    is(y:table()[1], 2 * count + count + 11, "values that a run sets")
  end
  local function says(part, fn, ...) raises(part, "says: " .. part, fn, ...) end
  local function launch(...) queue:launch(weigh, {...}) end
  says('weigh: argument 0 "b" is a struct of 16 bytes: give it a cdata or a string', launch, 3, {1, 2, 3, 4}, {1, 2}, y)
  says('weigh: argument 0 "b" is a struct of 16 bytes', launch, "short", {1, 2, 3, 4}, {1, 2}, y)
  says('weigh: argument 1 "v" is a vector: give it a table of 4 numbers', launch, body, {1, 2, 3}, {1, 2}, y)
  says('weigh: argument 2 "i": 40000 does not fit its type', launch, body, {1, 2, 3, 4}, {1, 40000}, y)
  says('v is a vector: give it a table of 4 numbers, not 3', plan, {b = body, v = 3})
  says('b is a struct of 16 bytes', plan, {b = "x", v = {1, 2, 3, 4}})
end)

test("mistakes", function(system, device, queue)
  local kernel, graph = system:kernel(unpack(SAXPY)), system:graph()
  local x, y = device:array("float", {1, 2}), device:array("float", {3, 4})
  graph:launch(kernel, {plait.parameter "a", x, y, 2})
  local plan = graph:freeze()
  local function says(part, fn, ...) raises(part, "says: " .. part, fn, ...) end
  local function launch(...) queue:launch(kernel, {...}) end
  says("by name: plan {a = ...}, not plan%(3%)", plan, 3)
  says("no parameter b; it has a", plan, {b = 1})
  says('a: "x" is not a number', plan, {a = "x"})
  says("a: a table is not a number", plan, {a = {}})
  says("a: plait Buffer is not a number", plan, {a = x})
  says("a: cdata.* is not a number", plan, {a = ffi.new "plait_error"})
  says('argument 1 "x" is a pointer: give it a buffer, not a table; device:array', launch, 1, {1}, y, 2)
  says('argument 1 "x" is a pointer to f32, the buffer was made of double %(f64%)', launch, 1,
       device:array("double", {1, 2}), y, 2)
  says('argument 2 "y" is a pointer to f32, the buffer was made of int %(i32%)', launch, 1, x,
       device:array("int", {1, 2}), 2)
  says('run.lua:%d+: saxpy: argument 0 "a": plait Buffer is not a number', launch, x, x, y, 2)
  says("its arguments are a table, {...}, not plait Buffer", queue.launch, queue, kernel, x)
  says("launch: expected a kernel, not plait Buffer", queue.launch, queue, x, {})
  says("launch: expected a kernel, not plait Buffer", graph.launch, graph, x, {})
  says('items: "3" is not a number', queue.launch, queue, kernel, {1, x, y, 2}, {items = "3"})
  says("at most 3 dimensions", queue.launch, queue, kernel, {1, x, y, 2}, {items = {1, 1, 1, 1}})
  says("the source: expected a buffer, not a table", queue.copy, queue, x, {1})
  says("the target: expected a buffer, not nil", graph.copy, graph, nil, x)
  says("emit: expected a signal, not plait Buffer", queue.emit, queue, x)
  says("after: expected a node.*not 3.5", graph.join, graph, {after = 3.5})
  says("not a function: expected a buffer, not 3", graph.loop, graph, 3)
  says("array%(\"float\", {1, 2}%)", device.array, device, {1, 2})
  -- Bytes match every type; two C names of one type match each other.
  queue:launch(kernel, {1, device:buffer(8), y, 2})
  queue:launch(kernel, {1, device:array("char", {0, 0, 0, 0, 0, 0, 0, 0}), y, 2})
  queue:launch(system:kernel("f(x: inout pointer i64)", "KERNEL(f) { EACH(i, 1) x[i] = 1; }"),
               {device:array("long", {1})})
  queue:finish()
end)

test("values that the host computes", function(system, device)
  local graph, state = system:graph(), ffi.new("float[2]", 0, 2)
  local x, y = device:array("float", {1, 2}), device:array("float", {1, 1})
  local _, body = graph:repeat_times(3)
  local first = body:call(function() state[1] = state[1] + 1 end)
  body:launch(system:kernel(unpack(SAXPY)), {plait.host_value("state", 4), x, y, 2}, {items = 2, after = first})
  graph:freeze() {state = state}
  is(list(y), "13 25", "of each iteration")
  raises('argument 1 "x".*values only', "a pointer", graph.launch, graph, system:kernel(unpack(SAXPY)),
         {2, plait.host_value "state", y, 2})
end)

test("reads and writes in a graph", function(system, device, queue)
  local graph, buffer = system:graph(), device:buffer(16)
  local first = graph:write(buffer, plait.parameter "given", {offset = 4, bytes = 12, host_offset = 4, label = "in"})
  graph:read(buffer, plait.parameter "got", {after = first})
  local plan = graph:freeze()
  local given, got = ffi.new("uint32_t[4]", 9, 1, 2, 3), ffi.new "uint32_t[4]"
  plan {given = given, got = got}
  is(("%d %d %d"):format(got[1], got[2], got[3]), "1 2 3", "a call")
  for i = 1, 3 do
    given[3] = i
    plan:run(queue, {given = given, got = got}):wait()
  end
  is(#queue.kept, 1, "the queue keeps what a run in flight may use")
  queue:finish()
  is(got[3], 3, "runs on a queue")
  raises('"in" uses 12 bytes, and there are 4', "too few bytes", plan, {given = ffi.new "char[8]", got = got})
  raises("given: memory of the program is a cdata array", "no cdata", plan, {given = 3, got = got})
  raises("a plait.parameter, which each run sets", "no parameter", graph.read, graph, buffer, got)
end)

test("batches", function(system, device, queue)
  local step = system:kernel("step(a: u32, x: inout pointer u32, n: u64)",
                             "KERNEL(step) { EACH(i, n) x[i] = a * x[i] + 1; }")
  local x, y = device:array("uint32_t", {0, 0}), device:array("uint32_t", {0, 0})
  local signal, batch = device:signal(), queue:batch()
  batch:fill(x, 2)
  for _, factor in ipairs {3, 5} do batch:launch(step, {factor, x, 2}, {items = 2}) end
  batch:copy(y, x)
  batch:emit(signal)
  batch:wait(signal)
  batch:fill(x, 7, 4, 4, 4)
  is(batch:submit(), 1, "the number of the emission")
  queue:finish()
  is(list(y) .. ", " .. list(x), "36 36, 36 7", "commands run in order")
  is(batch:submit(), 0, "a batch is empty after that")
  batch:fill(y, 0)
  batch:launch(step, {1, x, 2}, {items = {2^62, 4}, label = "many"})
  raises('command 1 "many": step: ', "a mistake is told", batch.submit, batch)
  queue:finish()
  is(list(y), "36 36", "all or none")
end)

test("buffers", function(_, device, queue)
  is(list(device:array("float", {1, 2, 3})), "1 2 3", "what goes in comes out")
  local buffer = device:array("uint32_t", {1, 2, 3, 4})
  queue:fill(buffer:view(4, 8), 9)
  queue:finish()
  is(list(buffer), "1 9 9 4", "a view is the same memory")
  raises("pattern", "a wrong pattern", queue.fill, queue, buffer, 1, 3)
  device:set_budget(2 ^ 20)
  raises("NOMEM", "beyond the budget", device.buffer, device, 2 ^ 30)
  device:set_budget(0)
end)

test("kernels", function(system, device, queue)
  local kernel = system:kernel(unpack(SAXPY))
  local x, y = device:array("float", {1, 2, 3}), device:array("float", {1, 1, 1})
  queue:launch(kernel, {2, x, y, 3}, {items = 3})
  queue:finish()
  is(list(y), "3 5 7", "portable source")
  raises("4 arguments", "too few arguments", queue.launch, queue, kernel, {1, x})
  raises("is a pointer", "a number for a pointer", queue.launch, queue, kernel, {1, 2, y, 3})
  raises("f:1", "a source that does not compile", system.kernel, system,
         "f(x: inout pointer f32)", "KERNEL(f) { x[0] = oops; }")
  local keep = system:kernel("keep(x: u64, y: out pointer u64)",
                             "KERNEL(keep) { EACH(i, 1) y[i] = x; }")
  local out = device:array("uint64_t", {0})
  raises("does not fit", "a number that does not fit", queue.launch, queue, keep, {-1, out})
  raises("1.5 is not an integer", "nor one with a fraction", queue.launch, queue, keep, {1.5, out})
  raises("not a number", "a text for a number", queue.launch, queue, keep, {"a", out})
  raises("does not fit", "items below 0", queue.launch, queue, keep, {1, out}, {items = -1})
  queue:launch(keep, {2 ^ 52 + 7, out})
  queue:finish()
  is(out:map(function(p) return p[0] == 2 ^ 52 + 7 end), true, "a number above 2^31")
end)

test("functions", function(system, _, queue)
  local ran = 0
  for _ = 1, 10000 do queue:call(function() ran = ran + 1 end) end
  queue:finish()
  is(ran, 10000, "ten thousand functions run")
  local refused, inner = {}, queue.device:queue()
  queue:call(function()
    for _, one in ipairs {queue, inner} do
      local good, problem = pcall(one.finish, one)
      refused[#refused + 1] = good and "waited" or problem.name
    end
  end)
  queue:finish()
  is(table.concat(refused, " "), "PLAIT_E_DEADLOCK waited", "waits in a function of a queue")
  local graph, run = system:graph(), nil
  graph:call(function()
    for _, attempt in ipairs {function() run:wait() end, function() queue:finish() end, function() inner:finish() end} do
      local good, problem = pcall(attempt)
      refused[#refused + 1] = good and "waited" or problem.name
    end
  end)
  local plan = graph:freeze()
  refused, run = {}, plan:run(queue)
  run:wait()
  queue:finish()
  is(table.concat(refused, " "), "PLAIT_E_DEADLOCK PLAIT_E_DEADLOCK waited", "waits in a function of a plan")
  queue:call(function() error "this one" end)
  raises("this one", "an error fails the command", queue.finish, queue)
  queue:call(function() collectgarbage() end)
  queue:finish()
  ok(true, "the queue goes on")
end)

test("order of the program", function(system, device)
  local x, graph = device:array("uint32_t", {0, 0}), system:graph()
  graph:fill(x, 1)
  graph:fill(x, 7)
  raises("no edge orders node 0", "a missing edge", graph.freeze, graph, {check = true, lanes = 1})
  raises("run.lua:", "nodes have the place of the script", graph.freeze, graph, {check = true})
  raises("neither", "an unknown order", graph.freeze, graph, {order = "added"})
  graph:freeze {check = true, order = "program"} ()
  is(list(x), "7 7", "inferred edges")
end)

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
  raises("run.lua", "errors name the place", graph.fill, graph, y, 1, {pattern_bytes = 3})
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
    local gate, seen = device:signal {gate = true}, {}
    local queue = device:queue()
    local graph = system:graph()
    graph:call(function()
      for _ = 1, 2 do
        local good, problem = pcall(gate.reach, gate, 1)
        seen[#seen + 1] = tostring(good) .. " " .. problem.name .. " " .. tostring(plait.is_stopping())
      end
    end, {coroutine = true})
    if how == "failed" then graph:call(function() error "another node" end) end
    local run = graph:freeze {widest = true}:run(queue)
    if how == "cancelled" then
      raises("not over", "it is suspended", run.wait, run, 0.01)
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

-- Strided arrays: the kernel applies the stride.
test("arrays with strides", function(system, device, queue)
  local matrix = ffi.new("int32_t[2][3]", {{1, 2, 3}, {4, 5, 6}})
  local all, column = device:wrap("int32_t", matrix, 6), device:array("int32_t", {0, 0})
  local pick = system:kernel(
    "pick(all: in pointer i32, out: out pointer i32, from: u64, step: u64, n: u64)",
    "KERNEL(pick) { EACH(i, n) out[i] = all[from + i * step]; }")
  local put = system:kernel("put(out: inout pointer i32, step: u64, n: u64)",
                            "KERNEL(put) { EACH(i, n) out[i * step] = 9; }")
  queue:launch(pick, {all, column, 1, 3, 2}, {items = 2})
  queue:launch(put, {all:view(8, 16), 3, 2}, {items = 2})
  queue:finish()
  is(list(column), "2 5", "a column of a matrix")
  is(list(all), "1 2 9 4 5 9", "and another one, of a view that begins there")
  is(matrix[1][2], 9, "which is the matrix itself")
end)

test("large numbers", function(_, device, queue)
  local good, large = pcall(device.buffer, device, 2 ^ 32 + 16)
  if not good then return is(large.name, "PLAIT_E_NOMEM", "no memory for more than 4 GiB") end
  is(large.bytes, 2 ^ 32 + 16, "more than 4 GiB")
  local part = large:view(2 ^ 32 + 8, 4)
  queue:fill(part, 0x04030201)
  queue:finish()
  is(list(part), "1 2 3 4", "and what is at its end")
end)

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
  raises("run.lua:%d+: kernels: /nowhere/saxpy.plk: No such file.*folder with saxpy%.plk", "a file that is missing",
    system.kernels, system, "/nowhere", "saxpy")
  plan:bind_kernel(kernel)
  plan:bind_buffer("x", x)
  raises('no buffer "z"', "a name that is not there", plan.bind_buffer, plan, "z", x)
  raises("bind_buffer: expected a buffer, not 3", "a number for a buffer", plan.bind_buffer, plan, "y", 3)
  raises("run.lua:%d+: bind_function: expected a function", "a number for a function", plan.bind_function, plan, "f", 3)
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
  raises('run.lua:%d+: array: "flot" is not a type of C', "a type that is none",
         function() device:array("flot", {1}) end)
  raises("the condition is a u32, the buffer was made of float", "a condition of floats", graph.loop, graph,
         device:array("float", {1}))
  local mine = device:buffer(4, "mine")
  mine:release()
  raises('Buffer "mine" was released at .*run.lua:%d+', "a buffer that is gone", mine.table, mine)
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

test("collectives", function(system, device)
  local function ring(n)
    local made = system:coll("allreduce", n, {chunks = n, in_place = true})
    for r = 0, n - 1 do
      local chunk = made:chunk((r + 1) % n, "i", r)
      for s = 2, n do chunk = made:chunk((r + s) % n, "i", r):reduce(chunk) end
      for s = 1, n - 1 do chunk = chunk:copy((r + s) % n) end
    end
    return made
  end
  local schedule = ring(4):compile {instances = 2}
  local proof, info = schedule:check(), schedule:query()
  ok(proof.steps == 56 and proof.same_bits and proof.safe_bytes == math.huge and proof.exports.rccl, "a proof")
  ok(info.kind == "allreduce" and info.ranks == 4 and info.in_place and info.share_chunks == 8, "properties")
  local buffers = {}
  for r = 1, 4 do buffers[r] = device:array("float", {r, 2 * r, 3}) end
  schedule:graph(3, {outputs = buffers}):freeze()()
  for r = 1, 4 do
    local got = buffers[r]:table()
    ok(got[1] == 10 and got[2] == 20 and got[3] == 12, "the sum, on rank " .. r)
  end
  ok(system:read_schedule(schedule:write()):write() == schedule:write(), "written and read")
  ok(schedule:write("msccl"):find "^<algo", "as XML")
  local time = schedule:simulate("cluster ranks=4\nlane rate=1", 8)
  ok(time.time_ns == 7000 and time.critical_steps == 7 and time.latency_ns == 0, "a simulation")
  ok(schedule:draw("cluster ranks=4\nlane rate=1", 8):find "^<svg.*rank 3.*</svg>", "a picture")
  raises("a.cluster:1: \"rank=4\" is no field", "a cluster that is none", schedule.simulate, schedule,
         "cluster rank=4", 8, "a.cluster")

  local gather = system:coll("allgather", 2, {algorithm = "ring"}):compile()
  local plan = gather:graph(2, {element = "i32", op = "max"}):freeze()
  local out = device:array("int32_t", {0, 0, 0, 0})
  plan {in0 = device:array("int32_t", {1, 2}), in1 = device:array("int32_t", {3, 4}), out0 = out,
        out1 = device:array("int32_t", {0, 0, 0, 0})}
  ok(table.concat(out:table(), " ") == "1 2 3 4", "parameters")

  local text = "broadcast ranks=2\nfor r in 0..2 { copy(input[0, 0], output[r, 0]) }\n"
  ok(system:read_coll(text):compile():query().kind == "broadcast", "a text")
  local own = system:coll("custom", 2, {inputs = 2, outputs = 2, promises = {{1, 0, {{0, 0}, {1, 0}}}}})
  local copy
  own:parallel(2, function()
    copy = own:chunk(0, "i", 0):join(own:chunk(0, "i", 1)):copy(1, "s", nil, {channel = 1})
  end)
  own:chunk(1, "i", 0):copy(1, "o", 0):reduce(copy:part(0), {lanes = {1, 2}})
  local custom = own:compile {protocol = "ll", fusion = false, separate_lanes = true}
  local good, problem = pcall(custom.check, custom, {promises = {{1, 0, {{0, 0}}}}})
  ok(not good and problem.proof.reason == "value", "another promise")
  raises("kind: \"all\" is none of allgather", "a kind that is none", system.coll, system, "all", 2)
  raises("op: \"xor\" is none of max", "an operation that is none", schedule.graph, schedule, 4, {op = "xor"})
  raises("outputs: 1 given, the schedule has 4 ranks", "too few buffers", schedule.graph, schedule, 4,
         {outputs = {buffers[1]}})
end)

test("flows", function(system, _, _)
  if system.devices[1].backend ~= "host" then return end
  local axpy = system:kernel("axpy(a: f32, x: in pointer f32, y: pointer f32, n: u64)",
                             "KERNEL(axpy) { EACH(i, n) y[i] += a * x[i]; }")
  local flow = system:flow {record = true, label = "mine"}
  local x, y = flow:data("float", {1, 2, 3}, {label = "x"}), flow:data("float", 3, {label = "y"})
  for i = 1, 10 do flow:launch(axpy, {i, x, y, 3}, {items = 3}) end
  is(list(y), "55 110 165", "launches in order")
  y[1] = 7
  is(y[1], 7, "elements from the host")
  y:write {1, 2, 3}
  y:map(function(memory, n) memory[n - 1] = 9 end)
  is(list(y), "1 2 9", "write and map")
  raises("lost", "an error in a mapping", y.map, y, function() error "lost" end, "r")
  local plane = flow:data("int", 6, {extents = {3, 2}})
  flow:fill(plane:box({1, 3}, {1, 2}), -4)
  is(table.concat(plane:table(), " "), "0 0 0 0 -4 -4", "a box, dimension 0 first")
  is(plane[5], -4, "an element of a plane")
  local other = flow:data("int", 6, {extents = {3, 2}})
  flow:copy(other, plane)
  is(other[4], -4, "a copy")

  local seen, order = {}, flow:token "order"
  local function note(text) return function() seen[#seen + 1] = text end end
  local graph = system:graph()
  graph:call(note "plan")
  local plan, signal, gate = graph:freeze(), system.devices[1]:signal(), system.devices[1]:signal {gate = true}
  flow:call(note "first", {updates = {order}})
  flow:run(plan, {updates = {order}})
  flow:call(note "last", {updates = {order}, barrier = true, label = "end"})
  flow:emit(signal, {reads = {order}})
  flow:wait()
  is(table.concat(seen, " "), "first plan last", "functions and plans")
  is(tonumber(signal:reached()), 1, "an emission")
  local late = flow:wait_for(gate, 1)
  raises("PLAIT_E_TIMEOUT", "a wait with a limit", flow.wait, flow, late, 0.01)
  gate:raise(1)
  flow:wait()
  local task = flow:call(function() error "lost" end, {writes = {x}})
  raises("lost", "an error in a function", flow.wait, flow, task)
  raises("lost", "data that it poisoned", function() return x[0] end)
  flow:fill(x, 1)
  local refused, free = {}, flow:data("float", 2)
  flow:call(function()
    for _, attempt in ipairs {function() return x[0] end, function() x[0] = 7 end, function() return free:table() end,
                              function() flow:wait() end, function() x:map(print) end} do
      local good, problem = pcall(attempt)
      refused[#refused + 1] = good and "waited" or problem.name
    end
    flow:fill(free, 3)
  end, {updates = {x}})
  pcall(flow.wait, flow)
  is(table.concat(refused, " "), "PLAIT_E_DEADLOCK PLAIT_E_DEADLOCK waited PLAIT_E_DEADLOCK PLAIT_E_DEADLOCK",
     "waits in a function of a task, but for data of no task")
  is(x[0] + free[0], 4, "what it submits runs")
  flow:cancel()
  raises("cancelled", "a cancelled flow", flow.wait, flow)
  ok(flow:explain():find('reads y, which it wrote', 1, true), "reasons")
  ok(flow:explain("json"):find('"label":"end"', 1, true), "as JSON")
  is(#flow:split {items = 10, pieces = 3}, 3, "chunks")
  for _, access in ipairs {plane:near(1, 1), plane:cross(1, 1), plane:own(), plane:slice(1), plane:even(0)} do
    is(access.data, plane, "a mapper")
  end
  flow:read "data z\ntask a writes=z\n"
  is(flow:query().window, 4096, "properties")
  local awaited = false
  local task_of = coroutine.create(function() flow:await() awaited = true end)
  while not awaited do
    if coroutine.status(task_of) == "suspended" then assert(coroutine.resume(task_of)) end
    system:pump(0.01)
  end
  ok(awaited, "await")
  raises("mine:1", "a mistake in a text", flow.read, flow, "x", "mine")
  raises("an access is data", "no data", flow.launch, flow, axpy, {1, 2, x, 3})
  raises("takes a table of 4", "too few arguments", flow.launch, flow, axpy, {1})
  raises("index 3 of data with 3", "an index outside", function() return y[3] end)
  raises("a type of C", "data without a type", flow.data, flow, 3, 3)
  raises("2 values for 3", "too few values", y.write, y, {1, 2})
  raises("a token has no memory", "an element of a token", function() return order[0] end)
  raises("window 5", "a wrong window", system.flow, system, {window = 5})
  raises("no format", "a wrong format", flow.explain, flow, "xml")
  flow:release()
end)

print("1.." .. count)
os.exit(failed == 0)
