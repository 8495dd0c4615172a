# SPDX-License-Identifier: MIT
# Data of flows, accesses of tasks to it, and host access that waits for its tasks.

"""
    Data{T,N}

An array of a flow, made by `array(flow, a)` or `zeros(flow, T, dims...)`. On the host
`u[i, j]`, `u[2:4, :]`, `Array(u)` and `copyto!(a, u)` wait for the tasks that write the
elements, and `u[i, j] = x`, `u[2:4, :] = a`, `copyto!(u, a)` for all that use them. As an
argument of a task data is an access to all elements; `view(u, 2:4, :)` is one to some.
"""
mutable struct Data{T,N} <: Handle{Raw.plait_data}
    raw::Ptr{Raw.plait_data}
    flow::Any # Flow
    size::NTuple{N,Int}
    memory::Ptr{Cvoid}
end

"Data without memory, which orders the tasks that name it; see [`token`](@ref)."
const Token = Data{Nothing,0}

give_back(raw::Ptr{Raw.plait_data}) = Raw.plait_data_release(raw)

Base.size(u::Data) = u.size
Base.size(u::Data, d::Integer) = d > length(u.size) ? 1 : u.size[d]
Base.length(u::Data) = prod(u.size)
Base.eltype(::Type{<:Data{T}}) where {T} = T
Base.ndims(::Data{T,N}) where {T,N} = N
Base.axes(u::Data) = map(Base.OneTo, u.size)
Base.firstindex(u::Data, d=1) = 1
Base.lastindex(u::Data) = length(u)
Base.lastindex(u::Data, d) = size(u, d)
Base.show(io::IO, u::Data{T}) where {T} = print(io, "Data{", T, "}(", join(u.size, " x "), ")")
Base.show(io::IO, ::Token) = print(io, "Token()")

# --- parts ----------------------------------------------------------------------

# Return the indices as numbers and ranges, all within the data.
function indices_of(u::Data{T,N}, given) where {T,N}
    length(given) == N || throw(DimensionMismatch("$(length(given)) indices for $N dimensions"))
    found = to_indices(CartesianIndices(u.size), given)
    for (one, axis) in zip(found, axes(u))
        one isa Union{Integer,AbstractUnitRange} ||
            throw(ArgumentError("an index is a number or a range without step, not $(repr(one))"))
        isempty(one) && throw(ArgumentError("a part has at least one element"))
        checkindex(Bool, axis, one) || throw(BoundsError(u, given))
    end
    return found
end

three(numbers, rest) = ntuple(i -> i <= length(numbers) ? UInt64(numbers[i]) : UInt64(rest), 3)
box_of(indices) = Raw.plait_box(three(map(first, indices) .- 1, 0), three(map(last, indices), 1))
size_of(indices) = map(length, filter(one -> !(one isa Integer), indices))

# --- accesses -------------------------------------------------------------------

"""
Elements of data that a task accesses: `view(u, 2:4)`, [`near`](@ref) and others.
[`reads`](@ref), [`writes`](@ref) and [`updates`](@ref) say how; for a kernel its signature
does.
"""
struct Access{T,N}
    data::Data{T,N}
    mode::UInt32
    indices::Union{Nothing,Tuple} # nothing: all, or those of the mapper
    mapper::Union{Nothing,Raw.plait_mapper}
    reduction::Union{Nothing,Tuple{Kernel,UInt64,UInt32}} # combine, identity, flags
end

Access(u::Data{T,N}; indices=nothing, mapper=nothing, mode=Raw.PLAIT_ACCESS_BY_SIGNATURE, reduction=nothing) where {T,N} =
    Access{T,N}(u, mode, indices, mapper, reduction)
as_access(given::Access) = given
as_access(given::Data) = Access(given)
as_access(given) = throw(ArgumentError("an access is data of a flow, or a view of it, not $(repr(given))"))

with_mode(given, mode) = (one = as_access(given); typeof(one)(one.data, mode, one.indices, one.mapper, nothing))

