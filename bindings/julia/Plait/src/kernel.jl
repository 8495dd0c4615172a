# SPDX-License-Identifier: MIT
# Kernels, and the conversion of their launch arguments.

const TYPES = Dict("i8" => Int8, "i16" => Int16, "i32" => Int32, "i64" => Int64,
                   "u8" => UInt8, "u16" => UInt16, "u32" => UInt32, "u64" => UInt64,
                   "f32" => Float32, "f64" => Float64, "bool" => Bool, "char" => UInt8,
                   "sampler" => UInt32)
const FORMS = (portable=Raw.PLAIT_SOURCE_PORTABLE, host=Raw.PLAIT_SOURCE_C,
               opencl=Raw.PLAIT_SOURCE_OPENCL_C, cuda=Raw.PLAIT_SOURCE_CUDA_C)

# Struct of a size: its fields are not known.
struct StructOf{N} end

# The type of a value: of a number, a vector ("f32x4": a tuple) or a struct; or nothing.
function value_type(text)
    found = match(r"^struct .*?(\d+)( align \d+)?$", text)
    found === nothing || return StructOf{parse(Int, found[1])}
    vector = match(r"^([iuf]\d+)x(\d+)$", text)
    vector === nothing || return NTuple{parse(Int, vector[2]),TYPES[vector[1]]}
    return get(TYPES, String(last(split(text))), nothing)
end

value_bytes(type) = type === nothing || type <: StructOf ? 8 : sizeof(type)
value_bytes(::Type{StructOf{N}}) where {N} = N
# Words of 8 bytes for a value.
value_words(type) = cld(value_bytes(type), 8)

# --- special arguments: neither number nor buffer ------------------------------

"""
    Parameter(:name)

A kernel argument, or the `items` of a launch, that each run sets: `plan(name=...)`.
"""
struct Parameter
    name::String
    Parameter(name) = new(String(name))
end

"""
    HostValue(:name, offset=0)

A kernel argument: a value in the memory that each run sets for a `Parameter` of [`read!`](@ref)
and [`write!`](@ref), `offset` bytes from its start. The launch reads it when all nodes before
it are complete, in each iteration again.
"""
struct HostValue
    name::String
    offset::UInt64
    HostValue(name, offset=0) = new(String(name), offset)
end

struct Scratch end
# Null: the iteration itself.
struct Iteration
    series::Union{Nothing,Base.RefValue{Raw.plait_series}}
end

"A kernel argument: scratch memory of the node, `scratch_bytes` long."
const SCRATCH = Scratch()
"""
    ITERATION
    ITERATION(; scale=1, offset=0, from_count=false, limit=0)

A kernel argument: the iteration number of the enclosing loop, or a number that follows it,
`scale * i + offset`. `from_count` adds the count of the loop, which is one of
[`repeat!`](@ref); `limit` is the most that the number may be, 0: none.
"""
const ITERATION = Iteration(nothing)

(::Iteration)(; scale=1, offset=0, from_count=false, limit=0) = Iteration(Ref(sized(
    Raw.plait_series; scale=scale, offset=offset, limit=limit,
    flags=from_count ? Raw.PLAIT_SERIES_FROM_COUNT : UInt32(0))))

"A kernel argument: the buffer of a rotation, `ahead` iterations from this one."
struct Turn
    rotation::UInt64
    ahead::UInt64
end

# An argument that is ready for C, and the objects that it points to: data of a flow.
struct Ready
    argument::Raw.plait_argument
    kept::Vector{Any}
end

const Special = Union{Parameter,HostValue,Scratch,Iteration,Turn,Ready}

# --- kernels -------------------------------------------------------------------

struct KernelParameter
    name::String
    # Type of the value, or of the element; nothing: unknown to Julia.
    type::Union{Nothing,DataType}
    pointer::Bool
    is_local::Bool # its argument is the number of bytes
    written::String # the type as the signature has it
    place::Bool # a number behind the pointer of an array, which a flow adds
end

