# SPDX-License-Identifier: MIT
# A search in a tree whose shape is data: queens on a board, none of which attacks another.  A
# plan finds the free squares of the next row; a task below each square of the first row waits
# for it, and goes into all of them.
using Plait

const SIZE = 7

mutable struct Seeker
    queue::Queue
    squares::Vector{UInt32}
    places::Int
    solutions::Int
end

function search(seeker, plan, columns, left, right)
    seeker.places += 1
    if columns == 1 << SIZE - 1
        seeker.solutions += 1
        return
    end
    wait(run(plan, seeker.queue; columns=columns, left=left, right=right, squares=seeker.squares))
    squares = seeker.squares[1]
    for square in (1 << i for i in 0:SIZE-1)
        squares & square == 0 ||
            search(seeker, plan, columns | square, (left | square) << 1, (right | square) >> 1)
    end
end

function main()
    system = System()
    kernel, = kernels(system, joinpath(@__DIR__, "../kernels/coroutines"), "squares")
    graph = Graph(system)
    found = temporary(graph, UInt32, 1)
    last = launch!(graph, kernel, Parameter(:columns), Parameter(:left), Parameter(:right), SIZE, found; items=1)
    read!(graph, found, Parameter(:squares); after=last)
    plan = freeze(graph; instances=SIZE)

    graph = Graph(system)
    seekers = [Seeker(Queue(system.devices[1]), UInt32[0], 0, 0) for _ in 1:SIZE]
    for (i, seeker) in enumerate(seekers)
        square = 1 << (i - 1)
        call!(() -> search(seeker, plan, square, square << 1, square >> 1), graph; task=true)
    end
    freeze(graph; widest=true)()
    solutions, places = sum(one.solutions for one in seekers), 1 + sum(one.places for one in seekers)
    println("$SIZE queens: $solutions solutions in $places places")
end

main()
