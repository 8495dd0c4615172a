-- SPDX-License-Identifier: MIT
-- Tests of memory, kernels and queues; see run.lua.
local case = require "tests.case"
local plait = require "plait"
local ffi = require "plait.core".ffi
local unpack = unpack or table.unpack
local ok, is, raises, list, test, SAXPY = case.ok, case.is, case.raises, case.list, case.test, case.SAXPY

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

test("arrays and chunks", function(system, device, queue)
  local turn = system:kernel("turn(u: in array2 i32, v: out array1 i32, c: chunk)",
    "KERNEL(turn) { CHUNK1(x) AT1(v, x) = AT2(u, 1, x); }")
  local u, v = device:array("int32_t", {1, 2, 3, 4, 5, 6}), device:array("int32_t", {0, 0, 0})
  local items = ffi.new("plait_box", {high = {3, 1, 1}})
  queue:launch(turn, {u, 0, 2, v, 0, items}, {items = 3})
  queue:finish()
  is(table.concat(v:table(), " "), "2 4 6", "a launch")
  local graph = system:graph()
  graph:launch(turn, {u, plait.parameter "at", 2, v, 0, items}, {items = 3})
  graph:freeze() {at = -1}
  is(table.concat(v:table(), " "), "1 3 5", "a number that a run sets")
  local function says(part, ...) raises(part, "says: " .. part, queue.launch, queue, turn, {...}, {items = 3}) end
  says("turn takes 6 arguments %(u, u_at, u_pitch, v, v_at, c%), not 3", u, v, items)
  says('turn: argument 2 "u_pitch": %-1 does not fit its type', u, 0, -1, v, 0, items)
  local flow = system:flow()
  local a, b = flow:data("int32_t", {1, 2, 3, 4, 5, 6}, {extents = {2, 3}}), flow:data("int32_t", 3)
  flow:launch(turn, {a, b, plait.chunk}, {items = 3})
  is(table.concat(b:table(), " "), "2 4 6", "a flow adds the numbers")
  raises("turn takes 3 arguments %(u, v, c%), not 6", "and takes none", flow.launch, flow, turn, {a, 0, 2, b, 0, plait.chunk})
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
  says('objects.lua:%d+: saxpy: argument 0 "a": plait Buffer is not a number', launch, x, x, y, 2)
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

test("a pointer to an array", function(_, device, queue)
  local memory = ffi.new("float[2][4]")
  local rows = ffi.cast("float (*)[4]", memory)
  queue:read(device:array("float", {1, 2, 3, 4, 5, 6, 7, 8}), rows, {bytes = 32})
  is(memory[1][3], 8, "its memory has no known size")
  raises("a pointer needs `bytes`", "nor a default", queue.read, queue, device:buffer(8), rows)
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

test("links", function(_, device)
  is(device:link_to(device).latency_ns, 0, "a memory and itself")
  is(device:link_to().bytes_per_us ~= 0, true, "to the program")
  is(device:link_from().bytes_per_us ~= 0, true, "from the program")
  is(device:query().memory >= 0, true, "a memory has a number")
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
  raises("objects.lua:", "nodes have the place of the script", graph.freeze, graph, {check = true})
  raises("neither", "an unknown order", graph.freeze, graph, {order = "added"})
  graph:freeze {check = true, order = "program"} ()
  is(list(x), "7 7", "inferred edges")
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
