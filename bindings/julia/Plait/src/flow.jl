# SPDX-License-Identifier: MIT
# Flows: tasks with data, whose order is inferred.

"""
    Flow(system; window=0, lanes=0, record=false, strict=false, check=false, fixed=false, repeats=false,
         devices=Device[], label)

A stream of tasks. Their order is inferred from the data that they access.

    flow = Flow(system)
    u, v = array(flow, numbers), zeros(flow, Float32, n)
    for step in 1:1000
        launch!(flow, heat, u, v, n; items=n)
        u, v = v, u
    end
    println(u[1])                                 # waits for its writer

[`launch!`](@ref), [`call!`](@ref), `copy!`, `fill!`, `run(plan, flow)`, [`emit!`](@ref) and
[`wait!`](@ref) submit a task and return its number; `wait(flow, task)` suspends the Julia
task until that is done, [`finish`](@ref) blocks the thread. All of them take `reads`,
`writes` and `updates`, accesses beside those of the arguments, and a `label`. `window`: tasks
that may be not done at a time, a power of two; `lanes`: those that run at a time; `record`
keeps what [`explain`](@ref) tells, and `strict` refuses tasks that it would warn of;
`check` proves the order while it runs; `fixed`: times decide nothing, so equal calls give
equal texts; `repeats`: find tasks that repeat, and run them as one; `devices`: where launches run, none: on the host;
`choose`, `parent`, `lane`: policies as of [`Plait.instructions`](@ref); `device_lanes`: queues
of each device; `threshold`: per mille; `memory_bytes`: of buffers in each memory of devices,
others are evicted, 0: no limit; `history`: a file of measured times, read and written; `links`:
a file of lines From,To,Bandwidth in GB/s, the host is -1.
"""
mutable struct Flow <: Handle{Raw.plait_flow}
    raw::Ptr{Raw.plait_flow}
    system::System
    # Guarded by lock: functions that may not have been called, with their numbers, and
    # objects that tasks use.
    lock::Threads.SpinLock
    calls::Vector{Tuple{UInt,Any}}
    sweep_at::Int
    kept::Vector{Any}
    captured::Bool # tasks become nodes
end

give_back(raw::Ptr{Raw.plait_flow}) = Raw.plait_flow_release(raw)

function Flow(system::System; window=0, lanes=0, record=false, strict=false, check=false, fixed=false,
              repeats=false, devices=Device[], choose=:earliest, parent=:best, lane=:reuse, device_lanes=0, threshold=0,
              memory_bytes=0, history=nothing, links=nothing, label=nothing)
    for one in devices
        one isa Device ||
            throw(ArgumentError("devices: expected Devices of system.devices, not $(repr(one))"))
    end
    text, handles = text_or_nothing(label), [device.raw for device in devices]
    times, rates = text_or_nothing(history), text_or_nothing(links)
    raw = GC.@preserve text handles times rates create(
        Raw.plait_flow_create, Raw.plait_flow, system,
        Ref(sized(Raw.plait_flow_desc; window=window, lanes=lanes, label=text_at(text),
                  devices=pointer(handles), device_count=length(handles),
                  choose=flow_policy("choose", MEMORY_CHOICES, choose),
                  parent=flow_policy("parent", MEMORY_PARENTS, parent),
                  lane=flow_policy("lane", MEMORY_LANES, lane),
                  device_lanes=device_lanes, threshold=threshold, memory_bytes=memory_bytes,
                  history=text_at(times), links=text_at(rates),
                  flags=(record ? Raw.PLAIT_FLOW_RECORD : UInt32(0)) | (strict ? Raw.PLAIT_FLOW_STRICT : UInt32(0)) |
                        (check ? Raw.PLAIT_FLOW_CHECK : UInt32(0)) | (fixed ? Raw.PLAIT_FLOW_FIXED : UInt32(0)) |
                        (repeats ? Raw.PLAIT_FLOW_REPEATS : UInt32(0)))))
    return owned(Flow(raw, system, Threads.SpinLock(), [], 64, [], false))
end

Base.show(io::IO, flow::Flow) = print(io, "Flow(", flow.raw == C_NULL ? "released" : "", ")")

# --- data -----------------------------------------------------------------------

