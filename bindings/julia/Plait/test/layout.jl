# SPDX-License-Identifier: MIT
# Test of the struct layout, and the fixture: one system per test.

function live_count_falls_to(count)
    # Work in flight ends on other threads.
    for i in 1:500
        i % 50 < 3 && GC.gc()
        Plait.live_count() <= count && break
        ccall(:poll, Cint, (Ptr{Cvoid}, Culong, Cint), C_NULL, 0, 10)
    end
    return Plait.live_count()
end

# Call f(system, device, queue), then count the objects left.
function test(f, name; options...)
    println("# ", name)
    try
        alone(f, options)
    catch problem
        ok(false, name, sprint(showerror, problem, catch_backtrace()))
    end
end

@noinline function alone(f, options)
    Plait.open(; options...) do system
        device = system.devices[1]
        f(system, device, Queue(device))
    end
end

Plait.load()
for S in Raw.STRUCTS
    is(Int(Raw.plait_sizeof(string(nameof(S)))), sizeof(S), "size of $(nameof(S))")
end
# t/bindings/julia.t compares these lines with the layout in C.
for S in Raw.STRUCTS
    println("# $(nameof(S)) size $(sizeof(S)) align $(Base.datatype_alignment(S))")
    for i in 1:fieldcount(S)
        println("#   $(nameof(S)).$(rstrip(string(fieldname(S, i)), '_')) at $(fieldoffset(S, i)) ",
                "bytes $(sizeof(fieldtype(S, i)))")
    end
end
ok(Plait.version() >= v"0.1.0", "a version")
throws(PlaitError, "nothing", "a backend that is not there") do
    System(backend="nothing")
end
throws(ErrorException, "has no wrong", "a field that is not there") do
    Plait.sized(Raw.plait_error; wrong=1)
end
