-- SPDX-License-Identifier: MIT
-- Flows: tasks with data, whose order is inferred.
local core = require "plait.core"
local kernel = require "plait.kernel"
local ffi, lib = core.ffi, core.lib

local flow = {}

local FORMATS = {text = lib.PLAIT_FLOW_TEXT, json = lib.PLAIT_FLOW_JSON, dot = lib.PLAIT_FLOW_DOT,
                 svg = lib.PLAIT_FLOW_SVG}
local PEERS = {all = lib.PLAIT_PEERS_ALL, ring = lib.PLAIT_PEERS_RING, none = lib.PLAIT_PEERS_NONE}
local MODES = {reads = lib.PLAIT_ACCESS_READ, writes = lib.PLAIT_ACCESS_WRITE,
               updates = lib.PLAIT_ACCESS_READ_WRITE}

-- Call a function of C, and serve the inbox as often as it asks for that.
local function serving(system, call, ...)
  local status
  repeat
    status = core.check(call(...))
    if status == lib.PLAIT_EVENT_READY then system.inbox:pump() end
  until status ~= lib.PLAIT_EVENT_READY
end

-- Return numbers as uint64_t[3], with zeros behind them.
local function three(numbers)
  local made = ffi.new "uint64_t[3]"
  for i, n in ipairs(numbers) do made[i - 1] = n end
  return made
end

-- --- accesses ------------------------------------------------------------------

-- Elements of data that a task accesses: {data = , box = or mapper = a struct of C}.
local Access = {}

local function mapped(data, kind, fields)
  fields.kind = kind
  return setmetatable({data = data, mapper = core.sized("plait_mapper", fields)}, Access)
end

--- The items of a piece of a split launch, as an argument: `c: chunk`.
flow.chunk = setmetatable({is_chunk = true}, Access)

--- An array of a flow, or a token.  data[i] waits for the tasks that write the element,
-- and data[i] = x for all that use it; elements count from 0, dimension 0 first.  As an
-- argument of a task, data is an access to all elements.
local Data = core.class("Data", "plait_data_release")

local function is_data(value)
  return type(value) == "table" and getmetatable(value) == Data
end

-- Return the plait_access of data or an access.
local function access_of(given, mode)
  local one = is_data(given) and {data = given} or given
  if type(one) ~= "table" or not one.data then
    core.raise("an access is data of a flow, or data:box {...}, not " .. core.describe(given))
  end
  return core.sized("plait_access", {
    mode = one.mode or mode, data = one.data:handle(), box = one.box, mapper = one.mapper,
    combine = one.combine and one.combine:handle(), identity = one.identity, flags = one.flags}), one
end

local function move(data, call, box, memory)
  serving(data.flow.system, call, data:handle(), box, memory, core.error)
end

local function element(data, i)
  if not data.ctype then core.raise("a token has no memory") end
  if i < 0 or i >= data.count then
    core.raise(("index %s of data with %d elements"):format(i, data.count))
  end
  local box, rest = ffi.new "plait_box", i
  for d = 0, 2 do
    local extent = data.extents[d + 1] or 1
    box.low[d] = rest % extent
    box.high[d], rest = box.low[d] + 1, math.floor(rest / extent)
  end
  return box
end

local methods = Data.__index

function Data:__index(key)
  if type(key) ~= "number" then return methods[key] end
  local box = element(self, key)
  local memory = ffi.new(self.ctype .. "[1]")
  move(self, lib.plait_data_read, box, memory)
  return memory[0]
end

function Data:__newindex(key, value)
  if type(key) ~= "number" then return rawset(self, key, value) end
  local box = element(self, key)
  move(self, lib.plait_data_write, box, ffi.new(self.ctype .. "[1]", value))
end

--- Wait for the writers, and return the elements as a table.
function Data:table()
  local memory, made = ffi.new(self.ctype .. "[?]", self.count), {}
  move(self, lib.plait_data_read, nil, memory)
  for i = 1, self.count do made[i] = memory[i - 1] end
  return made
end

