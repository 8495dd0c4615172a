# SPDX-License-Identifier: MIT
# Queues and signals.

# --- signals -------------------------------------------------------------------

"""
    Signal(device; label, gate=false)

A monotonic counter that queues emit and wait for. The program raises a gate: `raise`,
`fail`.
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

"Return the newest sequence number that a signal reached, failed ones included."
function reached(signal::Signal)
    out = Ref{UInt64}(0)
    call(Raw.plait_signal_query, signal, out, C_NULL)
    return Int(out[])
end

"Return the newest sequence number of a signal that was submitted."
function submitted(signal::Signal)
    out = Ref{UInt64}(0)
    call(Raw.plait_signal_query, signal, C_NULL, out)
    return Int(out[])
end

"Clear the failure of a signal that has no pending work."
reset!(signal::Signal) = (call(Raw.plait_signal_reset, signal); nothing)

"Raise a gate to a sequence number."
raise(signal::Signal, sequence) = (call(Raw.plait_signal_raise, signal, sequence); nothing)

"Fail a gate: every wait on it ends with this error."
fail(signal::Signal, text) = (call(Raw.plait_signal_fail, signal, 1, String(text)); nothing)

"""
    finish(signal, sequence; timeout)

Block the thread until the signal reaches `sequence`, at most `timeout` seconds. The thread
progresses work meanwhile.
"""
finish(signal::Signal, sequence; timeout=nothing) =
    finishing(signal.device.system.inbox, timeout) do slice, told
        Raw.plait_signal_wait(signal, sequence, slice, told)
    end

"""
    finish(system, points; any=false, timeout)

Block the thread until signals reach sequence numbers, `[(signal, sequence), ...]`: all of
them, or with `any` one, whose index is the result.
"""
function finish(system::System, points; any=false, timeout=nothing)
    signals, index = Signal[first(one) for one in points], Ref{UInt64}(0)
    GC.@preserve signals begin
        array = [Raw.plait_point(handle(one[1]), one[2]) for one in points]
        mode = any ? Raw.PLAIT_WAIT_ANY : Raw.PLAIT_WAIT_ALL
        finishing(system.inbox, timeout) do slice, told
            Raw.plait_signal_wait_points(array, length(array), mode, slice, index, told)
        end
    end
    return Int(index[]) + 1
end

"""
    wait(signal, sequence)

Suspend the task until the signal reaches `sequence`; other tasks run.
"""
function Base.wait(signal::Signal, sequence)
    system = signal.device.system
    if :notify in signal.device.capabilities && Threads.threadid() == system.thread &&
       reached(signal) < sequence
        refuse_self((limit, told) -> Raw.plait_signal_wait(signal, sequence, limit, told))
        await(system.inbox, system.needs_pump) do number
            call(Raw.plait_signal_notify, signal, sequence, system.inbox, C_NULL, number)
        end
    end
    return finish(signal, sequence)
end

# --- queues --------------------------------------------------------------------

"""
    Queue(device; label, priority=0, capacity=0, native)

An in-order queue: its commands run one after another. Commands are [`launch!`](@ref),
[`call!`](@ref), `fill!`, `copy!`, [`emit!`](@ref) and [`wait!`](@ref); `wait(queue)` or
[`finish`](@ref) waits until they are done. `capacity`: most pending commands; 0: 2^20.
`native`: submit to this queue of the driver, `:cu_stream => handle`.
"""
mutable struct Queue <: Handle{Raw.plait_queue}
    raw::Ptr{Raw.plait_queue}
    device::Device
    awaited::Union{Nothing,Signal}
    # Memory that commands use until the next `finish`.
    kept::Vector{Any}
end

give_back(raw::Ptr{Raw.plait_queue}) = Raw.plait_queue_release(raw)

function Queue(device::Device; label=nothing, priority=0, capacity=0, native=0 => 0)
    text = text_or_nothing(label)
    raw = GC.@preserve text create(
        Raw.plait_queue_create, Raw.plait_queue, device,
        Ref(sized(Raw.plait_queue_desc; label=text_at(text), priority=priority, capacity=capacity,
                  native_kind=native_kind(first(native)), native=last(native))))
    return owned(Queue(raw, device, nothing, []))
end

"""
    launch!(queue, kernel, arguments...; items=1, group=())

Submit a kernel; `items` and `group` are numbers or tuples of up to three.
"""
function launch!(queue::Queue, kernel::Kernel, given...; items=1, group=())
    made = Arguments(kernel, given)
    GC.@preserve made call(Raw.plait_queue_launch, queue, kernel, Ref(geometry(items, group)),
                           made.array, length(made.array))
    return
end

"""
    call!(f, queue, arguments...)

