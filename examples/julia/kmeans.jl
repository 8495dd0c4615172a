# SPDX-License-Identifier: MIT
# k-means: a loop whose body takes one of two branches.  After every point has
# chosen its nearest centre, either all centres have points and move to their
# middle, or one has none and is reseeded at a point.
using Plait

const POINTS, CENTRES = 3000, 4

# Generate points around four fixed centres, the same in every run.
function make_points()
    state, middles = 1, Float32[2 2 8 8; 2 8 2 8]
    map(CartesianIndices((2, POINTS))) do index
        state = state * 16807 % 2147483647
        Float32(middles[index[1], mod1(index[2], 4)] + state / 2147483647 - 0.5)
    end
end

function main()
    system = System()
    device = system.devices[1]
    choose, gather, move, reseed = kernels(system, joinpath(@__DIR__, "../kernels/kmeans"),
                                           "choose", "gather", "move", "reseed")
    points = array(device, make_points())
    # All centres but one start far from every point.
    centres = array(device, Float32[5 1000 1000 1000; 5 1000 1000 1000])
    chosen, sums = buffer(device, UInt32, POINTS), buffer(device, UInt8, 12CENTRES)
    which = array(device, UInt32[0])
    state = array(device, UInt32[1, 0, 0])                        # continue, moves, reseeds

    graph = Graph(system)
    loop!(graph, state; times=20) do body
        step = launch!(body, choose, points, centres, chosen, POINTS, CENTRES; items=POINTS)
        step = launch!(body, gather, points, chosen, sums, which, POINTS, CENTRES; after=step)
        _, (some, none) = case!(body, which, 2; after=step)
        launch!(some, move, centres, sums, state, CENTRES)
        launch!(none, reseed, centres, sums, points, state, POINTS, CENTRES)
    end
    freeze(graph)()

    _, moves, seeds = Array(state)
    println("settled after $moves moves and $seeds new seeds")
    found = round.(Array(centres); digits=1)
    foreach(centre -> println("a centre near ", join(centre, ", ")), sort(collect(eachcol(found))))
end

main()
