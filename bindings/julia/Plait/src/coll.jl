# SPDX-License-Identifier: MIT
# Collectives: chunk programs, their schedules, and graphs of those.

# :allreduce => PLAIT_COLL_ALLREDUCE, and so on.
named(prefix, words) = Dict(Symbol(word) => getfield(Raw, Symbol(prefix, uppercase(word))) for word in split(words))

const COLL_KINDS = named("PLAIT_COLL_", "custom allreduce allgather reduce_scatter alltoall broadcast reduce gather " *
                                        "scatter alltonext")
const COLL_TARGETS = named("PLAIT_TARGET_", "plait msccl executor rccl")
const PROTOCOLS = named("PLAIT_PROTOCOL_", "auto simple ll ll128")
const REDUCTIONS = named("PLAIT_REDUCE_", "sum prod min max")
const PROOF_EXPORTS = named("PLAIT_PROOF_EXPORTS_", "msccl executor rccl")
const REFUSALS = named("PLAIT_PROOF_", "shape deadlock race value")
const SCHEDULE_FORMATS = merge(named("PLAIT_SCHEDULE_XML_", "msccl executor rccl"),
                               Dict(:binary => Raw.PLAIT_SCHEDULE_BINARY))

function chosen(what, given, known)
    haskey(known, given) ||
        throw(ArgumentError("$what: $(repr(given)) is none of $(join(sort(collect(keys(known))), ", "))"))
    return known[given]
end

name_in(known, number) = something(findfirst(isequal(number), known), number)

function buffer_number(name)
    text = String(name)
    text == "i" && return Raw.PLAIT_CHUNK_INPUT
    text == "o" && return Raw.PLAIT_CHUNK_OUTPUT
    found = match(r"^s(\d*)$", text)
    found === nothing && throw(ArgumentError("buffer: $(repr(name)) is none of :i, :o, :s, :s1, ..."))
    return Raw.PLAIT_CHUNK_SCRATCH + (isempty(found[1]) ? UInt32(0) : parse(UInt32, found[1]))
end

# --- promises -------------------------------------------------------------------

# The table for C of (rank, chunk) => [(rank, chunk), ...], and what it refers to.
struct Promises
    table::Vector{Raw.plait_coll_promise}
    kept::Vector{Any}
end

function Promises(given)
    made = Promises([], [])
    for ((rank, index), sources) in sort(collect(something(given, ())); by=first)
        ranks, indices = UInt32[first(one) for one in sources], UInt64[last(one) for one in sources]
        push!(made.kept, ranks, indices)
        push!(made.table, sized(Raw.plait_coll_promise; rank=rank, index=index, source_count=length(ranks),
                                source_ranks=pointer(ranks), source_indices=pointer(indices)))
    end
    return made
end

table_of(promises) = isempty(promises.table) ? C_NULL : pointer(promises.table)

# --- programs -------------------------------------------------------------------

"""
    Coll(system, kind, ranks; algorithm, chunks=0, root=0, in_place=false, inputs=0, outputs=0,
         promises, label)

A chunk program: the copies and reductions of a collective, in order. `kind` is `:allreduce`,
`:allgather`, `:reduce_scatter`, `:alltoall`, `:broadcast`, `:reduce`, `:gather`, `:scatter`,
`:alltonext` or `:custom`; a custom one has `inputs` and `outputs` chunks on each rank, and
`promises`, such as `Dict((1, 0) => [(0, 0), (1, 0)])`. Without `algorithm`, such as
`"ring"`, it is empty. Ranks and chunks count from 0.

    ring = Coll(system, :allreduce, n; chunks=n, in_place=true)
    for r in 0:n-1
        c = chunk(ring, (r + 1) % n, :i, r)
        for s in 2:n
            c = reduce!(chunk(ring, (r + s) % n, :i, r), c)
        end
        for s in 1:n-1
            c = copy!(c, (r + s) % n)
        end
    end
    schedule = compile(ring)
"""
mutable struct Coll <: Handle{Raw.plait_coll}
    raw::Ptr{Raw.plait_coll}
    system::System
end

give_back(raw::Ptr{Raw.plait_coll}) = Raw.plait_coll_release(raw)

Base.show(io::IO, ::Coll) = print(io, "Coll()")

