-- SPDX-License-Identifier: MIT
-- Collectives: chunk programs, their schedules, and graphs of those.
local core = require "plait.core"
local graph = require "plait.graph"
local ffi, lib = core.ffi, core.lib

local coll = {}

-- --- names ---------------------------------------------------------------------

local function names_of(prefix, text)
  local made = {}
  for name in text:gmatch "%S+" do made[name] = tonumber(lib[prefix .. name:upper()]) end
  return made
end

local KINDS = names_of("PLAIT_COLL_", "custom allreduce allgather reduce_scatter alltoall broadcast reduce gather "
                                      .. "scatter alltonext")
local TARGETS = names_of("PLAIT_TARGET_", "plait msccl executor rccl")
local PROTOCOLS = names_of("PLAIT_PROTOCOL_", "auto simple ll ll128")
local REDUCTIONS = names_of("PLAIT_REDUCE_", "sum prod min max")
local FORMATS = {binary = lib.PLAIT_SCHEDULE_BINARY, msccl = lib.PLAIT_SCHEDULE_XML_MSCCL,
                 executor = lib.PLAIT_SCHEDULE_XML_EXECUTOR, rccl = lib.PLAIT_SCHEDULE_XML_RCCL}
local REASONS = {[tonumber(lib.PLAIT_PROOF_SHAPE)] = "shape", [tonumber(lib.PLAIT_PROOF_DEADLOCK)] = "deadlock",
                 [tonumber(lib.PLAIT_PROOF_RACE)] = "race", [tonumber(lib.PLAIT_PROOF_VALUE)] = "value"}
local EXPORTS = {msccl = lib.PLAIT_PROOF_EXPORTS_MSCCL, executor = lib.PLAIT_PROOF_EXPORTS_EXECUTOR,
                 rccl = lib.PLAIT_PROOF_EXPORTS_RCCL}
local LETTERS = {i = lib.PLAIT_ELEMENT_INT, u = lib.PLAIT_ELEMENT_UINT, f = lib.PLAIT_ELEMENT_FLOAT,
                 bf = lib.PLAIT_ELEMENT_BFLOAT}

