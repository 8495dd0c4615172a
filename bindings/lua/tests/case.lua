-- SPDX-License-Identifier: MIT
-- Tests with a system of their own, and kernels that many of them use.
local tap = require "tests.tap"
local plait = require "plait"
local ffi = require "plait.core".ffi
local case = {ok = tap.ok, is = tap.is, raises = tap.raises}
ffi.cdef [[
typedef struct { int descriptor; short wanted, found; } poll_entry;
int poll(poll_entry *, unsigned long, int);
]]

case.SAXPY = {"saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
              "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }"}
case.DOWN = {"down(left: inout pointer u32)", "KERNEL(down) { EACH(i, 1) left[i] -= 1; }"}

-- Return the numbers of a buffer as text.
function case.list(buffer)
  local numbers = buffer:table()
  for i, number in ipairs(numbers) do numbers[i] = ("%.14g"):format(number) end -- not 2.0
  return table.concat(numbers, " ")
end

-- Run a test with its own system, and check that no object is left.
function case.test(name, fn)
  local system = plait.open()
  local good, text = xpcall(function() fn(system, system.devices[1], system.devices[1]:queue()) end,
                            debug.traceback)
  if not good then
    case.ok(false, name)
    print((tostring(text):gsub("^", "#   "):gsub("\n", "\n#   ")))
  end
  system:release()
  system = nil
  -- Compiled code of LuaJIT holds the objects that it was specialised for.
  if jit then jit.flush() end
  for _ = 1, 3 do collectgarbage() end
  -- Work in flight ends on other threads.
  for _ = 1, 1000 do
    if plait.live_count() == 0 then break end
    ffi.C.poll(nil, 0, 10)
  end
  case.is(plait.live_count(), 0, name .. ": nothing is left")
end

return case
