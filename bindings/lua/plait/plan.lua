-- SPDX-License-Identifier: MIT
-- Plans, runs, and plans as C functions.
local core = require "plait.core"
local binding = require "plait.binding"
local ffi, lib = core.ffi, core.lib

local plan = {}

--- A frozen schedule: plan {x = ...} runs it and waits.
local Plan = core.class("Plan", "plait_plan_release")

function plan.new(system, handle, functions)
  return core.object(Plan, handle, {system = system, flags = 0,
                                    has_functions = functions ~= nil and #functions > 0})
end

local release = Plan.release

--- Drop the reference now, and that of the plan's own queue, which would keep the system
-- alive; runs in flight continue.
function Plan:release()
  release(self)
  if self.queue then self.queue:release() end
  self.queue = nil
end

local MODES = {strict = lib.PLAIT_MODE_STRICT, helped = lib.PLAIT_MODE_HELPED, auto = lib.PLAIT_MODE_AUTO}

--- Return the number of a mode; the default is "auto".
function plan.mode(name)
  return MODES[name or "auto"] or
    core.raise(("mode: %s is none of \"strict\", \"helped\" and \"auto\""):format(core.describe(name)))
end

-- Return the plait_run_desc of a run, or nil if it has no parameters and no flags.
local function told(self, given)
  if given == nil and self.flags == 0 then return nil end
  if given ~= nil and type(given) ~= "table" then
    core.raise("a plan takes its parameters by name: plan {a = ...}, not plan("
          .. core.describe(given) .. ")")
  end
  self.bind = self.bind or binding.new(self:handle(), self.flags)
  return self.bind(given or {})
end

-- --- running -------------------------------------------------------------------

--- A run in flight: wait() for it, plait.await it in a coroutine, or cancel() it.
-- A released run continues.
local Run = core.class("Run", "plait_run_release")
local out = ffi.new "plait_run *[1]"

-- Pump if all instances of the plan are in flight: a run may need a function on this
-- thread to progress.  Raises the error otherwise.
local function make_room(self, status)
  local failure = core.failure(status)
  if status ~= lib.PLAIT_E_BUSY or self.system.inbox:pump() == 0 then error(failure, 0) end
end

-- Return true if the run uses memory of the program.  LuaJIT compiles no pairs(), so
-- runs without parameters do not come here.
local function lends(given)
  for _, value in pairs(given) do
    if core.is_cdata(value) then return true end
  end
  return false
end

-- Memory of the program that runs in flight use: their queue keeps it.
local function lend(run, given)
  local kept, at = run.queue.kept, 1
  while kept[at] ~= nil do
    local other = kept[at].run
    -- A run that was released may be in flight.
    if other and other.raw ~= nil and lib.plait_run_poll(other.raw, nil) ~= lib.PLAIT_PENDING then
      table.remove(kept, at)
    else
      at = at + 1
    end
  end
  kept[at] = {run = run, given = given}
  return run
end

--- Start a run after the commands in `queue`; return a Run.  The default is a queue of
-- the plan's own, on the first device.
function Plan:run(queue, given)
  if not queue then
    self.queue = self.queue or self.system.devices[1]:queue()
    queue = self.queue
  end
  -- A function run by make_room may run this plan and overwrite the bindings, so each
  -- attempt fills them again.
  local status = lib.plait_plan_run(self:handle(), queue:handle(), told(self, given), out, core.error)
  while status < 0 do
    make_room(self, status)
    status = lib.plait_plan_run(self:handle(), queue:handle(), told(self, given), out, core.error)
  end
  local run = core.object(Run, out[0], {plan = self, queue = queue})
  return given and lends(given) and lend(run, given) or run
end

-- Run a plan that has Lua functions; plait_plan_call cannot serve them.
local function run_and_wait(self, given)
  local run = self:run(nil, given)
  local good, text = pcall(run.wait, run)
  run:release()
  if not good then
    self.queue = nil -- a failed queue accepts nothing until it is finished
    error(text, 0)
  end
end

--- Run the plan and wait: plan {a = 2}.
function Plan:__call(given)
  if self.has_functions then return run_and_wait(self, given) end
  core.check(lib.plait_plan_call(self:handle(), nil, told(self, given), core.error))
end

-- --- other operations of plans --------------------------------------------------

--- A plan as a C function; see plan:callable.
local Callable = core.class("Callable", "plait_callable_release")

--- Return the plan as a C function of that type, for C code or for calls from Lua:
--
--     made = plan:callable("step(dt: f64, x: pointer): i32",
--                          "int32_t (*)(double, plait_buffer *)")
--     made.call(0.1, x:handle())
--
-- The function returns a status, 0 or negative, and is valid while `made` lives.
function Plan:callable(signature, ctype)
  local desc = core.sized("plait_callable_desc", {signature = signature})
  local made = core.object(Callable, core.make("plait_callable", lib.plait_callable_create,
                                               self:handle(), desc), {plan = self})
  local function_at = ffi.new "plait_any_function[1]"
  core.check(lib.plait_callable_function(made:handle(), function_at, core.error))
  made.call = ffi.cast(ctype, function_at[0])
  return made
end

--- Allocate and compile all that a run needs; the first run does so otherwise.
function Plan:prepare() core.check(lib.plait_plan_prepare(self:handle(), core.error)) end

--- Set the flags of later runs; those that are not given are off.  `serial`: one lane at a
-- time; `parallel`: all lanes; without both the library chooses.  `no_wait`: an error
-- instead of a wait if all instances are in flight.  `record`: see plan:record.  `overlap`:
-- runs that write the same memory do not take turns.
function Plan:set_flags(how)
  core.check_options(how, " serial parallel no_wait record overlap ")
  self.flags = (how.serial and lib.PLAIT_RUN_SERIAL or 0) + (how.parallel and lib.PLAIT_RUN_PARALLEL or 0)
    + (how.no_wait and lib.PLAIT_RUN_NO_WAIT or 0) + (how.record and lib.PLAIT_RUN_RECORD or 0)
    + (how.overlap and lib.PLAIT_RUN_OVERLAP or 0)
  self.bind = nil
end

-- --- names ---------------------------------------------------------------------

local KINDS = {[0] = "kernel", "buffer", "signal", "function", "device"}

--- Return the names of a plan that was read, in a table: `name`, `kind` ("kernel",
-- "buffer", "signal", "function" or "device"), `bound`, `bytes` (the smallest size of a
-- buffer), `detail` (a signature, or a device) and `flags`.
function Plan:bindings()
  local found = {}
  for i = 0, self:query().bindings - 1 do
    local one = core.sized "plait_plan_binding"
    core.check(lib.plait_plan_query_binding(self:handle(), i, one, core.error))
    found[i + 1] = core.plain(one, "name kind flags bound bytes detail")
    found[i + 1].kind, found[i + 1].bound = KINDS[one.kind] or one.kind, one.bound ~= 0
  end
  return found
end

--- Bind a kernel of a plan that was read; its own name is the name.
function Plan:bind_kernel(kernel)
  core.check(lib.plait_plan_bind_kernel(self:handle(), core.handle(kernel, "Kernel", "bind_kernel"), core.error))
end

--- Bind a buffer to a name of a plan that was read.
function Plan:bind_buffer(name, buffer)
  core.check(lib.plait_plan_bind_buffer(self:handle(), name, core.handle(buffer, "Buffer", "bind_buffer"),
                                        core.error))
end

--- Bind a signal to a name of a plan that was read.
function Plan:bind_signal(name, signal)
  core.check(lib.plait_plan_bind_signal(self:handle(), name, core.handle(signal, "Signal", "bind_signal"),
                                        core.error))
end

--- Bind a function to a name of a plan that was read.  A Lua function runs on the thread
-- that opened the system; for a loop or a case its result is the number that decides.  A
-- function that runs on any thread is one of C: a cdata, the int32_t (*)(void *).
-- {coroutine = true}: as of graph:call.
function Plan:bind_function(name, fn, how)
  local desc, inbox = core.sized "plait_function_desc", self.system.inbox
  if core.is_cdata(fn) then
    desc["function"] = ffi.cast("plait_host_function", fn)
    desc.flags = lib.PLAIT_CALL_ANY_THREAD
  elseif type(fn) ~= "function" then
    core.raise("bind_function: expected a function, not " .. core.describe(fn))
  else
    desc.user_data, desc.inbox = inbox:register(fn, true, how and how.coroutine), inbox:handle()
  end
  core.check(lib.plait_plan_bind_function(self:handle(), name, desc, core.error))
  self.has_functions = self.has_functions or type(fn) == "function"
end

--- Bind a device to a name of a plan that was read.
function Plan:bind_device(name, device)
  core.check(lib.plait_plan_bind_device(self:handle(), name, device.handle, core.error))
end

--- Replace a kernel of the plan by one with an equal signature, for later runs.
function Plan:exchange(old, kernel)
  core.check(lib.plait_plan_exchange(self:handle(), core.handle(old, "Kernel", "exchange"),
                                     core.handle(kernel, "Kernel", "exchange"), core.error))
end

-- --- schedule ------------------------------------------------------------------

local INFO = "policy mode devices nodes edges lanes commands waits signals regions makespan scratch_bytes "
  .. "bytes peak_bytes bindings unbound"

--- Return the properties of the plan, in a table: the fields of plait_plan_info.
function Plan:query()
  local info = core.sized "plait_plan_info"
  core.check(lib.plait_plan_query(self:handle(), info, core.error))
  return core.plain(info, INFO)
end

--- Return the commands of the plan, in a table: the fields of plait_command_info.
function Plan:commands()
  local found = {}
  for i = 0, self:query().commands - 1 do
    local info = core.sized "plait_command_info"
    core.check(lib.plait_plan_query_command(self:handle(), i, info, core.error))
    found[i + 1] = core.plain(info, "kind lane device label")
  end
  return found
end

local function costs_of(costs)
  core.check_options(costs or {}, " hop_cost submit_cost copy_alpha copy_beta ")
  return core.sized("plait_system_desc", costs)
end

--- Predict a run from the costs of the nodes and those of a system: {hop_cost = ,
-- submit_cost = , copy_alpha = , copy_beta = }.  Returns the fields of plait_simulation,
-- and `lanes`: those of plait_lane_use.
function Plan:simulate(costs)
  local count, out, raw = self:query().lanes, core.sized "plait_simulation", costs_of(costs)
  local lanes = core.array("plait_lane_use", count)
  core.check(lib.plait_plan_simulate(self:handle(), raw, out, lanes, count, core.error))
  local made = core.plain(out, "makespan critical_cost critical_count busy memory_peak")
  made.lanes = {}
  for i = 1, count do
    made.lanes[i] = core.plain(lanes[i - 1], "device device_name commands waits start end busy")
  end
  return made
end

--- Return the commands on the predicted critical path, in order of time: the fields of
-- plait_critical_command.  The costs are as for plan:simulate.
function Plan:critical_path(costs)
  local out, raw, found = core.sized "plait_simulation", costs_of(costs), {}
  core.check(lib.plait_plan_simulate(self:handle(), raw, out, nil, 0, core.error))
  local count = tonumber(out.critical_count)
  local path = core.array("plait_critical_command", count)
  core.check(lib.plait_plan_critical_path(self:handle(), raw, path, count, core.error))
  for i = 1, count do found[i] = core.plain(path[i - 1], "lane node command label start end") end
  return found
end

--- Turn the plan into a rehearsal: runs execute costs, `unit_ns` nanoseconds per unit, and
-- call nothing.
function Plan:rehearse(unit_ns)
  core.check(lib.plait_plan_rehearse(self:handle(), unit_ns or 0, core.error))
end

--- Plan the same graph again with the costs that recorded runs measured.  Options: `mode`
-- as for graph:freeze, `lanes` (0: the limit of the plan), `hop_ns`.  Returns the new plan
-- and the fields of plait_tune_info: compare `before_ns` and `after_ns`.
function Plan:tune(how)
  how = how or {}
  core.check_options(how, " mode lanes hop_ns ")
  local desc = core.sized("plait_tune_desc", {mode = plan.mode(how.mode), lanes = how.lanes, hop_ns = how.hop_ns})
  local info, made = core.sized "plait_tune_info", ffi.new "plait_plan *[1]"
  core.check(lib.plait_plan_tune(self:handle(), desc, made, info, core.error))
  local new = plan.new(self.system, made[0])
  new.has_functions = self.has_functions
  return new, core.plain(info, "runs measured before_ns after_ns")
end

--- Verify the schedule; the error names the violated property.
function Plan:check() core.check(lib.plait_plan_check(self:handle(), core.error)) end

local FORMATS = {json = lib.PLAIT_FORMAT_JSON, dot = lib.PLAIT_FORMAT_DOT, svg = lib.PLAIT_FORMAT_SVG}
local TRACES = {json = lib.PLAIT_TRACE_JSON, svg = lib.PLAIT_TRACE_SVG}

local function no_form(form, known)
  local names = {}
  for name in pairs(known) do names[#names + 1] = name end
  table.sort(names)
  core.raise(("no form %s; the forms are %s"):format(core.describe(form), table.concat(names, ", ")))
end

local function written(write, handle, format)
  local needed = ffi.new "uint64_t[1]"
  core.check(write(handle, format, nil, 0, needed, core.error))
  local room = ffi.new("char[?]", needed[0])
  core.check(write(handle, format, room, needed[0], needed, core.error))
  return ffi.string(room, needed[0])
end

--- Return the plan as "json", or a drawing as "dot" or "svg".
function Plan:text(form)
  return written(lib.plait_plan_write, self:handle(), FORMATS[form] or no_form(form, FORMATS))
end

--- Write the plan to a file, for system:load.
function Plan:save(path) core.check(lib.plait_plan_save(self:handle(), path, core.error)) end

--- Return what plan:save writes, for system:read.
function Plan:bytes() return written(lib.plait_plan_write, self:handle(), lib.PLAIT_FORMAT_BINARY) end

--- Record what each lane does in all later runs; see run:trace.  `records`: room per lane;
-- 0, the default: enough for the expected numbers of iterations.
function Plan:record(records)
  core.check(lib.plait_plan_record(self:handle(), records or 0, core.error))
  if not core.has(self.flags, lib.PLAIT_RUN_RECORD) then self.flags = self.flags + lib.PLAIT_RUN_RECORD end
  self.bind = nil
end

-- --- runs ----------------------------------------------------------------------

-- The plan's own queue failed with the run, and no caller can finish it.
local function checked(self, status)
  local failure = status < 0 and core.failure(status)
  if not failure then return status end
  if self.plan.queue == self.queue and
     lib.plait_run_poll(self:handle(), nil) ~= lib.PLAIT_PENDING then
    self.plan.queue = nil
  end
  error(failure, 0)
end

--- Return true if the run is done; raise its error if it failed.
function Run:poll()
  return checked(self, lib.plait_run_poll(self:handle(), core.error)) ~= lib.PLAIT_PENDING
end

--- Wait until the run is done, for at most `seconds`; nil: without limit.  Raises its
-- error if it failed.
function Run:wait(seconds)
  local time = core.nanoseconds(seconds)
  while checked(self, lib.plait_run_wait(self:handle(), time, core.error)) == lib.PLAIT_EVENT_READY do
    self.plan.system.inbox:pump()
  end
end

--- Return the state of the run, in a table: the fields of plait_run_info.
function Run:query()
  local info = core.sized "plait_run_info"
  core.check(lib.plait_run_query(self:handle(), info, core.error))
  return core.plain(info, "status iterations failed_command commands commands_expected begin_ns end_ns device_regions")
end

--- Return the records of a recorded run that is done, the fields of plait_record, and the
-- number of dropped ones; see plan:record.
function Run:records()
  local count, found = ffi.new "uint64_t[2]", {}
  core.check(lib.plait_run_records(self:handle(), nil, 0, count, count + 1, core.error))
  local capacity = tonumber(count[0])
  local array = core.array("plait_record", capacity)
  core.check(lib.plait_run_records(self:handle(), array, capacity, count, count + 1, core.error))
  for i = 1, tonumber(count[0]) do
    found[i] = core.plain(array[i - 1], "kind lane planned_lane command other iteration thread start_ns end_ns")
  end
  return found, tonumber(count[1])
end

--- Cancel the run: no further command of it starts.
function Run:cancel() core.check(lib.plait_run_cancel(self:handle(), core.error)) end

--- Return the trace of a recorded run that is done: a drawing as "svg", or "json" for
-- Perfetto; see plan:record.
function Run:trace(form)
  return written(lib.plait_run_write, self:handle(), TRACES[form] or no_form(form, TRACES))
end

--- In a coroutine: yield until the run is done; system:pump() resumes the coroutine.
function plan.await(run)
  local inbox = run.plan.system.inbox
  core.await(inbox, run, function(number)
    core.check(lib.plait_run_notify(run:handle(), inbox:handle(), nil, number, core.error))
  end)
  run:poll()
end

return plan
