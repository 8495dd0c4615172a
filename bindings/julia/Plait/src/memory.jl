# SPDX-License-Identifier: MIT
# Buffers: device memory with element type and dimensions.

"""
    Buffer{T,N}

Memory of a device for an array of `T` with `N` dimensions; see [`array`](@ref),
[`wrap`](@ref) and [`buffer`](@ref). As in all Julia arrays the first index varies fastest.
`size`, `length`, `eltype` and `sizeof` are those of the array.

- `Array(b)` and `copyto!(a, b)` copy out, `copyto!(b, a)` copies in; each returns when the
  copy is done
- `mapped(f, b)` calls `f` with an array on the mapped memory
- `view(b, 2:5)` is a buffer on the same memory
"""
mutable struct Buffer{T,N} <: Handle{Raw.plait_buffer}
    raw::Ptr{Raw.plait_buffer}
    device::Device
    size::NTuple{N,Int}
end

give_back(raw::Ptr{Raw.plait_buffer}) = Raw.plait_buffer_release(raw)

function plain(T)
    isbitstype(T) && sizeof(T) > 0 ||
        throw(ArgumentError("elements of a buffer are plain data, which $T is not"))
    return T
end

Base.size(b::Buffer) = b.size
Base.size(b::Buffer, d::Integer) = d > length(b.size) ? 1 : b.size[d]
Base.length(b::Buffer) = prod(b.size)
Base.eltype(::Type{<:Buffer{T}}) where {T} = T
Base.ndims(b::Buffer) = length(b.size)
Base.sizeof(b::Buffer{T}) where {T} = sizeof(T) * length(b)
Base.show(io::IO, b::Buffer{T,N}) where {T,N} =
    print(io, "Buffer{", T, ",", N, "}(", join(b.size, " x "), " on ", b.device.name, ")")

function bytes_of(T, dims)
    bytes = foldl(Base.checked_mul, dims; init=sizeof(T))
    bytes >= 0 ? bytes : throw(ArgumentError("a buffer cannot be $(join(dims, " x "))"))
end

"""
    buffer(device, T, dims...; label)

Create a buffer with undefined contents.
"""
buffer(device::Device, ::Type{T}, dims::Integer...; label=nothing) where {T} =
    new_buffer(device, T, dims, label, UInt32(0))

function new_buffer(device::Device, ::Type{T}, dims, label, flags, world...) where {T}
    sizes = map(Int, dims)
    bytes, text = bytes_of(plain(T), sizes), text_or_nothing(label)
    raw = GC.@preserve text create(
        isempty(world) ? Raw.plait_buffer_create : Raw.plait_world_buffer, Raw.plait_buffer, world..., device,
        Ref(sized(Raw.plait_buffer_desc; bytes=bytes, label=text_at(text), flags=flags)))
    return owned(Buffer{T,length(sizes)}(raw, device, sizes))
end

const IMAGES = (r32f=(Raw.PLAIT_IMAGE_R32F, Float32, ()), rgba32f=(Raw.PLAIT_IMAGE_RGBA32F, Float32, (4,)),
                rgba8=(Raw.PLAIT_IMAGE_RGBA8, UInt8, (4,)))

"Part of a sampler, whose argument is a sum: interpolate between the four nearest pixels."
const SAMPLER_LINEAR = Raw.PLAIT_SAMPLER_LINEAR
"Part of a sampler: outside of the image are zeros."
const SAMPLER_ZERO = Raw.PLAIT_SAMPLER_ZERO

"""
    image(device, width, height; format=:r32f, label)

Create an image for kernels with parameters of type image; `format` is `:r32f`, `:rgba32f` or
`:rgba8`. Copies, reads and writes in a queue or graph move whole rows. The argument of a
sampler is a sum of [`SAMPLER_LINEAR`](@ref) and [`SAMPLER_ZERO`](@ref), or 0.
"""
function image(device::Device, width::Integer, height::Integer; format=:r32f, label=nothing)
    haskey(IMAGES, format) || throw(ArgumentError("image: format $format; there are r32f, rgba32f and rgba8"))
    (kind, T, channels), text = IMAGES[format], text_or_nothing(label)
    sizes = (channels..., Int(width), Int(height))
    raw = GC.@preserve text create(
        Raw.plait_buffer_create, Raw.plait_buffer, device,
        Ref(sized(Raw.plait_buffer_desc; format=kind, width=width, height=height,
                  label=text_at(text))))
    return owned(Buffer{T,length(sizes)}(raw, device, sizes))
