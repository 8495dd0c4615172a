-- SPDX-License-Identifier: MIT
--- plait for LuaJIT and Lua 5.4: task graphs, scheduled once and replayed.
--
--     local plait = require "plait"
--     local system = plait.open()                  -- PLAIT_BACKEND chooses
--     local device = system.devices[1]
--     local saxpy = system:kernel(
--       "saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
--       "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")
--     local x, y = device:array("float", {1, 2, 3}), device:array("float", {0, 0, 0})
--     local graph = system:graph()
--     graph:launch(saxpy, {plait.parameter "a", x, y, 3}, {items = 3})
--     local plan = graph:freeze()
--     plan {a = 2}                                  -- may be called any number of times
--
-- Files: core.lua has errors, handles and the inbox; memory.lua buffers, signals and
-- queues; kernel.lua kernels and arguments; graph.lua graphs; coll.lua collectives; world.lua worlds; flow.lua flows;
-- plan.lua plans and runs; binding.lua the parameters of runs.
local core = require "plait.core"
local memory = require "plait.memory"
local kernel = require "plait.kernel"
local graph = require "plait.graph"
local coll = require "plait.coll"
local world = require "plait.world"
local flow = require "plait.flow"
local plan = require "plait.plan"
local ffi, lib = core.ffi, core.lib

--- The module that `require "plait"` returns.
local plait = {
  parameter = kernel.parameter,
  host_value = kernel.host_value,
  scratch = kernel.scratch,
  iteration = kernel.iteration,
  SAMPLER_LINEAR = lib.PLAIT_SAMPLER_LINEAR,
  SAMPLER_ZERO = lib.PLAIT_SAMPLER_ZERO,
  await = plan.await,
  ffi = ffi,
  chunk = flow.chunk,
}

local OPTIONS = " backend options wrap plugin_path workers sync "

local function context_desc(options)
  core.check_options(options, OPTIONS)
  local flags = (options.workers == 0 and lib.PLAIT_CONTEXT_NO_WORKERS or 0)
    + (options.sync and lib.PLAIT_CONTEXT_SYNC or 0)
  return core.sized("plait_context_desc", {
    backends = options.backend, options = options.options, wrap = options.wrap,
    plugin_path = options.plugin_path, workers = options.workers, flags = flags})
end

--- Return what plait.open with these options would find, without opening it.
function plait.backend_report(options)
  local report = core.text(lib.plait_backend_report, context_desc(options or {}))
  options = nil -- the call read its texts
  return report
end

--- In a function of a run: return true if the run was stopped, so that a long function
-- can return early.
function plait.is_stopping()
  return core.is_stopping()
end

--- Return portable source in the language of a backend: "host", "opencl" or "cuda".
-- Options: `defines`.
function plait.source_text(signature, source, form, options)
  return kernel.text(signature, source, form, options or {})
end

--- Return the version of the C library.
function plait.version()
  return ffi.string(lib.plait_version())
end

--- Return the number of live plait objects in this process.
function plait.live_count()
  return tonumber(lib.plait_live_count(0))
end

-- --- devices -----------------------------------------------------------------

--- A processor with memory that runs kernels.  `system.devices` lists the devices, each
-- with `name`, `backend` and `description`.
local Device = {}
Device.__index = Device

local function new_device(system, handle)
  local info = core.sized "plait_device_info"
  core.check(lib.plait_device_query(handle, info, core.error))
  return setmetatable({
    system = system, handle = handle, name = ffi.string(info.name),
    backend = ffi.string(info.backend), description = ffi.string(info.description),
  }, Device)
end

--- Create an in-order queue.  Options: `priority`; `capacity`, most pending commands (0:
-- 2^20); `native_kind` and `native`, a queue of the driver to submit to.
function Device:queue(label, options)
  options = options or {}
  core.check_options(options, " priority capacity native_kind native ")
  local desc = core.sized("plait_queue_desc", {
    label = label, priority = options.priority, capacity = options.capacity, native = options.native,
    native_kind = options.native_kind and core.native_kind(options.native_kind)})
  return memory.queue(self, core.make("plait_queue", lib.plait_queue_create, self.handle, desc), label)
