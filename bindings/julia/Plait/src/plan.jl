# SPDX-License-Identifier: MIT
# Plans, runs, the binding of parameters, and plans as C functions.

# Mutable, so that it is passed on without a copy.
mutable struct PlanParameter
    name::Symbol
    number::UInt32
    kind::UInt32
    type::Union{Nothing,DataType}
    common::Int # index in COMMON; 0: not there
end

# The name in error texts.
(parameter::PlanParameter)() = string(parameter.name)

# The most frequent parameter types.
const COMMON = (Float64, Float32, Int64, UInt64, Int32, UInt32)

# The plait_run_desc of a run, its bindings, and the words that hold their values.
struct Told
    words::Vector{UInt64}
    array::Vector{Raw.plait_binding}
    desc::Base.RefValue{Raw.plait_run_desc}
    stride::Int # words of each parameter
end

"""
    Plan

A frozen schedule: `plan(x=...)` runs it and waits, `run(plan, queue; x=...)` starts it.
`Plan(system, path)` reads a file that `write(path, plan)` wrote, in any language, and
`Plan(system, bytes)` what `Plait.bytes(plan)` returned; the names of such a plan have to be
bound before it runs: [`bindings`](@ref), [`bind!`](@ref).
"""
mutable struct Plan <: Handle{Raw.plait_plan}
    raw::Ptr{Raw.plait_plan}
    system::System
    functions::Vector{Functions}
    has_functions::Bool
    parameters::Union{Nothing,Vector{PlanParameter}}
    # Bindings for reuse, or nothing while a call has them.  Taken under `taking`.
    told::Union{Nothing,Told}
    taking::Threads.SpinLock
    queue::Union{Nothing,Queue}
    flags::UInt32 # of later runs
    bound::Dict{String,Functions}
end

give_back(raw::Ptr{Raw.plait_plan}) = Raw.plait_plan_release(raw)

function Plan(raw::Ptr{Raw.plait_plan}, system, functions)
    pulled = any(one -> !isempty(one.table), functions)
    return owned(Plan(raw, system, functions, pulled, nothing, nothing, Threads.SpinLock(),
                      nothing, UInt32(0), Dict{String,Functions}()))
end

# The plan's own queue would keep the system alive.
function release(plan::Plan)
    drop(plan)
    plan.queue === nothing || release(plan.queue)
    plan.queue = nothing
    return
end

Plan(system::System, path::AbstractString) =
    Plan(create(Raw.plait_plan_load, Raw.plait_plan, system, String(path)), system, Functions[])

Plan(system::System, bytes::Vector{UInt8}) =
    Plan(create(Raw.plait_plan_read, Raw.plait_plan, system, bytes, length(bytes)), system, Functions[])

# --- parameters -----------------------------------------------------------------

function plan_parameter(plan, number)
    info = Ref(sized(Raw.plait_parameter_info))
    call(Raw.plait_plan_query_parameter, plan, number, info)
    type = info[].kind == Raw.PLAIT_PARAMETER_VALUE ? value_type(chars(info[].type)) : nothing
    common = findfirst(isequal(type), COMMON)
    return PlanParameter(Symbol(chars(info[].name)), number, info[].kind, type,
                         common === nothing ? 0 : common)
end

function wanted(plan)
    known = plan.parameters
    known === nothing || return known
    count = ask(Raw.plait_plan_parameter_count, UInt32, plan)
    plan.parameters = PlanParameter[plan_parameter(plan, i) for i in 0:Int(count)-1]
end

"Return the parameters that each run must set, by name."
parameters(plan::Plan) = Dict{Symbol,PlanParameter}(one.name => one for one in wanted(plan))

@noinline function unknown_parameter(plan, name)
    known = sort!(String[string(one.name) for one in wanted(plan)])
    throw(ArgumentError("the plan has no parameter $name; it has " *
                        (isempty(known) ? "none" : join(known, ", "))))
end

@noinline function missing_parameter(plan, known, given)
    foreach(name -> find_wanted(plan, known, name), given)
    throw(ArgumentError("the plan also needs " *
                        join((one.name for one in known if !(one.name in given)), ", ") * ": plan(" *
                        join(("$(one.name)=..." for one in known), ", ") * ")"))
