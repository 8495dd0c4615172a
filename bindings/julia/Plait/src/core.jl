# SPDX-License-Identifier: MIT
# Loading of libplait, errors and handles, for all other files.

# --- the library --------------------------------------------------------------

const opening = ReentrantLock()
const opened = Ref{Ptr{Cvoid}}(C_NULL)
# One plait_error per thread; no task switch occurs between a call and its reader.
const error_records = Base.RefValue{Raw.plait_error}[]

function candidates()
    chosen = get(ENV, "PLAIT_LIBRARY", "")
    isempty(chosen) ? ["libplait.so.0", "libplait"] : [chosen]
end

function find_library()
    tried = String[]
    for name in candidates()
        try
            return name, dlopen(name)
        catch problem
            push!(tried, "  $name: " * sprint(showerror, problem))
        end
    end
    error("libplait was not found; tried\n", join(tried, '\n'),
          "\nInstall it, or set PLAIT_LIBRARY to the file.")
end

function check_layout(name)
    for struct_ in Raw.STRUCTS
        have = Int(Raw.plait_sizeof(string(nameof(struct_))))
        have >= sizeof(struct_) || error(
            "$name: its $(nameof(struct_)) has $have bytes, this package's $(sizeof(struct_))")
    end
end

"""
    load()

Open the library; the first system calls this. The library is never closed, since
it must outlive every finalizer.
"""
function load()
    opened[] == C_NULL || return
    lock(opening) do
        opened[] == C_NULL || return
        name, library = find_library()
        for (symbol, at) in Raw.FUNCTIONS
            at[] = dlsym(library, symbol; throw_error=false) === nothing ?
                error("$name has no $symbol: it is older than this package, or not plait") :
                dlsym(library, symbol)
        end
        check_layout(name)
        append!(error_records, [Ref(sized(Raw.plait_error)) for _ in 1:Threads.nthreads()])
        opened[] = library
    end
    return
end

"Return the version of the C library."
version() = (load(); VersionNumber(unsafe_string(Raw.plait_version())))

"Return the number of live plait objects in this process."
live_count() = (load(); Int(Raw.plait_live_count(0)))

# --- structs ------------------------------------------------------------------

empty_of(type) = type <: Tuple ? Expr(:tuple, map(empty_of, type.parameters)...) :
    type <: Number ? zero(type) : :($type(C_NULL))

# Return a C struct with the given fields, its size in `size`, and zeros elsewhere.
@generated function filled(::Type{S}, given::NamedTuple{names}) where {S,names}
    unknown = setdiff(names, fieldnames(S))
    isempty(unknown) || return :(error($"$S has no $(join(unknown, ", "))"))
    values = map(fieldnames(S), fieldtypes(S)) do name, type
        name in names ? :(convert($type, given.$name)) :
            name === :size ? UInt32(sizeof(S)) : empty_of(type)
    end
    Expr(:call, S, values...)
end

sized(::Type{S}; given...) where {S} = filled(S, given.data)

# Pointer to a text for a struct; the caller preserves the string.
text_at(::Nothing) = Cstring(C_NULL)
text_at(text::String) = Base.unsafe_convert(Cstring, text)

text_or_nothing(text) = text === nothing ? nothing : String(text)

chars(text::NTuple{N,UInt8}) where {N} = String(UInt8[c for c in Iterators.takewhile(!iszero, text)])

nanoseconds(seconds) = seconds === nothing ? typemax(UInt64) :
    round(UInt64, clamp(seconds * 1e9, 0, 1e18))

# --- errors -------------------------------------------------------------------

"""
    PlaitError

The error of a failed call or command.

- `status`: the code, `Plait.Raw.PLAIT_E_...`, and its `name`
- `text`: the failure, its place, and the remedy
- `origin`: the number that the failing function or driver call returned
- `detail`: further text, such as a compiler log, or `nothing`
- `cause`: the exception of a Julia function, with its backtrace, or `nothing`
"""
struct PlaitError <: Exception
    status::Int32
    name::String
    text::String
    origin::Int64
    detail::Union{Nothing,String}
    cause::Union{Nothing,CapturedException}
end

function Base.showerror(io::IO, problem::PlaitError)
    print(io, "PlaitError: ", problem.text, " (", problem.name, ")")
    problem.detail === nothing || print(io, '\n', problem.detail)
    if problem.cause !== nothing
        print(io, "\ncaused by: ")
        showerror(io, problem.cause)
    end
end

function detail_text(number)
    number == 0 && return nothing
    needed = Ref{UInt64}(0)
    Raw.plait_error_detail(number, C_NULL, 0, needed)
    room = Vector{UInt8}(undef, needed[] + 1)
    Raw.plait_error_detail(number, room, length(room), needed) < 0 && return nothing
    return unsafe_string(pointer(room))
end

# Exceptions of callbacks, a ring of the last CAUSES.  A failed command reports the
# number of its exception as `origin`, by which find_cause looks it up.
const CAUSES = 256
const causes = Vector{Any}(nothing, CAUSES)
const last_cause = Threads.Atomic{Int}(0)

