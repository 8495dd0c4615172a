# SPDX-License-Identifier: MIT
# Queues and signals.

# --- signals -------------------------------------------------------------------

"""
    Signal(device; label, gate=false)

A counter that queues raise and wait for; a gate is raised by hand: `raise`, `fail`.
"""
mutable struct Signal <: Handle{Raw.plait_signal}
    raw::Ptr{Raw.plait_signal}
    device::Device
end

give_back(raw::Ptr{Raw.plait_signal}) = Raw.plait_signal_release(raw)

function Signal(device::Device; label=nothing, gate=false)
    text = text_or_nothing(label)
    raw = GC.@preserve text create(
        Raw.plait_signal_create, Raw.plait_signal, device,
        Ref(sized(Raw.plait_signal_desc; label=text_at(text),
                  flags=gate ? Raw.PLAIT_SIGNAL_GATE : UInt32(0))))
    return owned(Signal(raw, device))
end

"How often a signal has happened."
function reached(signal::Signal)
    out = Ref{UInt64}(0)
    call(Raw.plait_signal_query, signal, out, C_NULL)
    return Int(out[])
end

"Raise a gate to a number."
raise(signal::Signal, sequence) = (call(Raw.plait_signal_raise, signal, sequence); nothing)

"Fail a gate: everybody who waits for it gets this error."
fail(signal::Signal, text) = (call(Raw.plait_signal_fail, signal, 1, String(text)); nothing)

"""
    finish(signal, sequence; timeout)

The thread waits until it has happened so often; it works meanwhile where that helps.
"""
finish(signal::Signal, sequence; timeout=nothing) =
    finishing(signal.device.system.inbox, timeout) do slice, told
        Raw.plait_signal_wait(signal, sequence, slice, told)
    end

"""
    wait(signal, sequence)

The task waits until it has happened so often; others go on.
"""
function Base.wait(signal::Signal, sequence)
    system = signal.device.system
    if :notify in signal.device.capabilities && Threads.threadid() == system.thread &&
       reached(signal) < sequence
        await(system.inbox, system.needs_pump) do number
            call(Raw.plait_signal_notify, signal, sequence, system.inbox, C_NULL, number)
        end
    end
    return finish(signal, sequence)
end

# --- queues --------------------------------------------------------------------

"""
    Queue(device; label, priority=0)

Commands that run one after the other: [`launch!`](@ref), [`call!`](@ref), `fill!`,
`copy!`, [`emit!`](@ref), [`wait!`](@ref). `wait(queue)` or [`finish`](@ref) tells when
they are done.
"""
mutable struct Queue <: Handle{Raw.plait_queue}
    raw::Ptr{Raw.plait_queue}
    device::Device
    awaited::Union{Nothing,Signal}
end

give_back(raw::Ptr{Raw.plait_queue}) = Raw.plait_queue_release(raw)

function Queue(device::Device; label=nothing, priority=0)
    text = text_or_nothing(label)
    raw = GC.@preserve text create(
        Raw.plait_queue_create, Raw.plait_queue, device,
        Ref(sized(Raw.plait_queue_desc; label=text_at(text), priority=priority)))
    return owned(Queue(raw, device, nothing))
end

"""
    launch!(queue, kernel, arguments...; items=1, group=())

Run a kernel; `items` and `group` are numbers or tuples of up to three.
"""
function launch!(queue::Queue, kernel::Kernel, given...; items=1, group=())
    made = Arguments(kernel, given)
    GC.@preserve made call(Raw.plait_queue_launch, queue, kernel, Ref(geometry(items, group)),
                           made.array, length(made.array))
    return
end

"""
    call!(f, queue, arguments...)

Run a function of Julia, on the thread that owns the system. Buffers among its
arguments it gets as arrays, on the memory itself. What it throws fails the
command, and comes back as the `cause` of the error.
"""
function call!(f, queue::Queue, given...)
    inbox = queue.device.system.inbox
    number = register(inbox, with_memory(f, given))
    command = sized(Raw.plait_command; kind=Raw.PLAIT_COMMAND_CALL, inbox=handle(inbox),
                    user_data=as_pointer(number))
    try
        call(Raw.plait_queue_submit, queue, Ref(command), 1, C_NULL)
    catch
        forget!(inbox, number)
        rethrow()
    end
    return
end

with_memory(f, given::Tuple{}) = f
with_memory(f, given) = () -> mapping(f, (), given...)

# f with the buffers of the arguments mapped
mapping(f, made) = f(made...)
mapping(f, made, given, more...) = mapping(f, (made..., given), more...)
mapping(f, made, given::Buffer, more...) =
    mapped(memory -> mapping(f, (made..., memory), more...), given)