--- Wait for the tasks that use the data, and set all elements.
function Data:write(values)
  if #values ~= self.count then
    core.raise(("%d values for %d elements"):format(#values, self.count))
  end
  move(self, lib.plait_data_write, nil, ffi.new(self.ctype .. "[?]", self.count, values))
end

local MAPS = {r = lib.PLAIT_MAP_READ, w = lib.PLAIT_MAP_WRITE, rw = lib.PLAIT_MAP_READ + lib.PLAIT_MAP_WRITE}

local function map(data, handle, fn, mode)
  local pointer = ffi.new "void *[1]"
  serving(data.flow.system, lib.plait_data_map, handle, nil, MAPS[mode or "rw"], pointer, core.error)
  local memory = core.view(data.ctype, pointer[0], data.count)
  local good, problem = pcall(fn, memory, data.count)
  core.end_view(memory)
  core.check(lib.plait_data_unmap(handle, pointer[0], core.error))
  if not good then error(problem, 0) end
end

--- Call fn(pointer, count) with the memory of the data, which tasks that conflict wait for;
-- `mode` is "r", "w" or, the default, "rw".  `fn` may release the data, which lives until it
-- returns.
function Data:map(fn, mode)
  local handle = self:handle()
  lib.plait_data_retain(handle)
  local good, problem = pcall(map, self, handle, fn, mode)
  lib.plait_data_release(handle)
  if not good then error(problem, 0) end
end

local ADVICE = {prefetch = lib.PLAIT_ADVISE_PREFETCH, reserve = lib.PLAIT_ADVISE_RESERVE,
                evict = lib.PLAIT_ADVISE_EVICT}

--- Tell the flow what to expect of the data in the memory of `device`, nil: the program's:
-- "prefetch", tasks there will read `part`, an access of `box`; "reserve", they will use the
-- data; "evict", none will for a time.  A hint: no result depends on it.
function Data:advise(what, device, part)
  local advice = ADVICE[what] or core.raise("no advice " .. core.describe(what))
  core.check(lib.plait_data_advise(self:handle(), part and part.box, device and device.handle, advice,
                                   core.error))
end

--- An access to a box: {low, high} of each dimension, from `low` to before `high`.
function Data:box(...)
  local box = ffi.new "plait_box"
  for d, range in ipairs {...} do box.low[d - 1], box.high[d - 1] = range[1], range[2] end
  return setmetatable({data = self, box = box}, Access)
end

--- An access to the elements with the coordinates of a piece's items.
function Data:own() return mapped(self, lib.PLAIT_MAPPER_ONE_TO_ONE, {}) end

--- As own, and so many elements more on each side, in each dimension.
function Data:near(...)
  return mapped(self, lib.PLAIT_MAPPER_NEIGHBORHOOD, {extent = three {...}})
end

--- As near, without elements that differ in several dimensions.
function Data:cross(...)
  return mapped(self, lib.PLAIT_MAPPER_NEIGHBORHOOD, {
    extent = three {...}, flags = lib.PLAIT_MAPPER_NO_CORNERS})
end

--- As own, and all elements along a dimension.
function Data:slice(dimension) return mapped(self, lib.PLAIT_MAPPER_SLICE, {dimension = dimension}) end

--- The part of a piece, of the data cut along a dimension.
function Data:even(dimension) return mapped(self, lib.PLAIT_MAPPER_EVEN_SPLIT, {dimension = dimension}) end

--- An access of a launch: each piece updates a partial result, which begins as `identity`, and
-- the kernel `combine`, add(into: inout pointer T, from: in pointer T, n: u64), adds them to
-- the data in the order of the pieces.  Options: identity, default 0; accumulate: to what was
-- there.
function Data:reduces(combine, options)
  options = options or {}
  core.check_options(options, " identity accumulate ")
  if not self.ctype then core.raise("a token has no elements to reduce") end
  local identity, value = ffi.new "uint64_t[1]", ffi.new(self.ctype .. "[1]", options.identity or 0)
  ffi.copy(identity, value, math.min(ffi.sizeof(value), 8))
  return setmetatable({
    data = self, mode = lib.PLAIT_ACCESS_REDUCE, combine = combine, identity = identity[0],
    flags = options.accumulate and lib.PLAIT_ACCESS_ACCUMULATE or 0}, Access)
end

-- --- flows ---------------------------------------------------------------------

local CHOICES = {earliest = lib.PLAIT_CHOOSE_EARLIEST, single = lib.PLAIT_CHOOSE_SINGLE,
                 ["round-robin"] = lib.PLAIT_CHOOSE_ROUND_ROBIN, ["stream-aware"] = lib.PLAIT_CHOOSE_STREAM_AWARE,
                 ["min-size"] = lib.PLAIT_CHOOSE_MIN_SIZE, ["minmin-time"] = lib.PLAIT_CHOOSE_MINMIN_TIME,
                 ["minmax-time"] = lib.PLAIT_CHOOSE_MINMAX_TIME}
local PARENTS = {best = lib.PLAIT_PARENT_BEST, same = lib.PLAIT_PARENT_SAME, disjoint = lib.PLAIT_PARENT_DISJOINT,
                 ["early-disjoint"] = lib.PLAIT_PARENT_EARLY_DISJOINT,
                 ["device-disjoint"] = lib.PLAIT_PARENT_DEVICE_DISJOINT}
local LANES = {reuse = lib.PLAIT_LANE_REUSE, ["always-new"] = lib.PLAIT_LANE_ALWAYS_NEW}

local function policy(options, name, known, default)
  return known[options[name] or default] or core.raise("no " .. name .. " " .. core.describe(options[name]))
end

--- A stream of tasks, whose order is inferred from the data that they access.
local Flow = core.class("Flow", "plait_flow_release")

function flow.new(system, options)
  core.check_options(
    options, " window lanes record strict check fixed repeats devices choose parent lane device_lanes threshold " ..
    "memory_bytes history links label ")
  local devices = options.devices or {}
  local handles = ffi.new("plait_device *[?]", math.max(#devices, 1))
  for i, device in ipairs(devices) do
    handles[i - 1] = type(device) == "table" and device.handle or
      core.raise("devices: expected a device of system.devices, not " .. core.describe(device))
  end
  local desc = core.sized("plait_flow_desc", {
    window = options.window, lanes = options.lanes, label = options.label,
    devices = handles, device_count = #devices,
    choose = policy(options, "choose", CHOICES, "earliest"), parent = policy(options, "parent", PARENTS, "best"),
    lane = policy(options, "lane", LANES, "reuse"),
    device_lanes = options.device_lanes, threshold = options.threshold, memory_bytes = options.memory_bytes,
    history = options.history, links = options.links,
    flags = (options.record and lib.PLAIT_FLOW_RECORD or 0) + (options.strict and lib.PLAIT_FLOW_STRICT or 0) +
      (options.check and lib.PLAIT_FLOW_CHECK or 0) + (options.fixed and lib.PLAIT_FLOW_FIXED or 0) +
      (options.repeats and lib.PLAIT_FLOW_REPEATS or 0)})
  local handle = core.make("plait_flow", lib.plait_flow_create, system:handle(), desc)
  return core.object(Flow, handle, {system = system, label = options.label, calls = {}, kept = {}})
end

local function new_data(self, ctype, extents, label)
  local desc = core.sized("plait_data_desc", {
    dimensions = #extents, element_bytes = ctype and ffi.sizeof(ctype) or 0, label = label,
    extent = three(extents)})
  local handle = core.make("plait_data", lib.plait_data_create, self:handle(), desc)
  local info, count = core.sized "plait_data_info", 1
  core.check(lib.plait_data_query(handle, info, core.error))
  for _, n in ipairs(extents) do count = count * n end
  return core.object(Data, handle, {
    flow = self, ctype = ctype, extents = extents, count = count, label = label,
    pointer = ctype and core.view(ctype, info.pointer, count)})
end

--- Create data of a type of C.  `values` is a table of numbers, or the number of elements,
-- zeros; options: label, extents, {8, 6}, of up to three dimensions, the first innermost, as
-- those of `items` of a launch.
function Flow:data(ctype, values, options)
  options = options or {}
  core.check_options(options, " label extents ")
  if type(ctype) ~= "string" or not (core.is_plain(values) or type(values) == "number" or options.extents) then
    core.raise "data(ctype, values): a type of C, and a table of numbers or their number"
  end
  local extents = options.extents or {core.is_plain(values) and #values or values}
  local made = new_data(self, ctype, extents, options.label)
  if core.is_plain(values) then made:write(values) end
  return made
end

--- Create a token, which has no memory and orders the tasks that name it.
function Flow:token(label) return new_data(self, nil, {}, label) end

-- Return a label as memory that lives as long as the process: tasks may outlive the flow.
local labels = {}
local function keep(label)
  if label and not labels[label] then labels[label] = ffi.new("char[?]", #label + 1, label) end
  return labels[label or false]
end

local TASK = " reads writes updates label urgent barrier "

-- Submit a task with the accesses of its options; return its number.
local function submit(self, kind, options, fields)
  local accesses, count, kept = ffi.new("plait_access[?]", 64), 0, {}
  for mode, number in pairs(MODES) do
    for _, given in ipairs(options[mode] or {}) do
      local made, one = access_of(given, number)
      accesses[count], kept[#kept + 1], count = made, one, count + 1
    end
  end
  fields.kind, fields.label = kind, keep(options.label)
  fields.flags = options.barrier and lib.PLAIT_TASK_BARRIER or 0
  fields.priority = options.urgent and 1 or 0
  fields.access_count = count
  if count > 0 then fields.accesses = accesses end
  local desc, out = core.sized("plait_task_desc", fields), ffi.new "uint64_t[1]"
  serving(self.system, lib.plait_flow_submit, self:handle(), desc, out, core.error)
  return tonumber(out[0]), {fields, accesses, kept} -- C has read them
end

local function set_argument(slot, parameter, given, kept)
  slot.size = ffi.sizeof "plait_argument"
  if given == flow.chunk then
    slot.kind = lib.PLAIT_ARGUMENT_CHUNK
  elseif parameter.ctype or parameter.bytes then
    local value = kernel.convert_value(parameter, given, parameter.what)
    kept[#kept + 1] = value
    slot.kind, slot.bytes, slot.value = lib.PLAIT_ARGUMENT_VALUE, ffi.sizeof(value), value
  else
    local access, one = access_of(given, 0)
    kept[#kept + 1], kept[#kept + 2] = access, one
    slot.kind, slot.value = lib.PLAIT_ARGUMENT_ACCESS, access
  end
end

--- Submit a launch of a kernel: {values, data and accesses for its parameters}.  Options:
-- items, group; split, how many of the outermost dimensions are cut into `pieces`; reads,
-- writes, updates, tables of further accesses; label, urgent, barrier.  Return its number.
function Flow:launch(code, arguments, options)
  options = options or {}
  core.check_options(options, TASK .. "items group split pieces ")
  local count = #code.flow_parameters
  kernel.check_count(code, code.flow_parameters, arguments)
  local array, kept = ffi.new("plait_argument[?]", math.max(count, 1)), {}
  for i, parameter in ipairs(code.flow_parameters) do set_argument(array[i - 1], parameter, arguments[i], kept) end
  local launch = kernel.geometry(options)
  local task = submit(self, lib.PLAIT_TASK_LAUNCH, options, {
    kernel = code:handle(), launch = launch, arguments = array, argument_count = count,
    split = options.split, pieces = options.pieces})
  kept[1] = array -- C has read them
  return task
end

--- Submit a Lua function, which runs on the thread that opened the system, while that
-- waits.  Options: reads, writes, updates: tables of data or accesses; label, barrier.  The
-- function gets a pointer to the memory of each of them, in this order.  An error in it
-- fails the task.  It can submit tasks; a wait for its own task, or for what is behind it,
-- raises PLAIT_E_DEADLOCK.
function Flow:call(fn, options)
  options = options or {}
  core.check_options(options, TASK)
  if self.captured then core.raise "a captured flow refuses functions, which are called once; call it from the graph" end
  local pointers, count = {}, 0
  for _, mode in ipairs {"reads", "writes", "updates"} do
    for _, given in ipairs(options[mode] or {}) do
      count = count + 1
      pointers[count] = (is_data(given) and given or given.data).pointer
    end
  end
  local inbox = self.system.inbox
  local number = inbox:register(function() fn(core.unpack(pointers, 1, count)) end)
  self.calls[#self.calls + 1] = tonumber(ffi.cast("uintptr_t", number))
  return (submit(self, lib.PLAIT_TASK_CALL, options, {inbox = inbox:handle(), user_data = number}))
end

--- Submit a copy between data, or boxes of data with the same shape.
function Flow:copy(target, source)
  local into, out = access_of(target, 0), access_of(source, 0)
  return (submit(self, lib.PLAIT_TASK_COPY, {}, {
    target = into.data, target_box = into.box, source = out.data, source_box = out.box}))
end

--- Submit a fill: each element becomes `value`.
function Flow:fill(target, value)
  local into, one = access_of(target, 0)
  local number = ffi.new "uint64_t[1]"
  ffi.cast(one.data.ctype .. " *", number)[0] = value
  return (submit(self, lib.PLAIT_TASK_FILL, {}, {
    target = into.data, target_box = into.box, pattern = number[0]}))
end

--- Submit a run of a plan without parameters.  Options: reads, writes, updates, label.
function Flow:run(plan, options)
  return (submit(self, lib.PLAIT_TASK_PLAN, options or {}, {plan = core.handle(plan, "Plan", "run")}))
end

--- Submit the next emission of a signal.  Options: reads, writes, updates.
function Flow:emit(signal, options)
  return (submit(self, lib.PLAIT_TASK_EMIT, options or {}, {signal = core.handle(signal, "Signal", "emit")}))
end

--- Submit a wait for an emission of a signal; `sequence` 0: the newest one.
function Flow:wait_for(signal, sequence, options)
  return (submit(self, lib.PLAIT_TASK_WAIT, options or {}, {
    signal = core.handle(signal, "Signal", "wait_for"), sequence = sequence}))
end

--- Wait for a task, or for all; raise the failure of the task, or the first one that was
-- not raised.  `seconds`: a limit.
function Flow:wait(task, seconds)
  local calls = self.calls
  serving(self.system, lib.plait_flow_wait, self:handle(), task or 0, core.nanoseconds(seconds), core.error)
  if not task then
    for _, number in ipairs(calls) do self.system.inbox.once[number] = nil end -- not run
    self.calls = {}
  end
end

--- In a coroutine: yield the flow until all tasks submitted so far are done.
function Flow:await()
  local inbox = self.system.inbox
  core.await(inbox, self, function(number)
    core.check(lib.plait_flow_notify(self:handle(), 0, inbox:handle(), nil, number, core.error))
  end)
  self:wait()
end

-- Call fn(), whose tasks are captured; end the capture if it fails.
local function captured(self, fn)
  self.captured = true
  local done, failure = pcall(fn)
  self.captured = nil
  if done then return end
  lib.plait_flow_capture(self:handle(), nil, nil)
  error(failure, 0)
end

--- Turn the tasks that fn() submits into nodes of a graph, and their order into edges; they do
-- not run.  Functions are refused, and waits for data.
function Flow:capture(graph, fn)
  core.check(lib.plait_flow_capture(self:handle(), core.handle(graph, "Graph", "capture"), core.error))
  captured(self, fn)
  core.check(lib.plait_flow_capture(self:handle(), nil, core.error))
end

--- Run a repetition of tasks as one task: those that fn() submits.  It is called for a new `key`,
-- a number, only; later calls run the same tasks again, with the values of the first time.
-- Return the number of the run.
function Flow:replay(key, fn)
  local out = ffi.new "uint64_t[1]"
  serving(self.system, lib.plait_flow_repeat, self:handle(), key, out, core.error)
  if out[0] == 0 then
    captured(self, fn)
    if core.check(lib.plait_flow_repeat(self:handle(), 0, out, core.error)) == lib.PLAIT_EVENT_READY then
      self.system.inbox:pump()
      serving(self.system, lib.plait_flow_repeat, self:handle(), key, out, core.error) -- known by now
    end
  end
  return tonumber(out[0])
end

--- End all tasks submitted so far that have not begun.
function Flow:cancel() core.check(lib.plait_flow_cancel(self:handle(), core.error)) end

--- Return the properties: window, lanes, newest, settled, failed, pieces, warnings, repeated.
function Flow:query()
  local info = core.sized "plait_flow_info"
  core.check(lib.plait_flow_query(self:handle(), info, core.error))
  return core.plain(info, "window lanes newest settled failed pieces flow_bytes data_bytes warnings repeated")
end

--- Return the chunks of a launch: for each {{low, high} of each dimension}.  Options: items,
-- split, pieces.
function Flow:split(options)
  core.check_options(options, " items split pieces ")
  local launch, boxes, count = kernel.geometry(options), ffi.new "plait_box[256]", ffi.new "uint64_t[1]"
  local desc = core.sized("plait_task_desc", {
    launch = launch, split = options.split or 1, pieces = options.pieces})
  core.check(lib.plait_flow_split(self:handle(), desc, boxes, 256, count, core.error))
  local made = {}
  for i = 0, tonumber(count[0]) - 1 do
    made[i + 1] = {}
    for d = 0, launch.dimensions - 1 do
      made[i + 1][d + 1] = {tonumber(boxes[i].low[d]), tonumber(boxes[i].high[d])}
    end
  end
  return made
end

--- Submit the tasks of a text, which do nothing; see doc/flow-text.md.
function Flow:read(text, name)
  core.check(lib.plait_flow_read(self:handle(), text, #text, name, core.error))
end

-- Return the text that a function of C writes.
local function text_of(write)
  local needed = ffi.new "uint64_t[1]"
  core.check(write(nil, 0, needed, core.error))
  local room = ffi.new("char[?]", needed[0] + 1)
  core.check(write(room, needed[0] + 1, needed, core.error))
  return ffi.string(room, needed[0])
end

--- Return the tasks of a flow with `record`, and why each waits for others: "text" (the
-- default), "json", "dot" or "svg".
function Flow:explain(format)
  local number = FORMATS[format or "text"] or core.raise("no format " .. core.describe(format))
  return text_of(function(...)
    return lib.plait_flow_write(self:handle(), number, ...)
  end)
end

local function shares(weights, devices)
  if weights and #weights ~= devices then
    core.raise(("instructions: %d weights for %d devices"):format(#weights, devices))
  end
  return weights and ffi.new("uint32_t[?]", #weights, weights)
end

--- Return what the tasks of a flow with `record` would do on devices with memories; see
-- doc/flow-memories.md. Options: `devices`, their number; `peers`, memories that copy to each
-- other directly: "all" (the default), "ring" or "none"; `shared`, the devices have one memory
-- in all; `lookahead = false`, blocks grow when a task needs it; `choose`, `parent`, `lane`,
-- policies for devices and lanes; `lanes`, per device, math.huge: no limit; `memory_bytes`, of
-- each memory of devices; `links`, lines "From,To,Bandwidth"; `strict`, warnings are an error;
-- `weights`, each device's share of the pieces of a split launch; `format`, "text" (the default) or "json".
function Flow:instructions(options)
  local number = FORMATS[options.format or "text"] or core.raise("no format " .. core.describe(options.format))
  local peers = PEERS[options.peers or "all"] or core.raise("no peers " .. core.describe(options.peers))
  local weights = shares(options.weights, options.devices)
  local desc = core.sized("plait_memories_desc", {devices = options.devices, peers = peers,
    choose = policy(options, "choose", CHOICES, "earliest"), parent = policy(options, "parent", PARENTS, "best"),
    lane = policy(options, "lane", LANES, "reuse"),
    lanes = options.lanes == math.huge and 0xffffffff or options.lanes, memory_bytes = options.memory_bytes,
    links = options.links,
    flags = (options.shared and lib.PLAIT_MEMORIES_SHARED or 0) +
            (options.lookahead == false and lib.PLAIT_MEMORIES_NO_LOOKAHEAD or 0) +
            (options.strict and lib.PLAIT_MEMORIES_STRICT or 0), weights = weights})
  return text_of(function(...)
    local _ = weights -- lives as long as desc
    return lib.plait_flow_write_instructions(self:handle(), desc, number, ...)
  end)
end

return flow