end

# Words per parameter, at least: seven for a launch size; numbers need one.
const WORDS = cld(sizeof(Raw.plait_launch), 8)

# Branches on the index, so that the compiler sees a constant type in each.
function store_number(words, index, parameter, value)
    common = parameter.common
    common == 1 ? store(words, index, COMMON[1], value, parameter) :
    common == 2 ? store(words, index, COMMON[2], value, parameter) :
    common == 3 ? store(words, index, COMMON[3], value, parameter) :
    common == 4 ? store(words, index, COMMON[4], value, parameter) :
    common == 5 ? store(words, index, COMMON[5], value, parameter) :
    common == 6 ? store(words, index, COMMON[6], value, parameter) :
    store(words, index, parameter.type, value, parameter)::Int
end

@noinline no_buffer(name, value) =
    throw(ArgumentError("$name is a pointer: give it a Buffer, not $(repr(value))"))

@noinline no_memory(name, value) =
    throw(ArgumentError("$name is memory of the program: give it an Array of numbers, not $(repr(value))"))

function binding(words, index, parameter, value)
    if parameter.kind == Raw.PLAIT_PARAMETER_BUFFER
        value isa Buffer || no_buffer(parameter.name, value)
        return sized(Raw.plait_binding; parameter=parameter.number, buffer=handle(value))
    end
    if parameter.kind == Raw.PLAIT_PARAMETER_HOST
        value isa Array && isbitstype(eltype(value)) || no_memory(parameter.name, value)
        return sized(Raw.plait_binding; parameter=parameter.number, bytes=sizeof(value),
                     value=pointer(value))
    end
    bytes = parameter.kind == Raw.PLAIT_PARAMETER_LAUNCH ?
        store(words, index, Raw.plait_launch, geometry(value), parameter) :
        store_number(words, index, parameter, value)
    return sized(Raw.plait_binding; parameter=parameter.number, bytes=bytes,
                 value=pointer(words, index))
end

function find_wanted(plan, known, name)
    for one in known
        one.name === name && return one
    end
    unknown_parameter(plan, name)
end

# Recursive over the tuples, so that each value has its own static type.
bind_all(plan, known, told, index, ::Tuple{}, ::Tuple{}) = index
function bind_all(plan, known, told, index, names::Tuple, values::Tuple)
    parameter = find_wanted(plan, known, names[1])
    told.array[index+1] = binding(told.words, index * told.stride + 1, parameter, values[1])
    return bind_all(plan, known, told, index + 1, Base.tail(names), Base.tail(values))
end

# Take the plan's bindings, or allocate others while a call uses those.
function take_told(plan, known)
    lock(plan.taking)
    told, plan.told = plan.told, nothing
    unlock(plan.taking)
    told === nothing || return told
    stride = mapreduce(one -> value_words(one.type), max, known; init=WORDS)
    return Told(zeros(UInt64, stride * length(known)), Vector{Raw.plait_binding}(undef, length(known)),
                Ref(sized(Raw.plait_run_desc)), stride)
end

# Call f(description) with everything that the description refers to preserved.
function with_bindings(f, plan, given)
    flags = plan.flags
    isempty(given) && return f(Ref(sized(Raw.plait_run_desc; flags=flags)))
    known = wanted(plan)
    # More names than parameters: one is unknown, and find_wanted throws for it.
    length(given) > length(known) &&
        foreach(name -> find_wanted(plan, known, name), keys(given))
    length(given) < length(known) && missing_parameter(plan, known, keys(given))
    told = take_told(plan, known)
    GC.@preserve told given begin
        count = bind_all(plan, known, told, 0, keys(given), values(given))
        told.desc[] = sized(Raw.plait_run_desc; flags=flags, bindings=pointer(told.array),
                            binding_count=count)
        result = f(told.desc)
    end
    plan.told = told # the plan keeps one; concurrent calls may replace it
    return result
end

# --- running --------------------------------------------------------------------

