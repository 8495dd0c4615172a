# SPDX-License-Identifier: MIT
# Tests of flows: data, accesses, functions as tasks, failures, waiting.

const TWICE = "twice(x: inout pointer f32, n: u64)"

test("data of flows"; backend="host") do system, device, queue
    flow = Flow(system)
    twice = Kernel(system, TWICE, "KERNEL(twice) { EACH(i, n) x[i] *= 2; }")
    x = array(flow, Float32[1, 2, 3])
    for _ in 1:10
        launch!(flow, twice, x, 3; items=3)
    end
    is(Array(x), Float32[1024, 2048, 3072], "reading waits for the writers")
    x[2] = 1
    launch!(flow, twice, x, 3; items=3)
    is((x[2], x[end]), (2f0, 6144f0), "an element, too")
    table = array(flow, reshape(Int32.(1:12), 4, 3))
    is((size(table), eltype(table), table[2, 3]), ((4, 3), Int32, Int32(10)), "two dimensions")
    is(table[2:3, 2:3], Int32[6 10; 7 11], "parts")
    fill!(flow, view(table, :, 1), -1)
    copy!(flow, view(table, 1:2, 3), view(table, 3:4, 2))
    table[4, 2:3] = [0, 9]
    is(Array(table), Int32[-1 5 7; -1 6 8; -1 7 11; -1 0 9], "fills, copies and writes of parts")
    is(mapped(sum, table; write=false), 49, "mapped")
    mapped(memory -> memory[1, 1] = 5, table)
    gone = zeros(flow, Int32, 2)
    is(mapped(memory -> (release(gone); memory[2] = 3), gone), 3, "data that is released while it is mapped")
    is(copyto!(zeros(Int32, 12), table)[1], Int32(5), "copied out")
    throws(() -> table[1], DimensionMismatch, "1 indices for 2", "too few indices")
    throws(() -> table[5, 1], BoundsError, "", "outside")
    throws(() -> table[1:2:3, 1], ArgumentError, "without step", "a step")
    throws(() -> table[3:2, 1], ArgumentError, "at least one element", "nothing")
    throws(() -> table[1:2, 1] = [1], DimensionMismatch, "2 elements", "another size")
    throws(() -> copy!(flow, x, table), ArgumentError, "Int32 to Float32", "other elements")
    throws(() -> launch!(flow, twice, table, 3), ArgumentError, "is a pointer to f32, the data has Int32", "in a launch")
    throws(() -> launch!(flow, twice, x), ArgumentError, "takes 2 arguments", "too few arguments")
    throws(() -> launch!(flow, twice, x, x), ArgumentError, "is not a pointer", "data for a number")
    throws(() -> launch!(flow, twice, 3, 3), ArgumentError, "is a pointer", "a number for data")
    throws(() -> fill!(flow, own(x), 1), ArgumentError, "for pieces of launches", "a mapper for a fill")
    throws(() -> finish(flow, 10^9), PlaitError, "", "no such task")
    finish(flow)
end

test("functions as tasks"; backend="host") do system, device, queue
    flow = Flow(system; window=64, lanes=2, label="mine", record=true)
    u, total, order = array(flow, collect(1.0:8)), zeros(flow, Float64), token(flow)
    ran = Int[]
    for i in 1:300
        call!(() -> push!(ran, i), flow; updates=order)
    end
    call!((part, out, factor) -> out[] = factor * sum(part), flow, reads(view(u, 2:3)), writes(total), 2; reads=order)
    is(total[], 10.0, "arguments are arrays, parts and values")
    is(ran, 1:300, "in their order")
    call!(sort!, flow, u; updates=order, label="sort")
    task = call!(memory -> memory[1] = u[2], flow, u)
    throws(() -> finish(flow, task), PlaitError, "cannot wait for tasks or data", "a function that would wait")
    task = call!(() -> throw(DomainError(1, "this one")), flow; updates=total, label="root")
    problem = try
        finish(flow, task)
    catch problem
        problem
    end
    ok(problem.cause isa CapturedException && problem.cause.ex isa DomainError, "the cause of a failure")
    fill!(flow, u, 2) # which was poisoned, too
    call!((a, b) -> b .= a, flow, reads(total), u)
    throws(() -> u[1], PlaitError, "root", "poison names its cause")
    fill!(flow, u, 3)
    is(u[1], 3.0, "is cured")
    try
        finish(flow)
    catch
    end
    finish(flow)
    is((length(flow.calls), length(flow.kept)), (0, 0), "functions that did not run are forgotten")
    info = Plait.properties(flow)
    is((info.window, info.lanes), (64, 2), "properties")
    ok(occursin("\"sort\"", explain(flow)), "explained", explain(flow))
    ok(all(length(explain(flow; format=one)) > 100 for one in (:json, :dot, :svg)), "in all formats")
    throws(() -> explain(flow; format=:pdf), ArgumentError, "dot, json, svg, text", "but those")
    throws(() -> Plait.read_tasks!(flow, "task"; name="mine.flow"), PlaitError, "mine.flow", "a wrong text")
