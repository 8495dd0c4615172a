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

test("calls that are tasks") do system, device, queue
    gates, order, graph = [Signal(device; gate=true) for _ in 1:2], Int[], Graph(system)
    numbers = Ref(1:3)
    call!(graph; task=true) do
        for i in numbers[]
            push!(order, i)
            Plait.raise(gates[1], i)
            wait(gates[2], i)
        end
    end
    call!(graph; task=true) do
        for i in numbers[]
            wait(gates[1], i)
            push!(order, -i)
            Plait.raise(gates[2], i)
        end
    end
    plan = freeze(graph; widest=true)
    plan()
    is(order, [1, -1, 2, -2, 3, -3], "two that wait for each other")
    numbers[] = 4:6
    wait(run(plan, queue))
    is(order[7:end], [4, -4, 5, -5, 6, -6], "and again, awaited by a task")

    inner, counted = counting_plan(system, device, "count")
    done, graph = [], Graph(system)
    call!(graph; task=true) do
        wait(run(inner, queue))
        push!(done, counted[])
        sleep(0.001)
        push!(done, "slept")
        push!(done, fetch(@async 3))
    end
    freeze(graph)()
    is(done, [1, "slept", 3], "runs, and what is not of plait")

    graph = Graph(system)
    call!(() -> (sleep(0); error("this one")), graph; task=true)
    throws(freeze(graph), PlaitError, "this one", "what it throws fails the node")
end

test("calls that are tasks, of a run that is stopped") do system, device, queue
    for other in (nothing, () -> error("another node"))
        gate, seen, graph = Signal(device; gate=true), [], Graph(system)
        call!(graph; task=true) do
            for _ in 1:2
                problem = try
                    wait(gate, 1)
                catch thrown
                    thrown
                end
                push!(seen, (problem.name, Plait.is_stopping()))
            end
        end
        other === nothing || call!(other, graph)
        stopped = run(freeze(graph; widest=true), queue)
        if other === nothing
            throws(() -> finish(stopped; timeout=0.01), PlaitError, "not over", "it is suspended")
            cancel(stopped)
        end
        throws(() -> finish(stopped), PlaitError, other === nothing ? "cancelled" : "another node", "the run fails")
        is(seen, [("PLAIT_E_CANCELLED", true), ("PLAIT_E_CANCELLED", true)], "each wait of it says so")
        throws(() -> finish(queue), PlaitError, "", "and its queue")
    end
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
