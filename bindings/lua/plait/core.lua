-- SPDX-License-Identifier: MIT
-- Loading of libplait, errors, handles, and the inbox for Lua functions.  What LuaJIT and
-- Lua 5.4 do in different ways is here, the FFI included: plait.ffi is a module in C.
--
-- The thread that opened the system pulls calls of Lua functions from the inbox as
-- events.  plait never calls into Lua: no FFI callback exists that could be
-- collected, run on another thread, or be entered from compiled code.
local ffi = require(jit and "ffi" or "plait.ffi")
ffi.cdef(require "plait.cdef")

local core = {ffi = ffi, unpack = unpack or table.unpack, load = loadstring or load}

--- The largest uint64_t: no limit of time or size.
core.FOREVER = ffi.cast("uint64_t", ffi.cast("int64_t", -1))

--- Return true for memory and pointers of C; in LuaJIT also for 64-bit integers.
function core.is_cdata(value) return getmetatable(value) == "ffi" end

--- Return true for a 64-bit integer that came from C.
core.is_wide = math.type and function(value) return math.type(value) == "integer" end or core.is_cdata

--- Return memory of C as an array of `count` elements; after end_view it is gone.  LuaJIT
-- checks neither.
core.view = ffi.view or function(ctype, pointer) return ffi.cast(ctype .. " *", pointer) end
core.end_view = ffi.end_view or function() end

--- Return true for a pointer, whose memory has no known size; also for one to an array,
-- `float (*)[4]`, but not for an array of pointers, `float *[4]`.
function core.is_pointer(value)
  local name = tostring(ffi.typeof(value))
  return name:find "%*[^%[]*$" ~= nil or name:find "%(%*[^%[%)]*%)" ~= nil
end

--- Raise an error if memory has fewer bytes than a call would use; return them.
function core.check_room(at, bytes, what)
  local good, size = pcall(ffi.sizeof, at)
  if good and not core.is_pointer(at) and bytes > size then
    core.raise(("%s: %s bytes, and the memory has %s"):format(what, tostring(bytes), tostring(size)))
  end
  return bytes
end

--- Return true if flags have a flag of one bit.
function core.has(flags, flag) return math.floor(flags / tonumber(flag)) % 2 == 1 end

