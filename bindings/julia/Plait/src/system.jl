# SPDX-License-Identifier: MIT
# Systems and their devices.

const CAPABILITIES = Dict(
    Symbol(lowercase(string(name)[length("PLAIT_DEVICE_")+1:end])) => getfield(Raw, name)
    for name in names(Raw; all=true) if startswith(string(name), "PLAIT_DEVICE_"))

"""
    System(; backend, workers, options, wrap, plugin_path, sync)

What plait works on. Without `backend` the variable `PLAIT_BACKEND` chooses. The
thread that opens it owns it: functions of Julia run there, while it waits for
something of plait or [`pump`](@ref)s.
"""
mutable struct System <: Handle{Raw.plait_context}
    raw::Ptr{Raw.plait_context}
    inbox::Inbox
    devices::Vector{Any} # of Device
    thread::Int
    needs_pump::Bool
end

give_back(raw::Ptr{Raw.plait_context}) = Raw.plait_context_release(raw)

function System(; backend=nothing, workers=nothing, options=nothing, wrap=nothing,
                plugin_path=nothing, sync=false)
    load()
    texts = map(text_or_nothing, (backend, options, wrap, plugin_path))
    flags = (sync ? Raw.PLAIT_CONTEXT_SYNC : UInt32(0)) |
            (workers == 0 ? Raw.PLAIT_CONTEXT_NO_WORKERS : UInt32(0))
    raw = GC.@preserve texts begin
        desc = sized(Raw.plait_context_desc; flags=flags, workers=something(workers, 0),
                     backends=text_at(texts[1]), options=text_at(texts[2]),
                     wrap=text_at(texts[3]), plugin_path=text_at(texts[4]))
        create(Raw.plait_context_open, Raw.plait_context, Ref(desc))
    end
    return System(raw)
end

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

`f(system)` with a system that is released afterwards.
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

Tasks of its thread that await something get an error.
"""
function release(system::System)
    inbox = system.inbox
    stop_watching(inbox)
    wake(inbox, ErrorException("the system was released before this had happened"))
    inbox.raw == C_NULL || close(inbox)
    drop(inbox)
    drop(system)
end

"Which backends were found, chosen, rejected, and why."
report(system::System) = text_of(Raw.plait_context_report, system)

"""
    pump(system)

Run the functions that wait for this thread; how many.
"""
pump(system::System) = pump(system.inbox)

"A file descriptor that is readable while [`pump`](@ref) has something to do."
descriptor(system::System) = RawFD(ask(Raw.plait_inbox_descriptor, Int32, system.inbox))

"The calling thread becomes the one where functions of Julia run."
function adopt(system::System)
    call(Raw.plait_inbox_adopt, system.inbox)
    system.thread = Threads.threadid()
    return
end

Base.show(io::IO, system::System) =
    print(io, "System(", join((device.name for device in system.devices), ", "), ")")

# --- devices ------------------------------------------------------------------

"Something that runs kernels and has memory; `system.devices` has them."
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

"How many bytes the buffers of a device have together."
used_bytes(device::Device) = Int(query(device.raw).used_bytes)

"Buffers of the device may have so many bytes together; 0 for no limit."
set_budget(device::Device, bytes) = (call(Raw.plait_device_set_budget, device, bytes); nothing)

Base.show(io::IO, device::Device) = print(io, "Device(", device.name, ": ", device.description, ")")
