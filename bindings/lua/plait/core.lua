-- SPDX-License-Identifier: MIT
-- The library, errors, handles, and the inbox through which functions of Lua
-- run: they are pulled, as events, on the thread that opened the system.  plait
-- never calls into Lua, so there are no callbacks that could be collected, run
-- on a wrong thread, or be reached from code that was compiled.
local ffi = require "ffi"
ffi.cdef(require "plait.cdef")

local core = {ffi = ffi}
local FOREVER = 0xffffffffffffffffULL

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

-- Kept for ever: what is loaded must outlive every finalizer.
local lib = open()
core.lib = lib

--- A descriptor of that type, with its size and the fields that are given.
-- Texts are anchored by `keep`, where they have to outlive the call.
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

local Error = {}
Error.__index = Error
function Error:__tostring() return ("%s (%s)"):format(self.text, self.name) end

local function detail_text(number)
  if number == 0 then return nil end
  local needed = ffi.new "uint64_t[1]"
  lib.plait_error_detail(number, nil, 0, needed)
  local room = ffi.new("char[?]", needed[0] + 1)
  if lib.plait_error_detail(number, room, needed[0] + 1, needed) < 0 then return nil end
  return ffi.string(room)
end

--- The error of a call that has just failed: a table with status, name, text,
-- origin and detail, whose tostring is the whole.
function core.failure(status)
  local raw = core.error
  return setmetatable({
    status = status, name = ffi.string(lib.plait_status_name(status)),
    text = ffi.string(raw.text), origin = tonumber(raw.origin), detail = detail_text(raw.detail),
  }, Error)
end

function core.check(status)
  if status < 0 then error(core.failure(status), 0) end
  return status
end

--- Call a plait_..._create: its out parameter comes before the error.
function core.make(name, create, ...)
  local out = ffi.new(name .. " *[1]")
  local arguments = {...}
  local count = select("#", ...)
  arguments[count + 1], arguments[count + 2] = out, core.error
  core.check(create(unpack(arguments, 1, count + 2)))
  return out[0]
end

--- A text of unknown length.
function core.text(get, handle)
  local needed = ffi.new "uint64_t[1]"
  core.check(get(handle, nil, 0, needed, core.error))
  local room = ffi.new("char[?]", needed[0] + 1)
  core.check(get(handle, room, needed[0] + 1, needed, core.error))
  return ffi.string(room)
end

function core.nanoseconds(seconds)
  if seconds == nil then return FOREVER end
  return ffi.cast("uint64_t", math.max(0, seconds) * 1e9)
end

-- --- handles -------------------------------------------------------------------

--- A class of objects that own one reference, given back by release() or by the
-- garbage collector, in any order.
function core.class(name, release)
  local class = {name = name, give_back = lib[release]}
  class.__index = class
  class.__tostring = function() return "plait " .. name end
  function class:handle()
    return self.raw or error(name .. " was released", 3)
  end
  function class:release() core.release(self) end
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

function core.inbox(handle)
  return core.object(Inbox, handle, {functions = {}, last = 0})
end

--- The number under which an event finds a function; `keep`: more than once, and
-- so as long as the system, since runs may outlive their graph.
function Inbox:register(fn, keep)
  self.last = self.last + 1
  self.functions[self.last] = {fn = fn, keep = keep}
  return ffi.cast("void *", ffi.cast("uintptr_t", self.last))
end

local function answer(self, event, good, result)
  local value, text = 0, nil
  if not good then
    value, text = 1, tostring(result)
  elseif type(result) == "number" then
    value = result
  elseif result == true then
    value = 1
  end
  core.check(lib.plait_inbox_call_done(self:handle(), event.id, value, text, core.error))
end

local function serve(self, event)
  local number = tonumber(ffi.cast("uintptr_t", event.user_data))
  local found = self.functions[number]
  if found and not found.keep then self.functions[number] = nil end
  if event.kind == lib.PLAIT_EVENT_CALL then
    if event.status ~= lib.PLAIT_OK then return end -- answered already
    if not found then return answer(self, event, false, "the function is gone") end
    -- The function's own calls may take further events.
    local good, result = xpcall(found.fn, debug.traceback)
    answer(self, event, good, result)
  elseif found then
    found.fn(event)
  end
end

--- Take and serve all events that wait; how many.
function Inbox:pump()
  local count = 0
  while true do
    local event = core.sized "plait_event"
    local status = lib.plait_inbox_next(self:handle(), event, core.error)
    if status ~= lib.PLAIT_OK then
      core.check(status)
      return count
    end
    serve(self, event)
    count = count + 1
  end
end

--- Call `wait(...)`, which answers EVENT_READY whenever this thread has to take
-- an event first.
function Inbox:waiting(wait)
  while core.check(wait()) == lib.PLAIT_EVENT_READY do self:pump() end
end

function Inbox:descriptor()
  local out = ffi.new "int32_t[1]"
  core.check(lib.plait_inbox_descriptor(self:handle(), out, core.error))
  return out[0]
end

return core
