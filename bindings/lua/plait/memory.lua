-- SPDX-License-Identifier: MIT
-- Buffers, signals and queues.
local core = require "plait.core"
local ffi, lib = core.ffi, core.lib

local memory = {}

-- --- buffers -------------------------------------------------------------------

--- Memory of a device: `bytes` bytes, as elements of `ctype`.
local Buffer = core.class("Buffer", "plait_buffer_release")

local function new_buffer(device, handle, ctype, label)
  local bytes = ffi.new "uint64_t[1]"
  core.check(lib.plait_buffer_bytes(handle, bytes, core.error))
  return core.object(Buffer, handle, {device = device, bytes = tonumber(bytes[0]), label = label,
                                      ctype = ctype or "uint8_t"})
end

-- Return the size of a type of C; raise an error for another word.
local function size_of(ctype, what)
  local good, found = pcall(ffi.sizeof, ctype)
  return good and found or core.raise(("%s: %s is not a type of C"):format(what, core.describe(ctype)))
end

-- Return a size; raise an error for what is no number of bytes.
local function check_size(bytes)
  if core.is_cdata(bytes) then bytes = tonumber(bytes) end
  if type(bytes) ~= "number" or bytes < 0 or bytes >= 2^63 or bytes % 1 ~= 0 then
    core.raise(("buffer: size %s; a buffer has 0 to 2^63 - 1 bytes"):format(core.describe(bytes)))
  end
end

function memory.buffer(device, bytes, label, flags)
  check_size(bytes)
  local desc = core.sized("plait_buffer_desc", {bytes = bytes, label = label, flags = flags})
  return new_buffer(device, core.make("plait_buffer", lib.plait_buffer_create, device.handle, desc),
                    nil, label)
end

--- Create a buffer that the ranks of a world read in place.
function memory.shared(world, device, bytes, label)
  check_size(bytes)
  local desc = core.sized("plait_buffer_desc", {bytes = bytes, label = label})
  return new_buffer(device, core.make("plait_buffer", lib.plait_world_buffer, world, device.handle, desc),
                    nil, label)
end

local FORMATS = {r32f = lib.PLAIT_IMAGE_R32F, rgba32f = lib.PLAIT_IMAGE_RGBA32F,
                 rgba8 = lib.PLAIT_IMAGE_RGBA8}

function memory.image(device, width, height, format, label)
  local kind = FORMATS[format or "r32f"] or
    core.raise(("image: format %s; there are r32f, rgba32f and rgba8"):format(core.describe(format)))
  local desc = core.sized("plait_buffer_desc", {width = width, height = height, format = kind, label = label})
  return new_buffer(device, core.make("plait_buffer", lib.plait_buffer_create, device.handle, desc),
                    kind == lib.PLAIT_IMAGE_RGBA8 and "uint8_t" or "float", label)
end