end

--- Return the size of the device's buffers and its budget, in bytes, and the other
-- numbers of plait_device_info, in a table.
function Device:query()
  local info = core.sized "plait_device_info"
  core.check(lib.plait_device_query(self.handle, info, core.error))
  return core.plain(info, "name backend description capabilities memory memory_bytes budget_bytes used_bytes local_bytes")
end

local function link(from, to)
  local info = core.sized "plait_link_info"
  core.check(lib.plait_device_query_link(from, to, info, core.error))
  return core.plain(info, "flags latency_ns bytes_per_us")
end

--- Return how copies get from the device's memory to that of `other`, nil: of the
-- program: the numbers of plait_link_info, in a table.
function Device:link_to(other)
  return link(self.handle, other and other.handle)
end

--- Return how copies get from the memory of `other`, nil: of the program, to that of the
-- device: the numbers of plait_link_info, in a table.
function Device:link_from(other)
  return link(other and other.handle, self.handle)
end

--- Return a native handle, such as "cl_device" or "cu_context".
function Device:native(kind)
  local out = ffi.new "uint64_t[1]"
  core.check(lib.plait_device_native(self.handle, core.native_kind(kind), out, core.error))
  return out[0]
end

--- Create a buffer of `bytes` bytes.
function Device:buffer(bytes, label)
  return memory.buffer(self, bytes, label)
end

--- Create an image of `width` times `height` pixels for kernels with parameters of type
-- image.  `format` is "r32f" (the default), "rgba32f" or "rgba8"; copies, reads and writes
-- in a queue or graph move whole rows.  The argument of a sampler is the sum of
-- plait.SAMPLER_LINEAR and plait.SAMPLER_ZERO, or 0.
function Device:image(width, height, format, label)
  return memory.image(self, width, height, format, label)
end

--- Create a buffer with the numbers of a table: device:array("float", {1, 2, 3}).
function Device:array(ctype, values, label)
  return memory.array(self, ctype, values, label)
end

--- Create a buffer on the program's own memory, without a copy:
-- device:wrap("float", at, count).  The layer references `at` until no command uses the
-- memory; system:pump() or a wait then drops the reference.
function Device:wrap(ctype, at, count, label)
  return memory.wrap(self, ctype, at, count, label)
end

--- Create a signal; {gate = true}: one that the program raises.
function Device:signal(options)
  options = options or {}
  local desc = core.sized("plait_signal_desc", {
    label = options.label, flags = options.gate and lib.PLAIT_SIGNAL_GATE or 0})
  return memory.signal(self, core.make("plait_signal", lib.plait_signal_create, self.handle, desc),
                       options.label)
end

--- Limit the total size of the device's buffers, in bytes; 0: no limit.
function Device:set_budget(bytes)
  core.check(lib.plait_device_set_budget(self.handle, bytes, core.error))
end

function Device:__tostring()
  return ("plait device %s: %s"):format(self.name, self.description)
end

-- --- systems -----------------------------------------------------------------

--- An open context: its devices, and the inbox for Lua functions; plait.open creates
-- it.  Lua functions run on the thread that opened the system, while that thread waits
-- for an object of plait or pumps.
local System = core.class("System", "plait_context_release")

--- Open a system.  Options, as in plait_context_desc: `backend` (default: the variable
-- PLAIT_BACKEND), `options`, `wrap`, `plugin_path`, `workers`, `sync`.
function plait.open(options)
  local desc = context_desc(options or {})
  local handle = core.make("plait_context", lib.plait_context_open, desc)
  local self = core.object(System, handle, {devices = {}})
  self.inbox = core.inbox(core.make("plait_inbox", lib.plait_inbox_create, handle),
                          function() return self.devices[1]:signal {gate = true} end)
  local count = ffi.new "uint32_t[1]"
  core.check(lib.plait_context_device_count(handle, count, core.error))
  for i = 1, count[0] do
    self.devices[i] = new_device(self, core.make("plait_device", lib.plait_context_device,
                                                 handle, i - 1))
  end
  return self
