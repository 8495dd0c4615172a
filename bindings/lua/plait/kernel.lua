-- SPDX-License-Identifier: MIT
-- Kernels, and the arguments that they are launched with.
local core = require "plait.core"
local memory = require "plait.memory"
local ffi, lib = core.ffi, core.lib

local kernel = {}

local TYPES = {
  i8 = "int8_t[1]", i16 = "int16_t[1]", i32 = "int32_t[1]", i64 = "int64_t[1]",
  u8 = "uint8_t[1]", u16 = "uint16_t[1]", u32 = "uint32_t[1]", u64 = "uint64_t[1]",
  f32 = "float[1]", f64 = "double[1]", bool = "bool[1]", char = "char[1]",
}
kernel.types = TYPES
local FORMS = {portable = "PORTABLE", host = "C", opencl = "OPENCL_C", cuda = "CUDA_C"}

-- --- what is no number and no buffer --------------------------------------------

local Special = {}

--- An argument that each run of a plan brings: plan {name = ...}.
function kernel.parameter(name)
  return setmetatable({kind = "PARAMETER", name = name}, Special)
end

--- An argument: the node's own memory; the number of this iteration.
kernel.scratch = setmetatable({kind = "SCRATCH"}, Special)
kernel.iteration = setmetatable({kind = "ITERATION"}, Special)

--- An argument: the buffer whose turn it is.
function kernel.turn(rotation, ahead)
  return setmetatable({kind = "ROTATION", rotation = rotation, ahead = ahead}, Special)
end

-- --- kernels -------------------------------------------------------------------

local Kernel = core.class("Kernel", "plait_kernel_release")

--- {{name = , ctype = or nil for a pointer}} of a signature that plait took.
local function parse(signature)
  local found = {}
  for part in signature:match("%((.*)%)"):gmatch "[^,]+" do
    local name, words = part:match "^%s*([%w_]+)%s*:%s*(.-)%s*$"
    if not words:find "pointer" then
      found[#found + 1] = {name = name, ctype = TYPES[words:match "[%w_]+$"]}
    else
      found[#found + 1] = {name = name}
    end
  end
  return found
end

local function sources(source, options)
  local texts = type(source) == "table" and source or {portable = source}
  local made, count = {}, 0
  for name, text in pairs(texts) do
    local form = FORMS[name] or error("no sources are for " .. tostring(name), 4)
    count = count + 1
    made[count] = {form = lib["PLAIT_SOURCE_" .. form], code = text}
  end
  local array = ffi.new("plait_source[?]", math.max(count, 1))
  for i, one in ipairs(made) do
    local slot = array[i - 1]
    slot.size, slot.form, slot.bytes = ffi.sizeof "plait_source", one.form, #one.code
    slot.code = ffi.cast("const char *", one.code)
    slot.defines, slot.options, slot.file = options.defines, options.options, options.file
  end
  return array, count
end

function kernel.new(system, signature, source, options)
  local desc = core.sized("plait_kernel_desc", {
    signature = signature, library = options.library, symbol = options.symbol})
  local array
  array, desc.source_count = sources(source, options)
  if desc.source_count > 0 then desc.sources = array end
  local handle = core.make("plait_kernel", lib.plait_kernel_create, system:handle(), desc)
  local whole = core.text(lib.plait_kernel_signature, handle)
  return core.object(Kernel, handle, {
    system = system, label = whole:match "^[%w_]+", parameters = parse(whole)})
end

--- A number as C has it, or an error: C would take another one in silence.
function kernel.convert(ctype, value, what)
  if type(value) == "string" or value == nil then
    error(("%s: %s is not a number"):format(what, tostring(value)), 0)
  end
  local made = ffi.new(ctype, value)
  local exact = ctype:find "float" or ctype:find "double" or type(value) ~= "number"
  if not exact and tonumber(made[0]) ~= value then
    error(("%s: %s does not fit its type"):format(what, tostring(value)), 0)
  end
  return made
end

local function set(slot, parameter, given, kept)
  slot.size = ffi.sizeof "plait_argument"
  if getmetatable(given) == Special then
    slot.kind = lib["PLAIT_ARGUMENT_" .. given.kind]
    slot.name = given.name
    slot.rotation, slot.ahead = given.rotation or 0, given.ahead or 0
  elseif parameter.ctype then
    local value = kernel.convert(parameter.ctype, given, parameter.name)
    kept[#kept + 1] = value
    slot.kind, slot.bytes, slot.value = lib.PLAIT_ARGUMENT_VALUE, ffi.sizeof(value), value
  else
    slot.kind, slot.buffer = lib.PLAIT_ARGUMENT_BUFFER, given:handle()
  end
end

--- Arguments as C has them: {array = , count = }, and what they refer to.
function Kernel:arguments(given)
  local count = #self.parameters
  if #given ~= count then
    error(("%s takes %d arguments, not %d"):format(self.label, count, #given), 3)
  end
  local made = {array = ffi.new("plait_argument[?]", math.max(count, 1)), count = count, kept = {}}
  for i, parameter in ipairs(self.parameters) do
    if not parameter.ctype and getmetatable(given[i]) ~= Special
       and not memory.is_buffer(given[i]) then
      error(("%s: argument %d \"%s\" is a pointer: give it a buffer"):format(
        self.label, i - 1, parameter.name), 3)
    end
    set(made.array[i - 1], parameter, given[i], made.kept)
  end
  return made
end

--- {items = 3} or {items = {4, 4}, group = {2, 2}} as a plait_launch.
function Kernel.geometry(options)
  local launch = core.sized "plait_launch"
  local items = options and options.items or 1
  local group = options and options.group or {}
  items = type(items) == "number" and {items} or items
  group = type(group) == "number" and {group} or group
  launch.dimensions = #items
  for i, n in ipairs(items) do
    launch.items[i - 1] = kernel.convert("uint64_t[1]", n, "items")[0]
  end
  for i, n in ipairs(group) do
    launch.group[i - 1] = kernel.convert("uint64_t[1]", n, "group")[0]
  end
  return launch
end

return kernel
