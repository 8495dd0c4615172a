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

-- Return the plait_run_desc of a run, or nil if it has no parameters and no flags.
local function told(self, given)
  if given == nil and self.flags == 0 then return nil end
  if given ~= nil and type(given) ~= "table" then
    error("a plan takes its parameters by name: plan {a = ...}, not plan("
          .. core.describe(given) .. ")", 3)
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
  return core.object(Run, out[0], {plan = self, queue = queue})
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

--- Verify the schedule; the error names the violated property.
function Plan:check() core.check(lib.plait_plan_check(self:handle(), core.error)) end

local function written(write, handle, format)
  local needed = ffi.new "uint64_t[1]"
  core.check(write(handle, format, nil, 0, needed, core.error))
  local room = ffi.new("char[?]", needed[0])
  core.check(write(handle, format, room, needed[0], needed, core.error))
  return ffi.string(room, needed[0])
end

--- Return the plan as "json", or a drawing as "dot" or "svg".
function Plan:text(form)
  return written(lib.plait_plan_write, self:handle(), lib["PLAIT_FORMAT_" .. form:upper()])
end

--- Write the plan to a file, for system:load.
function Plan:save(path) core.check(lib.plait_plan_save(self:handle(), path, core.error)) end

--- Record what each lane does in all later runs; see run:trace.
function Plan:record()
  core.check(lib.plait_plan_record(self:handle(), 0, core.error))
  self.flags, self.bind = lib.PLAIT_RUN_RECORD, nil
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

--- Cancel the run: no further command of it starts.
function Run:cancel() core.check(lib.plait_run_cancel(self:handle(), core.error)) end

--- Return the trace of a recorded run that is done: a drawing as "svg", or "json" for
-- Perfetto; see plan:record.
function Run:trace(form)
  return written(lib.plait_run_write, self:handle(), lib["PLAIT_TRACE_" .. form:upper()])
end

--- In a coroutine: yield until the run is done; system:pump() resumes the coroutine.
function plan.await(run)
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

return plan
