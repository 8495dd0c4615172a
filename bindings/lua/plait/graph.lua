-- SPDX-License-Identifier: MIT
-- Graphs, plans and runs.
local core = require "plait.core"
local kernel = require "plait.kernel"
local memory = require "plait.memory"
local ffi, lib = core.ffi, core.lib

local graph = {}

-- --- building ------------------------------------------------------------------

local Graph = core.class("Graph", "plait_graph_release")

function graph.new(system, handle, outer)
  return core.object(Graph, handle, {
    system = system, outer = outer, functions = outer and outer.functions or {}})
end

-- How many calls above add() the user's line is: every method is one.
local LEVEL = 4

local function add(self, kind, fields, how)
  how = how or {}
  local place = debug.getinfo(LEVEL - 1, "Sl")
  fields.label, fields.cost = how.label, how.cost
  fields.file, fields.line = place.short_src, math.max(place.currentline, 0)
  local desc = core.sized("plait_node_desc", fields)
  desc.kind = lib["PLAIT_NODE_" .. kind]
  if how.device then desc.device, desc.device_count = how.device.handle, 1 end
  local after = how.after or {}
  if type(after) ~= "table" then after = {after} end
  local array = ffi.new("plait_node[?]", math.max(#after, 1), after)
  local out = ffi.new "plait_node[1]"
  core.check(lib.plait_graph_add(self:handle(), desc, array, #after, out, core.error))
  return out[0]
end

--- Every method that adds a node takes {after = node or {nodes}, label = , device
-- = , cost = } last, and returns the node.
function Graph:join(how) return add(self, "JOIN", {}, how) end

--- graph:launch(kernel, {arguments}, {items = , group = , after = ...}); items may
-- be a plait.parameter.
function Graph:launch(code, arguments, how)
  local made = code:arguments(arguments)
  local fields = {kernel = code:handle(), arguments = made.array, argument_count = made.count,
                  scratch_bytes = how and how.scratch_bytes}
  local items = how and how.items
  if type(items) == "table" and items.name then
    fields.launch_parameter = items.name
  else
    fields.launch = code.geometry(how)
  end
  return add(self, "LAUNCH", fields, how)
end

--- A function of Lua; it runs on the thread that opened the system.
function Graph:call(fn, how)
  local inbox = self.system.inbox
  local number = inbox:register(fn, true)
  self.functions[#self.functions + 1] = number
  return add(self, "CALL", {inbox = inbox:handle(), user_data = number}, how)
end

function Graph:fill(target, pattern, how)
  return add(self, "FILL", {target = target:handle(), bytes = target.bytes, pattern = pattern,
                            pattern_bytes = how and how.pattern_bytes or 4}, how)
end

function Graph:copy(target, source, how)
  return add(self, "COPY", {target = target:handle(), source = source:handle(),
                            bytes = math.min(target.bytes, source.bytes)}, how)
end

function Graph:emit(signal, how) return add(self, "EMIT", {signal = signal:handle()}, how) end

function Graph:wait(signal, sequence, how)
  return add(self, "WAIT", {signal = signal:handle(), sequence = sequence or 0}, how)
end

local function body(self, node, branch)
  return graph.new(self.system, core.make("plait_graph", lib.plait_graph_body, self:handle(), node,
                                          branch), self)
end

local function region(self, kind, condition, how, fields)
  if type(condition) == "function" then
    local inbox = self.system.inbox
    fields.inbox, fields.user_data = inbox:handle(), inbox:register(condition, true)
    self.functions[#self.functions + 1] = fields.user_data
  else
    fields.predicate, fields.predicate_offset = condition:handle(), how and how.offset or 0
  end
  return add(self, kind, fields, how)
end

--- node, body = graph:loop(buffer): goes on while its first word is not 0;
-- {first = true}: the body runs once before it is asked.  Or a function: while
-- it returns true or a number that is not 0; an error in it fails the node.
function Graph:loop(condition, how)
  local node = region(self, how and how.first and "DO" or "WHILE", condition, how,
                      {times = how and how.times})
  return node, body(self, node, 0)
end

--- node, bodies = graph:case(buffer, 3): the branch whose number, from 0, it has,
-- or a function returns.
function Graph:case(condition, branches, how)
  local node = region(self, "CASE", condition, how, {branch_count = branches})
  local bodies = {}
  for i = 1, branches do bodies[i] = body(self, node, i - 1) end
  return node, bodies
end

--- In the body of a loop: buffers that take turns; {now = , next = }.
function Graph:rotate(...)
  local buffers = {...}
  local array, out = ffi.new("plait_buffer *[?]", #buffers), ffi.new "uint64_t[1]"
  for i, one in ipairs(buffers) do array[i - 1] = one:handle() end
  core.check(lib.plait_graph_rotate(self:handle(), array, #buffers, 0, out, core.error))
  return {now = kernel.turn(out[0], 0), next = kernel.turn(out[0], 1)}
end

--- A plan: {lanes = , widest = true, mode = "strict", instances = , check = true}.
function Graph:freeze(how)
  how = how or {}
  local desc = core.sized("plait_freeze_desc", {
    lanes = how.lanes, instances = how.instances,
    mode = lib["PLAIT_MODE_" .. (how.mode or "auto"):upper()],
    policy = how.widest and lib.PLAIT_POLICY_WIDEST or lib.PLAIT_POLICY_BOUNDED,
    flags = how.check and lib.PLAIT_FREEZE_CHECK or 0})
  return graph.plan(self.system, core.make("plait_plan", lib.plait_graph_freeze, self:handle(),
                                           desc), self.functions)
end

-- --- plans ---------------------------------------------------------------------

local Plan = core.class("Plan", "plait_plan_release")

function graph.plan(system, handle, functions)
  return core.object(Plan, handle, {system = system, functions = functions or {}})
end

local function find_parameters(self)
  local found, count = {}, ffi.new "uint32_t[1]"
  core.check(lib.plait_plan_parameter_count(self:handle(), count, core.error))
  for i = 0, count[0] - 1 do
    local info = core.sized "plait_parameter_info"
    core.check(lib.plait_plan_parameter_query(self:handle(), i, info, core.error))
    found[ffi.string(info.name)] = {number = i, kind = info.kind, type = ffi.string(info.type)}
  end
  return found
end

local function bind(slot, name, parameter, value, kept)
  slot.size, slot.parameter = ffi.sizeof "plait_binding", parameter.number
  if parameter.kind == lib.PLAIT_PARAMETER_BUFFER then
    if not memory.is_buffer(value) then error("a pointer wants a buffer", 4) end
    slot.buffer = value:handle()
    return
  end
  local made
  if parameter.kind == lib.PLAIT_PARAMETER_LAUNCH then
    made = kernel.geometry({items = value})
  else
    made = kernel.convert(kernel.types[parameter.type], value, name)
  end
  kept[#kept + 1] = made
  slot.value, slot.bytes = made, ffi.sizeof(made)
end

--- A plait_run_desc for what is given, or nil; the second value keeps it.
local function bindings(self, given)
  if given == nil or next(given) == nil then return nil end
  self.parameters = self.parameters or find_parameters(self)
  local kept, count = {}, 0
  for _ in pairs(given) do count = count + 1 end
  local array = ffi.new("plait_binding[?]", count)
  kept[1] = array
  local i = 0
  for name, value in pairs(given) do
    local parameter = self.parameters[name] or error("the plan has no parameter " .. name, 3)
    bind(array[i], name, parameter, value, kept)
    i = i + 1
  end
  local desc = core.sized("plait_run_desc", {bindings = array, binding_count = count})
  return desc, kept
end

--- plan {a = 2}: run it and wait.
function Plan:__call(given)
  if #self.functions > 0 then
    local good, text = pcall(function() self:run(nil, given):wait() end)
    if not good then
      self.queue = nil -- it would have to be finished before it runs more
      error(text, 0)
    end
    return
  end
  local desc, kept = bindings(self, given)
  core.check(lib.plait_plan_call(self:handle(), nil, desc, core.error))
  return kept and nil
end

local Run = core.class("Run", "plait_run_release")

--- Start it, behind what the queue has.
function Plan:run(queue, given)
  if not queue then
    self.queue = self.queue or self.system.devices[1]:queue()
    queue = self.queue
  end
  local desc, kept = bindings(self, given)
  local good, handle
  repeat
    good, handle = pcall(core.make, "plait_run", lib.plait_plan_run, self:handle(),
                         queue:handle(), desc)
    -- Too many are in flight, and they may need this thread to go on.
  until good or handle.status ~= lib.PLAIT_E_BUSY or self.system.inbox:pump() == 0
  if not good then error(handle, 0) end
  return core.object(Run, handle, {plan = self, queue = queue, kept = kept})
end

--- Prove the schedule; an error says what does not hold.
local Callable = core.class("Callable", "plait_callable_release")

--- The plan as a C function of that type, for C code or to be called here:
--   made = plan:callable("step(dt: f64, x: pointer): i32",
--                        "int32_t (*)(double, plait_buffer *)")
--   made.call(0.1, x:handle())
-- It answers a status, 0 or negative, and is there as long as `made` is.
function Plan:callable(signature, ctype)
  local desc = core.sized("plait_callable_desc", {signature = signature})
  local made = core.object(Callable, core.make("plait_callable", lib.plait_callable_create,
                                               self:handle(), desc), {plan = self})
  local out = ffi.new "plait_any_function[1]"
  core.check(lib.plait_callable_function(made:handle(), out, core.error))
  made.call = ffi.cast(ctype, out[0])
  return made
end

function Plan:check() core.check(lib.plait_plan_check(self:handle(), core.error)) end

--- The plan as "json", or its picture as "dot" or "svg".
function Plan:text(form)
  local format = lib["PLAIT_FORMAT_" .. form:upper()]
  local needed = ffi.new "uint64_t[1]"
  core.check(lib.plait_plan_write(self:handle(), format, nil, 0, needed, core.error))
  local room = ffi.new("char[?]", needed[0])
  core.check(lib.plait_plan_write(self:handle(), format, room, needed[0], needed, core.error))
  return ffi.string(room, needed[0])
end

function Plan:save(path) core.check(lib.plait_plan_save(self:handle(), path, core.error)) end

-- --- runs ----------------------------------------------------------------------

--- Is it done?  What it failed with is an error.
function Run:poll()
  return core.check(lib.plait_run_poll(self:handle(), core.error)) ~= lib.PLAIT_PENDING
end

function Run:wait(seconds)
  self.plan.system.inbox:waiting(function()
    return lib.plait_run_wait(self:handle(), core.nanoseconds(seconds), core.error)
  end)
end

function Run:cancel() core.check(lib.plait_run_cancel(self:handle(), core.error)) end

--- In a coroutine: yield until the run is done; system:pump() resumes it.
function graph.await(run)
  local thread = coroutine.running() or error("plait.await is for coroutines", 2)
  local inbox, done = run.plan.system.inbox, false
  local number = inbox:register(function()
    done = true
    if coroutine.status(thread) == "suspended" then
      local good, text = coroutine.resume(thread)
      if not good then error(text, 0) end
    end
  end)
  core.check(lib.plait_run_notify(run:handle(), inbox:handle(), nil, number, core.error))
  while not done do coroutine.yield(run) end
  run:poll()
end

return graph
