-- SPDX-License-Identifier: MIT
-- Binding of plan parameters: generated code that fills a plait_run_desc.
--
-- Each plan has its own generated function, which stores the parameters into
-- bindings allocated once.  The function has no loop, so the JIT compiles it
-- into the caller's trace, and allocates nothing.  plait reads the bindings during
-- the call, and no Lua function runs meanwhile, so one set per plan is enough.
local core = require "plait.core"
local kernel = require "plait.kernel"
local memory = require "plait.memory"
local ffi, lib = core.ffi, core.lib

local binding = {}

--- Return {number = , kind = , name = , type = } of each parameter of a plan.
function binding.parameters(handle)
  local found, count = {}, ffi.new "uint32_t[1]"
  core.check(lib.plait_plan_parameter_count(handle, count, core.error))
  for i = 0, count[0] - 1 do
    local info = core.sized "plait_parameter_info"
    core.check(lib.plait_plan_query_parameter(handle, i, info, core.error))
    found[i + 1] = {number = i, kind = info.kind, name = ffi.string(info.name),
                    type = ffi.string(info.type)}
  end
  return found
end

-- --- one parameter -------------------------------------------------------------

local put = {}

function put.buffer(slot, _, value, name)
  if not memory.is_buffer(value) then
    core.raise(("%s is a pointer: give it a buffer, not %s"):format(name, core.describe(value)))
  end
  slot.buffer, slot.value, slot.bytes = value:handle(), nil, 0
end

function put.number(slot, box, value, name)
  kernel.store(box.at, box.lowest, value, name)
  slot.buffer, slot.value, slot.bytes = nil, box.at, box.bytes
end

-- So are vectors and structs.
function put.aggregate(slot, box, value, name)
  box.at = kernel.convert_value(box.of, value, name)
  slot.buffer, slot.value, slot.bytes = nil, box.at, box.bytes
end

-- Launch sizes are rare: each call allocates one; the box keeps it until the next.
function put.launch(slot, box, value)
  box.at = kernel.geometry {items = value}
  slot.buffer, slot.value, slot.bytes = nil, box.at, box.bytes
end

-- Memory of the program: a cdata array; the box keeps it until the next run.
function put.host(slot, box, value, name)
  local good, size = pcall(ffi.sizeof, value)
  if not core.is_cdata(value) or not good or core.is_pointer(value) then
    core.raise(("%s: memory of the program is a cdata array, not %s"):format(name, core.describe(value)))
  end
  box.at = value
  slot.buffer, slot.value, slot.bytes = nil, ffi.cast("void *", value), size
end

local function box_of(parameter)
  if parameter.kind == lib.PLAIT_PARAMETER_HOST then return {put = "host"} end
  if parameter.kind == lib.PLAIT_PARAMETER_BUFFER then return {put = "buffer"} end
  if parameter.kind == lib.PLAIT_PARAMETER_LAUNCH then
    return {put = "launch", bytes = ffi.sizeof "plait_launch"}
  end
  local of = kernel.value_type(parameter.type)
  if of.bytes or of.lanes then
    return {put = "aggregate", of = of, bytes = of.bytes or ffi.sizeof(of.ctype)}
  end
  local ctype = of.ctype
  return {put = "number", at = ffi.new(ctype), bytes = ffi.sizeof(ctype),
          lowest = kernel.lowest(ctype)}
end

-- --- all of a plan -------------------------------------------------------------

local HEAD = [[
local slots, desc, boxes, put, known, unknown, missing, next = ...
local put_buffer, put_number, put_launch, put_aggregate = put.buffer, put.number, put.launch, put.aggregate
local put_host = put.host
]]
local BEGIN = [[
return function(given)
  local count, value, key = 0, nil, next(given)
]]
local ONE = [[
  value = given[%q]
  if value ~= nil then
    count = count + 1
    slots[count].parameter = %d
    put_%s(slots[count], box%d, value, %q)
  end
]]
-- Repeated once per parameter; a key that remains after that is unknown.
local KEY = [[
  if key ~= nil then
    if not known[key] then unknown(key) end
    key = next(given, key)
  end
]]
local END = [[
  if key ~= nil then unknown(key) end
  if count ~= %d then missing(given) end
  desc.binding_count = count
  return desc
end
]]

-- Return a function that refuses an unknown name and lists the known ones.
local function refusing(parameters)
  local names = {}
  for i, parameter in ipairs(parameters) do names[i] = parameter.name end
  table.sort(names)
  local text = #names > 0 and table.concat(names, ", ") or "none"
  return function(name)
    core.raise(("the plan has no parameter %s; it has %s"):format(tostring(name), text))
  end
end

-- Return a function that names the parameters that a call lacks.
local function asking(parameters)
  return function(given)
    local names, all = {}, {}
    for i, parameter in ipairs(parameters) do
      all[i] = parameter.name .. " = ..."
      if given[parameter.name] == nil then names[#names + 1] = parameter.name end
    end
    core.raise(("the plan also needs %s: plan {%s}"):format(table.concat(names, ", "), table.concat(all, ", ")))
  end
end

--- Return a function that takes {name = value} and returns a plait_run_desc, valid
-- until the next call.
function binding.new(handle, flags)
  local parameters = binding.parameters(handle)
  local array = ffi.new("plait_binding[?]", math.max(#parameters, 1))
  local desc = core.sized("plait_run_desc", {bindings = array, flags = flags})
  local slots = {[0] = array} -- references do not keep their array in LuaJIT
  local boxes, known, top, middle = {}, {}, {HEAD}, {BEGIN}
  for i, parameter in ipairs(parameters) do
    slots[i] = array[i - 1]
    slots[i].size = ffi.sizeof "plait_binding"
    boxes[i], known[parameter.name] = box_of(parameter), true
    top[#top + 1] = ("local box%d = boxes[%d]\n"):format(i, i)
    middle[#middle + 1] = ONE:format(parameter.name, parameter.number, boxes[i].put, i,
                                     parameter.name)
  end
  local text = table.concat(top) .. table.concat(middle) .. KEY:rep(#parameters) .. END:format(#parameters)
  return assert(core.load(text, "=plait parameters"))(slots, desc, boxes, put, known,
                                                       refusing(parameters), asking(parameters), next)
end

return binding