function Coll(system::System, kind, ranks::Integer; algorithm=nothing, chunks=0, root=0, in_place=false, inputs=0,
              outputs=0, promises=nothing, label=nothing)
    given, texts = Promises(promises), map(text_or_nothing, (label, algorithm))
    raw = GC.@preserve given texts begin
        desc = Ref(sized(Raw.plait_coll_desc; kind=chosen("kind", kind, COLL_KINDS), ranks=ranks, chunks=chunks,
                         root=root, flags=in_place ? Raw.PLAIT_COLL_IN_PLACE : UInt32(0), input_chunks=inputs,
                         output_chunks=outputs, promise_count=length(given.table), promises=table_of(given),
                         label=text_at(texts[1])))
        algorithm === nothing ? create(Raw.plait_coll_create, Raw.plait_coll, system, desc) :
            create(Raw.plait_coll_known, Raw.plait_coll, system, texts[2], desc)
    end
    return owned(Coll(raw, system))
end

"""
    read_coll(system, text; name, ranks=0, chunks=0)

Create a chunk program from its text form, doc/coll-text.md. `name` is that of the file, for
errors; 0: the number of the text.
"""
function read_coll(system::System, text; name=nothing, ranks=0, chunks=0)
    code, file = String(text), text_or_nothing(name)
    raw = GC.@preserve file create(Raw.plait_coll_read, Raw.plait_coll, system, code, sizeof(code), text_at(file),
                                   ranks, chunks)
    return owned(Coll(raw, system))
end

"""
Neighbouring chunks of one buffer of one rank, with the values that they have now. A later
write makes a chunk stale, and its use an error.
"""
struct Chunks
    coll::Coll
    number::UInt64
end

"""
    chunk(coll, rank, buffer, index, count=1)

Return chunks as they are now. `buffer` is `:i` (input), `:o` (output) or `:s`, `:s1`, ...
(scratch).
"""
chunk(coll::Coll, rank, buffer, index, count=1) =
    Chunks(coll, ask(Raw.plait_coll_chunk, UInt64, coll, rank, buffer_number(buffer), index, count))

function place_at(channel, lanes, flags=UInt32(0); fields...)
    channel === nothing || (flags |= Raw.PLAIT_CHUNK_HAS_CHANNEL)
    lanes === nothing || (flags |= Raw.PLAIT_CHUNK_HAS_LANES)
    send, receive = something(lanes, (0, 0))
    return Ref(sized(Raw.plait_chunk_place; flags=flags, channel=something(channel, 0), send_lane=send,
                     recv_lane=receive, fields...))
end

"""
    copy!(chunk, rank; channel, lanes)
    copy!(chunk, rank, buffer, index; channel, lanes)
    copy!(chunk, rank, buffer; channel, lanes)

Copy to a rank: to the same place, to `buffer` and `index`, or without an index to the end of
a scratch buffer. Returns the copy. `lanes` is (send lane, receive lane).
"""
function Base.copy!(chunk::Chunks, rank::Integer, buffer=nothing, index=nothing; channel=nothing, lanes=nothing)
    flags = buffer === nothing ? UInt32(0) : index === nothing ? Raw.PLAIT_CHUNK_APPEND : Raw.PLAIT_CHUNK_HAS_BUFFER
    place = place_at(channel, lanes, flags; rank=rank, index=something(index, 0),
                     buffer=buffer === nothing ? UInt32(0) : buffer_number(buffer))
    return Chunks(chunk.coll, ask(Raw.plait_coll_copy, UInt64, chunk.coll, chunk.number, place))
end

"""
    reduce!(chunk, other; channel, lanes)

Add another chunk to this one; return this one as it is then.
"""
reduce!(chunk::Chunks, other::Chunks; channel=nothing, lanes=nothing) = Chunks(
    chunk.coll, ask(Raw.plait_coll_reduce, UInt64, chunk.coll, chunk.number, other.number, place_at(channel, lanes)))

"""
    part(chunk, first, count=1)

Return some of the chunks.
"""
part(chunk::Chunks, first, count=1) =
    Chunks(chunk.coll, ask(Raw.plait_coll_part, UInt64, chunk.coll, chunk.number, first, count))

"""
    join(chunk, other)

Return these chunks and neighbouring ones as one.
"""
Base.join(chunk::Chunks, other::Chunks) =
    Chunks(chunk.coll, ask(Raw.plait_coll_join, UInt64, chunk.coll, chunk.number, other.number))

"""
    parallel(f, coll, ways)

Call `f`, and split each operation that it adds into parts that move at the same time.
"""
function parallel(f, coll::Coll, ways)
    call(Raw.plait_coll_parallel, coll, ways)
    try
        return f()
    finally
        call(Raw.plait_coll_end, coll)
    end
end

