-- SPDX-License-Identifier: MIT
-- Tests of collectives and flows; see run.lua.
local case = require "tests.case"
local ok, is, raises, list, test = case.ok, case.is, case.raises, case.list, case.test

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
  local gone, free_now = flow:data("int", 2), flow:data("int", 1)
  gone:map(function(memory)
    memory[1] = 3
    flow:fill(gone, 7)
    gone:release()
    flow:fill(free_now, 1)
    ok(free_now[0] == 1 and memory[1] == 3, "data that is released while it is mapped")
  end)
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
  raises("takes 4 arguments", "too few arguments", flow.launch, flow, axpy, {1})
  raises("index 3 of data with 3", "an index outside", function() return y[3] end)
  raises("a type of C", "data without a type", flow.data, flow, 3, 3)
  raises("2 values for 3", "too few values", y.write, y, {1, 2})
  raises("a token has no memory", "an element of a token", function() return order[0] end)
  raises('devices: expected a device of system.devices, not "chaos:0"', "a name for a device", system.flow, system, {devices = {"chaos:0"}})
  raises("PLAIT_FLOW_RECORD with PLAIT_FLOW_REPEATS", "repeats and a record", system.flow, system,
         {repeats = true, record = true})
  local repeats = system:flow {repeats = true}
  local a, b = repeats:data("int", 4), repeats:data("int", 4)
  for _ = 1, 20 do
    for i = 1, 10 do
      repeats:fill(a, i)
      repeats:copy(b, a)
    end
    repeats:wait()
  end
  is(b[3], 10, "tasks that repeat")
  ok(repeats:query().repeated >= 200, "are found")
  repeats:release()
  raises("window 5", "a wrong window", system.flow, system, {window = 5})
  raises("no format", "a wrong format", flow.explain, flow, "xml")
  flow:release()
end)
