# SPDX-License-Identifier: MIT
# The inbox: callbacks, release events, and waiting by thread or by task.
#
# The thread that opened the system pulls calls of Julia functions as events.  plait
# never calls into Julia.

# Callbacks of one graph, its bodies and its plans, by number.  The inbox holds weak
# references: a graph, a plan or a run that may call them keeps them alive.
mutable struct Functions
    table::Dict{UInt,Any}
end

# State of one pass over the pending events; reused by the next pass.
mutable struct Pass
    event::Base.RefValue{Raw.plait_event}
    calling::UInt64 # the call whose function runs; 0: none
    count::Int
    inbox::Ptr{Raw.plait_inbox} # of that call
    outer::Union{Nothing,Pass}  # of the same task, whose function began this pass
end

mutable struct Inbox <: Handle{Raw.plait_inbox}
    raw::Ptr{Raw.plait_inbox}
    lock::Threads.SpinLock
    # Functions that are called once, by slot, and the free slots.  Their numbers are
    # odd: 2 * slot + 1.  Guarded by lock.
    once::Vector{Any}
    free::Vector{UInt}
    # Even number => WeakRef of Functions.  Guarded by lock.
    table::Dict{UInt,Any}
    last::UInt
    sweep_at::Int
    # Runs of plans with functions, kept until they are done.
    running::Vector{Any}
    spare::Union{Nothing,Pass}
    # Events of waiting tasks; `watcher` watches the descriptor while there are any.
    waiters::Vector{Base.Event}
    watcher::Union{Nothing,FDWatcher}
    trouble::Any
end

"""
    is_stopping()

In a function of a run, return `true` if the run was stopped, so that a long function can
return early.
"""
function is_stopping()
    calls = calls_around()
    isempty(calls) && return Raw.plait_run_is_stopping() == 1
    return Raw.plait_inbox_is_stopping(first(calls)...) == 1
end

give_back(raw::Ptr{Raw.plait_inbox}) = Raw.plait_inbox_release(raw)

Inbox(raw) = owned(Inbox(raw, Threads.SpinLock(), [], [], Dict{UInt,Any}(), 0, 64, [], nothing,
                         Base.Event[], nothing, nothing))

# --- functions by number ------------------------------------------------------

function with_lock(f, guard)
    lock(guard)
    try
        return f()
    finally
        unlock(guard)
    end
end

function enter!(inbox, entry)
    with_lock(inbox.lock) do
        if length(inbox.table) >= inbox.sweep_at
            filter!(pair -> pair[2].value !== nothing, inbox.table)
            inbox.sweep_at = max(64, 2 * length(inbox.table))
        end
        inbox.last += 2
        inbox.table[inbox.last] = entry
        return inbox.last
    end
end

# Register a function that is called once; return its number.
function register(inbox, f)
    lock(inbox.lock)
    if isempty(inbox.free)
        push!(inbox.once, f)
        place = UInt(length(inbox.once))
    else
        place = pop!(inbox.free)
        inbox.once[place] = f
    end
    unlock(inbox.lock)
    return 2 * place + 1
end

# Register a function that may be called any number of times while `functions` lives.
function register(inbox, f, functions::Functions)
    number = enter!(inbox, WeakRef(functions))
    functions.table[number] = f
    return number
end

# Free a slot and return its function.  The event takes it, or the caller whose
# submission failed.
function take_once!(inbox, number)
    place = number >> 1
    lock(inbox.lock)
    f = inbox.once[place]
    inbox.once[place] = nothing
    push!(inbox.free, place)
    unlock(inbox.lock)
    return f
end

forget!(inbox, number) = (take_once!(inbox, number); nothing)

function find!(inbox, number)
    isodd(number) && return take_once!(inbox, number)
    lock(inbox.lock)
    entry = get(inbox.table, number, nothing)
    unlock(inbox.lock)
    functions = entry === nothing ? nothing : entry.value
    return functions === nothing ? nothing : functions.table[number]
end

as_pointer(number::UInt) = Ptr{Cvoid}(number)

# Wrapped arrays by number, kept until no command uses the memory; may outlive the
# system.  Guarded by wrapped_lock.
const wrapped = Dict{UInt,Any}()
const wrapped_lock = Threads.SpinLock()
const last_wrapped = Ref{UInt}(0)

function keep_wrapped(array)
    with_lock(wrapped_lock) do
        last_wrapped[] += 1
        wrapped[last_wrapped[]] = array
        return last_wrapped[]
    end
end

drop_wrapped(number) = with_lock(() -> delete!(wrapped, number), wrapped_lock)

# --- events -------------------------------------------------------------------

function answer(inbox, id, problem, trace)
    # One line; the exception and its backtrace are the `cause` of the error.
    text = first(split(sprint(showerror, problem), '\n'))
    number = keep_cause(problem, trace)
    call(Raw.plait_inbox_answer, inbox, id, number, replace(text, '\0' => ' '))
