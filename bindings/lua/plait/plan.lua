-- SPDX-License-Identifier: MIT
-- Plans and their runs.
local core = require "plait.core"
local binding = require "plait.binding"
local ffi, lib = core.ffi, core.lib

local plan = {}

--- A schedule that is replayed: plan {x = ...} runs it and waits.
local Plan = core.class("Plan", "plait_plan_release")

function plan.new(system, handle, functions)
  return core.object(Plan, handle, {system = system, flags = 0,
                                    has_functions = functions ~= nil and #functions > 0})
end

-- What a run is told, as C has it; nil: nothing.
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

--- A run on its way: wait() for it, plait.await it in a coroutine, or cancel() it.
-- Released it goes on.
local Run = core.class("Run", "plait_run_release")
local out = ffi.new "plait_run *[1]"

-- Too many are in flight, and they may need this thread to go on.
local function make_room(self, status)
  local failure = core.failure(status)
  if status ~= lib.PLAIT_E_BUSY or self.system.inbox:pump() == 0 then error(failure, 0) end
end

--- Start it, behind what the queue has.
function Plan:run(queue, given)
  if not queue then
    self.queue = self.queue or self.system.devices[1]:queue()
    queue = self.queue
  end
  -- Functions that run in between may run this plan: it is told again.
  local status = lib.plait_plan_run(self:handle(), queue:handle(), told(self, given), out, core.error)
  while status < 0 do
    make_room(self, status)
    status = lib.plait_plan_run(self:handle(), queue:handle(), told(self, given), out, core.error)
  end
  return core.object(Run, out[0], {plan = self, queue = queue})
end

-- Its functions are pulled, which takes a run and a wait.
local function run_and_wait(self, given)
  local run = self:run(nil, given)
  local good, text = pcall(run.wait, run)
  run:release()
  if not good then
    self.queue = nil -- it would have to be finished before it runs more
    error(text, 0)
  end
end

--- Run it and wait: plan {a = 2}.
function Plan:__call(given)
  if self.has_functions then return run_and_wait(self, given) end
  core.check(lib.plait_plan_call(self:handle(), nil, told(self, given), core.error))
end

-- --- what else there is to do with it -------------------------------------------

--- A plan as a function of C; see plan:callable.
local Callable = core.class("Callable", "plait_callable_release")

--- The plan as a C function of that type, for C code or to be called here:
--
--     made = plan:callable("step(dt: f64, x: pointer): i32",
--                          "int32_t (*)(double, plait_buffer *)")
--     made.call(0.1, x:handle())
--
-- It answers a status, 0 or negative, and is there as long as `made` is.
function Plan:callable(signature, ctype)
  local desc = core.sized("plait_callable_desc", {signature = signature})
  local made = core.object(Callable, core.make("plait_callable", lib.plait_callable_create,
                                               self:handle(), desc), {plan = self})
  local function_at = ffi.new "plait_any_function[1]"
  core.check(lib.plait_callable_function(made:handle(), function_at, core.error))
  made.call = ffi.cast(ctype, function_at[0])
  return made
end

--- Prove the schedule; an error says what does not hold.
function Plan:check() core.check(lib.plait_plan_check(self:handle(), core.error)) end

local function written(write, handle, format)
  local needed = ffi.new "uint64_t[1]"
  core.check(write(handle, format, nil, 0, needed, core.error))
  local room = ffi.new("char[?]", needed[0])
  core.check(write(handle, format, room, needed[0], needed, core.error))
  return ffi.string(room, needed[0])
end

--- The plan as "json", or its picture as "dot" or "svg".
function Plan:text(form)
  return written(lib.plait_plan_write, self:handle(), lib["PLAIT_FORMAT_" .. form:upper()])
end

--- Write it to a file, for system:load.
function Plan:save(path) core.check(lib.plait_plan_save(self:handle(), path, core.error)) end

--- From now on runs write down what each lane does; see run:trace.
function Plan:record()
  core.check(lib.plait_plan_record(self:handle(), 0, core.error))
  self.flags, self.bind = lib.PLAIT_RUN_RECORD, nil
end

-- --- runs ----------------------------------------------------------------------

-- A plan's own queue has failed with it, and nobody can finish that.
local function checked(self, status)
  local failure = status < 0 and core.failure(status)
  if not failure then return status end
  if self.plan.queue == self.queue and
     lib.plait_run_poll(self:handle(), nil) ~= lib.PLAIT_PENDING then
    self.plan.queue = nil
  end
  error(failure, 0)
end

--- Is it done?  What it failed with is an error.
function Run:poll()
  return checked(self, lib.plait_run_poll(self:handle(), core.error)) ~= lib.PLAIT_PENDING
end

--- Wait until it is done, for so many seconds at most; what it failed with is an
-- error.
function Run:wait(seconds)
  local time = core.nanoseconds(seconds)
  while checked(self, lib.plait_run_wait(self:handle(), time, core.error)) == lib.PLAIT_EVENT_READY do
    self.plan.system.inbox:pump()
  end
end

--- What has not begun does not run.
function Run:cancel() core.check(lib.plait_run_cancel(self:handle(), core.error)) end

--- What a run that is done has written down, as a picture, "svg", or as "json" for
-- Perfetto; see plan:record.
function Run:trace(form)
  return written(lib.plait_run_write, self:handle(), lib["PLAIT_TRACE_" .. form:upper()])
end

--- In a coroutine: yield until the run is done; system:pump() resumes it.
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