end

"""
    array(device, a; label)

Create a buffer with a copy of an array, with or without strides.
"""
function array(device::Device, a::AbstractArray{T}; label=nothing) where {T}
    made = buffer(device, T, size(a)...; label=label)
    return copyto!(made, a)
end

is_dense(a) = strides(a) == Base.size_to_strides(1, size(a)...)

"""
    wrap(device, a; label)

Create a buffer on the memory of `a`, without a copy: an array, or a contiguous part of
one. The layer keeps `a` alive until no command uses the memory; the next [`pump`](@ref) or
wait then releases it. `a` must not be resized before.
"""
function wrap(device::Device, a::StridedArray{T}; label=nothing) where {T}
    plain(T)
    is_dense(a) || throw(ArgumentError("the array has strides $(strides(a)); copy it first"))
    text, number = text_or_nothing(label), keep_wrapped(a)
    try
        raw = GC.@preserve text create(
            Raw.plait_buffer_wrap, Raw.plait_buffer, device,
            Ref(sized(Raw.plait_wrap_desc; pointer=pointer(a), bytes=sizeof(T) * length(a),
                      label=text_at(text), inbox=handle(device.system.inbox),
                      user_data=as_pointer(number))))
        return owned(Buffer{T,ndims(a)}(raw, device, size(a)))
    catch
        drop_wrapped(number)
        rethrow()
    end
end

"""
    mapped(f, buffer; read=true, write=true)

Map the buffer and call `f(a)` with an `Array` on its memory; `a` is invalid afterwards.
No command in flight may use the buffer.
"""
function mapped(f, b::Buffer{T,N}; read=true, write=true) where {T,N}
    flags = (read ? Raw.PLAIT_MAP_READ : UInt32(0)) | (write ? Raw.PLAIT_MAP_WRITE : UInt32(0))
    at = Ref{Ptr{Cvoid}}(C_NULL)
    call(Raw.plait_buffer_map, b, 0, sizeof(b), flags, at)
    try
        return f(unsafe_wrap(Array, Ptr{T}(at[]), b.size))
    finally
        call(Raw.plait_buffer_unmap, b, at[])
    end
end

function same_length(a, b)
    length(a) == length(b) || throw(DimensionMismatch(
        "one has $(length(a)) elements, the other one $(length(b))"))
end

function Base.copyto!(b::Buffer, a::AbstractArray)
    same_length(b, a)
    isempty(a) || mapped(memory -> copyto!(memory, a), b; read=false)
    return b
end

function Base.copyto!(a::AbstractArray, b::Buffer)
    same_length(a, b)
    isempty(a) || mapped(memory -> copyto!(a, memory), b; write=false)
    return a
end

Base.Array(b::Buffer{T,N}) where {T,N} = copyto!(Array{T,N}(undef, b.size), b)
Base.collect(b::Buffer) = Array(b)

"""
    native(buffer, kind)

Return the native handle of a buffer, such as `:cl_memory`, and the offset in it.
"""
function native(b::Buffer, kind)
    out, offset = Ref{UInt64}(0), Ref{UInt64}(0)
    call(Raw.plait_buffer_native, b, native_kind(kind), out, offset)
    return out[], Int(offset[])
end

"""
    view(buffer, range)

Return a buffer on these elements, counted as by `LinearIndices`. Buffer and view share the
memory, and each keeps it alive.
"""
function Base.view(b::Buffer{T}, range::AbstractUnitRange{<:Integer}) where {T}
    isempty(range) || checkbounds(1:length(b), range)
    raw = create(Raw.plait_buffer_view, Raw.plait_buffer, b, sizeof(T) * (first(range) - 1),
                 sizeof(T) * length(range))
    return owned(Buffer{T,1}(raw, b.device, (length(range),)))
end
