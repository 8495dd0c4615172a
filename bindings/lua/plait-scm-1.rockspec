-- SPDX-License-Identifier: MIT
rockspec_format = "1.0"
package = "plait"
version = "scm-1"
source = { url = "git+file://." }
description = {
  summary = "Task graphs, scheduled once and replayed, for LuaJIT",
  license = "MIT",
}
dependencies = { "lua == 5.1" }
build = {
  type = "builtin",
  modules = {
    ["plait"] = "plait/init.lua",
    ["plait.binding"] = "plait/binding.lua",
    ["plait.cdef"] = "plait/cdef.lua",
    ["plait.core"] = "plait/core.lua",
    ["plait.coll"] = "plait/coll.lua",
    ["plait.world"] = "plait/world.lua",
    ["plait.flow"] = "plait/flow.lua",
    ["plait.graph"] = "plait/graph.lua",
    ["plait.kernel"] = "plait/kernel.lua",
    ["plait.memory"] = "plait/memory.lua",
    ["plait.plan"] = "plait/plan.lua",
  },
}