Submit a call of a Julia function, on the thread that owns the system. Buffer arguments are
passed as arrays on the mapped memory. An exception fails the command and becomes the
`cause` of its error.
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

# Call f with the buffer arguments mapped.
mapping(f, made) = f(made...)
mapping(f, made, given, more...) = mapping(f, (made..., given), more...)
mapping(f, made, given::Buffer, more...) =
    mapped(memory -> mapping(f, (made..., memory), more...), given)

# Return an element value as the pattern of a fill: (pattern, bytes).
function pattern_of(::Buffer{T}, value) where {T}
    sizeof(T) in (1, 2, 4, 8) ||
        throw(ArgumentError("elements of $(sizeof(T)) bytes cannot be filled in; launch a kernel"))
    word = zeros(UInt64, 1)
    store(word, 1, T, value, () -> "fill")
    return word[1], sizeof(T)
end

"""
    fill!(queue, buffer, value)

Submit a fill: set all elements to `value`.
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

Submit a copy from a buffer to another one of the same size.
"""
function Base.copy!(queue::Queue, target::Buffer, source::Buffer)
    call(Raw.plait_queue_copy, queue, target, 0, source, 0, same_bytes(target, source))
    return
end

"""
    Rows(length, count; slices=1, target=(row, slice), source=(row, slice))

The shape of a strided copy: `slices` slices of `count` rows of `length` elements. `target`
and `source` are the pitches, in elements: from the start of one row, or slice, to the next;
0, the default: contiguous.

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

# Return (the bytes of a row, the plait_rows).
function raw_rows(rows::Rows, target::Buffer{T}, source::Buffer{S}) where {T,S}
    sizeof(T) == sizeof(S) || throw(ArgumentError("rows of $S to rows of $T"))
    bytes(count) = Base.checked_mul(count, sizeof(T))
    none = rows.count == 0 || rows.slices == 0 # plait_rows reads 0 as 1
    return none ? 0 : bytes(rows.length), Ref(sized(
        Raw.plait_rows; rows=rows.count, slices=rows.slices, target_row=bytes(rows.target[1]),
        target_slice=bytes(rows.target[2]), source_row=bytes(rows.source[1]),
        source_slice=bytes(rows.source[2])))
end

"""
    copy!(queue, target, source, rows)

Submit a strided copy: [`Rows`](@ref) of a buffer to rows of another one. A view sets the
offset.
"""
function Base.copy!(queue::Queue, target::Buffer, source::Buffer, rows::Rows)
    bytes, made = raw_rows(rows, target, source)
    call(Raw.plait_queue_copy_rows, queue, target, 0, source, 0, bytes, made)
    return
end

# --- batches -------------------------------------------------------------------

"""
    Batch(queue)
    submit!(f, queue)

Commands for one submission: the queue receives all of them, or none. [`launch!`](@ref),
`fill!`, `copy!`, [`emit!`](@ref) and [`wait!`](@ref) add a command to a batch, and
[`submit!`](@ref) submits it. `submit!(f, queue)` submits what `f(batch)` added.

    submit!(queue) do batch
        fill!(batch, y, 0)
        launch!(batch, kernel, y; items=100)
    end
"""
struct Batch
    queue::Queue
    commands::Vector{Raw.plait_command}
    kept::Vector{Any} # what the commands refer to
end

Batch(queue::Queue) = Batch(queue, [], [])
Base.length(batch::Batch) = length(batch.commands)
Base.show(io::IO, batch::Batch) = print(io, "Batch(", length(batch), " commands)")

function add(batch::Batch, kind, kept, fields, label=nothing)
    text = text_or_nothing(label)
    push!(batch.commands, sized(Raw.plait_command; kind=kind, label=text_at(text), fields...))
    push!(batch.kept, (text, kept))
    return
end

"""
    launch!(batch, kernel, arguments...; items=1, group=(), label)

Add a kernel launch to a batch.
"""
function launch!(batch::Batch, kernel::Kernel, given...; items=1, group=(), label=nothing)
    made, launch = Arguments(kernel, given), Ref(geometry(items, group))
    add(batch, Raw.PLAIT_COMMAND_LAUNCH, (kernel, made, launch),
        (kernel=handle(kernel), launch=Base.unsafe_convert(Ptr{Raw.plait_launch}, launch),
         arguments=pointer(made.array), argument_count=length(given)), label)
end

"""
    fill!(batch, buffer, value; label)

Add a fill to a batch: set all elements to `value`.
"""
function Base.fill!(batch::Batch, target::Buffer, value; label=nothing)
    pattern, bytes = pattern_of(target, value)
    add(batch, Raw.PLAIT_COMMAND_FILL, target, (target=handle(target), bytes=sizeof(target),
                                                pattern=pattern, pattern_bytes=bytes), label)
end

"""
    copy!(batch, target, source; label)

