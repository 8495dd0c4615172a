-- SPDX-License-Identifier: MIT
-- A Lua state that moves to another thread after it opened its system: calls fail
-- until the state adopts the system.  t/bindings/lua.t reads the output.
local plait = require "plait"
local ffi = require "ffi"
ffi.cdef [[
typedef struct lua_State lua_State;
lua_State *luaL_newstate(void);
void luaL_openlibs(lua_State *);
int luaL_loadstring(lua_State *, const char *);
int lua_pcall(lua_State *, int, int, int);
const char *lua_tolstring(lua_State *, int, size_t *);
void lua_close(lua_State *);
int pthread_create(unsigned long *, void *, void *(*)(void *), void *);
int pthread_join(unsigned long, void **);
int poll(void *, unsigned long, int);
]]

local state = ffi.C.luaL_newstate()
ffi.C.luaL_openlibs(state)

-- Run a chunk in the state; return its result as text.
local function there(text)
  local status = ffi.C.luaL_loadstring(state, text)
  if status == 0 then status = ffi.C.lua_pcall(state, 0, 1, 0) end
  local answer = ffi.string(ffi.C.lua_tolstring(state, -1, nil))
  return status == 0 and answer or error(answer)
end

local entry = there [[
  local plait, ffi = require "plait", require "ffi"
  local system = plait.open()
  local queue = system.devices[1]:queue()
  told, ran = "nothing", 0
  -- Only one thread at a time uses this state, so C may call it.
  entry = ffi.cast("void *(*)(void *)", function()
    local _, problem = pcall(system.pump, system)
    told = tostring(problem)
    queue:call(function() ran = ran + 1 end)
    system:adopt()
    queue:finish()
    return nil
  end)
  return ("%.0f"):format(tonumber(ffi.cast("uintptr_t", entry)))
]]
local thread = ffi.new "unsigned long[1]"
assert(ffi.C.pthread_create(thread, nil, ffi.cast("void *(*)(void *)", tonumber(entry)), nil) == 0)
ffi.C.pthread_join(thread[0], nil)
print("told: " .. there "return told")
print(("adopted: %s ran"):format(there "return tostring(ran)"))
ffi.C.lua_close(state)
-- Work in flight ends on other threads.
for _ = 1, 1000 do
  if plait.live_count() == 0 then break end
  ffi.C.poll(nil, 0, 10)
end
print("left: " .. plait.live_count())
