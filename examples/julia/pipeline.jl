# SPDX-License-Identifier: MIT
# A Julia function as a node between two kernels.  One kernel fills a buffer in
# shuffled order, Julia sorts it, another kernel counts the elements out of place.
using Plait

const COUNT, RUNS = 1000, 10

function main()
    system = System()
    device = system.devices[1]
    shuffle, steps = kernels(system, joinpath(@__DIR__, "../kernels/pipeline"), "shuffle", "steps")
    numbers, wrong = array(device, zeros(Float32, COUNT)), array(device, UInt32[0])

    graph = Graph(system)
    first = launch!(graph, shuffle, numbers, COUNT, Parameter(:turn); items=COUNT)
    second = call!(sort!, graph, numbers; after=first)
    launch!(graph, steps, numbers, wrong, COUNT; items=COUNT, after=second)
    plan = freeze(graph)
    for turn in 0:RUNS-1
        plan(turn=turn)
    end
    println("$RUNS runs, $(Array(wrong)[1]) numbers out of place")
end

main()
