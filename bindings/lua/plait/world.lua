-- SPDX-License-Identifier: MIT
-- Worlds: ranks that are processes, and the collectives of all of them.
local core = require "plait.core"
local coll = require "plait.coll"
local graph = require "plait.graph"
local memory = require "plait.memory"
local ffi, lib = core.ffi, core.lib

local world, Graph = {}, graph.Graph

--- The ranks of a program, which are processes: rank, ranks, machines.
local World = core.class("World", "plait_world_release")

--- A collective of a world.  Called, submitted and added to graphs in one order on all ranks.
local Collective = core.class("Collective", "plait_collective_release")

local function nanoseconds(seconds) return seconds and core.nanoseconds(seconds) or 0 end

function world.open(system, options)
  core.check_options(options, " transports rank ranks open_time silence ")
  local desc = core.sized("plait_world_desc", {
    transports = options.transports, rank = options.rank, ranks = options.ranks,
    open_ns = nanoseconds(options.open_time), silence_ns = nanoseconds(options.silence)})
  local handle = core.make("plait_world", lib.plait_world_open, system:handle(), desc)
  local info = core.sized "plait_world_info"
  core.check(lib.plait_world_query(handle, info, core.error))
  return core.object(World, handle, {system = system, rank = info.rank, ranks = info.ranks,
                                     machines = info.machines, label = options.transports})
end

--- Return by which transport each rank is reached, and why not by others.
function World:report() return core.text(lib.plait_world_report, self:handle()) end

local function host_of(system)
  for _, device in ipairs(system.devices) do
    if core.has(device:query().capabilities, lib.PLAIT_DEVICE_HOST) then return device end
  end
  return system.devices[1]
end

--- Create a buffer of `bytes` bytes that the ranks of this machine read in place in collectives;
-- an ordinary one where nothing can be shared.  `device`: of the system; nil: the host.
function World:buffer(bytes, label, device)
  return memory.shared(self:handle(), device or host_of(self.system), bytes, label)
end

--- Make a collective of a schedule, or of a table of them, on all ranks; a call takes the first
-- one that is for its size.
function World:collective(schedules)
  if getmetatable(schedules) then schedules = {schedules} end
  local array = ffi.new("plait_schedule *[?]", #schedules)
  for i, one in ipairs(schedules) do array[i - 1] = core.handle(one, "Schedule", "collective") end
  return core.object(Collective, core.make("plait_collective", lib.plait_collective_create, self:handle(), array,
                                           #schedules), {world = self})
end

-- Return the arguments of a call for C.
local function run_of(count, options)
  options = options or {}
  core.check_options(options, " element op input output after label ")
  local fields = coll.element(options)
  fields.count = count
  if options.input then fields.input = core.handle(options.input, "Buffer", "input") end
  if options.output then fields.output = core.handle(options.output, "Buffer", "output") end
  return core.sized("plait_collective_run", fields)
end

--- Execute the collective with `count` elements in a share, and wait.  Options: element and op
-- as for schedule:graph; input, output: buffers of this rank.
function Collective:call(count, options)
  core.check(lib.plait_collective_call(self:handle(), run_of(count, options), core.error))
end

--- Submit a call to a queue, which holds no thread while other ranks are late.
function Collective:submit(queue, count, options)
  core.check(lib.plait_collective_submit(self:handle(), core.handle(queue, "Queue", "submit"),
                                         run_of(count, options), nil, core.error))
end

--- Add a call of a collective to a graph; {after = , label = } as for other nodes.  Paths order
-- the collectives of one world.
function Graph:collective(collective, count, options)
  local after = options and options.after or 0
  if type(after) == "table" then after = self:join {after = after} end
  local out = ffi.new "plait_node[1]"
  core.check(lib.plait_graph_collective(self:handle(), core.handle(collective, "Collective", "collective"),
                                        run_of(count, options), options and options.label, after, out, core.error))
  return out[0]
end

return world