end

# A predicate function: its result is the word of a loop or a case.
struct Predicate
    f::Any
end

# A function each of whose calls is a task.
struct Suspending
    f::Any
end

@noinline gone() = error("the graph and the plan of the function were collected")

# Not specialized per function: compiled once, dispatched at the call.
function result_of(@nospecialize(f))
    f === nothing && gone()
    f isa Predicate && return Int64(UInt32(f.f()))
    f()
    return Int64(0)
end

done(inbox, id, result) = call(Raw.plait_inbox_answer, inbox, id, result, C_NULL)

function serve(inbox, pass)
    event = pass.event[]
    number = UInt(event.user_data)
    if event.kind == Raw.PLAIT_EVENT_CALL
        f = find!(inbox, number)
        event.status == Raw.PLAIT_OK || return # cancelled, and answered already
        pass.calling = event.id
        if f isa Suspending
            begin_call(inbox, event.id, f.f)
            pass.calling = 0
            return
        end
        result = result_of(f)
        pass.calling = 0
        done(inbox, event.id, result)
    elseif event.kind == Raw.PLAIT_EVENT_RELEASED
        # After a cancelled event the memory may still be in use: keep the array.
        event.status == Raw.PLAIT_OK && drop_wrapped(number)
    else
        f = find!(inbox, number)
        f === nothing || f()
    end
    return
end

# Serve events until none is pending; return the status of the last pull.
function serve_all(inbox, pass)
    while true
        status = Raw.plait_inbox_next(inbox, pass.event, record())
        status == Raw.PLAIT_OK || return status
        serve(inbox, pass)
        pass.count += 1
    end
end

function answer_thrown(inbox, pass, problem, trace)
    id, pass.calling = pass.calling, UInt64(0)
    pass.count += 1
    answer(inbox, id, problem, trace)
end

# Serve all pending events; return their number.
function pump(inbox::Inbox)
    spare, inbox.spare = inbox.spare, nothing
    pass = spare === nothing ? Pass(Ref(sized(Raw.plait_event)), 0, 0, C_NULL, nothing) : spare
    pass.count, pass.inbox, pass.outer = 0, inbox.raw, current_pass()
    task_local_storage()[:plait_pass] = pass
    status = try
        serve_passes(inbox, pass)
    finally
        task_local_storage()[:plait_pass] = pass.outer
    end
    inbox.spare = pass
    return check_pull(status, pass.count)
end

# An exception of a function ends one pass over the events.
function serve_passes(inbox, pass)
    status = Raw.PLAIT_OK
    while status == Raw.PLAIT_OK
        status = try
            serve_all(inbox, pass)
        catch problem
            pass.calling == 0 && rethrow()
            answer_thrown(inbox, pass, problem, catch_backtrace())
            Raw.PLAIT_OK
        end
    end
    return status
end

# Close the inbox and serve its release events only; wrapped memory still in use stays
# referenced.
function Base.close(inbox::Inbox)
    Raw.plait_inbox_close(inbox, C_NULL)
    event = Ref(sized(Raw.plait_event))
    while Raw.plait_inbox_next(inbox, event, C_NULL) == Raw.PLAIT_OK
        event[].kind == Raw.PLAIT_EVENT_RELEASED && event[].status == Raw.PLAIT_OK &&
            drop_wrapped(UInt(event[].user_data))
    end
end

function check_pull(status, count)
    status < 0 && status != Raw.PLAIT_E_STATE && throw(failure(status, record()[]))
    return count
end

# --- calls that are tasks -------------------------------------------------------

# A call that a task runs, from its event to its answer. `functions` has the function for
# the event of a stop; `waiting` is the event that the task awaits.
mutable struct BegunCall
    inbox::Inbox
    id::UInt64
    functions::Functions
    stopped::Bool
    waiting::Union{Nothing,Base.Event}
end

# The call that this task runs, or nothing.
current_call() = get(task_local_storage(), :plait_call, nothing)::Union{Nothing,BegunCall}

function stop(begun)
    begun.stopped = true
    begun.waiting === nothing || notify(begun.waiting)
    return
end

@noinline throw_stopped() = throw(PlaitError(
    Raw.PLAIT_E_CANCELLED, "PLAIT_E_CANCELLED", "the run of the task was stopped", 0, nothing, nothing))

function begin_call(inbox, id, @nospecialize(f))
    begun = BegunCall(inbox, id, Functions(Dict{UInt,Any}()), false, nothing)
    number = register(inbox, () -> stop(begun), begun.functions)
    call(Raw.plait_inbox_notify_stop, inbox, id, C_NULL, as_pointer(number))
    @async run_call(begun, f)
    return
end