"Return the access as one that reads."
reads(given::Union{Data,Access}) = with_mode(given, Raw.PLAIT_ACCESS_READ)

"Return the access as one that gives each element a new value."
writes(given::Union{Data,Access}) = with_mode(given, Raw.PLAIT_ACCESS_WRITE)

"Return the access as one that reads and writes."
updates(given::Union{Data,Access}) = with_mode(given, Raw.PLAIT_ACCESS_READ_WRITE)

"""
    view(data, indices...)

Return an access to a part of data.
"""
Base.view(u::Data, indices...) = Access(u; indices=indices_of(u, indices))

mapped_by(u::Data, kind; fields...) = Access(u; mapper=sized(Raw.plait_mapper; kind=kind, fields...))

"Return an access of a split launch: the elements with the coordinates of a piece's items."
own(u::Data) = mapped_by(u, Raw.PLAIT_MAPPER_ONE_TO_ONE)

"""
    near(data, extent...; corners=true)

Return an access as [`own`](@ref), and so many elements more on each side, in each
dimension. Without `corners`: not those that differ in several dimensions.
"""
near(u::Data, extent::Integer...; corners=true) = mapped_by(
    u, Raw.PLAIT_MAPPER_NEIGHBORHOOD; extent=three(extent, 0),
    flags=corners ? UInt32(0) : Raw.PLAIT_MAPPER_NO_CORNERS)

"Return an access as [`own`](@ref), and all elements along a dimension, counted from 1."
slice(u::Data, dimension) = mapped_by(u, Raw.PLAIT_MAPPER_SLICE; dimension=dimension - 1)

"Return the part of a piece, of the data cut along a dimension into as many as pieces."
even(u::Data, dimension=ndims(u)) = mapped_by(u, Raw.PLAIT_MAPPER_EVEN_SPLIT; dimension=dimension - 1)

# The bits of a value in a word.
function word_of(value)
    word, bits = Ref(UInt64(0)), Ref(value)
    GC.@preserve word bits unsafe_copyto!(
        Ptr{UInt8}(Base.unsafe_convert(Ptr{UInt64}, word)),
        Ptr{UInt8}(Base.unsafe_convert(Ptr{typeof(value)}, bits)), min(sizeof(value), 8))
    return word[]
end

"""
    reduces(data, combine; identity=0, accumulate=false)

Return an access of a launch: each piece updates a partial result, which begins as `identity`,
and the kernel `combine`, `add(into: inout pointer T, from: in pointer T, n: u64)`, adds them to
the data in the order of the pieces. `accumulate`: to what was there.
"""
reduces(u::Data{T}, combine::Kernel; identity=0, accumulate=false) where {T} = Access(
    u; mode=Raw.PLAIT_ACCESS_REDUCE,
    reduction=(combine, word_of(convert(T, identity)), accumulate ? Raw.PLAIT_ACCESS_ACCUMULATE : UInt32(0)))

# Return the access for C; `kept` holds what it points to.
function raw_access(kept, access::Access)
    at = Dict{Symbol,Any}(:box => C_NULL, :mapper => C_NULL)
    for (name, given) in ((:box, access.indices === nothing ? nothing : box_of(access.indices)),
                          (:mapper, access.mapper))
        given === nothing && continue
        push!(kept, Ref(given))
        at[name] = Base.unsafe_convert(Ptr{typeof(given)}, kept[end])
    end
    push!(kept, access.data)
    made = (mode=access.mode, data=handle(access.data), box=at[:box], mapper=at[:mapper])
    access.reduction === nothing && return sized(Raw.plait_access; made...)
    combine, identity, flags = access.reduction
    push!(kept, combine)
    return sized(Raw.plait_access; made..., combine=handle(combine), identity=identity, flags=flags)
end

# --- the host -------------------------------------------------------------------

no_memory(::Token) = throw(ArgumentError("a token has no memory"))
no_memory(::Data) = nothing