end

test("waiting for tasks"; backend="host") do system, device, queue
    flow = Flow(system)
    x, order = zeros(flow, Int32, 1), token(flow)
    signal, gate = Signal(device), Signal(device; gate=true)
    wait(flow, call!(memory -> memory[1] += 1, flow, x))
    task = call!(() -> error("lost"), flow)
    throws(() -> wait(flow, task), PlaitError, "lost", "of the awaited task")
    is(x[1], Int32(1), "awaited")
    done = @async wait(flow, call!(memory -> (yield(); memory[1] += 1), flow, x))
    wait(flow, call!(memory -> memory[1] += 1, flow, x))
    wait(done)
    wait(flow)
    is(x[1], Int32(3), "two Julia tasks wait")
    emit!(flow, signal; updates=order)
    wait!(flow, signal; updates=order)
    finish(flow)
    is(Plait.reached(signal), 1, "a signal")
    ran = Ref(0)
    graph = Graph(system)
    call!(() -> ran[] += 1, graph)
    plan = freeze(graph)
    foreach(_ -> run(plan, flow; updates=order), 1:3)
    finish(flow)
    is(ran[], 3, "plans")
    refused, waiting, small = String[], Graph(system), Flow(system; window=16)
    u = zeros(small, Int32, 1)
    call!(waiting) do
        for attempt in (() -> foreach(_ -> fill!(small, u, 7), 1:17), () -> mapped(sum, u), () -> wait(small),
                        () -> finish(small))
            push!(refused, try
                attempt()
                "waited"
            catch problem
                problem.name
            end)
        end
    end
    run(freeze(waiting), small; updates=u)
    finish(small)
    is(refused, ["PLAIT_E_BUSY"; fill("PLAIT_E_DEADLOCK", 3)], "waits for itself in a function of a plan that is a task")
    wait!(flow, gate, 1; updates=order)
    task = call!(() -> nothing, flow; updates=order)
    throws(() -> finish(flow; timeout=0), PlaitError, "TIMEOUT", "a limit")
    cancel(flow)
    Plait.raise(gate, 1)
    throws(() -> finish(flow, task), PlaitError, "CANCELLED", "cancelled")
end

test("tasks that repeat"; backend="host") do system, device, queue
    flow = Flow(system; repeats=true)
    u, v = zeros(flow, Int32, 4), zeros(flow, Int32, 4)
    for _ in 1:20
        for i in 1:10
            fill!(flow, u, i)
            copy!(flow, v, u)
        end
        finish(flow)
    end
    is(Array(v), fill(Int32(10), 4), "values")
    info = Plait.properties(flow)
    ok(info.newest >= 400 && info.repeated >= 200, "are found", info)
    throws(() -> Flow(system; repeats=true, record=true), PlaitError, "PLAIT_FLOW_RECORD with PLAIT_FLOW_REPEATS",
           "with a record")
    throws(() -> Flow(system; devices=["chaos:0"]), ArgumentError, "devices: expected Devices of system.devices, not \"chaos:0\"", "a name for a device")
end

test("pieces of launches"; backend="host") do system, device, queue
    flow = Flow(system)
    put = Kernel(system, "put(x: out pointer u32, c: struct chunk 48)", """
        struct chunk { u64 low[3], high[3]; };
        KERNEL(put) { EACH(i, c.high[0] - c.low[0]) x[c.low[0] + i] = c.low[0]; }""")
    x = zeros(flow, UInt32, 10)
    launch!(flow, put, own(x), CHUNK; items=10, split=1, pieces=3)
    is(Int.(Array(x)), [0, 0, 0, 0, 4, 4, 4, 7, 7, 7], "three pieces")
    launch!(flow, put, Plait.even(x), CHUNK; items=10, split=1, pieces=2)
    is(Int.(x[5:6]), [0, 5], "two")
    is(Plait.chunks(flow, (4, 6); pieces=2), [(1:4, 1:3), (1:4, 4:6)], "chunks")
    finish(flow)
end