# An inbox that was closed meanwhile has answered the call.
function run_call(begun, @nospecialize(f))
    task_local_storage(:plait_call, begun)
    try
        Base.invokelatest(f)
        Raw.plait_inbox_answer(begun.inbox, begun.id, 0, C_NULL, C_NULL)
    catch problem
        text = first(split(sprint(showerror, problem), '\n'))
        Raw.plait_inbox_answer(begun.inbox, begun.id, keep_cause(problem, catch_backtrace()),
                               replace(text, '\0' => ' '), C_NULL)
    end
end

# --- waiting inside a function ---------------------------------------------------

current_pass() = get(task_local_storage(), :plait_pass, nothing)::Union{Nothing,Pass}

const NO_CALLS = Tuple{Ptr{Raw.plait_inbox},UInt64}[]

# The calls whose functions this task runs, the innermost one first.
function calls_around()
    pass, begun = current_pass(), current_call()
    pass === nothing && begun === nothing && return NO_CALLS
    calls = similar(NO_CALLS, 0)
    while pass !== nothing
        pass.calling == 0 || push!(calls, (pass.inbox, pass.calling))
        pass = pass.outer
    end
    begun === nothing || push!(calls, (begun.inbox.raw, begun.id))
    return calls
end

# Call C inside of those calls, as C sees it: a wait for one of them is PLAIT_E_DEADLOCK.
# Only for the time of step(), as other tasks may run on this thread afterwards.
function inside(step::F, calls) where {F}
    isempty(calls) && return step()
    foreach(call -> Raw.plait_inbox_begin(call..., C_NULL), Iterators.reverse(calls))
    try
        return step()
    finally
        foreach(call -> Raw.plait_inbox_end(call..., C_NULL), calls)
    end
end

# Before this task is suspended until step(nanoseconds, error) would end: throw if that
# waits for a function of this task, or has failed: C tells some failures only once.
function refuse_self(step::F) where {F}
    calls, told = calls_around(), record()
    isempty(calls) && return
    status = inside(() -> step(UInt64(1), told), calls)
    status < 0 && status != Raw.PLAIT_E_TIMEOUT && throw(failure(status, told[]))
    return
end

# --- waiting: the thread ------------------------------------------------------

# Longest wait in C, in nanoseconds; between slices other threads may collect and other
# tasks run.
const SLICE = UInt64(1_000_000)

# Wait by thread: step(nanoseconds, error) waits in C, and progresses work there.
function finishing(step::F, inbox, timeout) where {F}
    left, calls = nanoseconds(timeout), calls_around()
    while true
        told = record()
        start = left == typemax(UInt64) ? UInt64(0) : time_ns()
        slice = min(left, SLICE)
        status = isempty(calls) ? step(slice, told) : inside(() -> step(slice, told), calls)
        if status == Raw.PLAIT_EVENT_READY
            pump(inbox)
            yield() # to tasks that the events have begun or woken
        elseif status == Raw.PLAIT_E_TIMEOUT && left > SLICE
            left == typemax(UInt64) || (left -= min(left, time_ns() - start))
            yield()
        else
            status < 0 && throw(failure(status, told[]))
            return
        end
    end
end

# --- waiting: a task ----------------------------------------------------------

function wake(inbox, trouble)
    inbox.trouble = trouble
    foreach(notify, inbox.waiters)
end

# Pump while tasks wait.  invokelatest: the world age of this task may be older than the
# functions that it runs.
function watch(inbox, watcher, needs_pump)
    try
        while watcher === inbox.watcher
            if needs_pump
                Raw.plait_inbox_wait(inbox, SLICE, C_NULL)
                yield()
            else
                wait(watcher)
            end
            Base.invokelatest(pump, inbox)
        end
    catch problem
        watcher === inbox.watcher && wake(inbox, problem)
    end
end

function start_watching(inbox, needs_pump)
    number = ask(Raw.plait_inbox_descriptor, Int32, inbox)
    watcher = FDWatcher(RawFD(number), true, false)
    inbox.watcher, inbox.trouble = watcher, nothing
    @async watch(inbox, watcher, needs_pump)
end

function stop_watching(inbox)
    watcher, inbox.watcher = inbox.watcher, nothing
    watcher === nothing || close(watcher)
end

# Suspend this task until the event that ask_for(number) requested arrives.
function await(ask_for, inbox, needs_pump)
    begun = current_call()
    begun !== nothing && begun.stopped && throw_stopped()
    done = Base.Event()
    number = register(inbox, () -> notify(done))
    try
        ask_for(as_pointer(number))
    catch
        forget!(inbox, number)
        rethrow()
    end
    push!(inbox.waiters, done)
    begun === nothing || (begun.waiting = done)
    try
        inbox.watcher === nothing && start_watching(inbox, needs_pump)
        wait(done)
        inbox.trouble === nothing || throw(inbox.trouble)
        begun !== nothing && begun.stopped && throw_stopped()
    finally
        begun === nothing || (begun.waiting = nothing)
        filter!(other -> other !== done, inbox.waiters)
        isempty(inbox.waiters) && stop_watching(inbox)
    end
    return
end