function (plan::Plan)(; given...)
    if plan.has_functions
        own_run(plan, given.data)
    elseif isempty(given) && plan.flags == 0
        call_inside(plan, C_NULL)
    else
        with_bindings(desc -> call_inside(plan, desc), plan, given.data)
    end
    return
end

# A stop of the run whose function calls the plan stops the call.
call_inside(plan, desc) = inside(() -> call(Raw.plait_plan_call, plan, C_NULL, desc), calls_around())

(plan::Plan)(first, more...; given...) = throw(ArgumentError(
    "a plan takes its parameters by name: plan(" *
    join(("$(one.name)=..." for one in wanted(plan)), ", ") * ")"))

# Run on the plan's own queue and wait, since this thread has to pull the callbacks.
function own_run(plan, given)
    try
        run = start(plan, default_queue(plan), given)
        finish(run)
        release(run)
    catch
        plan.queue = nothing # a failed queue accepts nothing until it is finished
        rethrow()
    end
end

function default_queue(plan)
    plan.queue === nothing && (plan.queue = Queue(plan.system.devices[1]))
    return plan.queue::Queue
end

"""
    Run

A run in flight: `wait(run)` suspends the task, `finish(run)` blocks the thread, which
progresses work meanwhile; see also [`isdone`](@ref), [`cancel`](@ref), [`trace`](@ref).
"""
mutable struct Run <: Handle{Raw.plait_run}
    raw::Ptr{Raw.plait_run}
    plan::Plan
    queue::Queue
end

give_back(raw::Ptr{Raw.plait_run}) = Raw.plait_run_release(raw)

# Keep a run, and so the functions that it may call, until the run is done.
function keep_running(inbox, run)
    with_lock(inbox.lock) do
        forget_ended(inbox)
        push!(inbox.running, run)
    end
end

# Caller holds the lock.
forget_ended(inbox) = filter!(inbox.running) do other
    other.raw != C_NULL && Raw.plait_run_poll(other.raw, C_NULL) == Raw.PLAIT_PENDING
end

# Memory of the program that a run in flight uses; its queue keeps it.
struct Borrowed
    run::Run
    given::NamedTuple
end

is_free(kept) = false
# A run that was released may be in flight.
is_free(kept::Borrowed) = kept.run.raw != C_NULL &&
    Raw.plait_run_poll(kept.run.raw, C_NULL) != Raw.PLAIT_PENDING

function lend(queue, run, given)
    filter!(!is_free, queue.kept)
    push!(queue.kept, Borrowed(run, given))
end

function start(plan, queue, given)
    while true
        try
            raw = with_bindings(plan, given) do desc
                create(Raw.plait_plan_run, Raw.plait_run, plan, queue, desc)
            end
            run = owned(Run(raw, plan, queue))
            any(one -> one isa Array, values(given)) && lend(queue, run, given)
            plan.has_functions && keep_running(plan.system.inbox, run)
            return run
        catch problem
            # All instances are in flight; a run may need this thread's pump to progress.
            problem isa PlaitError && problem.status == Raw.PLAIT_E_BUSY &&
                pump(plan.system) > 0 || rethrow()
        end
    end
end

"""
    run(plan, queue; x=...)

Start a run after the commands in `queue`; return a [`Run`](@ref). The default is a queue of
the plan's own, on the first device.
"""
Base.run(plan::Plan, queue::Queue=default_queue(plan); given...) = start(plan, queue, given.data)

"Return `true` if the run is done; throw its error if it failed."
isdone(run::Run) = call(Raw.plait_run_poll, run) != Raw.PLAIT_PENDING

function finish(run::Run; timeout=nothing)
    inbox = run.plan.system.inbox
    try
        finishing(inbox, timeout) do slice, told
            Raw.plait_run_wait(run, slice, told)
        end
    finally
        run.plan.has_functions && with_lock(() -> forget_ended(inbox), inbox.lock)
    end
end

function Base.wait(run::Run)
    system = run.plan.system
    isdone(run) && return
    if Threads.threadid() == system.thread
        refuse_self((limit, told) -> Raw.plait_run_wait(run, limit, told))
        await(system.inbox, system.needs_pump) do number
            call(Raw.plait_run_notify, run, system.inbox, C_NULL, number)
        end
    end
    return finish(run)
