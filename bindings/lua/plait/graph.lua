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

function graph.new(system, handle, outer)
  return core.object(Graph, handle, {
    system = system, outer = outer, functions = outer and outer.functions or {}})
end

-- Stack level of the user's call, seen from add(): each method is one level.
local LEVEL = 4

local function add(self, kind, fields, how)
  how = how or {}
  core.check_options(how, " after label cost device items group scratch_bytes pattern_bytes offset first times "
                          .. memory.extents)
  local place = debug.getinfo(LEVEL - 1, "Sl")
  fields.label, fields.cost = how.label, how.cost
  fields.file, fields.line = place.short_src, math.max(place.currentline, 0)
  local desc = core.sized("plait_node_desc", fields)
  desc.kind = lib["PLAIT_NODE_" .. kind]
  if how.device then desc.device, desc.device_count = how.device.handle, 1 end
  local after = how.after or {}
  if type(after) ~= "table" then after = {after} end
  for _, node in ipairs(after) do
    if type(node) ~= "cdata" then
      error("after: expected a node, as launch() and others return, not "
            .. core.describe(node), LEVEL)
    end
  end
  local array = ffi.new("plait_node[?]", math.max(#after, 1), after)
  local out = ffi.new "plait_node[1]"
  core.check(lib.plait_graph_add(self:handle(), desc, array, #after, out, core.error))
  return out[0]
end

--- Add an empty node, for edges from many nodes to many nodes.  Every method that
-- adds a node takes {after = node or {nodes}, label = , device = , cost = } last, and
-- returns the node; `cost` is a duration in any unit, 0 means 1.
function Graph:join(how) return add(self, "JOIN", {}, how) end

--- Add a kernel launch: graph:launch(kernel, {arguments}, {items = , group = ,
-- scratch_bytes = , after = ...}); `items` may be a plait.parameter that each run sets.
function Graph:launch(code, arguments, how)
  local handle = core.handle(code, "Kernel", "launch")
  local made = code:arguments(arguments)
  local fields = {kernel = handle, arguments = made.array, argument_count = made.count,
                  scratch_bytes = how and how.scratch_bytes}
  local items = how and how.items
  if type(items) == "table" and items.name then
    fields.launch_parameter = items.name
  else
    fields.launch = code.geometry(how)
  end
  return add(self, "LAUNCH", fields, how)
end

--- Add a call of a Lua function, on the thread that opened the system.  An error in
-- the function fails the node.
function Graph:call(fn, how)
  local inbox = self.system.inbox
  local number = inbox:register(fn, true)
  self.functions[#self.functions + 1] = number
  return add(self, "CALL", {inbox = inbox:handle(), user_data = number}, how)
end

--- Add a fill: repeat a pattern of `how.pattern_bytes` bytes, default 4, over a whole
-- buffer.
function Graph:fill(target, pattern, how)
  return add(self, "FILL", {target = core.handle(target, "Buffer", "fill: the target"),
                            bytes = target.bytes, pattern = pattern, pattern_bytes = how and how.pattern_bytes or 4}, how)
end

--- Add a copy from buffer to buffer; `how` also takes the options of queue:copy.
function Graph:copy(target, source, how)
  local to = core.handle(target, "Buffer", "copy: the target")
  local from = core.handle(source, "Buffer", "copy: the source")
  local bytes, there, here, rows = memory.extent(target, source, how)
  return add(self, "COPY", {target = to, source = from, bytes = bytes, target_offset = there,
                            source_offset = here, rows = rows}, how)
end

--- Add an emission: increment a signal.
function Graph:emit(signal, how) return add(self, "EMIT", {signal = core.handle(signal, "Signal", "emit")}, how) end

--- Add a wait until a signal reaches `sequence`; 0, the default, is the newest
-- sequence number submitted when a run starts.
function Graph:wait(signal, sequence, how)
  return add(self, "WAIT", {signal = core.handle(signal, "Signal", "wait"), sequence = sequence or 0}, how)
end

--- Add a copy of the nodes that another graph has now.
function Graph:subgraph(other, how)
  local handle = core.handle(other, "Graph", "subgraph")
  for _, number in ipairs(other.functions) do self.functions[#self.functions + 1] = number end
  return add(self, "SUBGRAPH", {subgraph = handle}, how)
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
  local node = region(self, how and how.first and "DO" or "WHILE", condition, how,
                      {times = how and how.times})
  return node, body(self, node, 0)
end

--- Add a branch: node, bodies = graph:case(buffer, 3) runs the body whose number, from
-- 0, is the first u32 of the buffer, or the result of a function.
function Graph:case(condition, branches, how)
  local node = region(self, "CASE", condition, how, {branch_count = branches})
  local bodies = {}
  for i = 1, branches do bodies[i] = body(self, node, i - 1) end
  return node, bodies
end

--- In the body of a loop: rotate through buffers, one per iteration.  Returns
-- {now = , next = }: kernel arguments for the buffer of this iteration and the next.
function Graph:rotate(...)
  local buffers = {...}
  local array, out = ffi.new("plait_buffer *[?]", #buffers), ffi.new "uint64_t[1]"
  for i, one in ipairs(buffers) do array[i - 1] = core.handle(one, "Buffer", "rotate") end
  core.check(lib.plait_graph_add_rotation(self:handle(), array, #buffers, 0, out, core.error))
  return {now = kernel.turn(out[0], 0), next = kernel.turn(out[0], 1)}
end

--- Schedule the graph; return a plan.  Options: `lanes`, most lanes per device (0: what
-- the device can run at once); `widest`, as many lanes as the graph is wide, within the
-- limits; `mode`, "strict", "helped" or "auto"; `instances`, most runs in flight (0
-- means 2); `check`, verify that edges order all nodes that use the same memory, and then
-- the plan; `order`, "edges" or "program", which adds edges between nodes that use the
-- same memory, in the order of adding (functions are ordered with all nodes).
function Graph:freeze(how)
  how = how or {}
  core.check_options(how, " lanes instances mode widest check order ")
  local order = how.order or "edges"
  if order ~= "edges" and order ~= "program" then
    error(("order: %q is neither \"edges\" nor \"program\""):format(tostring(order)), 2)
  end
  local desc = core.sized("plait_freeze_desc", {
    lanes = how.lanes, instances = how.instances,
    mode = lib["PLAIT_MODE_" .. (how.mode or "auto"):upper()],
    policy = how.widest and lib.PLAIT_POLICY_WIDEST or lib.PLAIT_POLICY_BOUNDED,
    flags = (how.check and lib.PLAIT_FREEZE_CHECK or 0) +
            (order == "program" and lib.PLAIT_FREEZE_PROGRAM_ORDER or 0)})
  return plan.new(self.system, core.make("plait_plan", lib.plait_graph_freeze, self:handle(), desc),
                  self.functions)
end

return graph
