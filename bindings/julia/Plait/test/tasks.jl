# SPDX-License-Identifier: MIT
# Tests of tasks that wait for runs, queues and signals through the descriptor.

function counting_plan(system, device, name)
    graph = Graph(system)
    counted = Ref(0)
    call!(() -> counted[] += 1, graph; label=name)
    return freeze(graph; instances=4), counted
end

# Two tasks alternate while a third one runs.
function tasks(system, device, queue)
    plan, counted = counting_plan(system, device, "count")
    others = Ref(0)
    @sync begin
        for _ in 1:2
            @async for _ in 1:50
                wait(run(plan, Queue(device)))
            end
        end
        @async for _ in 1:10
            others[] += 1
            yield()
        end
    end
    is((counted[], others[]), (100, 10), "all tasks go on")
    is(system.inbox.watcher, nothing, "nobody watches any more")
end

test(tasks, "tasks")
test(tasks, "tasks without workers"; workers=0)

test("what is awaited") do system, device, queue
    gate, order = Signal(device; gate=true), String[]
    wait!(queue, gate, 1)
    fill!(queue, buffer(device, Int, 10), 1)
    task = @async begin
        wait(queue)
        push!(order, "queue")
    end
    yield()
    push!(order, "before")
    Plait.raise(gate, 1)
    wait(task)
    is(order, ["before", "queue"], "a queue, while others go on")
    awaited = @async wait(gate, 2)
    yield()
    Plait.raise(gate, 2)
    ok((wait(awaited); true), "a signal")
    call!(() -> error("this one"), queue)
    throws(() -> wait(queue), PlaitError, "this one", "what failed is thrown")
    finish(queue)
    plan, _ = counting_plan(system, device, "count")
    one = run(plan, queue)
    finish(one)
    wait(one)
    ok(isdone(one), "what is done is not awaited")
end

# A user's event loop on the descriptor.
test("the descriptor") do system, device, queue
    ran, watcher = Ref(0), Plait.FDWatcher(descriptor(system), true, false)
    for _ in 1:20
        call!(() -> ran[] += 1, queue)
    end
    while ran[] < 20
        wait(watcher)
        pump(system)
    end
    close(watcher)
    is(ran[], 20, "is readable while there is something to do")
end

test("a system that goes") do system, device, queue
    other = System()
    gate = Signal(other.devices[1]; gate=true)
    task = @async wait(gate, 1)
    yield()
    release(other)
    throws(() -> wait(task), Exception, "released during the wait", "those who await are told")
end
