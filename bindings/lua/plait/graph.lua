-- SPDX-License-Identifier: MIT
-- The graph builder: nodes, loops, branches and freeze().
local core = require "plait.core"
local kernel = require "plait.kernel"
local memory = require "plait.memory"
local plan = require "plait.plan"
local ffi, lib = core.ffi, core.lib

local graph = {}

-- --- building ------------------------------------------------------------------

--- A task graph under construction; freeze() schedules it.  Nodes run in any order
-- that the edges allow.
local Graph = core.class("Graph", "plait_graph_release")
graph.Graph = Graph

function graph.new(system, handle, outer)
  return core.object(Graph, handle, {
    system = system, outer = outer, functions = outer and outer.functions or {}})
end

-- Return a C array of one node or several, and their number.
local function numbers(nodes, what)
  if type(nodes) ~= "table" then nodes = {nodes} end
  for _, node in ipairs(nodes) do
    if not core.is_wide(node) then
      core.raise(what .. ": expected a node, as launch() and others return, not " .. core.describe(node))
    end
  end
  return ffi.new("plait_node[?]", math.max(#nodes, 1), nodes), #nodes
end

local ON = {first = lib.PLAIT_NODE_ON_FIRST, group = lib.PLAIT_NODE_ON_ALL_GROUP,
            barrier = lib.PLAIT_NODE_ON_ALL_BARRIER}

-- Set the device of a node, or its devices; return the memory that the fields refer to.
local function devices_of(desc, how)
  if not core.is_plain(how.device) then
    desc.device, desc.device_count = how.device.handle, 1
    return nil
  end
  local array = ffi.new("plait_device *[?]", #how.device)
  for i, device in ipairs(how.device) do array[i - 1] = device.handle end
  desc.device_count = #how.device
  if #how.device == 1 then desc.device = array[0] else desc.devices = array end
  desc.flags = desc.flags + (ON[how.on or "group"] or
    core.raise(("on: %s is none of \"first\", \"group\" and \"barrier\""):format(core.describe(how.on))))
  return array
end

local function add(self, kind, fields, how)
  how = how or {}
  core.check_options(how, " after label cost device on items group scratch_bytes pattern_bytes offset host_offset expect first times step series coroutine "
                          .. memory.extents)
  -- Not by a fixed level: calls in tail position have no frame of their own.
  local file, line = core.caller()
  fields.label, fields.cost = fields.label or how.label, how.cost
  if how.cost == 0 then fields.flags = lib.PLAIT_NODE_FREE end
  fields.file, fields.line = file, math.max(line or 0, 0)
  local desc = core.sized("plait_node_desc", fields)
  desc.kind = kind
  local devices = how.device and devices_of(desc, how)
  local array, count = numbers(how.after or {}, "after")
  local out = ffi.new "plait_node[1]"
  core.check(lib.plait_graph_add(self:handle(), desc, array, count, out, core.error))
  devices = nil -- the call read them
  return out[0]
end

--- Add an empty node, for edges from many nodes to many nodes.  Every method that
-- adds a node takes {after = node or {nodes}, label = , device = , cost = } last, and
-- returns the node; `cost` is a duration in any unit, by default 1.  `device` may be a
-- table of several: with on = "group", the default, a member of the node runs on each, with
-- "barrier" all wait for the node and it for all, with "first" the first one counts.
function Graph:join(how) return add(self, lib.PLAIT_NODE_JOIN, {}, how) end

--- Add a mark in the timeline, a name without work.
function Graph:mark(label, how) return add(self, lib.PLAIT_NODE_MARK, {label = label}, how) end

--- Add an edge: `before` completes before `after` starts.
function Graph:edge(before, after)
  local both = numbers({before, after}, "edge")
  core.check(lib.plait_graph_add_edge(self:handle(), both[0], both[1], core.error))
end

--- Take nodes away, one or a table of several, with their edges and bodies.  Nodes before
-- and after a removed one are not joined.
function Graph:remove(nodes)
  local array, count = numbers(nodes, "remove")
  core.check(lib.plait_graph_remove(self:handle(), array, count, core.error))
end

--- Take an edge away, as often as it was added.
function Graph:remove_edge(before, after)
  local both = numbers({before, after}, "remove_edge")
  core.check(lib.plait_graph_remove_edge(self:handle(), both[0], both[1], core.error))
end

--- Say which of several ready nodes come first: -1000 to 1000, 0 by default.
function Graph:priority(node, priority)
  local number = numbers(node, "priority")
  core.check(lib.plait_graph_set_priority(self:handle(), number[0], priority, core.error))
end

--- Add a resource, which limits how many nodes run at once.
function Graph:resource(name, units)
  core.check(lib.plait_graph_add_resource(self:handle(), name, units, core.error))
end

--- Let a node hold units of a resource, by default one, while it runs.
function Graph:need(node, name, units)
  local number = numbers(node, "need")
  core.check(lib.plait_graph_add_need(self:handle(), number[0], name, units or 1, core.error))
end

--- Return the number of nodes and the number of edges, without those of bodies.
function Graph:size()
  local out = ffi.new "uint64_t[2]"
  core.check(lib.plait_graph_size(self:handle(), out, out + 1, core.error))
  return tonumber(out[0]), tonumber(out[1])
end

--- Add a kernel launch: graph:launch(kernel, {arguments}, {items = , group = ,
-- scratch_bytes = , series = , after = ...}); `items` may be a plait.parameter that each run
-- sets.  `series`: in a loop, a table of one plait.iteration {...} per dimension that the
-- items follow, or false where they do not; a launch without items does nothing.
function Graph:launch(code, arguments, how)
  local handle = core.handle(code, "Kernel", "launch")
  local made = code:arguments(arguments)
  local fields = {kernel = handle, arguments = made.array, argument_count = made.count,
                  scratch_bytes = how and how.scratch_bytes}
  local items = how and how.items
  if how and how.series then fields.series, fields.series_count = kernel.series(how.series) end
  if type(items) == "table" and items.name then
    fields.launch_parameter = items.name
  else
    fields.launch = code.geometry(how)
  end
  local node = add(self, lib.PLAIT_NODE_LAUNCH, fields, how)
  made, arguments = nil, nil -- the call read them; a call in tail position would drop them before
  return node
end

--- Add a call of a Lua function, on the thread that opened the system.  An error in
-- the function fails the node.  With {coroutine = true} each call is a coroutine: it may
-- plait.await runs, signal:reach and flow:await, and yield; others run meanwhile.
function Graph:call(fn, how)
  local inbox = self.system.inbox
  local number = inbox:register(fn, true, how and how.coroutine)
  self.functions[#self.functions + 1] = number
  return add(self, lib.PLAIT_NODE_CALL, {inbox = inbox:handle(), user_data = number}, how)
end

-- Add a read or write; `how` has the offset and the bytes of the buffer's part.
local function transfer(self, kind, side, buffer, host, how, what)
  how = how or {}
  if type(host) ~= "table" or host.kind ~= lib.PLAIT_ARGUMENT_PARAMETER then
    core.raise(("%s: the memory is a plait.parameter, which each run sets, not %s"):format(what,
      core.describe(host)))
  end
  local offset, bytes = how.offset or 0, how.bytes
  local fields = {host_parameter = host.name, host_offset = how.host_offset or 0}
  memory.side(fields, side, buffer, what, bytes)
  fields[side .. "_offset"], fields.bytes = offset, bytes or buffer.bytes - offset
  return add(self, kind, fields, how)
end

--- Add a copy of `how.bytes` bytes from `how.offset` of a buffer, default all, to memory of the
-- program, from `how.host_offset` on: graph:read(buffer, plait.parameter "out").  Each run sets
-- the parameter to a cdata array.
function Graph:read(source, host, how)
  return transfer(self, lib.PLAIT_NODE_READ, "source", source, host, how, "read")
end

--- Add a copy from memory of the program to a buffer: graph:write(buffer, plait.parameter "in");
-- options as for read.
function Graph:write(target, host, how)
  return transfer(self, lib.PLAIT_NODE_WRITE, "target", target, host, how, "write")
end

--- Add a fill: repeat a pattern of `how.pattern_bytes` bytes, default 4, over `how.bytes`
-- bytes from `how.offset` on; the default is the rest of the buffer.  The target may be
-- a buffer of a rotation, or a plait.parameter that each run sets, which needs `bytes`.
function Graph:fill(target, pattern, how)
  local offset, bytes = how and how.offset or 0, how and how.bytes
  local fields = {pattern = pattern, pattern_bytes = how and how.pattern_bytes or 4, target_offset = offset}
  memory.side(fields, "target", target, "fill", bytes)
  fields.bytes = bytes or target.bytes - offset
  return add(self, lib.PLAIT_NODE_FILL, fields, how)
end

--- Add a copy from buffer to buffer; `how` also takes the options of queue:copy.  Target
-- and source may each be a buffer of a rotation, or a plait.parameter that each run sets, which
-- needs `bytes`.
function Graph:copy(target, source, how)
  local fields, given = {}, how and how.bytes
  memory.side(fields, "target", target, "copy", given)
  memory.side(fields, "source", source, "copy", given)
  fields.bytes, fields.target_offset, fields.source_offset, fields.rows = memory.extent(target, source, how)
  return add(self, lib.PLAIT_NODE_COPY, fields, how)
end

--- Add an emission: increment a signal.
function Graph:emit(signal, how) return add(self, lib.PLAIT_NODE_EMIT, {signal = core.handle(signal, "Signal", "emit")}, how) end

--- Add a wait until a signal reaches `sequence`; 0, the default, is the newest
-- sequence number submitted when a run starts.
function Graph:wait(signal, sequence, how)
  return add(self, lib.PLAIT_NODE_WAIT, {signal = core.handle(signal, "Signal", "wait"), sequence = sequence or 0}, how)
end

--- Add a copy of the nodes that another graph has now.
function Graph:subgraph(other, how)
  local handle = core.handle(other, "Graph", "subgraph")
  for _, number in ipairs(other.functions) do self.functions[#self.functions + 1] = number end
  return add(self, lib.PLAIT_NODE_SUBGRAPH, {subgraph = handle}, how)
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
    fields.predicate = core.handle(condition, "Buffer", "the condition is not a function")
    kernel.check_word(condition)
    fields.predicate_offset = how and how.offset or 0
  end
  return add(self, kind, fields, how)
end

--- Add a loop: node, body = graph:loop(buffer) repeats the body while the u32 at
-- `how.offset` (bytes, default 0) of the buffer is not 0.  {first = true} runs the body
-- once before the first test; {times = n} is the expected number of iterations, 0
-- means 1.  The condition may also be a function: the loop runs while it returns true
-- or a number other than 0; an error in it fails the node.
function Graph:loop(condition, how)
  local node = region(self, how and how.first and lib.PLAIT_NODE_DO or lib.PLAIT_NODE_WHILE, condition, how,
                      {times = how and how.times})
  return node, body(self, node, 0)
end

--- Add a loop with a count: node, body = graph:repeat_times(10).  The count is a number, a
-- plait.parameter that each run sets (a u64), or a buffer whose u32 at `how.offset` (bytes)
-- is read when the loop is entered.  {step = n}: an iteration takes n of the count, the last
-- one the rest; {times = n} is the expected count of a parameter or buffer, 0 means 1.
function Graph:repeat_times(count, how)
  local fields = {count_step = how and how.step, times = how and how.times}
  fields.count_parameter = kernel.parameter_name(count)
  if type(count) == "number" then
    fields.times = kernel.convert("uint64_t[1]", count, "count")[0]
  elseif not fields.count_parameter then
    fields.predicate = core.handle(count, "Buffer", "the count is not a number")
    kernel.check_word(count)
    fields.predicate_offset = how and how.offset or 0
  end
  local node = add(self, lib.PLAIT_NODE_REPEAT, fields, how)
  return node, body(self, node, 0)
end

--- Add a branch: node, bodies = graph:case(buffer, 3) runs the body whose number, from
-- 0, is the first u32 of the buffer, or the result of a function.  `how.expect`: the number of
-- the likely body, for planning.
function Graph:case(condition, branches, how)
  local times = how and how.expect and how.expect + 1
  local node = region(self, lib.PLAIT_NODE_CASE, condition, how, {branch_count = branches, times = times})
  local bodies = {}
  for i = 1, branches do bodies[i] = body(self, node, i - 1) end
  return node, bodies
end

--- Create a temporary of `bytes` bytes: a buffer for nodes only, of which each run in
-- flight has a copy.  The default device is the system's first one.
function Graph:temporary(bytes, label, device)
  return memory.buffer(device or self.system.devices[1], bytes, label, lib.PLAIT_BUFFER_TEMPORARY)
end

--- In the body of a loop: rotate through buffers, one per iteration.  Returns
-- {now = , next = , ahead = }: kernel arguments, and sides of copies and fills, for the buffer
-- of this iteration and the next, and a function that returns one for the n-th after this.
-- Last, {prologue = true}: the first buffer is for iteration 0 only.
function Graph:rotate(...)
  local buffers, flags = {...}, 0
  if core.is_plain(buffers[#buffers]) then
    local how = table.remove(buffers)
    core.check_options(how, " prologue ")
    if how.prologue then flags = lib.PLAIT_ROTATION_PROLOGUE end
  end
  local array, out = ffi.new("plait_buffer *[?]", #buffers), ffi.new "uint64_t[1]"
  for i, one in ipairs(buffers) do array[i - 1] = core.handle(one, "Buffer", "rotate") end
  core.check(lib.plait_graph_add_rotation(self:handle(), array, #buffers, flags, out, core.error))
  local number, bytes = out[0], buffers[1].bytes
  return {now = kernel.turn(number, 0, bytes), next = kernel.turn(number, 1, bytes),
          ahead = function(count) return kernel.turn(number, count, bytes) end}
end

--- Schedule the graph; return a plan.  Options: `lanes`, most lanes per device (0: what
-- the device can run at once); `widest`, as many lanes as the graph is wide, within the
-- limits; `mode`, "strict", "helped" or "auto"; `instances`, most runs in flight (0
-- means 2); `check`, verify that edges order all nodes that use the same memory, and then
-- the plan; `order`, "edges" or "program", which adds edges between nodes that use the
-- same memory, in the order of adding (functions are ordered with all nodes); `queues`,
-- run on queues, also on the host; `hop_cost`, the cost of observing another lane.  `sources`, `sinks`: plan only
-- the nodes on paths from one to the other, with the lanes of the plan `whole`, if given.
function Graph:freeze(how)
  how = how or {}
  core.check_options(how, " lanes instances mode widest check order queues hop_cost sources sinks whole ")
  local order = how.order or "edges"
  if order ~= "edges" and order ~= "program" then
    error(("order: %q is neither \"edges\" nor \"program\""):format(tostring(order)), 2)
  end
  local desc = core.sized("plait_freeze_desc", {
    lanes = how.lanes, instances = how.instances, mode = plan.mode(how.mode), hop_cost = how.hop_cost,
    whole = how.whole and how.whole:handle(),
    policy = how.widest and lib.PLAIT_POLICY_WIDEST or lib.PLAIT_POLICY_BOUNDED,
    flags = (how.check and lib.PLAIT_FREEZE_CHECK or 0) + (how.queues and lib.PLAIT_FREEZE_QUEUES or 0) +
            (order == "program" and lib.PLAIT_FREEZE_PROGRAM_ORDER or 0)})
  local sources, sinks -- keep the arrays
  if how.sources then
    sources, desc.source_count = numbers(how.sources, "sources")
    desc.sources = sources
  end
  if how.sinks then
    sinks, desc.sink_count = numbers(how.sinks, "sinks")
    desc.sinks = sinks
  end
  return plan.new(self.system, core.make("plait_plan", lib.plait_graph_freeze, self:handle(), desc),
                  self.functions)
end

return graph