"""
    Kernel(system, signature, source; defines, options, file, before, strict=false, fast=false,
           no_alias=false, library, symbol, pointer, grain=0)

A kernel: code and its signature. `source` is portable source, or `(opencl=text,
cuda=text)` with one text per backend. Without `source`, `library` and `symbol` name a
compiled C function, or `pointer` is its address. A `@cfunction` must neither allocate nor
throw, since it runs on threads unknown to Julia. `file` is the name that compiler messages
give the source. `strict`: no fused multiply-add; `fast`: arithmetic may be reordered;
`no_alias`: no two pointers of a launch address the same memory. `before`: (name, text) pairs
that come before the source, as if it included them. `grain`: fewest items per
call of a compiled range function. The argument of local memory (`sums: local f32`) is its
number of bytes for each group.
"""
mutable struct Kernel <: Handle{Raw.plait_kernel}
    raw::Ptr{Raw.plait_kernel}
    system::System
    name::String
    parameters::Vector{KernelParameter}
end

give_back(raw::Ptr{Raw.plait_kernel}) = Raw.plait_kernel_release(raw)

# Numbers behind the pointer of an array.
const PLACES = (("_at", "i64"), ("_pitch", "u64"), ("_slice", "u64"))

# Return a parameter, and the numbers of an array.
function parse_parameter(text)
    name, words = map(part -> String(strip(part)), split(text, ':'; limit=2))
    written = String(last(split(words)))
    array = match(r"\barray([123])\b", words)
    made = [KernelParameter(name, value_type(words == "chunk" ? "struct 48" : words),
                            occursin(r"\b(pointer|image|array[123])\b", words),
                            first(split(words)) == "local", written, false)]
    for (suffix, type) in PLACES[1:(array === nothing ? 0 : parse(Int, array[1]))]
        push!(made, KernelParameter(name * suffix, TYPES[type], false, false, type, true))
    end
    return made
end

function parse_signature(text)
    inside = text[findfirst('(', text)+1:findlast(')', text)-1]
    return KernelParameter[one for part in split(inside, ',') if !isempty(strip(part)) for one in parse_parameter(part)]
end

function source_of(form, code, texts, flags, before=Raw.plait_source[])
    sized(Raw.plait_source; form=form, code=pointer(code), bytes=sizeof(code), flags=flags,
          defines=text_at(texts[1]), options=text_at(texts[2]), file=text_at(texts[3]),
          before=isempty(before) ? C_NULL : pointer(before), before_count=length(before))
end

text_before((file, code)) =
    sized(Raw.plait_source; code=pointer(code), bytes=sizeof(code), file=text_at(file))

function sources_of(source)
    named = source === nothing ? NamedTuple() :
        source isa AbstractString ? (portable=source,) : source
    unknown = setdiff(keys(named), keys(FORMS))
    isempty(unknown) || throw(ArgumentError("sources are for $(join(keys(FORMS), ", ")), " *
                                            "not for $(join(unknown, ", "))"))
    return [(FORMS[name], String(named[name])) for name in keys(named)]
end

function Kernel(system::System, signature, source=nothing; defines=nothing, options=nothing,
                file=nothing, before=(), strict=false, fast=false, no_alias=false, library=nothing,
                symbol=nothing, pointer=C_NULL, grain=0)
    flags = (strict ? Raw.PLAIT_SOURCE_STRICT : UInt32(0)) | (fast ? Raw.PLAIT_SOURCE_FAST : UInt32(0)) |
            (no_alias ? Raw.PLAIT_SOURCE_NO_ALIAS : UInt32(0))
    codes, texts = sources_of(source), map(text_or_nothing, (defines, options, file))
    names = map(text_or_nothing, (signature, library, symbol))
    parts = [(String(name), String(code)) for (name, code) in before]
    raw = GC.@preserve codes texts names parts begin
        first_ones = Raw.plait_source[text_before(part) for part in parts]
        array = Raw.plait_source[source_of(form, code, texts, flags, first_ones) for (form, code) in codes]
        GC.@preserve array first_ones create(
            Raw.plait_kernel_create, Raw.plait_kernel, system,
            Ref(sized(Raw.plait_kernel_desc; signature=text_at(names[1]), library=text_at(names[2]),
                      symbol=text_at(names[3]), described=pointer, source_count=length(array), grain=grain,
                      sources=isempty(array) ? C_NULL : Base.pointer(array))))
    end
    made = owned(Kernel(raw, system, "", []))
    whole = text_of(Raw.plait_kernel_signature, made)
    made.name, made.parameters = strip(first(split(whole, '('))), parse_signature(whole)
    return made
