-- SPDX-License-Identifier: MIT
-- A Lua state that moves to another thread after it opened its system: calls fail
-- until the state adopts the system.  t/bindings/lua.t reads the output.
local plait = require "plait"
local ffi = plait.ffi
ffi.cdef [[
typedef struct lua_State lua_State;
lua_State *luaL_newstate(void);
void luaL_openlibs(lua_State *);
int luaL_loadstring(lua_State *, const char *);
int lua_pcall(lua_State *, int, int, int);
int lua_pcallk(lua_State *, int, int, int, intptr_t, void *);
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
  if status == 0 then
    status = jit and ffi.C.lua_pcall(state, 0, 1, 0) or not jit and ffi.C.lua_pcallk(state, 0, 1, 0, 0, nil)
  end
  local answer = ffi.string(ffi.C.lua_tolstring(state, -1, nil))
  return status == 0 and answer or error(answer)
end

there [[
  local plait = require "plait"
  local system = plait.open()
  local queue = system.devices[1]:queue()
  function work()
    local _, problem = pcall(system.pump, system)
    print("told: " .. tostring(problem))
    local ran = 0
    queue:call(function() ran = ran + 1 end)
    system:adopt()
    queue:finish()
    print(("adopted: %d ran"):format(ran))
    io.stdout:flush()
  end
  return "ready"
]]

-- Return what runs work() on a thread, and its argument: only one thread at a time uses the
-- state, so C may call it.  In Lua 5.4 the end of the state does.
local function start()
  if jit then
    local entry = there [[
      entry = require "ffi".cast("void *(*)(void *)", function() work() end)
      return ("%.0f"):format(tonumber(require "ffi".cast("uintptr_t", entry)))
    ]]
    return ffi.cast("void *(*)(void *)", tonumber(entry)), nil
  end
  there 'at_end = setmetatable({}, {__gc = work}) return "ready"'
  return ffi.cast("void *(*)(void *)", ffi.C.lua_close), state
end

local thread = ffi.new "unsigned long[1]"
local entry, argument = start()
assert(ffi.C.pthread_create(thread, nil, entry, argument) == 0)
ffi.C.pthread_join(thread[0], nil)
if jit then ffi.C.lua_close(state) end
-- Work in flight ends on other threads.
for _ = 1, 1000 do
  if plait.live_count() == 0 then break end
  ffi.C.poll(nil, 0, 10)
end
print("left: " .. plait.live_count())
