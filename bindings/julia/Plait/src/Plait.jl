# SPDX-License-Identifier: MIT
"""
plait for Julia: task graphs, scheduled once and replayed.

    using Plait
    system = System()                             # PLAIT_BACKEND chooses
    device = system.devices[1]
    saxpy = Kernel(system, "saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
                   "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")
    x, y = array(device, ones(Float32, 1000)), array(device, ones(Float32, 1000))
    graph = Graph(system)
    launch!(graph, saxpy, Parameter(:a), x, y, 1000; items=1000)
    plan = freeze(graph)
    plan(a=2)                                     # may be called any number of times
    Array(y)

Files: raw.jl has the C functions, core.jl the library, errors and handles,
inbox.jl events and waiting, system.jl systems and devices, memory.jl
buffers, kernel.jl kernels and their arguments, queue.jl queues and signals,
graph.jl graphs, plan.jl plans and runs, data.jl data of flows, flow.jl flows,
coll.jl collectives, world.jl worlds.
"""
module Plait

using FileWatching: FDWatcher
using Libdl: dlopen, dlsym

export System, Device, Buffer, Kernel, Queue, Batch, Signal, Graph, Node, Plan, Run, PlaitError
export Parameter, HostValue, SCRATCH, ITERATION, Rows
export array, wrap, buffer, image, SAMPLER_LINEAR, SAMPLER_ZERO, mapped, kernels, release, pump, descriptor, adopt
export launch!, call!, write!, emit!, wait!, submit!, join!, mark!, edge!, remove!, remove_edge!, priority!, resource!, need!, subgraph!, loop!, repeat!, case!, rotate!, temporary
export read_graph, capture, freeze, bindings, bind!, prepare, exchange!, simulate, critical_path, rehearse!, tune
export Flow, Data, CHUNK, token, reads, writes, updates, reduces, own, near, advise, explain
export Coll, Schedule, chunk, reduce!, part, parallel, compile, check, read_coll, read_schedule
export World, Collective, collective!
export finish, isdone, cancel, is_stopping, record!, trace

include("raw.jl")
include("core.jl")
include("inbox.jl")
include("system.jl")
include("memory.jl")
include("kernel.jl")
include("queue.jl")
include("graph.jl")
include("plan.jl")
include("data.jl")
include("flow.jl")
include("coll.jl")
include("world.jl")

end