function new_data(flow::Flow, ::Type{T}, dims, label) where {T}
    sizes, text = map(Int, dims), text_or_nothing(label)
    raw = GC.@preserve text create(
        Raw.plait_data_create, Raw.plait_data, flow,
        Ref(sized(Raw.plait_data_desc; dimensions=length(sizes), extent=extents(sizes, "data"),
                  element_bytes=T === Nothing ? 0 : sizeof(plain(T)), label=text_at(text))))
    made = owned(Data{T,length(sizes)}(raw, flow, sizes, C_NULL))
    info = Ref(sized(Raw.plait_data_info))
    call(Raw.plait_data_query, made, info)
    made.memory = info[].pointer
    return made
end

"""
    zeros(flow, T, dims...; label)

Create data of zeros. The first dimension is innermost, as that of the `items` of a launch.
"""
Base.zeros(flow::Flow, ::Type{T}, dims::Integer...; label=nothing) where {T} = new_data(flow, T, dims, label)

"""
    array(flow, a; label)

Create data with a copy of `a`.
"""
array(flow::Flow, a::AbstractArray{T}; label=nothing) where {T} = copyto!(new_data(flow, T, size(a), label), a)

"""
    token(flow; label)

Create a token, which has no memory and orders the tasks that name it.
"""
token(flow::Flow; label=nothing) = new_data(flow, Nothing, (), label)

# --- submission -----------------------------------------------------------------

# Call a function of C, inside of the function that this task runs, and serve the inbox as
# often as it asks for that.
function serving(f, flow::Flow)
    while inside(f, calls_around()) == Raw.PLAIT_EVENT_READY
        pump(flow.system.inbox)
    end
end

# Labels live until their tasks are done: as long as the process.
const labels = Dict{String,String}()
const labels_lock = Threads.SpinLock()

kept_label(::Nothing) = nothing
kept_label(label) = with_lock(() -> get!(labels, String(label), String(label)), labels_lock)

several(given::Union{Data,Access}) = (given,)
several(given) = given

# Options of all tasks.
options(; reads=(), writes=(), updates=(), label=nothing, urgent=false, barrier=false, cost=0) = (
    accesses=[(Raw.PLAIT_ACCESS_READ, reads), (Raw.PLAIT_ACCESS_WRITE, writes), (Raw.PLAIT_ACCESS_READ_WRITE, updates)],
    label=kept_label(label), urgent=urgent, cost=cost,
    flags=(barrier ? Raw.PLAIT_TASK_BARRIER : UInt32(0)) | (in_task() ? Raw.PLAIT_TASK_NO_WAIT : UInt32(0)))

# Submit one task; `kept` holds what `fields` point to, until the call returns.
function submit_task(flow, kind, chosen, kept, fields, more=())
    accesses = Raw.plait_access[raw_access(kept, one) for one in more]
    for (mode, given) in chosen.accesses, one in several(given)
        push!(accesses, raw_access(kept, with_mode(one, mode)))
    end
    label, task = chosen.label, Ref{UInt64}(0)
    GC.@preserve accesses kept label begin
        desc = Ref(sized(Raw.plait_task_desc; kind=kind, label=text_at(label), priority=chosen.urgent ? 1 : 0,
                         flags=chosen.flags, cost=chosen.cost, access_count=length(accesses),
                         accesses=isempty(accesses) ? C_NULL : pointer(accesses), fields...))
        serving(() -> call(Raw.plait_flow_submit, flow, desc, task), flow)
    end
    return Int(task[])
end

struct Chunk end

"A kernel argument of a split launch: the items of the piece, `c: chunk`."
const CHUNK = Chunk()

# Return an argument of a kernel: data and accesses are made ready for C.
ready(parameter, given, what) = given
ready(parameter, ::Chunk, what) = Ready(sized(Raw.plait_argument; kind=Raw.PLAIT_ARGUMENT_CHUNK), [])

function ready(parameter, given::Union{Data,Access}, what)
    access, kept = as_access(given), []
    no_memory(access.data)
    T, wanted = eltype(access.data), parameter.type
    parameter.pointer || throw(ArgumentError("$what is not a pointer"))
    wanted === nothing || T === wanted || T === UInt8 || !(T <: Real) || throw(ArgumentError(
        "$what is a pointer to $(parameter.written), the data has $T"))
    push!(kept, Ref(raw_access(kept, access)))
    argument = sized(Raw.plait_argument; kind=Raw.PLAIT_ARGUMENT_ACCESS,
                     value=Base.unsafe_convert(Ptr{Raw.plait_access}, kept[end]))
    return Ready(argument, kept)