Add a copy from a buffer to another one of the same size to a batch.
"""
Base.copy!(batch::Batch, target::Buffer, source::Buffer; label=nothing) =
    add(batch, Raw.PLAIT_COMMAND_COPY, (target, source),
        (target=handle(target), source=handle(source), bytes=same_bytes(target, source)), label)

"""
    copy!(batch, target, source, rows; label)

Add a strided copy of [`Rows`](@ref) to a batch.
"""
function Base.copy!(batch::Batch, target::Buffer, source::Buffer, rows::Rows; label=nothing)
    bytes, made = raw_rows(rows, target, source)
    add(batch, Raw.PLAIT_COMMAND_COPY, (target, source, made),
        (target=handle(target), source=handle(source), bytes=bytes,
         rows=Base.unsafe_convert(Ptr{Raw.plait_rows}, made)), label)
end

"""
    emit!(batch, signal)

Add an emission of a signal to a batch.
"""
emit!(batch::Batch, signal::Signal) =
    add(batch, Raw.PLAIT_COMMAND_EMIT, signal, (signal=handle(signal),))

"""
    wait!(batch, signal, sequence=0)

Add a wait to a batch: later commands start after the signal reaches `sequence`; 0: the newest
sequence number submitted so far.
"""
wait!(batch::Batch, signal::Signal, sequence=0) =
    add(batch, Raw.PLAIT_COMMAND_WAIT, signal, (signal=handle(signal), sequence=sequence))

"""
    submit!(batch)

Submit the commands and empty the batch; return the sequence number of the last emission, or
0. After a mistake the queue has received none of them.
"""
function submit!(batch::Batch)
    sequence, kept = Ref{UInt64}(0), copy(batch.kept)
    GC.@preserve kept call(Raw.plait_queue_submit, batch.queue, batch.commands, length(batch),
                           sequence)
    push!(batch.queue.kept, kept)
    empty!(batch.commands)
    empty!(batch.kept)
    return Int(sequence[])
end

function submit!(f, queue::Queue)
    batch = Batch(queue)
    f(batch)
    return submit!(batch)
end

dense(a::Array) = a
dense(a) = throw(ArgumentError("a queue copies to and from an Array, not $(typeof(a))"))

function transfer(queue, kind, b, a, wait; fields...)
    same_length(b, dense(a))
    sizeof(a) == sizeof(b) || throw(ArgumentError("elements of $(eltype(a)), and of $(eltype(b))"))
    command = sized(Raw.plait_command; kind=kind, bytes=sizeof(a), host=pointer(a), fields...)
    push!(queue.kept, a)
    call(Raw.plait_queue_submit, queue, Ref(command), 1, C_NULL)
    wait && finish(queue)
    return
end

"""
    copyto!(queue, a, buffer; wait=true)
    copyto!(queue, buffer, a; wait=true)

Submit a copy of a buffer to an `Array`, or of an `Array` to a buffer, and wait as
[`finish`](@ref). Without `wait` the queue keeps `a`, which must neither change nor be read
before `finish(queue)`.
"""
function Base.copyto!(queue::Queue, a::AbstractArray, b::Buffer; wait=true)
    transfer(queue, Raw.PLAIT_COMMAND_READ, b, a, wait; source=handle(b))
    return a
end

function Base.copyto!(queue::Queue, b::Buffer, a::AbstractArray; wait=true)
    transfer(queue, Raw.PLAIT_COMMAND_WRITE, b, a, wait; target=handle(b))
    return b
end

"Return the native handle of a queue, such as `:cl_queue` or `:cu_stream`."
native(queue::Queue, kind) = ask(Raw.plait_queue_native, UInt64, queue, native_kind(kind))

"""
    emit!(queue, signal)

Submit an emission of a signal; return its sequence number.
"""
emit!(queue::Queue, signal::Signal) = Int(ask(Raw.plait_queue_emit, UInt64, queue, signal))

"""
    wait!(queue, signal, sequence=0)

Submit a wait: later commands start after the signal reaches `sequence`. The call does not
block. 0: the newest sequence number submitted so far.
"""
wait!(queue::Queue, signal::Signal, sequence=0) =
    (call(Raw.plait_queue_wait, queue, signal, sequence); nothing)

"""
    finish(queue; timeout)

Block the thread until all commands are done, at most `timeout` seconds; throw the first
failure. The thread progresses work meanwhile.
"""
function finish(queue::Queue; timeout=nothing)
    finishing(queue.device.system.inbox, timeout) do slice, told
        Raw.plait_queue_finish(queue, slice, told)
    end
    empty!(queue.kept)
    return
end

"""
    wait(queue)

Suspend the task until the commands that the queue has now are done; other tasks run. Throws
the first failure.
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
