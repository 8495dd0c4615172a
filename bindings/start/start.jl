# SPDX-License-Identifier: MIT
using Plait
system = System()
x = array(system.devices[1], Float32[1, 2, 3])
twice = Kernel(system, "twice(x: inout pointer f32)", "KERNEL(twice) { EACH(i, 3) x[i] *= 2; }")
graph = Graph(system)
launch!(graph, twice, x; items=3)
plan = freeze(graph)
plan()
plan()
println(Array(x)) # Float32[4.0, 8.0, 12.0]