function keep_cause(problem, trace)
    number = Threads.atomic_add!(last_cause, 1) % 0x3fffffff + 0x40000000
    causes[number % CAUSES + 1] = (number, CapturedException(problem, trace))
    return number
end

function find_cause(origin)
    origin >= 0x40000000 || return nothing
    found = causes[origin % CAUSES + 1]
    found !== nothing && found[1] == origin ? found[2] : nothing
end

# The functions of C that error texts name, as this layer calls them.
const NAMES = Dict(
    "plait_plan_bind_kernel" => "bind!(plan, kernel)", "plait_plan_bind_buffer" => "bind!(plan, name, buffer)",
    "plait_plan_bind_signal" => "bind!(plan, name, signal)",
    "plait_plan_bind_function" => "bind!(plan, name, function)",
    "plait_plan_bind_device" => "bind!(plan, name, device)", "plait_plan_call" => "plan()",
    "plait_plan_run" => "run(plan)",
    "plait_plan_record" => "record!", "plait_run_cancel" => "cancel", "plait_signal_reset" => "reset!",
    "plait_inbox_adopt" => "adopt", "plait_plan_find_parameter" => "Plait.parameters",
    "plait_flow_repeat" => "repeat",
    "plait_launch" => "launch!", "PLAIT_RUN_RECORD" => "set_flags!(plan; record=true)")

# Julia's name of a function, an option or a struct of options of C.
julia_name(name) = get(NAMES, name, replace(name, r"^plait_([a-z]+)_desc$" => s"\1"))
in_julia(text) = replace(text, r"\bplait_[a-z_]+|\bPLAIT_RUN_RECORD\b" => julia_name)

@noinline function failure(status, raw)
    PlaitError(status, unsafe_string(Raw.plait_status_name(status)), in_julia(chars(raw.text)), raw.origin,
               detail_text(raw.detail), find_cause(raw.origin))
end

function record()
    thread = Threads.threadid()
    thread <= length(error_records) ? error_records[thread] : Ref(sized(Raw.plait_error))
end

# Call a C function whose last parameter is the error; return its status, or throw.
@inline function call(f::F, arguments::Vararg{Any,N}) where {F,N}
    told = record()
    status = f(arguments..., told)
    status < 0 && throw(failure(status, told[]))
    return status
end

# Call a plait_..._create, whose out parameter precedes the error; return the handle.
function create(f::F, ::Type{R}, arguments...) where {F,R}
    out = Ref{Ptr{R}}(C_NULL)
    call(f, arguments..., out)
    return out[]
end

# Call a C function with one out number before the error; return the number.
function ask(f::F, ::Type{T}, arguments...) where {F,T}
    out = Ref{T}(0)
    call(f, arguments..., out)
    return out[]
end

# Return a C struct as a named tuple: texts as String, without size and padding.
function as_tuple(struct_::S) where {S}
    names = filter(name -> name !== :size && !startswith(string(name), "reserved"), fieldnames(S))
    return NamedTuple{names}(map(name -> plain_value(getfield(struct_, name)), names))
end

plain_value(value::NTuple{N,UInt8}) where {N} = chars(value)
plain_value(value::Cstring) = value == C_NULL ? "" : unsafe_string(value)
plain_value(value) = value

# Return the number of a kind of native handle: :cl_queue, or the number.
native_kind(kind::Integer) = kind
function native_kind(kind::Symbol)
    name = Symbol("PLAIT_NATIVE_" * uppercase(string(kind)))
    isdefined(Raw, name) || throw(ArgumentError("native: no kind $kind; plait/native.h has them"))
    return getfield(Raw, name)
end

# Return a text of unknown length: one call asks for the size, one for the text.
function text_of(f::F, arguments...) where {F}
    needed = Ref{UInt64}(0)
    call(f, arguments..., C_NULL, 0, needed)
    room = Vector{UInt8}(undef, needed[] + 1)
    call(f, arguments..., room, length(room), needed)
    return String(resize!(room, needed[]))
end

# --- handles ------------------------------------------------------------------

"""
One owned reference to an object of plait. [`release`](@ref) or the garbage collector
drops it, in any order and on any thread. Work in flight continues.
"""
abstract type Handle{R} end

"""
    release(object)

Drop the reference now; the object cannot be used afterwards.
"""
release(object::Handle) = drop(object)

# The finalizer.  Takes no Julia lock and does not switch tasks.  plait never calls
# Julia, so no frame below holds a lock of plait.
function drop(object::Handle)
    raw = object.raw
    raw == C_NULL && return
    object.raw = C_NULL
    give_back(raw)
    return
end

owned(object) = finalizer(drop, object)

function handle(object::Handle)
    object.raw == C_NULL && throw(ArgumentError("$(nameof(typeof(object))) was released"))
    return object.raw
end

# ccall keeps objects passed as arguments alive until the call returns.
Base.cconvert(::Type{Ptr{R}}, object::Handle{R}) where {R} = object
Base.unsafe_convert(::Type{Ptr{R}}, object::Handle{R}) where {R} = handle(object)