end

"Cancel the run: no further command of it starts."
cancel(run::Run) = (call(Raw.plait_run_cancel, run); nothing)

"Return the state of a run: the fields of `plait_run_info`, as a named tuple."
function query(run::Run)
    info = Ref(sized(Raw.plait_run_info))
    call(Raw.plait_run_query, run, info)
    return as_tuple(info[])
end

"""
    Plait.records(run)

Return (the fields of each `plait_record`, the number of dropped ones) of a recorded run that
is done; see [`record!`](@ref).
"""
function records(run::Run)
    count, dropped = Ref{UInt64}(0), Ref{UInt64}(0)
    call(Raw.plait_run_records, run, C_NULL, 0, count, dropped)
    found = fill(sized(Raw.plait_record), Int(count[]))
    call(Raw.plait_run_records, run, found, length(found), count, dropped)
    return as_tuple.(found), Int(dropped[])
end

# --- names ----------------------------------------------------------------------

const KINDS = (:kernel, :buffer, :signal, :function, :device)

"""
    bindings(plan)

Return the names of a plan that was read, as named tuples: `name`, `kind` (`:kernel`,
`:buffer`, `:signal`, `:function` or `:device`), `bound`, `bytes` (the smallest size of a
buffer), `detail` (a signature, or a device) and `flags`.
"""
bindings(plan::Plan) = map(0:Int(query(plan).bindings)-1) do i
    one = Ref(sized(Raw.plait_plan_binding))
    call(Raw.plait_plan_query_binding, plan, i, one)
    merge(as_tuple(one[]), (kind=KINDS[one[].kind+1], bound=one[].bound != 0))
end

"""
    bind!(plan, kernel)
    bind!(plan, name, object)
    bind!(f, plan, name; task=false)

Bind a kernel, whose own name is the name, or a buffer, a signal, a device or a function to a
name of a plan that was read. A Julia function runs on the thread that opened the system; for
a loop or a case its result is the number that decides. A function that runs on any thread is
one of C: a `Ptr{Cvoid}` to an `int32_t f(void *)`. `task`: as of [`call!`](@ref).
"""
bind!(plan::Plan, kernel::Kernel) = (call(Raw.plait_plan_bind_kernel, plan, kernel); nothing)
bind!(plan::Plan, name, object::Buffer) =
    (call(Raw.plait_plan_bind_buffer, plan, String(name), object); nothing)
bind!(plan::Plan, name, object::Signal) =
    (call(Raw.plait_plan_bind_signal, plan, String(name), object); nothing)
bind!(plan::Plan, name, object::Device) =
    (call(Raw.plait_plan_bind_device, plan, String(name), object); nothing)
bind!(f::Function, plan::Plan, name; task=false) = bind!(plan, name, f; task=task)
bind!(plan::Plan, name, f::Ptr{Cvoid}) = bind_function(plan, String(name), sized(
    Raw.plait_function_desc; function_=f, flags=Raw.PLAIT_CALL_ANY_THREAD))
function bind!(plan::Plan, name, f::Function; task=false)
    inbox, kept = plan.system.inbox, Functions(Dict{UInt,Any}())
    decides = any(one -> one.kind === :function && one.name == name &&
                         one.flags & Raw.PLAIT_BINDING_IS_PREDICATE != 0, bindings(plan))
    number = register(inbox, decides ? Predicate(f) : task ? Suspending(f) : f, kept)
    bind_function(plan, String(name), sized(
        Raw.plait_function_desc; inbox=handle(inbox), user_data=as_pointer(number)))
    plan.bound[String(name)] = kept
    plan.functions, plan.has_functions = collect(values(plan.bound)), true
    return
end

bind_function(plan, name, desc) = (call(Raw.plait_plan_bind_function, plan, name, Ref(desc)); nothing)

"Allocate and compile all that a run needs; the first run does so otherwise."
prepare(plan::Plan) = (call(Raw.plait_plan_prepare, plan); nothing)