# A value of the elements as the pattern that is repeated: (pattern, bytes)
function pattern_of(::Buffer{T}, value) where {T}
    sizeof(T) in (1, 2, 4, 8) ||
        throw(ArgumentError("elements of $(sizeof(T)) bytes cannot be filled in; launch a kernel"))
    word = zeros(UInt64, 1)
    store(word, 1, T, value, () -> "fill")
    return word[1], sizeof(T)
end

"""
    fill!(queue, buffer, value)

Set all elements.
"""
function Base.fill!(queue::Queue, target::Buffer, value)
    pattern, bytes = pattern_of(target, value)
    call(Raw.plait_queue_fill, queue, target, 0, sizeof(target), pattern, bytes)
    return
end

function same_bytes(target, source)
    sizeof(target) == sizeof(source) || throw(DimensionMismatch(
        "the target has $(sizeof(target)) bytes, the source $(sizeof(source))"))
    return sizeof(target)
end

"""
    copy!(queue, target, source)

Copy a buffer to another one of the same size.
"""
function Base.copy!(queue::Queue, target::Buffer, source::Buffer)
    call(Raw.plait_queue_copy, queue, target, 0, source, 0, same_bytes(target, source))
    return
end

"""
    Rows(length, count; slices=1, target=(row, slice), source=(row, slice))

What a copy has instead of one piece: `count` rows of `length` elements, and all that
`slices` times. How far it is from the start of one row to that of the next, and from
slice to slice, is said of both sides, in elements; 0, or nothing said: right behind.

    copy!(queue, column, view(table, 2:300), Rows(1, 100; source=(3, 0))) # of three
"""
struct Rows
    length::Int
    count::Int
    slices::Int
    target::Tuple{Int,Int}
    source::Tuple{Int,Int}
end

function Rows(length, count; slices=1, target=(0, 0), source=(0, 0))
    all(n -> n isa Integer && n >= 0, (length, count, slices, target..., source...)) ||
        throw(ArgumentError("rows: lengths, numbers and distances are whole, and not below 0"))
    return Rows(length, count, slices, target, source)
end

# (the bytes of a row, all else), of elements of that size
function raw_rows(rows::Rows, target::Buffer{T}, source::Buffer{S}) where {T,S}
    sizeof(T) == sizeof(S) || throw(ArgumentError("rows of $S to rows of $T"))
    bytes(count) = Base.checked_mul(count, sizeof(T))
    none = rows.count == 0 || rows.slices == 0 # which would be 1
    return none ? 0 : bytes(rows.length), Ref(sized(
        Raw.plait_rows; rows=rows.count, slices=rows.slices, target_row=bytes(rows.target[1]),
        target_slice=bytes(rows.target[2]), source_row=bytes(rows.source[1]),
        source_slice=bytes(rows.source[2])))
end

"""
    copy!(queue, target, source, rows)

Copy [`Rows`](@ref) of a buffer to rows of another one; views say where they begin.
"""
function Base.copy!(queue::Queue, target::Buffer, source::Buffer, rows::Rows)
    bytes, made = raw_rows(rows, target, source)
    call(Raw.plait_queue_copy_rows, queue, target, 0, source, 0, bytes, made)
    return
end

"""
    emit!(queue, signal)

Raise a signal here; the number to wait for.
"""
emit!(queue::Queue, signal::Signal) = Int(ask(Raw.plait_queue_emit, UInt64, queue, signal))

"""
    wait!(queue, signal, sequence=0)

Go on only when it has happened; this call itself does not wait. 0: what was
submitted so far.
"""
wait!(queue::Queue, signal::Signal, sequence=0) =
    (call(Raw.plait_queue_wait, queue, signal, sequence); nothing)

"""
    finish(queue; timeout)

The thread waits until all of it is done, for so many seconds at most, and works
meanwhile where that helps; what failed is thrown.
"""
finish(queue::Queue; timeout=nothing) =
    finishing(queue.device.system.inbox, timeout) do slice, told
        Raw.plait_queue_finish(queue, slice, told)
    end

"""
    wait(queue)

The task waits until all that the queue has now is done; others go on. What failed
is thrown.
"""
function Base.wait(queue::Queue)
    queue.awaited === nothing && (queue.awaited = Signal(queue.device))
    try
        wait(queue.awaited, emit!(queue, queue.awaited))
    catch
        queue.awaited = nothing
        finish(queue)
        rethrow()
    end
    return
end