local function chosen(what, given, known)
  if known[given] == nil then
    local all = {}
    for name in pairs(known) do all[#all + 1] = name end
    table.sort(all)
    core.raise(("%s: %s is none of %s"):format(what, core.describe(given), table.concat(all, ", ")))
  end
  return known[given]
end

local function name_of(known, number)
  for name, value in pairs(known) do
    if value == number then return name end
  end
end

local function buffer_number(name)
  local scratch = type(name) == "string" and name:match "^s(%d*)$"
  if scratch then return lib.PLAIT_CHUNK_SCRATCH + (tonumber(scratch) or 0) end
  return name == "i" and lib.PLAIT_CHUNK_INPUT or name == "o" and lib.PLAIT_CHUNK_OUTPUT
    or core.raise(("buffer: %s is none of \"i\", \"o\", \"s\", \"s1\", ..."):format(core.describe(name)))
end

-- Return promises for C, {{rank, chunk, {{rank, chunk}, ...}}, ...}, and what they refer to.
local function promise_table(given)
  local made, kept = core.array("plait_coll_promise", #given), {}
  for i, promise in ipairs(given) do
    local sources = promise[3]
    local ranks, indices = ffi.new("uint32_t[?]", #sources), ffi.new("uint64_t[?]", #sources)
    for k, source in ipairs(sources) do ranks[k - 1], indices[k - 1] = source[1], source[2] end
    local one = made[i - 1]
    one.rank, one.index, one.source_count = promise[1], promise[2], #sources
    one.source_ranks, one.source_indices = ranks, indices
    kept[#kept + 1], kept[#kept + 2] = ranks, indices
  end
  return made, kept
end

-- --- chunks --------------------------------------------------------------------

--- Neighbouring chunks of one buffer of one rank, with the values that they have now.  A
-- later write makes a chunk stale, and its use an error.
local Chunk = {}
Chunk.__index = Chunk
Chunk.__tostring = function() return "plait Chunk" end

local function made_chunk(program, call, ...)
  local out = ffi.new "plait_chunk[1]"
  local arguments = {...}
  local count = select("#", ...)
  arguments[count + 1], arguments[count + 2] = out, core.error
  core.check(call(program:handle(), core.unpack(arguments, 1, count + 2)))
  return setmetatable({coll = program, number = out[0]}, Chunk)
end

local function place_of(options, fields)
  local place = core.sized("plait_chunk_place", fields)
  if options then
    core.check_options(options, " channel lanes ")
    if options.channel then
      place.flags, place.channel = place.flags + lib.PLAIT_CHUNK_HAS_CHANNEL, options.channel
    end
    if options.lanes then
      place.flags = place.flags + lib.PLAIT_CHUNK_HAS_LANES
      place.send_lane, place.recv_lane = options.lanes[1], options.lanes[2]
    end
  end
  return place
end

--- Copy to a rank: to the same place, to `buffer` and `index`, or without an index to the
-- end of a scratch buffer; options: channel, lanes.  Return the copy.
function Chunk:copy(rank, buffer, index, options)
  local flags = buffer and (index and lib.PLAIT_CHUNK_HAS_BUFFER or lib.PLAIT_CHUNK_APPEND) or 0
  local place = place_of(options, {rank = rank, flags = flags, index = index,
                                   buffer = buffer and buffer_number(buffer)})
  return made_chunk(self.coll, lib.plait_coll_copy, self.number, place)
end

--- Add another chunk to this one; options: channel, lanes.  Return this chunk as it is then.
function Chunk:reduce(other, options)
  return made_chunk(self.coll, lib.plait_coll_reduce, self.number, other.number, place_of(options, {}))
end

--- Return some of the chunks: `count` of them (default 1) from number `first` on, from 0.
function Chunk:part(first, count)
  return made_chunk(self.coll, lib.plait_coll_part, self.number, first, count or 1)
end

--- Return these chunks and neighbouring ones as one.
function Chunk:join(other)
  return made_chunk(self.coll, lib.plait_coll_join, self.number, other.number)
end

-- --- programs ------------------------------------------------------------------

--- A chunk program: the copies and reductions of a collective, in order.  Ranks and chunks
-- count from 0.
local Coll = core.class("Coll", "plait_coll_release")

--- A schedule of a collective: what each rank sends, receives and reduces, for any count.
local Schedule = core.class("Schedule", "plait_schedule_release")

function coll.new(system, kind, ranks, options)
  core.check_options(options, " algorithm chunks root in_place inputs outputs promises label ")
  local promises, kept = promise_table(options.promises or {})
  local desc = core.sized("plait_coll_desc", {
    kind = chosen("kind", kind, KINDS), ranks = ranks, chunks = options.chunks, root = options.root,
    flags = options.in_place and lib.PLAIT_COLL_IN_PLACE or 0, input_chunks = options.inputs,
    output_chunks = options.outputs, promise_count = #(options.promises or {}), promises = promises,
    label = options.label})
  local handle = options.algorithm
    and core.make("plait_coll", lib.plait_coll_known, system:handle(), options.algorithm, desc)
    or core.make("plait_coll", lib.plait_coll_create, system:handle(), desc)
  return core.object(Coll, handle, {system = system, label = options.label, kept = #kept})
end

function coll.read(system, text, name, options)
  options = options or {}
  core.check_options(options, " ranks chunks ")
  return core.object(Coll, core.make("plait_coll", lib.plait_coll_read, system:handle(), text, #text, name,
                                     options.ranks or 0, options.chunks or 0), {system = system})
end

function coll.read_schedule(system, bytes, name)
  return core.object(Schedule, core.make("plait_schedule", lib.plait_schedule_read, system:handle(), bytes,
                                         #bytes, name), {system = system})
end

--- Return chunks as they are now, `count` of them (default 1).  `buffer` is "i" (input),
-- "o" (output) or "s", "s1", ... (scratch).
function Coll:chunk(rank, buffer, index, count)
  return made_chunk(self, lib.plait_coll_chunk, rank, buffer_number(buffer), index, count or 1)
end

--- Call a function; each operation that it adds is split into parts that move at the same
-- time.
function Coll:parallel(ways, add)
  core.check(lib.plait_coll_parallel(self:handle(), ways, core.error))
  local good, problem = pcall(add)
  core.check(lib.plait_coll_end(self:handle(), core.error))
  if not good then error(problem, 0) end
end

--- Compile the program as it is now, and prove the schedule.  Options: target, protocol,
-- instances, depth, lanes, channels, slot_bytes, min_bytes, max_bytes; fusion = false: each
-- send, receipt and reduction is a step of its own; separate_lanes: no lane both sends and
-- receives; aggregate: messages of neighbouring chunks that are ready at about one time become
-- one, of at most message_chunks.
function Coll:compile(options)
  options = options or {}
  core.check_options(options, " target protocol instances depth lanes channels slot_bytes min_bytes max_bytes "
                              .. "fusion separate_lanes aggregate message_chunks ")
  local desc = core.sized("plait_compile_desc", {
    flags = (options.fusion == false and lib.PLAIT_COMPILE_NO_FUSION or 0)
      + (options.separate_lanes and lib.PLAIT_COMPILE_SEPARATE_LANES or 0)
      + (options.aggregate and lib.PLAIT_COMPILE_AGGREGATE or 0),
    target = chosen("target", options.target or "plait", TARGETS),
    protocol = chosen("protocol", options.protocol or "auto", PROTOCOLS), instances = options.instances,
    depth = options.depth, lanes = options.lanes, channels = options.channels, slot_bytes = options.slot_bytes,
    min_bytes = options.min_bytes, max_bytes = options.max_bytes, message_chunks = options.message_chunks})
  return core.object(Schedule, core.make("plait_schedule", lib.plait_coll_compile, self:handle(), desc),
                     {system = self.system})
end

-- --- schedules -----------------------------------------------------------------

--- Return the properties: kind, ranks, root, in_place, share_chunks, input_chunks,
-- output_chunks, target, depth, lanes, steps, name.
function Schedule:query()
  local info = core.sized "plait_schedule_info"
  core.check(lib.plait_schedule_query(self:handle(), info, core.error))
  local made = core.plain(info, "ranks root share_chunks input_chunks output_chunks depth lanes steps name")
  made.kind, made.target = name_of(KINDS, info.kind), name_of(TARGETS, info.target)
  made.in_place = core.has(info.flags, lib.PLAIT_SCHEDULE_IN_PLACE)
  return made
end

local function proof_table(proof)
  local made = core.plain(proof, "depth depth_min lanes channels lane_steps step_chunks ranks steps safe_bytes")
  if proof.safe_bytes == core.FOREVER then made.safe_bytes = math.huge end
  made.reason, made.exports = REASONS[proof.reason], {}
  made.same_bits = core.has(proof.flags, lib.PLAIT_PROOF_SAME_BITS)
  for name, flag in pairs(EXPORTS) do made.exports[name] = core.has(proof.flags, flag) end
  return made
end

--- Prove the schedule, for what it says of itself or for the options target, depth, kind,
-- root, slot_bytes, promises; raise an error if it is refused, with the proof as `proof`.
-- Return the proof: depth_min, safe_bytes (math.huge: any size), same_bits, exports and others.
function Schedule:check(options)
  options = options or {}
  core.check_options(options, " target depth kind root slot_bytes promises ")
  local promises, kept = promise_table(options.promises or {})
  local desc = core.sized("plait_proof_desc", {
    flags = (options.target and lib.PLAIT_PROOF_HAS_TARGET or 0) + (options.kind and lib.PLAIT_PROOF_HAS_KIND or 0)
      + (options.promises and lib.PLAIT_PROOF_HAS_PROMISES or 0),
    target = options.target and chosen("target", options.target, TARGETS), depth = options.depth,
    kind = options.kind and chosen("kind", options.kind, KINDS), root = options.root,
    slot_bytes = options.slot_bytes, promise_count = #(options.promises or {}), promises = promises})
  local proof = core.sized "plait_proof"
  local status = lib.plait_schedule_check(self:handle(), desc, proof, core.error)
  local made = proof_table(proof)
  if status < 0 then
    local failure = core.failure(status)
    failure.proof, failure.kept = made, #kept
    error(failure, 0)
  end
  return made
end

--- Return the schedule as a string: in binary form, or as XML: "msccl", "executor", "rccl".
function Schedule:write(format)
  local number, needed = chosen("format", format or "binary", FORMATS), ffi.new "uint64_t[1]"
  core.check(lib.plait_schedule_write(self:handle(), number, nil, 0, needed, core.error))
  local room = ffi.new("char[?]", needed[0])
  core.check(lib.plait_schedule_write(self:handle(), number, room, needed[0], needed, core.error))
  return ffi.string(room, needed[0])
end

--- Predict the time on a cluster, a text of doc/cluster.md, with `size` bytes in the larger
-- one of a rank's input and output.  Return time_ns, tiles, executed_tiles, tile_bytes,
-- critical_steps, critical_ns, latency_ns.
function Schedule:simulate(cluster, size, name)
  local result = core.sized "plait_coll_simulation"
  core.check(lib.plait_schedule_simulate(self:handle(), cluster, #cluster, name, size, result, core.error))
  return core.plain(result, "time_ns tiles executed_tiles tile_bytes critical_steps critical_ns latency_ns")
end

--- Return the first tile of a simulation as SVG: lanes, steps, messages, waits, and the
-- critical path outlined.
function Schedule:draw(cluster, size, name)
  local needed = ffi.new "uint64_t[1]"
  core.check(lib.plait_schedule_draw(self:handle(), cluster, #cluster, name, size, nil, 0, needed, core.error))
  local room = ffi.new("char[?]", needed[0])
  core.check(lib.plait_schedule_draw(self:handle(), cluster, #cluster, name, size, room, needed[0], nil,
                                     core.error))
  return ffi.string(room)
end

-- Return an array of handles, one per rank; false is a rank without.
local function handles(given, ctype, ranks, what)
  if given == nil then return nil end
  if #given ~= ranks then
    core.raise(("%s: %d given, the schedule has %d ranks"):format(what, #given, ranks))
  end
  local made = ffi.new(ctype .. " *[?]", ranks)
  for i, one in ipairs(given) do
    if one then made[i - 1] = type(one.handle) == "function" and one:handle() or one.handle end
  end
  return made
end

-- Return the fields for an element and an operation.
function coll.element(options)
  local element = options.element or "f32"
  local letter, bits = tostring(element):match "^(%l+)(%d+)$"
  local kind = LETTERS[letter] or core.raise(("element: %s is no type"):format(core.describe(element)))
  return {element = kind, element_bits = tonumber(bits), reduction = chosen("op", options.op or "sum", REDUCTIONS)}
end

--- Make a graph for all ranks, with `count` elements in a share.  Options: element ("f16",
-- "bf16", "f32", "f64", "i8" to "u64"; default "f32"), op ("sum", "prod", "min", "max"),
-- inputs, outputs, devices: tables with one per rank.  Without buffers, runs bind in0,
-- out0, ...; in place, outputs alone.
function Schedule:graph(count, options)
  options = options or {}
  core.check_options(options, " element op inputs outputs devices ")
  local fields = coll.element(options)
  local ranks = self:query().ranks
  local inputs = handles(options.inputs, "plait_buffer", ranks, "inputs")
  local outputs = handles(options.outputs, "plait_buffer", ranks, "outputs")
  local devices = handles(options.devices, "plait_device", ranks, "devices")
  fields.count, fields.inputs, fields.outputs, fields.devices = count, inputs, outputs, devices
  local desc = core.sized("plait_collective_desc", fields)
  return graph.new(self.system, core.make("plait_graph", lib.plait_schedule_graph, self:handle(), desc))
end

return coll