"""
    exchange!(plan, old, kernel)

Replace a kernel of the plan by one with an equal signature, for later runs.
"""
exchange!(plan::Plan, old::Kernel, kernel::Kernel) =
    (call(Raw.plait_plan_exchange, plan, old, kernel); nothing)

"""
    set_flags!(plan; serial=false, parallel=false, no_wait=false, record=false, overlap=false)

Set the flags of later runs. `serial`: one lane at a time; `parallel`: all lanes; without
both the library chooses. `no_wait`: an error instead of a wait if all instances are in
flight. `record`: see [`record!`](@ref). `overlap`: runs that write the same memory do not
take turns.
"""
function set_flags!(plan::Plan; serial=false, parallel=false, no_wait=false, record=false, overlap=false)
    plan.flags = (serial ? Raw.PLAIT_RUN_SERIAL : UInt32(0)) | (parallel ? Raw.PLAIT_RUN_PARALLEL : UInt32(0)) |
                 (no_wait ? Raw.PLAIT_RUN_NO_WAIT : UInt32(0)) | (record ? Raw.PLAIT_RUN_RECORD : UInt32(0)) |
                 (overlap ? Raw.PLAIT_RUN_OVERLAP : UInt32(0))
    return
end

# --- schedule -------------------------------------------------------------------

"Return the properties of a plan: the fields of `plait_plan_info`, as a named tuple."
function query(plan::Plan)
    info = Ref(sized(Raw.plait_plan_info))
    call(Raw.plait_plan_query, plan, info)
    return as_tuple(info[])
end

"Return the commands of a plan: the fields of `plait_command_info`, as named tuples."
commands(plan::Plan) = map(0:Int(query(plan).commands)-1) do i
    info = Ref(sized(Raw.plait_command_info))
    call(Raw.plait_plan_query_command, plan, i, info)
    as_tuple(info[])
end

costs_of(costs) = Ref(sized(Raw.plait_system_desc; costs...))

"""
    simulate(plan; hop_cost=0, submit_cost=0, copy_alpha=0, copy_beta=0)

Predict a run from the costs of the nodes and those of a system. Returns the fields of
`plait_simulation`, and `lanes`: those of `plait_lane_use`.
"""
function simulate(plan::Plan; costs...)
    out = Ref(sized(Raw.plait_simulation))
    lanes = fill(sized(Raw.plait_lane_use), Int(query(plan).lanes))
    call(Raw.plait_plan_simulate, plan, costs_of(costs), out, lanes, length(lanes))
    return merge(as_tuple(out[]), (lanes=as_tuple.(lanes),))
end

"""
    critical_path(plan; hop_cost=0, submit_cost=0, copy_alpha=0, copy_beta=0)

Return the commands on the predicted critical path, in order of time: the fields of
`plait_critical_command`.
"""
function critical_path(plan::Plan; costs...)
    count = Int(simulate(plan; costs...).critical_count)
    path = fill(sized(Raw.plait_critical_command), count)
    call(Raw.plait_plan_critical_path, plan, costs_of(costs), path, count)
    return as_tuple.(path)
end

"""
    rehearse!(plan, unit_ns=0)

Turn the plan into a rehearsal: runs execute costs, `unit_ns` nanoseconds per unit, and call
nothing.
"""
rehearse!(plan::Plan, unit_ns=0) = (call(Raw.plait_plan_rehearse, plan, unit_ns); nothing)

"""
    new, info = tune(plan; mode=:auto, lanes=0, hop_ns=0)

Plan the same graph again with the costs that recorded runs measured. `info` has the fields of
`plait_tune_info`: compare `before_ns` and `after_ns`. `lanes`: most lanes per device; 0: the
limit of the plan.
"""
function tune(plan::Plan; mode=:auto, lanes=0, hop_ns=0)
    info, out = Ref(sized(Raw.plait_tune_info)), Ref{Ptr{Raw.plait_plan}}(C_NULL)
    desc = sized(Raw.plait_tune_desc; mode=MODES[mode], lanes=lanes, hop_ns=hop_ns)
    call(Raw.plait_plan_tune, plan, Ref(desc), out, info)
    made = Plan(out[], plan.system, plan.functions)
    merge!(made.bound, plan.bound)
    return made, as_tuple(info[])
