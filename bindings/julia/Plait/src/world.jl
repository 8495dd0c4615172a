# SPDX-License-Identifier: MIT
# Worlds: ranks that are processes, and the collectives of all of them.

"""
    World(system; transports, rank=0, ranks=0, open_time, silence)

The ranks of a program, which are processes; has `rank`, `ranks` and `machines`. `transports` is
"shm,mpi", by default `PLAIT_TRANSPORT`; 0 ranks: a launcher says rank and ranks. The others have
`open_time` seconds to come, by default 60; a call in which nothing moves for `silence` seconds
fails, by default never.

    world = World(system)
    ring = Coll(system, :allreduce, world.ranks; algorithm="ring", in_place=true)
    total = Collective(world, compile(ring))
    total(length(numbers); output=numbers)        # on all ranks
"""
mutable struct World <: Handle{Raw.plait_world}
    raw::Ptr{Raw.plait_world}
    system::System
    rank::Int
    ranks::Int
    machines::Int
end

give_back(raw::Ptr{Raw.plait_world}) = Raw.plait_world_release(raw)

Base.show(io::IO, world::World) = print(io, "World(rank ", world.rank, " of ", world.ranks, ")")

function World(system::System; transports=nothing, rank=0, ranks=0, open_time=nothing, silence=nothing)
    text, info = text_or_nothing(transports), Ref(sized(Raw.plait_world_info))
    limit(seconds) = seconds === nothing ? UInt64(0) : nanoseconds(seconds)
    raw = GC.@preserve text create(
        Raw.plait_world_open, Raw.plait_world, system,
        Ref(sized(Raw.plait_world_desc; transports=text_at(text), rank=rank, ranks=ranks,
                  open_ns=limit(open_time), silence_ns=limit(silence))))
    world = owned(World(raw, system, 0, 0, 0))
    call(Raw.plait_world_query, world, info)
    world.rank, world.ranks, world.machines = info[].rank, info[].ranks, info[].machines
    return world
end

"""
    Plait.report(world)

Return by which transport each rank is reached, and why not by others.
"""
report(world::World) = rstrip(text_of(Raw.plait_world_report, world), '\0')

function host_of(system::System)
    index = findfirst(device -> :host in device.capabilities, system.devices)
    return system.devices[something(index, 1)]
end

"""
    buffer(world, T, dims...; device, label)

Create a buffer with undefined contents that the ranks of this machine read in place in
collectives; an ordinary one where nothing can be shared. `device` is one of the system, by default
the host.
"""
buffer(world::World, ::Type{T}, dims::Integer...; device=host_of(world.system), label=nothing) where {T} =
    new_buffer(device, T, dims, label, UInt32(0), world)

"""
    Collective(world, schedules...)

A collective of a world, made on all ranks; a call takes the first schedule that is for its size.
Called, submitted and added to graphs in one order on all ranks; `element`, `op` and the buffers are
those of a [`Graph`](@ref) of a schedule, of this rank.

    total(count, element=Float32; op=:sum, input, output)

executes it with `count` elements in a share, and waits.
"""
mutable struct Collective <: Handle{Raw.plait_collective}
    raw::Ptr{Raw.plait_collective}
    world::World
end

give_back(raw::Ptr{Raw.plait_collective}) = Raw.plait_collective_release(raw)

Base.show(io::IO, ::Collective) = print(io, "Collective()")

function Collective(world::World, schedules::Schedule...)
    table = Ptr{Raw.plait_schedule}[handle(one) for one in schedules]
    raw = GC.@preserve schedules create(Raw.plait_collective_create, Raw.plait_collective, world, table,
                                        length(table))
    return owned(Collective(raw, world))
end

# The arguments of a call for C; the caller keeps the buffers.
function run_of(count, element, op, input, output)
    kind, bits = element_of(element)
    at(given) = given === nothing ? C_NULL : handle(given)
    return Ref(sized(Raw.plait_collective_run; element=kind, element_bits=bits, count=count,
                     reduction=chosen("op", op, REDUCTIONS), input=at(input), output=at(output)))
end

function (collective::Collective)(count::Integer, element=Float32; op=:sum, input=nothing, output=nothing)
    GC.@preserve input output call(Raw.plait_collective_call, collective, run_of(count, element, op, input, output))
    return nothing
end

"""
    submit!(collective, queue, count, element=Float32; op=:sum, input, output)

Submit a call of a collective to a queue, which holds no thread while other ranks are late.
"""
function submit!(collective::Collective, queue::Queue, count::Integer, element=Float32; op=:sum, input=nothing,
                 output=nothing)
    GC.@preserve input output call(Raw.plait_collective_submit, collective, queue,
                                   run_of(count, element, op, input, output), C_NULL)
    return nothing
end

"""
    collective!(graph, collective, count, element=Float32; op=:sum, input, output, after, label)

Add a call of a collective to a graph; paths order the collectives of one world. Returns the node.
"""
function collective!(graph::Graph, collective::Collective, count::Integer, element=Float32; op=:sum, input=nothing,
                     output=nothing, after=(), label=nothing)
    before, text, out = numbers(after), text_or_nothing(label), Ref{UInt64}(0)
    node = isempty(before) ? UInt64(0) : length(before) == 1 ? before[1] : join!(graph; after=after).number
    GC.@preserve text input output call(
        Raw.plait_graph_collective, graph, collective, run_of(count, element, op, input, output), text_at(text),
        node, out)
    return Node(graph, out[])
end
