-- SPDX-License-Identifier: MIT
-- Buffers, signals, and the queues that work on them.
local core = require "plait.core"
local ffi, lib = core.ffi, core.lib

local memory = {}

-- --- buffers -------------------------------------------------------------------

--- Memory of a device, of so many `bytes`, as elements of `ctype`.
local Buffer = core.class("Buffer", "plait_buffer_release")

local function new_buffer(device, handle, ctype)
  local bytes = ffi.new "uint64_t[1]"
  core.check(lib.plait_buffer_bytes(handle, bytes, core.error))
  return core.object(Buffer, handle, {device = device, bytes = tonumber(bytes[0]),
                                      ctype = ctype or "uint8_t"})
end

function memory.buffer(device, bytes, label)
  local desc = core.sized("plait_buffer_desc", {bytes = bytes, label = label})
  return new_buffer(device, core.make("plait_buffer", lib.plait_buffer_create, device.handle, desc))
end

function memory.array(device, ctype, values, label)
  if type(ctype) ~= "string" or not core.is_plain(values) then
    error("array: a type of C comes first, then {numbers}, as in array(\"float\", {1, 2})", 3)
  end
  local made = memory.buffer(device, math.max(1, #values * ffi.sizeof(ctype)), label)
  made.ctype = ctype
  made:map(function(memory_of)
    for i, value in ipairs(values) do memory_of[i - 1] = value end
  end)
  return made
end

-- Memory of yours that buffers are on: it stays until nothing uses it, which may be
-- after the end of its system.
local wrapped, last = {}, 0

function memory.wrap(device, ctype, at, count, label)
  local inbox, number = device.system.inbox, last + 1
  last = number
  local desc = core.sized("plait_wrap_desc", {
    pointer = ffi.cast("void *", at), bytes = count * ffi.sizeof(ctype), label = label,
    inbox = inbox:handle(), user_data = inbox:register(function(status)
      -- Cancelled, it may be in use still.
      if status == lib.PLAIT_OK then wrapped[number] = nil end
    end)})
  local made = new_buffer(device, core.make("plait_buffer", lib.plait_buffer_wrap, device.handle, desc),
                          ctype)
  wrapped[number] = at
  return made
end

function memory.is_buffer(value)
  return getmetatable(value) == Buffer
end

--- Call fn(pointer, count) with the memory itself, as elements of the type that
-- array() was given.
function Buffer:map(fn)
  local pointer = ffi.new "void *[1]"
  core.check(lib.plait_buffer_map(self:handle(), 0, self.bytes,
                                  lib.PLAIT_MAP_READ + lib.PLAIT_MAP_WRITE, pointer, core.error))
  local good, result = pcall(fn, ffi.cast(self.ctype .. " *", pointer[0]),
                             math.floor(self.bytes / ffi.sizeof(self.ctype)))
  core.check(lib.plait_buffer_unmap(self:handle(), pointer[0], core.error))
  if not good then error(result, 0) end
  return result
end

--- A copy, as a table of numbers.
function Buffer:table()
  return self:map(function(pointer, count)
    local found = {}
    for i = 1, count do found[i] = tonumber(pointer[i - 1]) end
    return found
  end)
end

--- The same memory from `offset` on.
function Buffer:view(offset, bytes)
  return new_buffer(self.device, core.make("plait_buffer", lib.plait_buffer_view, self:handle(),
                                           offset, bytes), self.ctype)
end

-- What the options of a copy say: bytes, where, and a plait_rows or nil.
function memory.extent(target, source, how)
  how = how or {}
  local rows
  if how.rows or how.slices then
    if not how.bytes then error("copy: with rows it takes `bytes`, those of each row", 0) end
    rows = core.sized("plait_rows", {rows = how.rows, slices = how.slices,
      target_row = how.target_row, target_slice = how.target_slice,
      source_row = how.source_row, source_slice = how.source_slice})
  end
  local none = how.rows == 0 or how.slices == 0 -- which would be 1
  return none and 0 or how.bytes or math.min(target.bytes, source.bytes), how.target_offset or 0,
         how.source_offset or 0, rows
end

--- The names of those options.
memory.extents = "bytes target_offset source_offset rows slices target_row target_slice source_row source_slice "

-- --- signals -------------------------------------------------------------------

--- A counter that queues raise and wait for; a gate is raised by the program.
local Signal = core.class("Signal", "plait_signal_release")

function memory.signal(device, handle)
  return core.object(Signal, handle, {device = device})
end

--- How often it has happened.
function Signal:reached()
  local out = ffi.new "uint64_t[1]"
  core.check(lib.plait_signal_query(self:handle(), out, nil, core.error))
  return tonumber(out[0])
end

--- Wait until it has happened so often, for so many seconds at most.
function Signal:wait(sequence, seconds)
  local time = core.nanoseconds(seconds)
  while core.check(lib.plait_signal_wait(self:handle(), sequence, time, core.error))
        == lib.PLAIT_EVENT_READY do
    self.device.system.inbox:pump()
  end
end

--- Raise a gate to a number.
function Signal:raise(sequence)
  core.check(lib.plait_signal_raise(self:handle(), sequence, core.error))
end

-- --- queues --------------------------------------------------------------------

--- Commands that run one after the other.
local Queue = core.class("Queue", "plait_queue_release")

function memory.queue(device, handle)
  return core.object(Queue, handle, {device = device})
end

--- Run a kernel: queue:launch(kernel, {arguments}, {items = , group = }).
function Queue:launch(kernel, arguments, options)
  local handle = core.handle(kernel, "Kernel", "launch")
  local made = kernel:arguments(arguments)
  local launch = kernel.geometry(options)
  core.check(lib.plait_queue_launch(self:handle(), handle, launch, made.array, made.count,
                                    core.error))
end

--- Run a function of Lua, on the thread that opened the system.
function Queue:call(fn)
  local inbox = self.device.system.inbox
  local command = core.sized("plait_command", {
    kind = lib.PLAIT_COMMAND_CALL, inbox = inbox:handle(), user_data = inbox:register(fn)})
  core.check(lib.plait_queue_submit(self:handle(), command, 1, nil, core.error))
end

--- Repeat a pattern of so many bytes, 4 if nothing is said, over all of a buffer.
function Queue:fill(target, pattern, pattern_bytes)
  local handle = core.handle(target, "Buffer", "fill: the target")
  core.check(lib.plait_queue_fill(self:handle(), handle, 0, target.bytes, pattern,
                                  pattern_bytes or 4, core.error))
end

--- As much as both buffers have, or {bytes = , target_offset = , source_offset = };
-- {bytes = , rows = , slices = } copies so many rows of so many bytes; target_row and
-- source_row are how far it is from one to the next, target_slice and source_slice
-- from slice to slice, in bytes; left out, they follow right behind.
function Queue:copy(target, source, how)
  core.check_options(how or {}, " " .. memory.extents)
  local to = core.handle(target, "Buffer", "copy: the target")
  local from = core.handle(source, "Buffer", "copy: the source")
  local bytes, there, here, rows = memory.extent(target, source, how)
  if rows then
    core.check(lib.plait_queue_copy_rows(self:handle(), to, there, from, here, bytes, rows,
                                         core.error))
  else
    core.check(lib.plait_queue_copy(self:handle(), to, there, from, here, bytes, core.error))
  end
end

--- Raise a signal here; the number to wait for.
function Queue:emit(signal)
  local out = ffi.new "uint64_t[1]"
  core.check(lib.plait_queue_emit(self:handle(), core.handle(signal, "Signal", "emit"), out, core.error))
  return tonumber(out[0])
end

--- Go on only when it has happened; this call itself does not wait.  0: what was
-- submitted so far.
function Queue:wait(signal, sequence)
  core.check(lib.plait_queue_wait(self:handle(), core.handle(signal, "Signal", "wait"),
                                  sequence or 0, core.error))
end

--- Wait until all of it is done; what failed is an error.
function Queue:finish(seconds)
  local time = core.nanoseconds(seconds)
  while core.check(lib.plait_queue_finish(self:handle(), time, core.error))
        == lib.PLAIT_EVENT_READY do
    self.device.system.inbox:pump()
  end
end

return memory
