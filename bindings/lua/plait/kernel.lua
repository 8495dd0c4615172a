-- SPDX-License-Identifier: MIT
-- Kernels, and the conversion of their launch arguments.
local core = require "plait.core"
local memory = require "plait.memory"
local ffi, lib = core.ffi, core.lib

local kernel = {}

local TYPES = {
  i8 = "int8_t[1]", i16 = "int16_t[1]", i32 = "int32_t[1]", i64 = "int64_t[1]",
  u8 = "uint8_t[1]", u16 = "uint16_t[1]", u32 = "uint32_t[1]", u64 = "uint64_t[1]",
  f32 = "float[1]", f64 = "double[1]", bool = "bool[1]", char = "char[1]",
  sampler = "uint32_t[1]",
}
kernel.types = TYPES

--- Return {ctype = , lanes = } of a vector ("f32x4"), {bytes = } of a struct, or {ctype = }
-- of a number; the text is a value's type as signatures and plans have it.
function kernel.value_type(text)
  local bytes = text:match "^struct .-(%d+)" -- its name may end in digits
  if bytes then return {bytes = tonumber(text:match "(%d+) align" or text:match "(%d+)$")} end
  local lane, lanes = text:match "^([iuf]%d+)x(%d+)$"
  if not lane then return {ctype = TYPES[text:match "[%w_]+$"]} end
  local ctype = TYPES[lane]:gsub("%[1%]$", "[" .. lanes .. "]")
  return {ctype = ctype, lanes = tonumber(lanes)}
end
local FORMS = {portable = lib.PLAIT_SOURCE_PORTABLE, host = lib.PLAIT_SOURCE_C,
               opencl = lib.PLAIT_SOURCE_OPENCL_C, cuda = lib.PLAIT_SOURCE_CUDA_C}

-- --- special arguments: neither number nor buffer -------------------------------

local Special = {}

--- A kernel argument that each run of a plan sets: plan {name = ...}.
function kernel.parameter(name)
  return setmetatable({kind = lib.PLAIT_ARGUMENT_PARAMETER, name = name}, Special)
end

-- Return the name of a parameter, or nil.
function kernel.parameter_name(given) return getmetatable(given) == Special and given.name or nil end

--- A kernel argument: a value in the memory that each run sets for a parameter of graph:read
-- and graph:write, `offset` bytes from its start.  The launch reads it when all nodes before
-- it are complete, in each iteration again.
function kernel.host_value(name, offset)
  return setmetatable({kind = lib.PLAIT_ARGUMENT_HOST, host = name, offset = offset}, Special)
end

--- A kernel argument: scratch memory of the node, `scratch_bytes` long.
kernel.scratch = setmetatable({kind = lib.PLAIT_ARGUMENT_SCRATCH}, Special)

local function series(given)
  core.check_options(given, " scale offset from_count limit ")
  return core.sized("plait_series", {
    scale = given.scale or 1, offset = given.offset, limit = given.limit,
    flags = given.from_count and lib.PLAIT_SERIES_FROM_COUNT or 0})
end

-- Return a number that follows the iteration.
function Special.__call(_, given)
  return setmetatable({kind = lib.PLAIT_ARGUMENT_ITERATION, series = series(given)}, Special)
end

--- A kernel argument: the iteration number of the enclosing loop.  Called, a number that
-- follows it: iteration {scale = 20, offset = 1} is 20 * i + 1; from_count = true adds the
-- count of the loop, which is one of graph:repeat_times; `limit` is the most that it may be.
kernel.iteration = setmetatable({kind = lib.PLAIT_ARGUMENT_ITERATION}, Special)