end

# --- checks, text forms, traces -------------------------------------------------

"Verify the schedule; the error names the violated property."
check(plan::Plan) = (call(Raw.plait_plan_check, plan); nothing)

function contents(f, object, format)
    needed = Ref{UInt64}(0)
    call(f, object, format, C_NULL, 0, needed)
    room = Vector{UInt8}(undef, needed[])
    call(f, object, format, room, length(room), needed)
    return room
end

written(f, object, format) = String(contents(f, object, format))

const FORMATS = (json=Raw.PLAIT_FORMAT_JSON, dot=Raw.PLAIT_FORMAT_DOT, svg=Raw.PLAIT_FORMAT_SVG)

"""
    Plait.text(plan, :json)

Return the plan as `:json`, or a drawing as `:dot` or `:svg`.
"""
text(plan::Plan, format::Symbol) = written(Raw.plait_plan_write, plan, FORMATS[format])

"Return what `write(path, plan)` writes, for `Plan(system, bytes)`."
bytes(plan::Plan) = contents(Raw.plait_plan_write, plan, Raw.PLAIT_FORMAT_BINARY)

function Base.show(io::IO, plan::Plan)
    plan.raw == C_NULL && return print(io, "Plan(released)")
    info = query(plan)
    print(io, "Plan(", info.nodes, " nodes on ", info.lanes, " lanes of ", plan.system, ")")
end

function Base.show(io::IO, run::Run)
    run.raw == C_NULL && return print(io, "Run(released)")
    status = Raw.plait_run_poll(run.raw, C_NULL)
    print(io, "Run(", status == Raw.PLAIT_OK ? "done" : status == Raw.PLAIT_PENDING ? "pending" :
          unsafe_string(Raw.plait_status_name(status)), ", of ", run.plan, ")")
end

Base.show(io::IO, ::MIME"image/svg+xml", plan::Plan) = print(io, text(plan, :svg))
Base.write(path::AbstractString, plan::Plan) = (call(Raw.plait_plan_save, plan, String(path)); nothing)

"""
    record!(plan, records=0)

Record what each lane does in all later runs; see [`trace`](@ref). `records`: room per lane;
0: enough for the expected numbers of iterations.
"""
function record!(plan::Plan, records=0)
    call(Raw.plait_plan_record, plan, records)
    plan.flags |= Raw.PLAIT_RUN_RECORD
    return
end

"""
    trace(run, :svg)

Return the trace of a recorded run that is done: a drawing as `:svg`, or `:json` for
Perfetto.
"""
trace(run::Run, format::Symbol) =
    written(Raw.plait_run_write, run, (json=Raw.PLAIT_TRACE_JSON, svg=Raw.PLAIT_TRACE_SVG)[format])

# --- plans as C functions ---------------------------------------------------------

"""
    CFunction(plan, signature)

A plan as a C function at the address `pointer`, valid while this object lives. The
signature names the plan's parameters; the result is the status. A pointer parameter takes
the `handle` of a buffer.

    step = Plait.CFunction(plan, "step(dt: f64, x: pointer): i32")
    ccall(step.pointer, Int32, (Float64, Ptr{Plait.Raw.plait_buffer}), 0.1, x)
"""
mutable struct CFunction <: Handle{Raw.plait_callable}
    raw::Ptr{Raw.plait_callable}
    pointer::Ptr{Cvoid}
end

give_back(raw::Ptr{Raw.plait_callable}) = Raw.plait_callable_release(raw)

function CFunction(plan::Plan, signature)
    written = String(signature)
    raw = GC.@preserve written create(
        Raw.plait_callable_create, Raw.plait_callable, plan,
        Ref(sized(Raw.plait_callable_desc; signature=text_at(written))))
    made = owned(CFunction(raw, C_NULL))
    out = Ref{Ptr{Cvoid}}(C_NULL)
    call(Raw.plait_callable_function, made, out)
    made.pointer = out[]
    return made
end
