-- SPDX-License-Identifier: MIT
-- Loading of libplait, errors, handles, and the inbox for Lua functions.
--
-- The thread that opened the system pulls calls of Lua functions from the inbox as
-- events.  plait never calls into Lua: no FFI callback exists that could be
-- collected, run on another thread, or be entered from compiled code.
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
-- number that the failing function or driver call returned) and `detail` (a compiler
-- log, for example; nil if there is none).
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

--- Return the Error of the call that has just failed; its tostring is text and name.
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

--- Call a plait_..._create, whose out parameter precedes the error; return the handle.
function core.make(name, create, ...)
  local out = ffi.new(name .. " *[1]")
  local arguments = {...}
  local count = select("#", ...)
  arguments[count + 1], arguments[count + 2] = out, core.error
  core.check(create(unpack(arguments, 1, count + 2)))
  return out[0]
end

-- Raise an error for an unknown option, which a table would accept silently.
-- `known` lists the names, each between spaces.
function core.check_options(given, known)
  for name in pairs(given) do
    if not known:find(" " .. tostring(name) .. " ", 1, true) then
      error(("unknown option %s; the options are%s"):format(tostring(name), known), 4)
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
    error(("%s: expected a %s, not %s"):format(what, name:lower(), core.describe(value)), 3)
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

function core.nanoseconds(seconds)
  if seconds == nil then return FOREVER end
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
    return self.raw or error(name .. " was released", 3)
  end

  --- Drop the reference now; the object cannot be used afterwards.
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
  return core.object(Inbox, handle, {once = {}, often = {}, last = 0})
end

-- Register a function; return its number as user data of events.  `keep`: the event
-- may come more than once; the entry lives as long as the system, since runs may
-- outlive their graph.
function Inbox:register(fn, keep)
  self.last = self.last + 1
  self[keep and "often" or "once"][self.last] = fn
  return ffi.cast("void *", ffi.cast("uintptr_t", self.last))
end

local function answer(self, id, good, result)
  local value, text = 0, nil
  if not good then
    value, text = 1, tostring(result)
  elseif type(result) == "number" then
    value = result
  elseif result == true then
    value = 1
  end
  core.check(lib.plait_inbox_answer(self:handle(), id, value, text, core.error))
end

local function run_call(self, id, fn)
  if not fn then return answer(self, id, false, "the function was removed") end
  -- The function may pull further events itself.
  answer(self, id, xpcall(fn, debug.traceback))
end

-- Reads the event before the function runs, which may pull the next event into it.
local function serve(self, event)
  local number = tonumber(ffi.cast("uintptr_t", event.user_data))
  local fn = self.once[number]
  if fn then self.once[number] = nil else fn = self.often[number] end
  if event.kind ~= lib.PLAIT_EVENT_CALL then
    if fn then fn(event.status) end
  elseif event.status == lib.PLAIT_OK then -- otherwise the call was answered already
    run_call(self, event.id, fn)
  end
end

local event = core.sized "plait_event"

--- Pull and serve all pending events; return their number.
function Inbox:pump()
  local count = 0
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
  lib.plait_inbox_close(self:handle(), nil)
  while lib.plait_inbox_next(self:handle(), event, core.error) == lib.PLAIT_OK do
    if event.kind == lib.PLAIT_EVENT_RELEASED then serve(self, event) end
  end
end

function Inbox:descriptor()
  local out = ffi.new "int32_t[1]"
  core.check(lib.plait_inbox_descriptor(self:handle(), out, core.error))
  return out[0]
end

return core