-- Return a C array of a plait_series per dimension, and their number; false leaves the
-- items as they are.
function kernel.series(given)
  local array = ffi.new("plait_series[?]", #given)
  for i, one in ipairs(given) do
    local made = one and (one.series or series {}) or core.sized "plait_series"
    ffi.copy(array + (i - 1), made, ffi.sizeof "plait_series")
  end
  return array, #given
end

-- A kernel argument, or a side of a copy or fill: the buffer of a rotation, `ahead` iterations
-- from this; `bytes` is the size of each.
function kernel.turn(rotation, ahead, bytes)
  return setmetatable({kind = lib.PLAIT_ARGUMENT_ROTATION, rotation = rotation, ahead = ahead, bytes = bytes}, Special)
end

-- --- kernels -------------------------------------------------------------------

--- A kernel: code and its signature; `label` is the name in the signature.
local Kernel = core.class("Kernel", "plait_kernel_release")

-- Numbers behind the pointer of an array.
local PLACES = {{"_at", "int64_t[1]"}, {"_pitch", "uint64_t[1]"}, {"_slice", "uint64_t[1]"}}

local function parse_parameter(name, words)
  if words:find "^local%s" then return {name = name, is_local = true} end
  if words:find "pointer" or words:find "array[123]%s" or words:match "[%w_]+$" == "image" then
    return {name = name, target = words:match "[%w_]+$"}
  end
  local of = kernel.value_type(words == "chunk" and "struct 48" or words)
  return {name = name, ctype = of.ctype, lanes = of.lanes, bytes = of.bytes}
end

-- Return {{name = , what = its name in errors, ctype = value type or nil, lanes = of a vector,
-- bytes = of a struct, target = pointee type or nil, is_local = }} of a signature that plait
-- accepted; a flow adds the numbers of arrays.
local function parse(signature, in_flow)
  local found = {}
  for part in signature:match("%((.*)%)"):gmatch "[^,]+" do
    local name, words = part:match "^%s*([%w_]+)%s*:%s*(.-)%s*$"
    found[#found + 1] = parse_parameter(name, words)
    for i = 1, in_flow and 0 or tonumber(words:match "array([123])%s" or 0) do
      found[#found + 1] = {name = name .. PLACES[i][1], ctype = PLACES[i][2]}
    end
  end
  for i, one in ipairs(found) do
    one.what = ("%s: argument %d \"%s\""):format(signature:match "^[%w_]+", i - 1, one.name)
  end
  return found
end

local function names_of(parameters)
  local names = {}
  for i, one in ipairs(parameters) do names[i] = one.name end
  return table.concat(names, ", ")
end

--- Raise an error unless `given` is a table of an argument for each parameter.
function kernel.check_count(code, parameters, given)
  if not core.is_plain(given) then
    core.raise(("%s: its arguments are a table, {...}, not %s"):format(code.label, core.describe(given)))
  end
  if #given ~= #parameters then
    core.raise(("%s takes %d arguments (%s), not %d"):format(code.label, #parameters, names_of(parameters), #given))
  end
end

-- The array refers to the texts of `before`, which the caller keeps.
local function texts_before(before)
  local array = ffi.new("plait_source[?]", math.max(#before, 1))
  for i, one in ipairs(before) do
    local slot = array[i - 1]
    slot.size, slot.bytes, slot.file = ffi.sizeof "plait_source", #one[2], one[1]
    slot.code = ffi.cast("const char *", one[2])
  end
  return array
end

-- A missing text makes none.
local function sources(source, options)
  local texts = type(source) == "table" and source or {portable = source}
  local made, count = {}, 0
  for name, text in pairs(texts) do
    local form = FORMS[name] or core.raise("no sources are for " .. tostring(name))
    count = count + 1
    made[count] = {form = form, code = text}
  end
  local array = ffi.new("plait_source[?]", math.max(count, 1))
  local before = options.before or {}
  local first = texts_before(before)
  for i, one in ipairs(made) do
    if #before > 0 then array[i - 1].before, array[i - 1].before_count = first, #before end
    local slot = array[i - 1]
    slot.size, slot.form, slot.bytes = ffi.sizeof "plait_source", one.form, #one.code
    slot.code = ffi.cast("const char *", one.code)
    slot.defines, slot.options, slot.file = options.defines, options.options, options.file
    slot.flags = (options.strict and lib.PLAIT_SOURCE_STRICT or 0) + (options.fast and lib.PLAIT_SOURCE_FAST or 0)
      + (options.no_alias and lib.PLAIT_SOURCE_NO_ALIAS or 0)
  end
  return array, count, first
end

-- Return portable source in the language of a backend.
function kernel.text(signature, source, form, options)
  local array, _, first = sources(source, options)
  local text = core.text(function(_, ...)
    return lib.plait_source_text(signature, array, FORMS[form] or
      core.raise("no sources are for " .. core.describe(form)), ...)
  end)
  first = nil -- the call read them
  return text
end

function kernel.new(system, signature, source, options)
  core.check_options(options, " library symbol defines options file before strict fast no_alias grain ")
  local desc = core.sized("plait_kernel_desc", {
    signature = signature, library = options.library, symbol = options.symbol, grain = options.grain})
  local array, first
  array, desc.source_count, first = sources(source, options)
  if desc.source_count > 0 then desc.sources = array end
  local handle = core.make("plait_kernel", lib.plait_kernel_create, system:handle(), desc)
  first = nil -- the call read them
  local whole = core.text(lib.plait_kernel_signature, handle)
  return core.object(Kernel, handle, {
    system = system, label = whole:match "^[%w_]+", parameters = parse(whole), flow_parameters = parse(whole, true)})
end

local function is_no_number(value, what)
  core.raise(("%s: %s is not a number"):format(what, core.describe(value)))
end

local function does_not_fit(value, what)
  core.raise(("%s: %s %s"):format(what, tostring(value), value % 1 ~= 0 and "is not an integer" or
    "does not fit its type"))
end

-- Return the lowest number of an integer type; nil for a type that rounds numbers.
function kernel.lowest(ctype)
  if ctype:find "float" or ctype:find "double" then return nil end
  return ctype:find "^uint" and 0 or -2^63
end

local function put(at, value) at[0] = value end

-- Store a number for C; raise an error if it does not fit, since C would truncate it.
-- `lowest`: of an integer type, nil for others.
function kernel.store(at, lowest, value, what)
  local kind = type(value)
  if kind == "number" or kind == "boolean" then
    at[0] = value
  elseif not core.is_cdata(value) or not pcall(put, at, value) then
    is_no_number(value, what)
  end
  if lowest and kind == "number" and (value < lowest or tonumber(at[0]) ~= value) then
    does_not_fit(value, what)
  end
end

-- Convert a number to a C type.
function kernel.convert(ctype, value, what)
  local made = ffi.new(ctype)
  kernel.store(made, kernel.lowest(ctype), value, what)
  return made
end

-- Convert a table of numbers to a vector.
local function convert_vector(of, value, what)
  if not core.is_plain(value) or #value ~= of.lanes then
    core.raise(("%s is a vector: give it a table of %d numbers, not %s"):format(what, of.lanes, core.describe(value)))
  end
  local made, lowest = ffi.new(of.ctype), kernel.lowest(of.ctype)
  for i = 1, of.lanes do kernel.store(made + (i - 1), lowest, value[i], what) end
  return made
end

-- Copy a struct: a cdata, or a string of its bytes.
local function convert_struct(of, value, what)
  local kind = type(value)
  local have = kind == "string" and #value or core.is_cdata(value) and ffi.sizeof(value)
  if have ~= of.bytes then
    core.raise(("%s is a struct of %d bytes: give it a cdata or a string of that size, not %s"):format(
      what, of.bytes, core.describe(value)))
  end
  local made = ffi.new("uint8_t[?]", of.bytes)
  ffi.copy(made, value, of.bytes)
  return made
end

--- Convert a value for C; `of` is from value_type.
function kernel.convert_value(of, value, what)
  if of.bytes then return convert_struct(of, value, what) end
  if of.lanes then return convert_vector(of, value, what) end
  return kernel.convert(of.ctype, value, what)
end

local function set(slot, parameter, given, kept)
  slot.size = ffi.sizeof "plait_argument"
  if getmetatable(given) == Special then
    slot.kind = given.kind
    slot.name = given.name or given.host
    slot.offset_bytes = given.offset or 0
    slot.rotation, slot.ahead = given.rotation or 0, given.ahead or 0
    slot.series = given.series
  elseif parameter.is_local then
    slot.kind = lib.PLAIT_ARGUMENT_LOCAL
    slot.bytes = kernel.convert("uint64_t[1]", given, parameter.what .. " is local memory: give its bytes")[0]
  elseif parameter.ctype or parameter.bytes then
    local value = kernel.convert_value(parameter, given, parameter.what)
    kept[#kept + 1] = value
    slot.kind, slot.bytes, slot.value = lib.PLAIT_ARGUMENT_VALUE, ffi.sizeof(value), value
  else
    slot.kind, slot.buffer = lib.PLAIT_ARGUMENT_BUFFER, given:handle()
  end
end

-- Return the kernel type of a C type, whatever its C spelling; nil if it is not a
-- number.
local function find_word(ctype)
  local made, bytes = ffi.new(ctype .. "[1]"), ffi.sizeof(ctype)
  if not pcall(put, made, 0.5) then return nil end
  if type(made[0]) == "boolean" then return "bool" end
  if tonumber(made[0]) == 0.5 then return "f" .. 8 * bytes end
  made[0] = -1
  local is_signed = made[0] < 0 and not tostring(ffi.typeof(made)):find "uint64_t" -- wraps in Lua 5.4
  return (is_signed and "i" or "u") .. 8 * bytes
end

local words = {char = "u8"} -- bytes
local function word_of(ctype)
  if words[ctype] == nil then words[ctype] = find_word(ctype) or false end
  return words[ctype]
end

-- Raise an error if the element type of a buffer is not that of the pointer.  Bytes,
-- and types unknown to Lua, match every pointer type.
local function check_pointer(buffer, parameter)
  local what = parameter.what .. " is a pointer"
  if not memory.is_buffer(buffer) then
    core.raise(("%s: give it a buffer, not %s%s"):format(what, core.describe(buffer),
      core.is_plain(buffer) and "; device:array(\"float\", {...}) makes one" or ""))
  end
  local have = word_of(buffer.ctype)
  if have and have ~= "u8" and TYPES[parameter.target] and have ~= parameter.target then
    core.raise(("%s to %s, the buffer was made of %s (%s)"):format(what, parameter.target,
      buffer.ctype, have))
  end
end

-- Raise an error unless a buffer can have the word of a condition.
function kernel.check_word(buffer)
  local have = word_of(buffer.ctype)
  if have and have ~= "u32" and have ~= "i32" and have ~= "u8" then
    core.raise(("the condition is a u32, the buffer was made of %s (%s)"):format(buffer.ctype, have))
  end
end

--- Return the output of the compiler about the code for a device, with the warnings of a build
-- that succeeded; "" for functions, and for code from the cache.
function Kernel:messages(device)
  return core.text(function(handle, ...)
    return lib.plait_kernel_messages(handle, device.handle, ...)
  end, self:handle())
end

-- Convert arguments for C: {array = , count = , kept = the cdata they refer to}.
function Kernel:arguments(given)
  local count = #self.parameters
  kernel.check_count(self, self.parameters, given)
  local made = {array = ffi.new("plait_argument[?]", math.max(count, 1)), count = count, kept = {}}
  for i, parameter in ipairs(self.parameters) do
    if not (parameter.ctype or parameter.bytes or parameter.is_local) and getmetatable(given[i]) ~= Special then
      check_pointer(given[i], parameter)
    end
    set(made.array[i - 1], parameter, given[i], made.kept)
  end
  return made
end

-- Return a plait_launch for {items = 3} or {items = {4, 4}, group = {2, 2}}.
function kernel.geometry(options)
  local launch = core.sized "plait_launch"
  local items = options and options.items or 1
  local group = options and options.group or {}
  items = core.is_plain(items) and items or {items}
  group = core.is_plain(group) and group or {group}
  if #items > 3 or #group > 3 then core.raise("items and group have at most 3 dimensions") end
  launch.dimensions = #items
  for i, n in ipairs(items) do
    launch.items[i - 1] = kernel.convert("uint64_t[1]", n, "items")[0]
  end
  for i, n in ipairs(group) do
    launch.group[i - 1] = kernel.convert("uint64_t[1]", n, "group")[0]
  end
  return launch
end
Kernel.geometry = kernel.geometry

return kernel