end

"""
    Plait.messages(kernel, device)

Return what the compiler wrote about the code for a device, with the warnings of a build that
succeeded; "" for functions, and for code from the cache.
"""
messages(kernel::Kernel, device::Device) =
    rstrip(GC.@preserve(kernel, text_of(Raw.plait_kernel_messages, kernel, device.raw)), '\0')

"""
    Plait.source_text(signature, source, form; defines)

Return portable source in the language of a backend: `:host`, `:opencl` or `:cuda`.
"""
function source_text(signature, source, form; defines=nothing)
    load()
    code, name, texts = String(source), String(signature), (text_or_nothing(defines), nothing, nothing)
    text = GC.@preserve code texts text_of(
        Raw.plait_source_text, name, Ref(source_of(FORMS.portable, code, texts, UInt32(0))), FORMS[form])
    return rstrip(text, '\0')
end

"""
    kernels(system, folder, names...)

Create kernels from files of portable source, `folder/name.plk` for each name; the comment
`name(...)` in the file is the signature.
"""
kernels(system::System, folder, names...) = map(name -> read_kernel(system, folder, name), names)

function read_kernel(system, folder, name)
    path = joinpath(folder, "$name.plk")
    isfile(path) || throw(ArgumentError("kernels: there is no file $path; give the folder with $name.plk, " *
                                        "absolute or relative to $(pwd())"))
    text = read(path, String)
    found = match(Regex("/\\*\\s*($name\\s*\\([^*]*\\))\\s*\\*/"), text)
    found === nothing && throw(ArgumentError("$path has no comment with the signature $name(...)"))
    return Kernel(system, join(split(found[1]), ' '), text; file=path)
end

Base.show(io::IO, kernel::Kernel) =
    print(io, "Kernel(", kernel.name, "(", join((p.name for p in kernel.parameters), ", "), "))")

# --- arguments -----------------------------------------------------------------

# A C array of arguments, and the objects that its pointers refer to.
struct Arguments
    array::Vector{Raw.plait_argument}
    words::Vector{UInt64}
    given::Tuple
end

function store(words, index, ::Type{T}, value, what) where {T}
    stored = try
        convert(T, value)
    catch
        throw(ArgumentError("$(what()): $(repr(value)) does not fit $T"))
    end
    GC.@preserve words unsafe_store!(Ptr{T}(pointer(words, index)), stored)
    return sizeof(T)
end

function store(words, index, ::Type{NTuple{N,T}}, value, what) where {N,T}
    stored = try
        length(value) == N || error()
        NTuple{N,T}(Tuple(value))
    catch
        throw(ArgumentError("$(what()) is a vector: give it $N numbers of $T, not $(repr(value))"))
    end
    GC.@preserve words unsafe_store!(Ptr{NTuple{N,T}}(pointer(words, index)), stored)
    return sizeof(stored)
end

function store(words, index, ::Type{StructOf{N}}, value, what) where {N}
    isbits(value) && sizeof(value) == N || throw(ArgumentError(
        "$(what()) is a struct of $N bytes: give it a value of bits of that size, not $(repr(value))"))
    GC.@preserve words unsafe_store!(Ptr{typeof(value)}(pointer(words, index)), value)
    return N
end

special(given::Parameter) = sized(Raw.plait_argument; kind=Raw.PLAIT_ARGUMENT_PARAMETER,
                                  name=text_at(given.name))
special(given::HostValue) = sized(Raw.plait_argument; kind=Raw.PLAIT_ARGUMENT_HOST,
                                  name=text_at(given.name), offset_bytes=given.offset)