"""
    compile(coll; target=:plait, protocol=:auto, fusion=true, separate_lanes=false, aggregate=false, numbers...)

Compile the program as it is now, and prove the [`Schedule`](@ref). `target` is `:plait`,
`:msccl`, `:executor` or `:rccl`, `protocol` is `:auto`, `:simple`, `:ll` or `:ll128`. The
numbers `instances`, `depth`, `lanes`, `channels`, `slot_bytes`, `min_bytes`, `max_bytes` and
`message_chunks` are the target's choice if they are 0. Without `fusion` each send, receipt and
reduction is a step of its own; with `separate_lanes` no lane both sends and receives; with
`aggregate` messages of neighbouring chunks that are ready at about one time become one, of at
most `message_chunks`.
"""
function compile(coll::Coll; target=:plait, protocol=:auto, fusion=true, separate_lanes=false, aggregate=false,
                 numbers...)
    flags = (fusion ? UInt32(0) : Raw.PLAIT_COMPILE_NO_FUSION) |
            (separate_lanes ? Raw.PLAIT_COMPILE_SEPARATE_LANES : UInt32(0)) |
            (aggregate ? Raw.PLAIT_COMPILE_AGGREGATE : UInt32(0))
    desc = sized(Raw.plait_compile_desc; flags=flags, target=chosen("target", target, COLL_TARGETS),
                 protocol=chosen("protocol", protocol, PROTOCOLS), numbers...)
    return Schedule(create(Raw.plait_coll_compile, Raw.plait_schedule, coll, Ref(desc)), coll.system)
end

# --- schedules ------------------------------------------------------------------

"""
    Schedule

What each rank of a collective sends, receives and reduces, for any count; made by
[`compile`](@ref) or [`read_schedule`](@ref).

    check(schedule)
    plan = freeze(Graph(schedule, 1000; outputs=[left, right]))
    plan()                                        # both have the sum
"""
mutable struct Schedule <: Handle{Raw.plait_schedule}
    raw::Ptr{Raw.plait_schedule}
    system::System
    Schedule(raw, system) = owned(new(raw, system))
end

give_back(raw::Ptr{Raw.plait_schedule}) = Raw.plait_schedule_release(raw)

Base.show(io::IO, ::Schedule) = print(io, "Schedule()")

"""
    read_schedule(system, data; name)

Read a schedule from MSCCL XML or from the binary form. `name` is that of the file, for errors.
"""
function read_schedule(system::System, data; name=nothing)
    bytes, file = Vector{UInt8}(data), text_or_nothing(name)
    raw = GC.@preserve file create(Raw.plait_schedule_read, Raw.plait_schedule, system, bytes, length(bytes),
                                   text_at(file))
    return Schedule(raw, system)
end

"""
Return the properties of a schedule, as a named tuple: `kind`, `ranks`, `root`, `in_place`,
`share_chunks`, `steps` and others.
"""
function properties(schedule::Schedule)
    info = Ref(sized(Raw.plait_schedule_info))
    call(Raw.plait_schedule_query, schedule, info)
    made = info[]
    return merge(as_tuple(made), (in_place=made.flags & Raw.PLAIT_SCHEDULE_IN_PLACE != 0,
                                  kind=name_in(COLL_KINDS, made.kind), target=name_in(COLL_TARGETS, made.target)))
end

function proof_of(made)
    return merge(as_tuple(made), (
        reason=findfirst(isequal(made.reason), REFUSALS), same_bits=made.flags & Raw.PLAIT_PROOF_SAME_BITS != 0,
        exports=sort([name for (name, flag) in PROOF_EXPORTS if made.flags & flag != 0]),
        safe_bytes=made.safe_bytes == typemax(UInt64) ? nothing : made.safe_bytes))
end

"The error of a schedule that is refused: `proof.reason` says why, `error` is the [`PlaitError`](@ref)."
struct Refused <: Exception
    proof::NamedTuple
    error::PlaitError
end

Base.showerror(io::IO, problem::Refused) = showerror(io, problem.error)

