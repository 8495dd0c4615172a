# SPDX-License-Identifier: MIT
# The program of same.py: t/bindings/colls.t compares their outputs.
using Plait

const CLUSTER = "cluster ranks=4\nlane rate=1"

content(buffer) = join(map(Int, Array(buffer)), ' ')
truth(held) = held ? "True" : "False"

function ring_of(system, n)
    made = Coll(system, :allreduce, n; chunks=n, in_place=true)
    for r in 0:n-1
        c = chunk(made, (r + 1) % n, :i, r)
        for s in 2:n
            c = reduce!(chunk(made, (r + s) % n, :i, r), c)
        end
        for s in 1:n-1
            c = copy!(c, (r + s) % n)
        end
    end
    return made
end

Plait.open(backend="host") do system
    device = system.devices[1]
    ring = compile(ring_of(system, 4); instances=2)
    proof, info = check(ring), Plait.properties(ring)
    println(proof.steps, ' ', proof.depth_min, proof.same_bits ? " same bits" : " other bits")
    println(info.ranks, ' ', info.share_chunks, info.in_place ? " in place" : " out of place")
    buffers = [array(device, Float32.(r .+ (0:4))) for r in 0:3]
    freeze(Graph(ring, 5; outputs=buffers))()
    println(content(buffers[4]))
    time = simulate(ring, CLUSTER, 8)
    println(time.time_ns, ' ', time.critical_steps, ' ', truth(occursin("</svg>", Plait.draw(ring, CLUSTER, 8))))

    gather = freeze(Graph(compile(Coll(system, :allgather, 2; algorithm="ring")), 3, Int32; op=:max))
    inputs = [array(device, Int32[r, 5, 6]) for r in 0:1]
    outputs = [array(device, zeros(Int32, 6)) for _ in 0:1]
    gather(in0=inputs[1], in1=inputs[2], out0=outputs[1], out1=outputs[2])
    println(content(outputs[2]))

    custom = Coll(system, :custom, 2; inputs=2, outputs=2, promises=Dict((1, 0) => [(0, 0), (1, 0)]))
    parallel(custom, 2) do
        both = join(chunk(custom, 0, :i, 0), chunk(custom, 0, :i, 1))
        moved = copy!(part(both, 0), 1, :s; channel=1)
        reduce!(copy!(chunk(custom, 1, :i, 0), 1, :o, 0), moved)
    end
    schedule = compile(custom)
    try
        check(schedule; promises=Dict((1, 0) => [(1, 0)]))
    catch problem
        println("refused: ", problem.proof.reason)
    end
    again = Plait.bytes(read_schedule(system, Plait.bytes(schedule))) == Plait.bytes(schedule)
    println(first(split(String(Plait.bytes(schedule; format=:msccl)))), ' ', truth(again))
    steps = read_coll(system, "broadcast ranks=2 chunks=8 in_place\nfor i in 0..8 { copy(input[0, i], 1) }\n")
    println(check(compile(steps)).steps, ' ', check(compile(steps; aggregate=true, message_chunks=4)).steps)
    try
        read_coll(system, "broadcast ranks=2\nnothing"; name="mine")
    catch problem
        println(first(split(problem.text)))
    end
end