# Copy a part to a new array, or to the data: waits by task, in slices.
function transfer(u::Data, indices, memory, kind)
    no_memory(u)
    box = Ref(box_of(indices))
    part = Base.unsafe_convert(Ptr{Raw.plait_box}, box)
    host = Ptr{Cvoid}(pointer(memory))
    if kind == Raw.PLAIT_TASK_READ
        move(u.flow, kind, (memory, box), (host=host, source=handle(u), source_box=part))
    else
        move(u.flow, kind, (memory, box), (host=host, target=handle(u), target_box=part))
    end
end

function fetch_part(u::Data{T}, indices) where {T}
    memory = Array{T}(undef, size_of(indices))
    transfer(u, indices, memory, Raw.PLAIT_TASK_READ)
    return memory
end

function store_part(u::Data{T}, indices, a) where {T}
    memory = Array{T}(undef, size_of(indices))
    same_length(memory, a)
    transfer(u, indices, copyto!(memory, a), Raw.PLAIT_TASK_WRITE)
end

function Base.getindex(u::Data, given...)
    no_memory(u)
    memory = fetch_part(u, indices_of(u, given))
    return ndims(memory) == 0 ? memory[] : memory
end

function Base.setindex!(u::Data{T}, value, given...) where {T}
    no_memory(u)
    indices = indices_of(u, given)
    store_part(u, indices, isempty(size_of(indices)) ? fill(convert(T, value)) : value)
    return value
end

Base.Array(u::Data) = u[map(_ -> Colon(), u.size)...]
Base.Array(u::Data{T,0}) where {T} = fill(u[])
Base.collect(u::Data) = Array(u)

function Base.copyto!(u::Data, a::AbstractArray)
    same_length(u, a)
    store_part(u, map(n -> 1:n, u.size), a)
    return u
end

function Base.copyto!(a::AbstractArray, u::Data)
    same_length(a, u)
    return copyto!(a, Array(u))
end

# The memory itself: only inside of a task or a mapping.
memory_of(u::Data{T}) where {T} = unsafe_wrap(Array, Ptr{T}(u.memory), u.size)

const ADVICE = Dict(:prefetch => Raw.PLAIT_ADVISE_PREFETCH, :reserve => Raw.PLAIT_ADVISE_RESERVE,
                    :evict => Raw.PLAIT_ADVISE_EVICT)

"""
    advise(data, what, device=nothing, indices...)

Tell the flow what to expect of the data in the memory of a device, `nothing`: of the program:
`:prefetch`, tasks there will read the part with these indices, without any: all of it;
`:reserve`, they will use the data; `:evict`, none will for a time. A hint: no result depends
on it.
"""
function advise(u::Data, what, device=nothing, given...)
    haskey(ADVICE, what) || throw(ArgumentError("advise: no advice $(repr(what))"))
    no_memory(u)
    box = isempty(given) ? C_NULL : Ref(box_of(indices_of(u, given)))
    call(Raw.plait_data_advise, u, box, device === nothing ? C_NULL : device, ADVICE[what])
    return nothing
end

"""
    mapped(f, data; read=true, write=true)

Wait for the tasks that use the data, and call `f(a)` with an `Array` on its memory; tasks
that conflict wait meanwhile. `a` is invalid afterwards. `f` may release the data, which lives
until it returns. The wait stays in C.
"""
function mapped(f, u::Data; read=true, write=true)
    no_memory(u)
    refuse_in_task()
    flags = (read ? Raw.PLAIT_MAP_READ : UInt32(0)) | (write ? Raw.PLAIT_MAP_WRITE : UInt32(0))
    raw = handle(u)
    Raw.plait_data_retain(raw)
    try
        return with_mapping(f, u, raw, flags)
    finally
        Raw.plait_data_release(raw)
    end
end

function with_mapping(f, u, raw, flags)
    at = Ref{Ptr{Cvoid}}(C_NULL)
    serving(() -> call(Raw.plait_data_map, raw, C_NULL, flags, at), u.flow)
    try
        return GC.@preserve u f(memory_of(u))
    finally
        call(Raw.plait_data_unmap, raw, at[])
    end
end