local function open()
  local chosen = os.getenv "PLAIT_LIBRARY"
  local tried = {}
  for _, name in ipairs(chosen and {chosen} or {"libplait.so.0", "plait"}) do
    local good, found = pcall(ffi.load, name)
    if good then return found end
    tried[#tried + 1] = "  " .. name .. ": " .. tostring(found)
  end
  error("libplait was not found; tried\n" .. table.concat(tried, "\n")
        .. "\nInstall it, or set PLAIT_LIBRARY to the file.", 0)
end

-- Never unloaded: the library must outlive every finalizer.
local lib = open()
core.lib = lib

--- Return a zeroed struct of that type with its `size` and the given fields set.
function core.sized(name, fields)
  local made = ffi.new(name)
  made.size = ffi.sizeof(name)
  for key, value in pairs(fields or {}) do made[key] = value end
  return made
end

for _, name in ipairs {"plait_error", "plait_context_desc", "plait_node_desc", "plait_event"} do
  local have, want = tonumber(lib.plait_sizeof(name)), ffi.sizeof(name)
  if have < want then
    error(("the library's %s has %d bytes, this package's %d"):format(name, have, want), 0)
  end
end

-- --- errors --------------------------------------------------------------------

core.error = core.sized "plait_error"

--- The error of a failed call or command: `status` and its `name`, `text`, `origin` (the
-- number that the failing function or driver call returned), `detail` (a compiler log,
-- for example; nil if there is none) and `trace` (the traceback of a Lua function that
-- failed, or nil).
local Error = {}
Error.__index = Error
function Error:__tostring()
  return ("%s (%s)%s"):format(self.text, self.name, self.trace and "\n" .. self.trace or "")
end

-- The functions of C that error texts name, as this layer calls them.
core.names = {
  plait_plan_bind_kernel = "plan:bind_kernel", plait_plan_bind_buffer = "plan:bind_buffer",
  plait_plan_bind_signal = "plan:bind_signal", plait_plan_bind_function = "plan:bind_function",
  plait_plan_bind_device = "plan:bind_device", plait_plan_call = "plan()", plait_plan_run = "plan:run",
  plait_plan_record = "plan:record", plait_run_cancel = "run:cancel",
  plait_signal_reset = "signal:reset", plait_inbox_adopt = "system:adopt",
  plait_plan_find_parameter = "plan {name = value}", plait_launch = "launch",
  plait_flow_repeat = "flow:replay",
  PLAIT_RUN_RECORD = "plan:set_flags {record = true}",
}

-- Return Lua's name of a function, an option or a struct of options of C.
local function lua_name(name)
  return core.names[name] or name:match "^plait_(%l+)_desc$"
end

-- Tracebacks of Lua functions that failed, by the number that C reports as `origin`:
-- one line of text has no room for them.  A ring of the last KEPT.
local KEPT, FIRST = 256, 0x40000000
local traces, last_trace = {}, 0

-- Keep the traceback of an error in a Lua function; return its number.
function core.keep_trace(trace)
  last_trace = last_trace % 0x3fffffff + 1
  traces[last_trace % KEPT] = {number = FIRST + last_trace, text = trace}
  return FIRST + last_trace
end

local function trace_of(origin)
  local found = traces[(origin - FIRST) % KEPT]
  return origin > FIRST and found and found.number == origin and found.text or nil
end

local function detail_text(number)
  if number == 0 then return nil end
  local needed = ffi.new "uint64_t[1]"
  lib.plait_error_detail(number, nil, 0, needed)
  local room = ffi.new("char[?]", needed[0] + 1)
  if lib.plait_error_detail(number, room, needed[0] + 1, needed) < 0 then return nil end
  return ffi.string(room)
end

--- Return the Error of the call that has just failed; its tostring is text and name.
function core.failure(status)
  local raw = core.error
  local origin = tonumber(raw.origin)
  return setmetatable({
    status = status, name = ffi.string(lib.plait_status_name(status)),
    text = (ffi.string(raw.text):gsub("plait_[a-z_]+", lua_name)
      :gsub("PLAIT_RUN_RECORD", core.names)), origin = origin,
    detail = detail_text(raw.detail), trace = trace_of(origin),
  }, Error)
end

function core.check(status)
  if status < 0 then error(core.failure(status), 0) end
  return status
end

--- Call a plait_..._create, whose out parameter precedes the error; return the handle.
function core.make(name, create, ...)
  local out = ffi.new(name .. " *[1]")
  local arguments = {...}
  local count = select("#", ...)
  arguments[count + 1], arguments[count + 2] = out, core.error
  core.check(create(core.unpack(arguments, 1, count + 2)))
  return out[0]
end

-- The folder of this layer; its generated code has a name of its own.
local HERE = debug.getinfo(1, "S").source:match "^(.*[/\\])" or "@"

--- Return file and line of the innermost caller outside this layer.
function core.caller()
  for level = 2, 100 do
    local found = debug.getinfo(level, "Sl")
    if not found then break end
    if found.what ~= "C" and found.source ~= "=plait parameters" and
       found.source:sub(1, #HERE) ~= HERE then
      return found.short_src, found.currentline
    end
  end
end

--- Return "file:line" of that caller.
function core.place()
  local file, line = core.caller()
  return file and ("%s:%d"):format(file, line)
end

--- Raise an error with the place of the caller outside this layer.
function core.raise(text)
  local place = core.place()
  error(place and place .. ": " .. text or text, 0)
end

-- Raise an error for an unknown option, which a table would accept silently.
-- `known` lists the names, each between spaces.
function core.check_options(given, known)
  if not core.is_plain(given) then
    core.raise(("options are a table, {name = value}, not %s; the options are%s"):format(
      core.describe(given), known))
  end
  for name in pairs(given) do
    if not known:find(" " .. tostring(name) .. " ", 1, true) then
      core.raise(("unknown option %s; the options are%s"):format(tostring(name), known))
    end
  end
end

--- Return true for a plain table, false for an object of plait.
function core.is_plain(value)
  return type(value) == "table" and getmetatable(value) == nil
end

--- Describe a wrong value for an error text.
function core.describe(value)
  local kind = type(value)
  if kind == "string" then return ("%q"):format(value) end
  if core.is_plain(value) then return "a table" end
  return kind == "function" and "a function" or tostring(value)
end

--- Return the handle of an object of that class; raise an error for other values.
function core.handle(value, name, what)
  local class = type(value) == "table" and getmetatable(value)
  if not class or class.name ~= name then
    core.raise(("%s: expected a %s, not %s"):format(what, name:lower(), core.describe(value)))
  end
  return value:handle()
end

--- Return a text of unknown length: one call asks for the size, one for the text.
function core.text(get, handle)
  local needed = ffi.new "uint64_t[1]"
  core.check(get(handle, nil, 0, needed, core.error))
  local room = ffi.new("char[?]", needed[0] + 1)
  core.check(get(handle, room, needed[0] + 1, needed, core.error))
  return ffi.string(room)
end

--- Return a struct of C as a table: texts as strings, numbers as numbers, without
-- `size` and padding.
function core.plain(struct, names)
  local made = {}
  for name in names:gmatch "%S+" do
    local value = struct[name]
    if value == nil then -- a text that is NULL
      made[name] = ""
    elseif not core.is_cdata(value) then
      made[name] = value
    elseif tostring(ffi.typeof(value)):find "char" then
      made[name] = ffi.string(value)
    else
      made[name] = tonumber(value)
    end
  end
  return made
end

--- Return an array of C structs with their `size` set.
function core.array(name, count)
  local made = ffi.new(name .. "[?]", math.max(count, 1))
  for i = 0, math.max(count, 1) - 1 do made[i].size = ffi.sizeof(name) end
  return made
end

--- Return the number of a kind of native handle: "cl_queue", or the number.
function core.native_kind(kind)
  if type(kind) == "number" then return kind end
  local good, found = pcall(function() return lib["PLAIT_NATIVE_" .. tostring(kind):upper()] end)
  return good and found or core.raise(("native: no kind %s; plait/native.h has them"):format(
    core.describe(kind)))
end

function core.nanoseconds(seconds)
  if seconds == nil then return core.FOREVER end
  return ffi.cast("uint64_t", math.max(0, seconds) * 1e9)
end

-- --- handles -------------------------------------------------------------------

--- Create a class of objects that own one reference; release() or the garbage
-- collector drops it, in any order.
function core.class(name, release)
  local class = {name = name, give_back = lib[release]}
  class.__index = class
  class.__tostring = function() return "plait " .. name end

  --- Return the C handle, for direct calls of the C library.
  function class:handle()
    return self.raw or core.raise(("%s%s was released%s"):format(name, self.label and
      (" %q"):format(self.label) or "", self.gone and " at " .. self.gone or ""))
  end

  --- Drop the reference now; the object cannot be used afterwards.
  function class:release()
    -- Runs are many, and looking at the stack leaves compiled code.
    if self.raw ~= nil and name ~= "Run" then self.gone = core.place() end
    core.release(self)
  end

  return class
end

function core.object(class, handle, fields)
  fields.raw = ffi.gc(handle, class.give_back)
  return setmetatable(fields, class)
end

function core.release(object)
  local raw = object.raw
  if raw ~= nil then
    object.raw = nil
    getmetatable(object).give_back(ffi.gc(raw, nil))
  end
end

-- --- the inbox -----------------------------------------------------------------

local Inbox = core.class("Inbox", "plait_inbox_release")

-- `suspends`: the numbers of functions that are coroutines; make_gate() returns a gate of the
-- system.
function core.inbox(handle, make_gate)
  return core.object(Inbox, handle, {once = {}, often = {}, last = 0, suspends = {}, make_gate = make_gate})
end

-- Register a function; return its number as user data of events.  `keep`: the event
-- may come more than once; the entry lives as long as the system, since runs may
-- outlive their graph.  `suspends`: each call is a coroutine.
function Inbox:register(fn, keep, suspends)
  self.last = self.last + 1
  self[keep and "often" or "once"][self.last] = fn
  self.suspends[self.last] = suspends or nil
  return ffi.cast("void *", ffi.cast("uintptr_t", self.last))
end

local function answer(self, id, good, result)
  local value, text = 0, nil
  if not good then
    value, text = result.number, result.text
  elseif type(result) == "number" then
    value = result
  elseif result == true then
    value = 1
  end
  core.check(lib.plait_inbox_answer(self:handle(), id, value, text, core.error))
end

-- Describe an error in a Lua function: one line for C, and the traceback.
local function describe_failure(problem)
  local text = tostring(problem)
  return {text = text:match "^[^\n]*", number = core.keep_trace(debug.traceback(text, 2))}
end

-- Run a function of a call inside of it, as C sees that: a wait for itself is
-- PLAIT_E_DEADLOCK.  The function may pull further events itself, and release the inbox.
local function inside(self, id, run, ...)
  local handle = self:handle()
  lib.plait_inbox_begin(handle, id, nil) -- refused if a close has answered the call
  local good, result = run(...)
  lib.plait_inbox_end(handle, id, nil)
  return good, result
end

local function run_call(self, id, fn)
  if not fn then return answer(self, id, false, {number = 1, text = "the function was removed"}) end
  answer(self, id, inside(self, id, xpcall, fn, describe_failure))
end

--- Return true inside a function whose run was stopped.
function core.is_stopping() return lib.plait_run_is_stopping() == 1 end

-- --- coroutines that are nodes ---
--
-- A node that suspends is a call that is answered when its coroutine has ended.  The thread
-- that pumps resumes it: after an await by the event of that, after a plain yield by an event
-- of a gate that is open.  `nodes` has those that have begun and not ended, by thread: `id` of
-- the call, `stopped` when the run was stopped, `stop` the number of the function for that
-- event, `awaits` while an event will resume it.

local nodes = {}

local function stopped_failure()
  return setmetatable({status = lib.PLAIT_E_CANCELLED, name = "PLAIT_E_CANCELLED", origin = 0,
                       text = "the run of the coroutine was stopped"}, Error)
end

-- Request an event that comes at the next pump.
local function ask_for_turn(self, number)
  if not self.open then
    self.open = self.make_gate()
    self.open:raise(1)
  end
  core.check(lib.plait_signal_notify(self.open:handle(), 1, self:handle(), nil, number, core.error))
end

local function end_node(self, thread, good, result)
  local node = nodes[thread]
  nodes[thread], self.once[node.stop] = nil, nil
  if not good then
    local text = tostring(result)
    result = {text = text:match "^[^\n]*", number = core.keep_trace(debug.traceback(thread, text))}
  end
  answer(self, node.id, good, result)
end

-- Resume the coroutine of a node, until it awaits, yields or ends.
local function advance(self, thread)
  local node = nodes[thread]
  local good, result = inside(self, node.id, coroutine.resume, thread)
  if coroutine.status(thread) == "dead" then
    end_node(self, thread, good, result)
  elseif not node.awaits then
    node.awaits = true
    ask_for_turn(self, self:register(function()
      if nodes[thread] == node and node.awaits == true then
        node.awaits = nil
        advance(self, thread)
      end
    end))
  end
end

local function begin_node(self, id, fn)
  local thread = coroutine.create(fn)
  local node = {id = id}
  local number = self:register(function(status)
    node.stopped = status == lib.PLAIT_OK
    if node.stopped and type(node.awaits) == "table" and coroutine.status(thread) == "suspended" then
      advance(self, thread)
    end
  end)
  node.stop, nodes[thread] = self.last, node
  local status = lib.plait_inbox_notify_stop(self:handle(), id, nil, number, core.error)
  if status < 0 then return end_node(self, thread, false, core.failure(status)) end
  advance(self, thread)
end

-- Reads the event before the function runs, which may pull the next event into it.
local function serve(self, event)
  local number = tonumber(ffi.cast("uintptr_t", event.user_data))
  local fn = self.once[number]
  if fn then self.once[number] = nil else fn = self.often[number] end
  if event.kind ~= lib.PLAIT_EVENT_CALL then
    if fn then fn(event.status) end
  elseif event.status == lib.PLAIT_OK then -- otherwise the call was answered already
    (self.suspends[number] and begin_node or run_call)(self, event.id, fn)
  end
end

local event = core.sized "plait_event"

--- Pull and serve all pending events; return their number.  With `seconds`, wait for
-- an event first; devices without threads of their own progress meanwhile.
function Inbox:pump(seconds)
  local count = 0
  if seconds then
    local status = lib.plait_inbox_wait(self:handle(), core.nanoseconds(seconds), core.error)
    if status ~= lib.PLAIT_E_TIMEOUT and status ~= lib.PLAIT_E_DEADLOCK then core.check(status) end
  end
  while true do
    local status = lib.plait_inbox_next(self:handle(), event, core.error)
    if status ~= lib.PLAIT_OK then
      core.check(status)
      return count
    end
    serve(self, event)
    count = count + 1
  end
end

--- Close the inbox and serve its release events only; wrapped memory still in use
-- stays referenced.
function Inbox:close()
  if self.open then self.open:release() end
  lib.plait_inbox_close(self:handle(), nil)
  while lib.plait_inbox_next(self:handle(), event, core.error) == lib.PLAIT_OK do
    if event.kind == lib.PLAIT_EVENT_RELEASED then serve(self, event) end
  end
end

--- In a coroutine: request an event by ask(number), and yield `object` until it is
-- there; pump() resumes the coroutine.  If it is a node whose run is stopped, the error of that
-- is raised at once.
function core.await(inbox, object, ask)
  local done, thread, is_main = false, coroutine.running()
  if not thread or is_main then core.raise "plait.await and signal:reach are for coroutines" end
  local node, token = nodes[thread], {}
  if node and node.stopped then error(stopped_failure(), 0) end
  local number = inbox:register(function()
    done = true
    if node and node.awaits ~= token or coroutine.status(thread) ~= "suspended" then return end
    if node then return advance(inbox, thread) end
    local good, text = coroutine.resume(thread)
    if not good then error(text, 0) end
  end)
  ask(number)
  if node then node.awaits = token end
  while not done and not (node and node.stopped) do coroutine.yield(object) end
  if node then node.awaits = nil end
  if not done then error(stopped_failure(), 0) end
end

function Inbox:descriptor()
  local out = ffi.new "int32_t[1]"
  core.check(lib.plait_inbox_descriptor(self:handle(), out, core.error))
  return out[0]
end

return core