end

"""
    launch!(flow, kernel, arguments...; items=1, group, split=0, pieces=0, options...)

Submit a launch: values, data, accesses and [`CHUNK`](@ref) for the parameters of the kernel.
`split`: how many of the last dimensions of `items` are cut into `pieces`, 0: as many as
lanes. Returns the number of the task. Options, as of all tasks: `reads`, `writes`, `updates`,
`label`, `urgent`; `barrier`: after all tasks before it, and before all after it; `cost`: its
expected duration in any unit, for pictures.
"""
function launch!(flow::Flow, kernel::Kernel, given...; items=1, group=(), split=0, pieces=0, more...)
    names = flow_parameters(kernel)
    given = length(given) == length(names) ? ntuple(length(given)) do i
        ready(names[i], given[i], "$(kernel.name): argument $i \"$(names[i].name)\"")
    end : given
    made, launch = Arguments(kernel, given, names), Ref(geometry(items, group))
    return submit_task(flow, Raw.PLAIT_TASK_LAUNCH, options(; more...), Any[made, made.array, made.words, launch, kernel], (
        kernel=handle(kernel), launch=Base.unsafe_convert(Ptr{Raw.plait_launch}, launch),
        arguments=isempty(made.array) ? C_NULL : pointer(made.array), argument_count=length(made.array),
        split=split, pieces=pieces))
end

"""
    call!(f, flow, arguments...; reads, writes, updates, label, barrier=false)

Submit a call of a Julia function, on the thread that opened the system, while that waits.
Data and accesses are passed as arrays on their memory, valid until `f` returns: `reads(u)`
to be read, `u` or `updates(u)` to be read and written. An exception fails the task and
becomes the `cause` of its error. `f` can submit tasks, but not wait for tasks or data.
"""
function call!(f, flow::Flow, given...; more...)
    refuse_captured(flow, "a function that is called once; call it from the graph")
    inbox, chosen = flow.system.inbox, options(; more...)
    accesses = [one.mode == 0 ? updates(one) : one
                for one in map(as_access, filter(one -> one isa Union{Data,Access}, collect(Any, given)))]
    any(one -> one.mapper !== nothing, accesses) &&
        throw(ArgumentError("call!: own, near, slice and even are for pieces of launches"))
    run_it = () -> inside_task(() -> f(map(handed, given)...))
    number = register(inbox, run_it)
    task = try
        submit_task(flow, Raw.PLAIT_TASK_CALL, chosen, Any[],
                    (inbox=handle(inbox), user_data=as_pointer(number)), accesses)
    catch
        forget!(inbox, number)
        rethrow()
    end
    remember(flow, number, run_it)
    return task
end

handed(given) = given
handed(given::Token) = given
handed(given::Data) = memory_of(given)
handed(given::Access) = given.indices === nothing ? handed(given.data) : view(memory_of(given.data), given.indices...)

# A slot whose function has run has another function, or none.
is_pending(inbox, (number, f)) = with_lock(() -> inbox.once[number >> 1] === f, inbox.lock)

function remember(flow, number, f)
    with_lock(flow.lock) do
        if length(flow.calls) >= flow.sweep_at
            filter!(one -> is_pending(flow.system.inbox, one), flow.calls)
            flow.sweep_at = max(64, 2 * length(flow.calls))
        end
        push!(flow.calls, (number, f))
    end
end

# Forget functions of tasks that were not run, and what tasks used: all are done.
function settle(flow, calls, kept)
    with_lock(flow.lock) do
        for one in splice!(flow.calls, 1:min(calls, length(flow.calls)))
            is_pending(flow.system.inbox, one) && forget!(flow.system.inbox, one[1])
        end
        splice!(flow.kept, 1:min(kept, length(flow.kept)))
    end
end

const IN_TASK = :plait_task_of_a_flow

in_task() = get(task_local_storage(), IN_TASK, false)::Bool

function inside_task(f)
    outer = in_task()
    task_local_storage()[IN_TASK] = true
    try
        f()
    finally
        task_local_storage()[IN_TASK] = outer
    end
end

