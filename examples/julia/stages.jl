# SPDX-License-Identifier: MIT
# Three stages as tasks, with bounded queues between them: the first makes blocks, the second
# smooths each on the device, the third adds them up.
using Plait

const BLOCKS, LENGTH, DEPTH = 20, 64, 4

# A bounded queue of blocks.  The gates count what was put in and taken out.
struct Bounded
    filled::Signal
    emptied::Signal
    blocks::Vector{Vector{UInt32}}
end

Bounded(device) = Bounded(Signal(device; gate=true), Signal(device; gate=true),
                          [zeros(UInt32, LENGTH) for _ in 1:DEPTH])

# Blocks are counted from 1.
function room(bounded, i)
    i > DEPTH && wait(bounded.emptied, i - DEPTH)
    return bounded.blocks[(i-1)%DEPTH+1]
end

function block(bounded, i)
    wait(bounded.filled, i)
    return bounded.blocks[(i-1)%DEPTH+1]
end

function make(raw)
    for i in 1:BLOCKS
        room(raw, i) .= [(37 * (i - 1) + 11 * j) % 101 for j in 0:LENGTH-1]
        Plait.raise(raw.filled, i)
    end
end

function smooth(raw, smoothed, plan, queue)
    for i in 1:BLOCKS
        given, taken = block(raw, i), room(smoothed, i)
        wait(run(plan, queue; given=given, taken=taken))
        Plait.raise(raw.emptied, i)
        Plait.raise(smoothed.filled, i)
    end
end

function add_up(smoothed, total)
    for i in 1:BLOCKS
        total[] += i * sum(block(smoothed, i))
        Plait.raise(smoothed.emptied, i)
    end
end

function main()
    system = System()
    device = system.devices[1]
    kernel, = kernels(system, joinpath(@__DIR__, "../kernels/coroutines"), "smooth")
    graph = Graph(system)
    x, y = temporary(graph, UInt32, LENGTH), temporary(graph, UInt32, LENGTH)
    last = write!(graph, x, Parameter(:given))
    last = launch!(graph, kernel, x, y, LENGTH; items=LENGTH, after=last)
    read!(graph, y, Parameter(:taken); after=last)
    plan = freeze(graph)

    raw, smoothed, total, graph = Bounded(device), Bounded(device), Ref(0), Graph(system)
    call!(() -> make(raw), graph; task=true)
    call!(() -> smooth(raw, smoothed, plan, Queue(device)), graph; task=true)
    call!(() -> add_up(smoothed, total), graph; task=true)
    freeze(graph; widest=true)()
    println("$BLOCKS blocks through 3 stages, sum $(total[])")
end

main()