end

--- Return the report of the backends that were found, chosen and rejected, and why.
function System:report()
  return core.text(lib.plait_context_report, self:handle())
end

--- Create a kernel from portable source, from a table with one text per backend, or
-- from a compiled function: options `library` and `symbol`.
function System:kernel(signature, source, options)
  return kernel.new(self, signature, source, options or {})
end

--- Create kernels from files of portable source, FOLDER/NAME.plk for each name; the
-- comment NAME(...) in the file is the signature.
function System:kernels(folder, ...)
  local made = {}
  for i, name in ipairs {...} do
    local path = folder .. "/" .. name .. ".plk"
    local file, why = io.open(path)
    if not file then
      core.raise(("kernels: %s; give the folder with %s.plk, absolute or relative to where the program was started")
        :format(why, name))
    end
    local text = file:read "*a"
    file:close()
    local signature = text:match("/%*%s*(" .. name .. "%s*%([^*]*%))%s*%*/")
      or core.raise(path .. " has no comment with the signature " .. name .. "(...)")
    signature = signature:gsub("%s+", " ")
    made[i] = self:kernel(signature, text, {file = path})
  end
  return core.unpack(made)
end

--- Create an empty graph.
function System:graph()
  return graph.new(self, core.make("plait_graph", lib.plait_graph_create, self:handle()))
end

--- Return the device with that name, such as "host:0".
function System:device(name)
  local found = core.make("plait_device", lib.plait_context_find_device, self:handle(), name)
  for _, device in ipairs(self.devices) do
    if device.handle == found then return device end
  end
end

