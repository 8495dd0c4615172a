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

--- What plait refused or could not do: `status` and `name`, `text`, `origin`, what the
-- function or the system below returned, and `detail`, a compiler's log for example.
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

-- Refuse options that are none: in a table a word that is misspelt is lost without
-- a word.  `known` has their names, between spaces.
function core.check_options(given, known)
  for name in pairs(given) do
    if not known:find(" " .. tostring(name) .. " ", 1, true) then
      error(("no option is called %s; there are%s"):format(tostring(name), known), 4)
    end
  end
end

--- A table of the program's own, and no object of plait.
function core.is_plain(value)
  return type(value) == "table" and getmetatable(value) == nil
end

--- Something that is wrong, for an error.
function core.describe(value)
  local kind = type(value)
  if kind == "string" then return ("%q"):format(value) end
  if core.is_plain(value) then return "a table" end
  return kind == "function" and "a function" or tostring(value)
end

--- The handle of an object of that class, or an error that says what is wanted.
function core.handle(value, name, what)
  local class = type(value) == "table" and getmetatable(value)
  if not class or class.name ~= name then
    error(("%s: a %s is wanted, not %s"):format(what, name:lower(), core.describe(value)), 3)
  end
  return value:handle()
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

  --- The handle of C, for what this layer does not have.
  function class:handle()
    return self.raw or error(name .. " was released", 3)
  end

  --- Give the object up now, instead of when it is collected.
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

-- The number under which an event finds a function; `keep`: more than once, and
-- so as long as the system, since runs may outlive their graph.
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
  if not fn then return answer(self, id, false, "the function is gone") end
  -- The function's own calls may take further events.
  answer(self, id, xpcall(fn, debug.traceback))
end

-- What the event says is read before anything is run, which may take the next one.
local function serve(self, event)
  local number = tonumber(ffi.cast("uintptr_t", event.user_data))
  local fn = self.once[number]
  if fn then self.once[number] = nil else fn = self.often[number] end
  if event.kind ~= lib.PLAIT_EVENT_CALL then
    if fn then fn(event.status) end
  elseif event.status == lib.PLAIT_OK then -- else it is answered already
    run_call(self, event.id, fn)
  end
end

local event = core.sized "plait_event"

--- Take and serve all events that wait; how many.
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

--- Serve nothing any more but what was released before: memory that is in use yet
-- stays.
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
