# SPDX-License-Identifier: MIT
# The program of same.py: t/bindings/worlds.t compares their outputs.
using Plait

content(buffer) = join(map(Int, Array(buffer)), ' ')
truth(held) = held ? "True" : "False"

Plait.open(backend="host", workers=2) do system
    world = World(system; silence=100)
    device = system.devices[1]
    println(world.ranks, " ranks ", world.machines, " machine")
    ring = compile(Coll(system, :allreduce, world.ranks; algorithm="ring", in_place=true))
    total = Collective(world, ring)
    data = array(device, Float32.(world.rank .+ (1:4)))
    total(4; output=data)
    println("called: ", content(data))
    queue = Queue(device)
    submit!(total, queue, 4; output=data)
    finish(queue)
    println("submitted: ", content(data))
    graph = Graph(system)
    first = collective!(graph, total, 4; output=data, label="first")
    collective!(graph, total, 4; op=:max, output=data, after=first)
    freeze(graph)()
    println("in a graph: ", content(data))
    shared = buffer(world, Float32, 4)
    copyto!(shared, fill(Float32(world.rank + 1), 4))
    total(4; output=shared)
    println("shared: ", Int(Array(shared)[4]))
    try
        collective!(graph, total, 4)
    catch problem
        println("refused: ", truth(occursin("the output of rank", sprint(showerror, problem))))
    end
    println("reached: ", truth(occursin("rank $(1 - world.rank)", Plait.report(world))))
end