"""
    check(schedule; target, depth=0, kind, root=0, slot_bytes=0, promises)

Prove the schedule, for what it says of itself or for what is given; throw a `Refused` if it
is not. Returns the proof, a named tuple: `depth_min`, `safe_bytes` (`nothing`: any size),
`same_bits`, `exports`, `lanes`, `channels`, `steps` and others.
"""
function check(schedule::Schedule; target=nothing, depth=0, kind=nothing, root=0, slot_bytes=0, promises=nothing)
    flags = (target === nothing ? UInt32(0) : Raw.PLAIT_PROOF_HAS_TARGET) |
            (kind === nothing ? UInt32(0) : Raw.PLAIT_PROOF_HAS_KIND) |
            (promises === nothing ? UInt32(0) : Raw.PLAIT_PROOF_HAS_PROMISES)
    given, proof = Promises(promises), Ref(sized(Raw.plait_proof))
    try
        GC.@preserve given call(
            Raw.plait_schedule_check, schedule,
            Ref(sized(Raw.plait_proof_desc; flags=flags, depth=depth, root=root, slot_bytes=slot_bytes,
                      target=target === nothing ? UInt32(0) : chosen("target", target, COLL_TARGETS),
                      kind=kind === nothing ? UInt32(0) : chosen("kind", kind, COLL_KINDS),
                      promise_count=length(given.table), promises=table_of(given))), proof)
    catch problem
        problem isa PlaitError && proof[].reason != Raw.PLAIT_PROOF_PROVED || rethrow()
        throw(Refused(proof_of(proof[]), problem))
    end
    return proof_of(proof[])
end

"""
    Plait.bytes(schedule; format=:binary)

Return the schedule in binary form, or as XML: `:msccl`, `:executor` or `:rccl`.
"""
bytes(schedule::Schedule; format=:binary) = Vector{UInt8}(
    text_of(Raw.plait_schedule_write, schedule, chosen("format", format, SCHEDULE_FORMATS)))

"""
    simulate(schedule, cluster, size; name)

Predict the time on a cluster, a text of doc/cluster.md, with `size` bytes in the larger one
of a rank's input and output: a named tuple with `time_ns`, `tiles`, `critical_steps`,
`critical_ns`, `latency_ns` and others. `name` is that of the file, for errors.
"""
function simulate(schedule::Schedule, cluster, size::Integer; name=nothing)
    code, file, made = String(cluster), text_or_nothing(name), Ref(sized(Raw.plait_coll_simulation))
    GC.@preserve file call(Raw.plait_schedule_simulate, schedule, code, sizeof(code), text_at(file), size, made)
    return as_tuple(made[])
end

"""
    Plait.draw(schedule, cluster, size; name)

Return the first tile of a simulation as SVG.
"""
function draw(schedule::Schedule, cluster, size::Integer; name=nothing)
    code, file = String(cluster), text_or_nothing(name)
    text = GC.@preserve file text_of(Raw.plait_schedule_draw, schedule, code, sizeof(code), text_at(file), size)
    return rstrip(text, '\0')
end

# An element type of C, and its bits: a type of Julia, :f16 or :bf16.
element_of(::Type{T}) where {T} = (T <: AbstractFloat ? Raw.PLAIT_ELEMENT_FLOAT :
                                   T <: Signed ? Raw.PLAIT_ELEMENT_INT : Raw.PLAIT_ELEMENT_UINT, 8 * sizeof(T))
element_of(name::Symbol) = (chosen("element", name, Dict(:f16 => Raw.PLAIT_ELEMENT_FLOAT,
                                                         :bf16 => Raw.PLAIT_ELEMENT_BFLOAT)), 16)

pointers_of(::Nothing, ranks, what) = Ptr{Cvoid}[]
function pointers_of(given, ranks, what)
    length(given) == ranks ||
        throw(DimensionMismatch("$what: $(length(given)) given, the schedule has $ranks ranks"))
    return Ptr{Cvoid}[one === nothing ? C_NULL : one isa Device ? one.raw : handle(one) for one in given]
end

"""
    Graph(schedule, count, element=Float32; op=:sum, inputs, outputs, devices)

Make a graph of a collective for all ranks, with `count` elements in a share. `element` is a
type, `:f16` or `:bf16`; `op` is `:sum`, `:prod`, `:min` or `:max`. `inputs` and `outputs` have
a buffer, or `nothing`, for each rank; without them, runs set `in0`, `out0`, ...; in place,
outputs alone.
"""
function Graph(schedule::Schedule, count::Integer, element=Float32; op=:sum, inputs=nothing, outputs=nothing,
               devices=nothing)
    (kind, bits), ranks = element_of(element), properties(schedule).ranks
    tables = (pointers_of(inputs, ranks, "inputs"), pointers_of(outputs, ranks, "outputs"),
              pointers_of(devices, ranks, "devices"))
    at(table) = isempty(table) ? C_NULL : pointer(table)
    raw = GC.@preserve tables inputs outputs devices create(
        Raw.plait_schedule_graph, Raw.plait_graph, schedule,
        Ref(sized(Raw.plait_collective_desc; element=kind, element_bits=bits, count=count,
                  reduction=chosen("op", op, REDUCTIONS), inputs=at(tables[1]), outputs=at(tables[2]),
                  devices=at(tables[3]))))
    return Graph(raw, schedule.system)
end
