# SPDX-License-Identifier: MIT
# Tests of garbage collection, with work in flight and in any order.

test("collected while in flight") do system, device, queue
    for i in 1:200
        graph = Graph(system)
        fill!(graph, buffer(device, Int, 8), i)
        run(freeze(graph), queue)
        i % 20 == 0 && GC.gc(i % 40 == 0)
    end
    finish(queue)
    values, ran = zeros(Int, 1000), Ref(0)
    for i in 1:20
        graph = Graph(system)
        b = wrap(device, fill(i, 1000))
        copy!(graph, wrap(device, values), b)
        call!(() -> ran[] += 1, graph)
        run(freeze(graph), queue)
        GC.gc()
    end
    finish(queue)
    is((values, ran[]), (fill(20, 1000), 20), "arrays and functions stay until they are not needed")
end

# Functions of collected graphs are removed.
test("functions are collected") do system, device, queue
    collected = Ref(0)
    @noinline function one()
        graph, big = Graph(system), zeros(10)
        finalizer(_ -> collected[] += 1, big)
        call!(() -> big[1] += 1, graph)
        freeze(graph)()
        return
    end
    for _ in 1:3
        foreach(_ -> one(), 1:100)
        GC.gc()
    end
    ok(collected[] > 200, "with their graphs", collected[])
    ok(length(system.inbox.table) < 250, "and their numbers", length(system.inbox.table))
end

test("released in any order") do system, device, queue
    graph, b = Graph(system), buffer(device, Int, 1)
    fill!(graph, b, 7)
    plan = freeze(graph)
    one = run(plan, queue)
    foreach(release, (plan, graph, b, queue))
    finish(one)
    foreach(release, (one, one))
    ok(true, "twice too")
end

# Systems that are collected without release, with all their objects.
@noinline function abandon()
    system = System()
    device = system.devices[1]
    graph, queue = Graph(system), Queue(device)
    fill!(graph, array(device, [1, 2, 3]), 7)
    run(freeze(graph), queue)
    call!(() -> nothing, queue)
    return
end
for _ in 1:10
    abandon()
    GC.gc()
end
ok(live_count_falls_to(20) <= 20, "what was forgotten is collected")

if Threads.nthreads() > 1
    test("collection on all threads") do system, device, queue
        made = Threads.Atomic{Int}(0)
        Threads.@threads for i in 1:400
            own = Queue(device)
            for _ in 1:5
                fill!(own, buffer(device, Int, 100), i)
                Threads.atomic_add!(made, 1)
            end
            i % 50 == 0 && GC.gc(false)
            finish(own)
        end
        is(made[], 2000, "while all of them submit")
    end
end
