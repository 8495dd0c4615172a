# SPDX-License-Identifier: MIT
# The inbox through which functions of Julia run: they are pulled, as events, on
# the thread that opened the system.  plait never calls into Julia.

# Functions of one graph, its bodies and its plans, by number.  The inbox knows
# them weakly: they live as long as a graph, a plan or a run that may call them.
mutable struct Functions
    table::Dict{UInt,Any}
end

mutable struct Inbox <: Handle{Raw.plait_inbox}
    raw::Ptr{Raw.plait_inbox}
    lock::Threads.SpinLock
    # number => a function that is called once, or a WeakRef of Functions
    table::Dict{UInt,Any}
    last::UInt
    sweep_at::Int
    # Runs of plans with functions stay until they are done.
    running::Vector{Any}
    # Tasks that await something, and what wakes them.
    waiters::Vector{Base.Event}
    watcher::Union{Nothing,FDWatcher}
    trouble::Any
end

give_back(raw::Ptr{Raw.plait_inbox}) = Raw.plait_inbox_release(raw)

Inbox(raw) = owned(Inbox(raw, Threads.SpinLock(), Dict{UInt,Any}(), 0, 64, [], Base.Event[],
                         nothing, nothing))

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
            filter!(pair -> !(pair[2] isa WeakRef && pair[2].value === nothing), inbox.table)
            inbox.sweep_at = max(64, 2 * length(inbox.table))
        end
        inbox.last += 1
        inbox.table[inbox.last] = entry
        return inbox.last
    end
end

forget!(inbox, number) = with_lock(() -> delete!(inbox.table, number), inbox.lock)

# The number by which an event finds a function that is called once.
register(inbox, f) = enter!(inbox, f)

# The same as often as is wanted, while `functions` is alive.
function register(inbox, f, functions::Functions)
    number = enter!(inbox, WeakRef(functions))
    functions.table[number] = f
    return number
end

# For each event: nothing in between can throw.
function find!(inbox, number)
    lock(inbox.lock)
    entry = get(inbox.table, number, nothing)
    entry isa WeakRef || delete!(inbox.table, number)
    unlock(inbox.lock)
    entry isa WeakRef || return entry
    functions = entry.value
    return functions === nothing ? nothing : functions.table[number]
end

as_pointer(number::UInt) = Ptr{Cvoid}(number)

# Arrays whose memory plait uses; they may outlive their system.
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
    text = sprint(io -> showerror(io, problem, trace))
    number = keep_cause(problem, trace)
    call(Raw.plait_inbox_call_done, inbox, id, number, replace(text, '\0' => ' '))
end

# A function that is asked: what it returns is the word of a loop or a case.
struct Predicate
    f::Any
end

result_of(f) = (f(); Int64(0))
result_of(predicate::Predicate) = Int64(UInt32(predicate.f()))
result_of(::Nothing) = error("the function is gone, with the graph and the plan that it was for")

function run_call(inbox, event, f)
    event.status == Raw.PLAIT_OK || return # answered already
    result = try
        result_of(f)
    catch problem
        return answer(inbox, event.id, problem, catch_backtrace())
    end
    call(Raw.plait_inbox_call_done, inbox, event.id, result, C_NULL)
end

function serve(inbox, event)
    number = UInt(event.user_data)
    if event.kind == Raw.PLAIT_EVENT_RELEASED
        # Cancelled: it may be in use still, and stays.
        event.status == Raw.PLAIT_OK && drop_wrapped(number)
    elseif event.kind == Raw.PLAIT_EVENT_CALL
        run_call(inbox, event, find!(inbox, number))
    else
        f = find!(inbox, number)
        f === nothing || f()
    end
    return
end

# Serves all events that wait; how many.
function pump(inbox::Inbox)
    count = 0
    event = Ref(sized(Raw.plait_event))
    while true
        status = Raw.plait_inbox_next(inbox, event, record())
        status == Raw.PLAIT_OK || return check_pull(status, count)
        serve(inbox, event[])
        count += 1
    end
end

function check_pull(status, count)
    status < 0 && status != Raw.PLAIT_E_STATE && throw(failure(status, record()[]))
    return count
end

# --- waiting: the thread ------------------------------------------------------

# How long the thread stays in C at once: other threads may want to collect, and
# other tasks to go on.
const SLICE = UInt64(1_000_000)

# step(nanoseconds, error) waits in C, and does what there is to do.
function finishing(step::F, inbox, timeout) where {F}
    left = nanoseconds(timeout)
    while true
        told = record()
        start = left == typemax(UInt64) ? UInt64(0) : time_ns()
        status = step(min(left, SLICE), told)
        if status == Raw.PLAIT_EVENT_READY
            pump(inbox)
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

# Pumps while tasks await something; its world may be older than what they run.
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

# Let other tasks go on until ask_for(number) has brought an event.
function await(ask_for, inbox, needs_pump)
    done = Base.Event()
    number = register(inbox, () -> notify(done))
    try
        ask_for(as_pointer(number))
    catch
        forget!(inbox, number)
        rethrow()
    end
    push!(inbox.waiters, done)
    try
        inbox.watcher === nothing && start_watching(inbox, needs_pump)
        wait(done)
        inbox.trouble === nothing || throw(inbox.trouble)
    finally
        filter!(other -> other !== done, inbox.waiters)
        isempty(inbox.waiters) && stop_watching(inbox)
    end
    return
end
