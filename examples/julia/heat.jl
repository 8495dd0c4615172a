# SPDX-License-Identifier: MIT
# Heat spreads over a plate until nothing changes much: a loop inside a plan.
# A kernel sets the loop condition; the program waits once, for the whole plan.
using Plait

const SIZE, TOLERANCE = 64, 1e-4

function main()
    system = System()
    device = system.devices[1]
    spread, change, decide = kernels(system, joinpath(@__DIR__, "../kernels/heat"),
                                     "spread", "change", "decide")
    plate = zeros(Float32, SIZE, SIZE)
    plate[:, 1] .= 100                                            # one edge is hot
    one, other = array(device, plate), array(device, plate)
    changes = buffer(device, Float32, SIZE)
    go, steps = array(device, UInt32[1]), array(device, UInt32[0])

    graph = Graph(system)
    loop!(graph, go; times=1000) do body
        plates = rotate!(body, one, other)
        step = launch!(body, spread, plates.now, plates.next, SIZE; items=(SIZE, SIZE))
        step = launch!(body, change, plates.now, plates.next, changes, SIZE; items=SIZE, after=step)
        launch!(body, decide, changes, go, steps, SIZE, TOLERANCE; after=step)
    end
    freeze(graph)()

    count = Int(Array(steps)[1])
    last = Array(isodd(count) ? other : one)
    degrees = round(last[SIZE÷2+1, SIZE÷2+1]; digits=1)
    println("settled after $count steps, $degrees degrees in the middle")
end

main()