--- Create a graph from its text form; see plait-graph(5).  `name` is that of the file, for
-- errors.
function System:read_graph(text, name)
  return graph.new(self, core.make("plait_graph", lib.plait_graph_read, self:handle(), text, #text, name))
end

--- Turn what fn() submits to queues into a graph: system:capture({queue, ...}, fn, {local_signals =
-- }).  Emissions become edges to waits, and nodes unless local_signals; reads and writes without
-- waiting are nodes whose memory each run gives as host0, host1, ...  Functions are refused, and
-- calls that wait.
function System:capture(queues, fn, options)
  local handles = ffi.new("plait_queue *[?]", math.max(#queues, 1))
  for i, queue in ipairs(queues) do handles[i - 1] = core.handle(queue, "Queue", "capture") end
  local flags = lib.PLAIT_CAPTURE_NO_CALLS
  if options and options.local_signals then flags = flags + lib.PLAIT_CAPTURE_LOCAL_SIGNALS end
  core.check(lib.plait_queue_capture(handles, #queues, flags, core.error))
  local done, failure = pcall(fn)
  local made = graph.new(self, core.make("plait_graph", lib.plait_queue_end_capture, handles[0]))
  if not done then error(failure, 0) end
  return made
end

--- Create a flow: tasks with data, whose order is inferred.  Options: window, tasks that may
-- be not done; lanes, tasks that run at a time; record, for flow:explain;
-- strict, which refuses tasks that flow:explain would warn of; check, which proves the order
-- while it runs; fixed: times decide nothing, so equal calls give equal texts; repeats, which finds
-- tasks that repeat, and runs them as one; devices, where launches run; choose, parent and lane, policies as of flow:instructions; device_lanes, queues
-- of each device; threshold, per mille; memory_bytes, of buffers in each memory of devices;
-- history, a file of measured times; links, a file of bandwidths in GB/s; label.
function System:flow(options)
  return flow.new(self, options or {})
end

--- Create a chunk program for a collective ("allreduce", "allgather", ...).  Options:
-- algorithm ("ring", "tree", ...: a known one), chunks (of a rank's share), root, in_place,
-- label; of a "custom" one inputs, outputs (chunks) and promises,
-- {{rank, chunk, {{rank, chunk}, ...}}, ...}: an output chunk is the sum of input chunks.
function System:coll(kind, ranks, options)
  return coll.new(self, kind, ranks, options or {})
end

--- Create a chunk program from its text form; see doc/coll-text.md.  Options: ranks, chunks.
function System:read_coll(text, name, options)
  return coll.read(self, text, name, options)
end

--- Read a schedule: MSCCL XML of any dialect, or what Schedule:write returned.
function System:read_schedule(bytes, name)
  return coll.read_schedule(self, bytes, name)
end

--- Open a world of processes; see World.  Options: transports, "shm,mpi", by default
-- PLAIT_TRANSPORT; rank, ranks, by default a launcher's; open_time, the seconds that the others have
-- to come; silence, the seconds without a movement after which a call fails.
function System:world(options)
  return world.open(self, options or {})
end

--- Read a plan from a file that Plan:save wrote, in any language.  Its names have to be
-- bound before it runs: plan:bindings, plan:bind_kernel and others.
function System:load(path)
  return plan.new(self, core.make("plait_plan", lib.plait_plan_load, self:handle(), path))
end

--- Read a plan from what Plan:bytes returned; see system:load.
function System:read(bytes)
  return plan.new(self, core.make("plait_plan", lib.plait_plan_read, self:handle(), bytes, #bytes))
end

--- Wait until signals reach sequence numbers, {{signal, sequence}, ...}: all of them, or
-- with `any` one, whose index is the result.  For at most `seconds`; nil: without limit.
function System:wait(points, any, seconds) return memory.wait(self, points, any, seconds) end

--- Run the Lua functions that are pending for this thread, and resume coroutines whose
-- runs are done; return the number of events.  With `seconds`, wait for an event first,
-- at most so long: a device whose capabilities include PLAIT_DEVICE_NEEDS_PUMP
-- progresses in such a wait only.
function System:pump(seconds)
  return self.inbox:pump(seconds)
end

--- Return a file descriptor that is readable while pump() has work, for event loops.
function System:descriptor()
  return self.inbox:descriptor()
end

--- Make the calling thread the owner, on which Lua functions run: to be called on the
-- new thread after a Lua state has moved.
function System:adopt()
  core.check(lib.plait_inbox_adopt(self.inbox:handle(), core.error))
end

local function close_inbox(self)
  if self.inbox then
    self.inbox:close()
    self.inbox:release()
    self.inbox = nil
  end
end

--- Release the system and wait, for at most `seconds` (nil: without limit), until all its
-- work, memory and threads are gone and traces are written.  Release or collect the
-- objects made from the system before; any of them keeps it alive.  After the error of a
-- time that is over, the system is released all the same, and ends later; after "lost" it
-- never ends, as a backend does not tell the end of work; after "failed" it has ended, and
-- a flow over ranks had failed without the error of a call.
function System:close(seconds)
  local raw = self:handle()
  close_inbox(self)
  self.raw = nil
  ffi.gc(raw, nil)
  local status = lib.plait_context_close(raw, core.nanoseconds(seconds), core.error)
  if status < 0 and status ~= lib.PLAIT_E_TIMEOUT and status ~= lib.PLAIT_E_LOST
     and status ~= lib.PLAIT_E_FAILED then
    self.raw = ffi.gc(raw, System.give_back) -- the call gave nothing back
  end
  core.check(status)
end

--- Close the inbox and drop the reference: calls of Lua functions that have not been
-- answered fail as cancelled.  Objects made from the system may be released before or
-- after it.
function System:release()
  close_inbox(self)
  core.release(self)
end

return plait