# What a function of a task waits for may be behind that task.
refuse_in_task() = in_task() && throw(ArgumentError(
    "a function of a task cannot wait for tasks or data; give the task an access, or wait outside"))

# What ends after one call, or waits for tasks that do not run.
refuse_captured(flow, what) = flow.captured && throw(ArgumentError("the flow is captured, which refuses $what"))

# Copy to or from memory of Julia, and wait; the memory lives as long as the task.
function move(flow, kind, memory, fields)
    refuse_in_task()
    refuse_captured(flow, "a wait for tasks that do not run")
    with_lock(() -> push!(flow.kept, memory), flow.lock)
    finish(flow, submit_task(flow, kind, options(), Any[memory], fields))
    with_lock(() -> filter!(one -> one !== memory, flow.kept), flow.lock)
    return
end

# Return (data, box) of an access for a copy or a fill.
function place_of(kept, given)
    access = as_access(given)
    no_memory(access.data)
    access.mapper === nothing || throw(ArgumentError("own, near, slice and even are for pieces of launches"))
    made = raw_access(kept, access)
    return made.data, made.box
end

"""
    copy!(flow, target, source; label)

Submit a copy between data, or views of data with the same size.
"""
function Base.copy!(flow::Flow, target::Union{Data,Access}, source::Union{Data,Access}; more...)
    kept = []
    T, S = eltype(as_access(target).data), eltype(as_access(source).data)
    T === S || throw(ArgumentError("copy!: $S to $T"))
    (into, into_box), (out, out_box) = place_of(kept, target), place_of(kept, source)
    return submit_task(flow, Raw.PLAIT_TASK_COPY, options(; more...), kept,
                       (target=into, target_box=into_box, source=out, source_box=out_box))
end

"""
    fill!(flow, target, value; label)

Submit a fill: each element becomes `value`.
"""
function Base.fill!(flow::Flow, target::Union{Data,Access}, value; more...)
    kept, word, T = [], zeros(UInt64, 1), eltype(as_access(target).data)
    into, box = place_of(kept, target)
    sizeof(T) in (1, 2, 4, 8) ||
        throw(ArgumentError("elements of $(sizeof(T)) bytes cannot be filled in; launch a kernel"))
    store(word, 1, T, value, () -> "fill!")
    return submit_task(flow, Raw.PLAIT_TASK_FILL, options(; more...), kept,
                       (target=into, target_box=box, pattern=word[1]))
end

"""
    run(plan, flow; reads, writes, updates, label)

Submit a run of a plan without parameters, which accesses this data.
"""
function Base.run(plan::Plan, flow::Flow; more...)
    with_lock(() -> plan in flow.kept || push!(flow.kept, plan), flow.lock)
    return submit_task(flow, Raw.PLAIT_TASK_PLAN, options(; more...), Any[plan], (plan=handle(plan),))
end

"""
    emit!(flow, signal; reads, writes)

Submit the next emission of a signal, behind the tasks that the accesses name.
"""
emit!(flow::Flow, signal::Signal; more...) =
    submit_task(flow, Raw.PLAIT_TASK_EMIT, options(; more...), Any[signal], (signal=handle(signal),))

"""
    wait!(flow, signal, sequence=0; reads, writes, updates)

Submit a wait for an emission; 0: the newest one. The call does not block.
"""
wait!(flow::Flow, signal::Signal, sequence=0; more...) =
    submit_task(flow, Raw.PLAIT_TASK_WAIT, options(; more...), Any[signal],
                (signal=handle(signal), sequence=sequence))

# --- repetitions ------------------------------------------------------------------

# Call submit(), whose tasks are captured; end the capture if it fails.
function captured(submit, flow)
    flow.captured = true
    try
        submit()
    catch
        call(Raw.plait_flow_capture, flow, C_NULL)
        rethrow()
    finally
        flow.captured = false
    end
end

"""
    capture(submit, flow, graph)

Turn the tasks that `submit()` submits into nodes of a graph, and their order into edges; they
do not run. Functions are refused, and waits for data.
"""
function capture(submit, flow::Flow, graph::Graph)
    call(Raw.plait_flow_capture, flow, handle(graph))
    captured(submit, flow)
    call(Raw.plait_flow_capture, flow, C_NULL)
    return
end