special(given::Ready) = given.argument
special(::Scratch) = sized(Raw.plait_argument; kind=Raw.PLAIT_ARGUMENT_SCRATCH)
special(given::Iteration) = sized(
    Raw.plait_argument; kind=Raw.PLAIT_ARGUMENT_ITERATION,
    series=given.series === nothing ? C_NULL : Base.unsafe_convert(Ptr{Raw.plait_series}, given.series))

# A series per dimension; nothing leaves the items as they are.
series_of(::Nothing) = sized(Raw.plait_series)
series_of(given::Iteration) = (given.series === nothing ? given() : given).series[]
special(given::Turn) = sized(Raw.plait_argument; kind=Raw.PLAIT_ARGUMENT_ROTATION,
                             rotation=given.rotation, ahead=given.ahead)

fits(::Buffer{T}, type) where {T} = type === nothing || T === type || T === UInt8 || !(T <: Real)

function pointer_argument(parameter, given, what)
    given isa Buffer || throw(ArgumentError(
        "$(what()) is a pointer: give it a Buffer, not $(repr(given))"))
    fits(given, parameter.type) || throw(ArgumentError(
        "$(what()) is a pointer to $(parameter.written), the buffer has $(eltype(given))"))
    return sized(Raw.plait_argument; kind=Raw.PLAIT_ARGUMENT_BUFFER, buffer=handle(given))
end

function local_argument(given, what)
    given isa Integer && 0 <= given <= typemax(UInt64) || throw(ArgumentError(
        "$(what()) is local memory: give its bytes, not $(repr(given))"))
    return sized(Raw.plait_argument; kind=Raw.PLAIT_ARGUMENT_LOCAL, bytes=UInt64(given))
end

function argument(words, index, parameter, given, what)
    given isa Special && return special(given)
    parameter.pointer && return pointer_argument(parameter, given, what)
    parameter.is_local && return local_argument(given, what)
    bytes = store(words, index, parameter.type, given, what)
    return sized(Raw.plait_argument; kind=Raw.PLAIT_ARGUMENT_VALUE, bytes=bytes,
                 value=pointer(words, index))
end

# Parameters of a launch in a flow, which adds the numbers of arrays.
flow_parameters(kernel::Kernel) = filter(one -> !one.place, kernel.parameters)

# The caller preserves the result until the C call that reads the array returns.
function Arguments(kernel::Kernel, given::Tuple, parameters=kernel.parameters)
    count = length(parameters)
    length(given) == count || throw(ArgumentError(
        "$(kernel.name) takes $count arguments " *
        "($(join((p.name for p in parameters), ", "))), not $(length(given))"))
    sizes = map(one -> one.pointer || one.is_local ? 1 : value_words(one.type), parameters)
    words, places = zeros(UInt64, sum(sizes)), cumsum(sizes) .- sizes .+ 1
    array = map(1:count) do i
        parameter = parameters[i]
        argument(words, places[i], parameter, given[i],
                 () -> "$(kernel.name): argument $i \"$(parameter.name)\"")
    end
    return Arguments(array, words, given)
end

@noinline no_extents(given, what) =
    throw(ArgumentError("$what: $(repr(given)) is not an integer, nor up to 3 of them"))

sizes_of(given::Integer, what) = (given,)
sizes_of(given::Union{Tuple,AbstractVector}, what) = Tuple(given)
sizes_of(given, what) = no_extents(given, what)

function extents(given, what)
    sizes = sizes_of(given, what)
    length(sizes) <= 3 && all(n -> n isa Integer, sizes) || no_extents(given, what)
    all(n -> 0 <= n <= typemax(UInt64), sizes) ||
        throw(ArgumentError("$what: $given does not fit"))
    return ntuple(i -> i <= length(sizes) ? UInt64(sizes[i]) : UInt64(0), 3)
end

# items=3, or items=(4, 4), group=(2, 2)
function geometry(items, group=())
    sizes, groups = extents(items, "items"), extents(group, "group")
    return sized(Raw.plait_launch; dimensions=items isa Integer ? 1 : length(items), items=sizes,
                 group=groups)
end
