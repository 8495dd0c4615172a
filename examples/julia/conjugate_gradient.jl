# SPDX-License-Identifier: MIT
# A Poisson problem on a square, solved by conjugate gradients.
# The whole solver is one plan: a kernel computes the residual and ends the
# loop when it is small.
using Plait

const SIZE, TOLERANCE = 64, 1e-8

function main()
    system = System()
    device = system.devices[1]
    apply, find_alpha, step, find_beta, turn = kernels(
        system, joinpath(@__DIR__, "../kernels/conjugate_gradient"),
        "apply", "find_alpha", "step", "find_beta", "turn")

    n = SIZE * SIZE
    b = ones(SIZE, SIZE)
    x, r, p = array(device, zero(b)), array(device, b), array(device, b)
    q, parts, scalars = buffer(device, Float64, n), buffer(device, Float64, SIZE), array(device, [0.0, 0, n])
    go, count = array(device, UInt32[1]), array(device, UInt32[0])

    graph = Graph(system)
    loop!(graph, go; times=150) do body
        last = launch!(body, apply, p, q, parts, SIZE; items=SIZE)
        last = launch!(body, find_alpha, parts, scalars, SIZE; after=last)
        last = launch!(body, step, x, r, p, q, scalars, parts, SIZE; items=SIZE, after=last)
        last = launch!(body, find_beta, parts, scalars, go, count, SIZE, TOLERANCE; after=last)
        launch!(body, turn, p, r, scalars, n; items=n, after=last)
    end
    freeze(graph)()

    solved = sqrt(Array(scalars)[3]) <= TOLERANCE ? "solved" : "not solved"
    middle = round(Array(x)[SIZE÷2+1, SIZE÷2+1]; digits=3)
    println("$solved after $(Array(count)[1]) iterations, $middle in the middle")
end

main()