"""
    repeat(submit, flow, key)

Run a repetition of tasks as one task: those that `submit()` submits. It is called for a new
`key`, a positive number, only; later calls run the same tasks again, with the values of the
first time. Returns the number of the run.
"""
function Base.repeat(submit, flow::Flow, key::Integer)
    task = Ref{UInt64}(0)
    serving(() -> call(Raw.plait_flow_repeat, flow, key, task), flow)
    if task[] == 0
        captured(submit, flow)
        if call(Raw.plait_flow_repeat, flow, 0, task) == Raw.PLAIT_EVENT_READY
            pump(flow.system.inbox)
            serving(() -> call(Raw.plait_flow_repeat, flow, key, task), flow) # known by now
        end
    end
    return Int(task[])
end

# --- waiting --------------------------------------------------------------------

"""
    finish(flow, task=0; timeout)

Wait for a task, or for all; throw the failure of the task, or the first one that was not
thrown. `timeout` is in seconds.
"""
function finish(flow::Flow, task::Integer=0; timeout=nothing)
    refuse_in_task()
    calls, kept = length(flow.calls), length(flow.kept)
    finishing(flow.system.inbox, timeout) do slice, told
        Raw.plait_flow_wait(flow, task, slice, told)
    end
    task == 0 && settle(flow, calls, kept)
    return
end

"""
    wait(flow, task=0)

Suspend the Julia task until a task of the flow, or all submitted so far, are done; throws as
[`finish`](@ref).
"""
function Base.wait(flow::Flow, task::Integer=0)
    refuse_in_task()
    system = flow.system
    Threads.threadid() == system.thread || return finish(flow, task)
    refuse_self((limit, told) -> Raw.plait_flow_wait(flow, task, limit, told))
    await(system.inbox, system.needs_pump) do number
        serving(() -> call(Raw.plait_flow_notify, flow, task, system.inbox, C_NULL, number), flow)
    end
    try
        finish(flow, task; timeout=0)
    catch problem
        newer = task == 0 && problem isa PlaitError && problem.status == Raw.PLAIT_E_TIMEOUT
        newer || rethrow()
    end
    return
end

"End all tasks of a flow submitted so far that have not begun."
cancel(flow::Flow) = (call(Raw.plait_flow_cancel, flow); nothing)

# --- looking --------------------------------------------------------------------

"Return the properties of a flow: the fields of `plait_flow_info`, as a named tuple."
function properties(flow::Flow)
    info = Ref(sized(Raw.plait_flow_info))
    call(Raw.plait_flow_query, flow, info)
    return as_tuple(info[])
end

"""
    Plait.chunks(flow, items; split=1, pieces=0)

Return the chunks of a launch that would be split: for each, the ranges of its items.
"""
function chunks(flow::Flow, items; split=1, pieces=0)
    launch, count = Ref(geometry(items)), Ref{UInt64}(0)
    boxes = Vector{Raw.plait_box}(undef, 256)
    GC.@preserve launch call(
        Raw.plait_flow_split, flow,
        Ref(sized(Raw.plait_task_desc; split=split, pieces=pieces,
                  launch=Base.unsafe_convert(Ptr{Raw.plait_launch}, launch))), boxes, length(boxes), count)
    return [ntuple(d -> Int(box.low[d])+1:Int(box.high[d]), length(items)) for box in boxes[1:count[]]]
end

"""
    Plait.read_tasks!(flow, text; name="tasks")

Submit the tasks of a text, which do nothing; see doc/flow-text.md. `name` is that of the
file, for errors.
"""
function read_tasks!(flow::Flow, text; name="tasks")
    code = String(text)
    call(Raw.plait_flow_read, flow, code, sizeof(code), String(name))
    return
end

const FLOW_FORMATS = Dict(:text => Raw.PLAIT_FLOW_TEXT, :json => Raw.PLAIT_FLOW_JSON,
                          :dot => Raw.PLAIT_FLOW_DOT, :svg => Raw.PLAIT_FLOW_SVG)

"""
    explain(flow; format=:text)

Return the tasks of a flow with `record`, and why each waits for others, as `:text`, `:json`,
`:dot` or `:svg`.
"""
function explain(flow::Flow; format=:text)
    haskey(FLOW_FORMATS, format) ||
        throw(ArgumentError("explain: $(repr(format)) is not one of $(join(sort(collect(keys(FLOW_FORMATS))), ", "))"))
    return rstrip(text_of(Raw.plait_flow_write, flow, FLOW_FORMATS[format]), '\0')