function memory.array(device, ctype, values, label)
  if type(ctype) ~= "string" or not core.is_plain(values) then
    core.raise("array: a type of C comes first, then {numbers}, as in array(\"float\", {1, 2})")
  end
  local made = memory.buffer(device, math.max(1, #values * size_of(ctype, "array")), label)
  made.ctype = ctype
  made:map(function(memory_of)
    for i, value in ipairs(values) do memory_of[i - 1] = value end
  end)
  return made
end

-- Wrapped memory by number: the entry keeps the cdata alive until no command uses the
-- memory, which may be after the system's release.
local wrapped, last = {}, 0

function memory.wrap(device, ctype, at, count, label)
  local inbox, number = device.system.inbox, last + 1
  if not core.is_cdata(at) then core.raise("wrap: memory is a cdata, not " .. core.describe(at)) end
  local bytes = core.check_room(at, count * size_of(ctype, "wrap"), "wrap")
  last = number
  local desc = core.sized("plait_wrap_desc", {
    pointer = ffi.cast("void *", at), bytes = bytes, label = label,
    inbox = inbox:handle(), user_data = inbox:register(function(status)
      -- A cancelled event does not tell whether the memory is still in use.
      if status == lib.PLAIT_OK then wrapped[number] = nil end
    end)})
  local made = new_buffer(device, core.make("plait_buffer", lib.plait_buffer_wrap, device.handle, desc),
                          ctype, label)
  wrapped[number] = at
  return made
end

function memory.is_buffer(value)
  return getmetatable(value) == Buffer
end

--- Map the buffer, call fn(pointer, count) with its elements, unmap it; return the
-- result of fn.
function Buffer:map(fn)
  local pointer = ffi.new "void *[1]"
  core.check(lib.plait_buffer_map(self:handle(), 0, self.bytes,
                                  lib.PLAIT_MAP_READ + lib.PLAIT_MAP_WRITE, pointer, core.error))
  local count = math.floor(self.bytes / ffi.sizeof(self.ctype))
  local memory_of = core.view(self.ctype, pointer[0], count)
  local good, result = pcall(fn, memory_of, count)
  core.end_view(memory_of)
  core.check(lib.plait_buffer_unmap(self:handle(), pointer[0], core.error))
  if not good then error(result, 0) end
  return result
end

--- Return a copy of the elements as a table of numbers.
function Buffer:table()
  return self:map(function(pointer, count)
    local found = {}
    for i = 1, count do found[i] = tonumber(pointer[i - 1]) end
    return found
  end)
end

--- Return a view of `bytes` bytes from `offset`; both buffers share the memory.
function Buffer:view(offset, bytes)
  return new_buffer(self.device, core.make("plait_buffer", lib.plait_buffer_view, self:handle(),
                                           offset, bytes), self.ctype, self.label)
end

--- Return the native handle of a kind, such as "cl_memory", and the offset in it; the
-- kinds are those of plait/native.h.
function Buffer:native(kind)
  local out = ffi.new "uint64_t[2]"
  core.check(lib.plait_buffer_native(self:handle(), core.native_kind(kind), out, out + 1, core.error))
  return out[0], tonumber(out[1])
end

-- Return bytes, target offset, source offset and a plait_rows or nil, from the options
-- of a copy.
function memory.extent(target, source, how)
  how = how or {}
  local rows
  if how.rows or how.slices then
    if not how.bytes then core.raise("copy: `rows` needs `bytes`, the bytes of one row") end
    rows = core.sized("plait_rows", {rows = how.rows, slices = how.slices,
      target_row = how.target_row, target_slice = how.target_slice,
      source_row = how.source_row, source_slice = how.source_slice})
  end
  local none = how.rows == 0 or how.slices == 0 -- plait_rows reads 0 as 1
  return none and 0 or how.bytes or math.min(target.bytes or 0, source.bytes or 0),
         how.target_offset or 0, how.source_offset or 0, rows
end

-- Return the node fields of one operand of a copy or fill: a buffer, one of a rotation, or a
-- parameter.
function memory.side(fields, name, given, what, bytes)
  if type(given) == "table" and given.kind == lib.PLAIT_ARGUMENT_PARAMETER then
    if not bytes then core.raise(what .. ": a parameter needs `bytes`") end
    fields[name == "target" and "target_parameter" or "source_parameter"] = given.name
  elseif type(given) == "table" and given.kind == lib.PLAIT_ARGUMENT_ROTATION and name == "target" then
    fields.target_rotation, fields.target_ahead = given.rotation, given.ahead
  elseif type(given) == "table" and given.kind == lib.PLAIT_ARGUMENT_ROTATION then
    fields.source_rotation, fields.source_ahead = given.rotation, given.ahead
  else
    fields[name] = core.handle(given, "Buffer", ("%s: the %s"):format(what, name))
  end
end

--- The names of those options, for core.check_options.
memory.extents = "bytes target_offset source_offset rows slices target_row target_slice source_row source_slice "

-- --- signals -------------------------------------------------------------------

--- A monotonic counter that queues emit and wait for; the program raises a gate.
local Signal = core.class("Signal", "plait_signal_release")

function memory.signal(device, handle, label)
  return core.object(Signal, handle, {device = device, label = label})
end

-- Wait for points; see System:wait.
function memory.wait(system, points, any, seconds)
  local array, index = ffi.new("plait_point[?]", math.max(#points, 1)), ffi.new "uint64_t[1]"
  for i, point in ipairs(points) do
    array[i - 1].signal, array[i - 1].sequence = core.handle(point[1], "Signal", "wait"), point[2]
  end
  local time, mode = core.nanoseconds(seconds), any and lib.PLAIT_WAIT_ANY or lib.PLAIT_WAIT_ALL
  while core.check(lib.plait_signal_wait_points(array, #points, mode, time, index, core.error))
        == lib.PLAIT_EVENT_READY do
    system.inbox:pump()
  end
  return tonumber(index[0]) + 1
end

--- Return the newest sequence number that was reached, failed ones included.
function Signal:reached()
  local out = ffi.new "uint64_t[1]"
  core.check(lib.plait_signal_query(self:handle(), out, nil, core.error))
  return tonumber(out[0])
end

--- Wait until the signal reaches `sequence`, for at most `seconds`; nil: without limit.
function Signal:wait(sequence, seconds)
  local time = core.nanoseconds(seconds)
  while core.check(lib.plait_signal_wait(self:handle(), sequence, time, core.error))
        == lib.PLAIT_EVENT_READY do
    self.device.system.inbox:pump()
  end
end

--- Return the newest sequence number that was submitted.
function Signal:submitted()
  local out = ffi.new "uint64_t[1]"
  core.check(lib.plait_signal_query(self:handle(), nil, out, core.error))
  return tonumber(out[0])
end

--- In a coroutine: yield until the signal reaches `sequence`; system:pump() resumes the
-- coroutine.  0: the newest sequence number submitted so far.
function Signal:reach(sequence)
  local inbox = self.device.system.inbox
  core.await(inbox, self, function(number)
    core.check(lib.plait_signal_notify(self:handle(), sequence, inbox:handle(), nil, number, core.error))
  end)
  core.check(lib.plait_signal_wait(self:handle(), sequence, 0, core.error))
end

--- Fail a gate: every wait on it ends with this error.
function Signal:fail(text, origin)
  core.check(lib.plait_signal_fail(self:handle(), origin or 1, text, core.error))
end

--- Clear the failure of a signal that has no pending work.
function Signal:reset() core.check(lib.plait_signal_reset(self:handle(), core.error)) end

--- Raise a gate to a sequence number.
function Signal:raise(sequence)
  core.check(lib.plait_signal_raise(self:handle(), sequence, core.error))
end

-- --- queues --------------------------------------------------------------------

--- An in-order queue: its commands run one after another.
local Queue = core.class("Queue", "plait_queue_release")

function memory.queue(device, handle, label)
  return core.object(Queue, handle, {device = device, label = label, kept = {}})
end

local function submit(self, fields)
  local command = core.sized("plait_command", fields)
  core.check(lib.plait_queue_submit(self:handle(), command, 1, nil, core.error))
end

--- Submit a kernel: queue:launch(kernel, {arguments}, {items = , group = }).
function Queue:launch(kernel, arguments, options)
  local handle = core.handle(kernel, "Kernel", "launch")
  local made = kernel:arguments(arguments)
  local launch = kernel.geometry(options)
  core.check(lib.plait_queue_launch(self:handle(), handle, launch, made.array, made.count,
                                    core.error))
end

--- Submit a call of a Lua function, on the thread that opened the system.  In it, a wait for
-- the same queue raises PLAIT_E_DEADLOCK.
function Queue:call(fn)
  local inbox = self.device.system.inbox
  submit(self, {kind = lib.PLAIT_COMMAND_CALL, inbox = inbox:handle(),
                user_data = inbox:register(fn)})
end

--- Submit a fill: repeat a pattern of `pattern_bytes` bytes, default 4, over `bytes`
-- bytes from `offset` on; the default is the rest of the buffer.
function Queue:fill(target, pattern, pattern_bytes, bytes, offset)
  local handle = core.handle(target, "Buffer", "fill: the target")
  core.check(lib.plait_queue_fill(self:handle(), handle, offset or 0,
                                  bytes or target.bytes - (offset or 0), pattern, pattern_bytes or 4,
                                  core.error))
end

-- Return address and size of a cdata array, or of `how.bytes` bytes at a pointer.
local function extent_of(at, how, what)
  if not core.is_cdata(at) then core.raise(("%s: memory is a cdata, not %s"):format(what, core.describe(at))) end
  local good, size = pcall(ffi.sizeof, at)
  local bytes = how.bytes and core.check_room(at, how.bytes, what) or good and not core.is_pointer(at) and size or
    core.raise(what .. ": a pointer needs `bytes`")
  return ffi.cast("void *", at), bytes
end

--- Copy a buffer into memory of the program after the queue's commands, and wait:
-- queue:read(buffer, ffi.new("float[100]")).  Options: `offset` in the buffer and `bytes`
-- (default: the size of the cdata; a pointer needs it).  {wait = false} submits the copy
-- only; the memory, kept by the queue, is complete after queue:finish().
function Queue:read(source, at, how)
  how = how or {}
  core.check_options(how, " offset bytes wait ")
  local handle, pointer, bytes = core.handle(source, "Buffer", "read: the source"), extent_of(at, how, "read")
  self.kept[#self.kept + 1] = at
  if how.wait ~= false then
    core.check(lib.plait_queue_read(self:handle(), handle, how.offset or 0, pointer, bytes, core.error))
  else
    submit(self, {kind = lib.PLAIT_COMMAND_READ, source = handle, source_offset = how.offset or 0,
                  host = pointer, bytes = bytes})
  end
end

--- Copy memory of the program into a buffer after the queue's commands, and wait; options
-- as for queue:read.  The memory must not change before queue:finish().
function Queue:write(target, at, how)
  how = how or {}
  core.check_options(how, " offset bytes wait ")
  local handle, pointer, bytes = core.handle(target, "Buffer", "write: the target"), extent_of(at, how, "write")
  self.kept[#self.kept + 1] = at
  if how.wait ~= false then
    core.check(lib.plait_queue_write(self:handle(), handle, how.offset or 0, pointer, bytes, core.error))
  else
    submit(self, {kind = lib.PLAIT_COMMAND_WRITE, target = handle, target_offset = how.offset or 0,
                  host = pointer, bytes = bytes})
  end
end

--- Return the native handle of the queue, such as "cl_queue" or "cu_stream".
function Queue:native(kind)
  local out = ffi.new "uint64_t[1]"
  core.check(lib.plait_queue_native(self:handle(), core.native_kind(kind), out, core.error))
  return out[0]
end

--- Submit a copy from buffer to buffer.  Options, in bytes: `bytes` (default: the size
-- of the smaller buffer), `target_offset`, `source_offset`.  `rows` and `slices` make a
-- strided copy of `slices` slices of `rows` rows of `bytes` bytes; `target_row`,
-- `source_row`, `target_slice` and `source_slice` are the pitches: bytes from the start
-- of one row or slice to the next; 0 or nil: contiguous.
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

--- Submit an emission of a signal; return its sequence number.
function Queue:emit(signal)
  local out = ffi.new "uint64_t[1]"
  core.check(lib.plait_queue_emit(self:handle(), core.handle(signal, "Signal", "emit"), out, core.error))
  return tonumber(out[0])
end

--- Submit a wait: later commands start after the signal reaches `sequence`.  The call
-- does not block.  0, the default: the newest sequence number submitted so far.
function Queue:wait(signal, sequence)
  core.check(lib.plait_queue_wait(self:handle(), core.handle(signal, "Signal", "wait"),
                                  sequence or 0, core.error))
end

-- --- batches -------------------------------------------------------------------

--- Commands for one submission: the queue receives all of them, or none.  Commands take a
-- `label` among their options.
local Batch = {}
Batch.__index = Batch

--- Return an empty batch: local batch = queue:batch(); batch:fill(...); batch:submit().
function Queue:batch() return setmetatable({queue = self, commands = {}, kept = {}}, Batch) end

local function append(batch, fields, kept, how)
  fields.label = how and how.label
  batch.commands[#batch.commands + 1] = core.sized("plait_command", fields)
  batch.kept[#batch.kept + 1] = {kept, fields.label}
end

--- Add a kernel launch: batch:launch(kernel, {arguments}, {items = , group = }).
function Batch:launch(code, arguments, how)
  local handle = core.handle(code, "Kernel", "launch")
  local made, launch = code:arguments(arguments), code.geometry(how)
  append(self, {kind = lib.PLAIT_COMMAND_LAUNCH, kernel = handle, launch = launch,
                arguments = made.array, argument_count = made.count},
         {code, arguments, made, launch}, how)
end

--- Add a fill, as of a queue.
function Batch:fill(target, pattern, pattern_bytes, bytes, offset, how)
  local handle = core.handle(target, "Buffer", "fill: the target")
  append(self, {kind = lib.PLAIT_COMMAND_FILL, target = handle, target_offset = offset or 0,
                bytes = bytes or target.bytes - (offset or 0), pattern = pattern,
                pattern_bytes = pattern_bytes or 4}, target, how)
end

--- Add a copy from buffer to buffer; options as of a queue.
function Batch:copy(target, source, how)
  core.check_options(how or {}, " label " .. memory.extents)
  local to = core.handle(target, "Buffer", "copy: the target")
  local from = core.handle(source, "Buffer", "copy: the source")
  local bytes, there, here, rows = memory.extent(target, source, how)
  append(self, {kind = lib.PLAIT_COMMAND_COPY, target = to, target_offset = there, source = from,
                source_offset = here, bytes = bytes, rows = rows}, {target, source, rows}, how)
end

--- Add an emission of a signal.
function Batch:emit(signal)
  append(self, {kind = lib.PLAIT_COMMAND_EMIT, signal = core.handle(signal, "Signal", "emit")}, signal)
end

--- Add a wait: later commands start after the signal reaches `sequence`; 0, the default: the
-- newest sequence number submitted so far.
function Batch:wait(signal, sequence)
  append(self, {kind = lib.PLAIT_COMMAND_WAIT, signal = core.handle(signal, "Signal", "wait"),
                sequence = sequence or 0}, signal)
end

--- Submit the commands and empty the batch; return the sequence number of the last emission,
-- or 0.  After a mistake the queue has received none of them.
function Batch:submit()
  local count, queue = #self.commands, self.queue
  local array, out = ffi.new("plait_command[?]", math.max(count, 1)), ffi.new "uint64_t[1]"
  for i, command in ipairs(self.commands) do array[i - 1] = command end
  core.check(lib.plait_queue_submit(queue:handle(), array, count, out, core.error))
  queue.kept[#queue.kept + 1] = self.kept
  self.commands, self.kept = {}, {}
  return tonumber(out[0])
end

--- Wait until all commands are done, for at most `seconds`; nil: without limit.  Raises
-- the first failure.
function Queue:finish(seconds)
  local time = core.nanoseconds(seconds)
  while core.check(lib.plait_queue_finish(self:handle(), time, core.error))
        == lib.PLAIT_EVENT_READY do
    self.device.system.inbox:pump()
  end
  if self.kept[1] ~= nil then self.kept = {} end
end

return memory
