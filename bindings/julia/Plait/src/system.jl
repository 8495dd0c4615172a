# SPDX-License-Identifier: MIT
# Systems (a plait_context with an inbox) and devices.

const CAPABILITIES = Dict(
    Symbol(lowercase(string(name)[length("PLAIT_DEVICE_")+1:end])) => getfield(Raw, name)
    for name in names(Raw; all=true) if startswith(string(name), "PLAIT_DEVICE_"))

"""
    System(; backend, workers, options, wrap, plugin_path, sync)

An open context: its devices, and the inbox for Julia functions. Without `backend` the
variable `PLAIT_BACKEND` chooses. Julia functions run on the thread that opened the system,
while that thread waits for an object of plait or calls [`pump`](@ref).
"""
mutable struct System <: Handle{Raw.plait_context}
    raw::Ptr{Raw.plait_context}
    inbox::Inbox
    devices::Vector{Any} # of Device
    thread::Int
    needs_pump::Bool
end

give_back(raw::Ptr{Raw.plait_context}) = Raw.plait_context_release(raw)

System(; options...) =
    System(with_context(desc -> create(Raw.plait_context_open, Raw.plait_context, desc); options...))

# Call f(a plait_context_desc).
function with_context(f; backend=nothing, workers=nothing, options=nothing, wrap=nothing,
                      plugin_path=nothing, sync=false)
    load()
    texts = map(text_or_nothing, (backend, options, wrap, plugin_path))
    flags = (sync ? Raw.PLAIT_CONTEXT_SYNC : UInt32(0)) |
            (workers == 0 ? Raw.PLAIT_CONTEXT_NO_WORKERS : UInt32(0))
    return GC.@preserve texts begin
        desc = sized(Raw.plait_context_desc; flags=flags, workers=something(workers, 0),
                     backends=text_at(texts[1]), options=text_at(texts[2]),
                     wrap=text_at(texts[3]), plugin_path=text_at(texts[4]))
        f(Ref(desc))
    end
end

"""
    Plait.backend_report(; options...)

Return what `System(; options...)` would find, without opening it.
"""
backend_report(; options...) =
    with_context(desc -> text_of(Raw.plait_backend_report, desc); options...)

function System(raw::Ptr{Raw.plait_context})
    inbox = try
        Inbox(create(Raw.plait_inbox_create, Raw.plait_inbox, raw))
    catch
        give_back(raw)
        rethrow()
    end
    made = owned(System(raw, inbox, [], Threads.threadid(), false))
    for i in 1:ask(Raw.plait_context_device_count, UInt32, made)
        push!(made.devices, Device(made, create(Raw.plait_context_device, Raw.plait_device, made, i - 1)))
    end
    made.needs_pump = any(device -> :needs_pump in device.capabilities, made.devices)
    return made
end

"""
    Plait.open(f; options...)

Call `f(system)` with a new system, and release the system afterwards.
"""
function open(f; options...)
    system = System(; options...)
    try
        return f(system)
    finally
        release(system)
    end
end

"""
    release(system)

Close the inbox and drop the reference. Waiting tasks of its thread get an error.
"""
function release(system::System)
    part(system)
    drop(system)
end

# Give back all but the context.
function part(system::System)
    inbox = system.inbox
    stop_watching(inbox)
    wake(inbox, ErrorException("the system was released during the wait"))
    inbox.raw == C_NULL || close(inbox)
    drop(inbox)
end

"""
    close(system; timeout=nothing)

Release the system and wait until all its work, memory and threads are gone and traces are
written. Release the objects made from the system before, or let `GC.gc()` collect them; any
of them keeps it alive. `timeout` is in seconds; after the error of a timeout the system is
released all the same, and ends later; after `PLAIT_E_LOST` it never ends, as a backend does
not tell the end of work; after `PLAIT_E_FAILED` it has ended, and a flow over ranks had failed
without the error of a call.
"""
function Base.close(system::System; timeout=nothing)
    raw = handle(system)
    part(system)
    system.raw = C_NULL
    try
        call(Raw.plait_context_close, raw, nanoseconds(timeout))
    catch problem
        released = problem isa PlaitError &&
                   problem.status in (Raw.PLAIT_E_TIMEOUT, Raw.PLAIT_E_LOST,
                                      Raw.PLAIT_E_FAILED)
        released || (system.raw = raw) # the call gave nothing back
        rethrow()
    end
    return
end

"Return the report of the backends that were found, chosen and rejected, and why."
report(system::System) = text_of(Raw.plait_context_report, system)

"""
    pump(system)

Run the Julia functions that are pending for this thread; return their number.
"""
pump(system::System) = pump(system.inbox)

"Return a file descriptor that is readable while [`pump`](@ref) has work."
descriptor(system::System) = RawFD(ask(Raw.plait_inbox_descriptor, Int32, system.inbox))

"Make the calling thread the owner, on which Julia functions run."
function adopt(system::System)
    call(Raw.plait_inbox_adopt, system.inbox)
    system.thread = Threads.threadid()
    return
end

Base.show(io::IO, system::System) =
    print(io, "System(", join((device.name for device in system.devices), ", "), ")")

# --- devices ------------------------------------------------------------------

"A processor with memory that runs kernels; `system.devices` lists the devices."
struct Device
    system::System
    raw::Ptr{Raw.plait_device} # lives as long as the system
    name::String
    backend::String
    description::String
    capabilities::Set{Symbol}
end

function Device(system::System, raw::Ptr{Raw.plait_device})
    info = query(raw)
    Device(system, raw, chars(info.name), chars(info.backend), chars(info.description),
           Set(name for (name, bit) in CAPABILITIES if info.capabilities & bit != 0))
end

function query(raw::Ptr{Raw.plait_device})
    info = Ref(sized(Raw.plait_device_info))
    call(Raw.plait_device_query, raw, info)
    return info[]
end

Base.unsafe_convert(::Type{Ptr{Raw.plait_device}}, device::Device) = (handle(device.system); device.raw)
Base.cconvert(::Type{Ptr{Raw.plait_device}}, device::Device) = device

"Return the total size of the device's buffers, in bytes."
used_bytes(device::Device) = Int(query(device.raw).used_bytes)

"Return the properties of a device: the fields of `plait_device_info`, as a named tuple."
properties(device::Device) = as_tuple(query(device.raw))

function query_link(from, to)
    info = Ref(sized(Raw.plait_link_info))
    call(Raw.plait_device_query_link, from, to, info)
    return as_tuple(info[])
end

"""
Return how copies get from the device's memory to that of `other`, `nothing`: of the program:
the fields of `plait_link_info`, as a named tuple.
"""
link_to(device::Device, other=nothing) = query_link(device, something(other, C_NULL))

"""
Return how copies get from the memory of `other`, `nothing`: of the program, to that of the
device: the fields of `plait_link_info`, as a named tuple.
"""
link_from(device::Device, other=nothing) = query_link(something(other, C_NULL), device)

"Return the device with that name, such as `\"host:0\"`."
function device(system::System, name)
    found = create(Raw.plait_context_find_device, Raw.plait_device, system, String(name))
    return only(filter(device -> device.raw == found, system.devices))
end

"Return a native handle of a device, such as `:cl_device` or `:cu_context`."
native(device::Device, kind) = ask(Raw.plait_device_native, UInt64, device, native_kind(kind))

"Limit the total size of the device's buffers, in bytes; 0: no limit."
set_budget(device::Device, bytes) = (call(Raw.plait_device_set_budget, device, bytes); nothing)

Base.show(io::IO, device::Device) = print(io, "Device(", device.name, ": ", device.description, ")")