end

const MEMORY_PEERS = Dict(:all => Raw.PLAIT_PEERS_ALL, :ring => Raw.PLAIT_PEERS_RING,
                          :none => Raw.PLAIT_PEERS_NONE)

const MEMORY_CHOICES = Dict(
    :earliest => Raw.PLAIT_CHOOSE_EARLIEST, :single => Raw.PLAIT_CHOOSE_SINGLE,
    :round_robin => Raw.PLAIT_CHOOSE_ROUND_ROBIN, :stream_aware => Raw.PLAIT_CHOOSE_STREAM_AWARE,
    :min_size => Raw.PLAIT_CHOOSE_MIN_SIZE, :minmin_time => Raw.PLAIT_CHOOSE_MINMIN_TIME,
    :minmax_time => Raw.PLAIT_CHOOSE_MINMAX_TIME)
const MEMORY_PARENTS = Dict(
    :best => Raw.PLAIT_PARENT_BEST, :same => Raw.PLAIT_PARENT_SAME,
    :disjoint => Raw.PLAIT_PARENT_DISJOINT, :early_disjoint => Raw.PLAIT_PARENT_EARLY_DISJOINT,
    :device_disjoint => Raw.PLAIT_PARENT_DEVICE_DISJOINT)
const MEMORY_LANES = Dict(:reuse => Raw.PLAIT_LANE_REUSE, :always_new => Raw.PLAIT_LANE_ALWAYS_NEW)

function flow_policy(name, known, value)
    haskey(known, value) || throw(ArgumentError("no $name $(repr(value))"))
    return known[value]
end

"""
    Plait.instructions(flow, devices; peers=:all, shared=false, lookahead=true, format=:text,
                       choose=:earliest, parent=:best, lane=:reuse, lanes=1, memory_bytes=0,
                       links=nothing, strict=false, weights=UInt32[])

Return what the tasks of a flow with `record` would do on devices with memories, as `:text` or
`:json`; see doc/flow-memories.md. `peers`: memories that copy to each other directly: `:all`,
`:ring` or `:none`. `shared`: the devices have one memory in all. Without `lookahead` blocks
grow when a task needs it. `choose`, `parent`, `lane`: policies for devices and lanes. `lanes`: per
device, `nothing`: no limit. `memory_bytes`: of each memory of devices, 0: no limit. `links`: lines
"From,To,Bandwidth". `strict`: warnings are an error.
`weights`: each device's share of the pieces of a split launch.
"""
function instructions(flow::Flow, devices; peers=:all, shared=false, lookahead=true, format=:text,
                      choose=:earliest, parent=:best, lane=:reuse, lanes=1, memory_bytes=0,
                      links=nothing, strict=false, weights=UInt32[])
    shares = collect(UInt32, weights)
    isempty(shares) || length(shares) == devices ||
        throw(ArgumentError("instructions: $(length(shares)) weights for $devices devices"))
    haskey(FLOW_FORMATS, format) || throw(ArgumentError("instructions: no format $(repr(format))"))
    haskey(MEMORY_PEERS, peers) || throw(ArgumentError("instructions: no peers $(repr(peers))"))
    flags = (shared ? Raw.PLAIT_MEMORIES_SHARED : 0) |
            (lookahead ? 0 : Raw.PLAIT_MEMORIES_NO_LOOKAHEAD) |
            (strict ? Raw.PLAIT_MEMORIES_STRICT : 0)
    given = links === nothing ? "" : String(links)
    GC.@preserve given shares begin
        desc = Ref(sized(Raw.plait_memories_desc; devices=devices, peers=MEMORY_PEERS[peers], flags=flags,
                         choose=flow_policy("choose", MEMORY_CHOICES, choose),
                         parent=flow_policy("parent", MEMORY_PARENTS, parent),
                         lane=flow_policy("lane", MEMORY_LANES, lane),
                         lanes=lanes === nothing ? typemax(UInt32) : lanes, memory_bytes=memory_bytes,
                         links=links === nothing ? C_NULL : pointer(given),
                         weights=isempty(shares) ? C_NULL : pointer(shares)))
        return rstrip(text_of(Raw.plait_flow_write_instructions, flow, desc, FLOW_FORMATS[format]), '\0')
    end
end
