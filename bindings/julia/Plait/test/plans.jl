# SPDX-License-Identifier: MIT
# Tests of graphs and plans.

test("parameters") do system, device, queue
    saxpy = Kernel(system, SAXPY...)
    x, y, z = floats(device, 1, 2), floats(device, 0, 0), floats(device, 5, 5)
    graph = Graph(system)
    launch!(graph, saxpy, Parameter(:a), x, Parameter(:y), 2; items=Parameter(:n))
    plan = freeze(graph; check=true)
    plan(a=3, y=y, n=2)
    plan(a=1, y=z, n=(1,))
    finish(run(plan, queue; a=1, y=z, n=2))
    is((Array(y), Array(z)), (Float32[3, 6], Float32[7, 9]), "values, buffers and sizes")
    is(sort!(collect(keys(Plait.parameters(plan)))), [:a, :n, :y], "their names")
    throws(() -> plan(b=3), ArgumentError, "no parameter b; it has a, n, y", "an unknown one")
    throws(() -> plan(a=3), ArgumentError, "also needs n, y: plan(", "a missing one")
    throws(() -> plan(3), ArgumentError, "by name: plan(n=..., ", "one without a name")
    throws(() -> plan(a=1, y=y, n="2"), ArgumentError, "\"2\" is not an integer", "a text for a size")
    throws(() -> launch!(graph, saxpy, 1, x, y, 2; after=3), ArgumentError, "after: 3 is not a Node", "a number for a node")
    throws(() -> plan(a=1, y=3, n=2), ArgumentError, "give it a Buffer", "a number for a buffer")
    throws(() -> plan(a="a", y=y, n=2), ArgumentError, "does not fit", "a text for a number")
    throws(plan, PlaitError, "give the run a value for it; see Plait.parameters", "no value at all")
    write(joinpath(mktempdir(), "one.plan"), plan)
    Plait.check(plan)
    ok(occursin("<svg", Plait.text(plan, :svg)), "a picture")
end

test("order of the program") do system, device, queue
    graph, x = Graph(system), array(device, UInt32[0, 0])
    fill!(graph, x, UInt32(1))
    fill!(graph, x, UInt32(7))
    throws(() -> freeze(graph; check=true, lanes=1), PlaitError, "no edge orders node 0", "a missing edge")
    throws(() -> freeze(graph; order=:added), ArgumentError, "neither", "an unknown order")
    freeze(graph; check=true, order=:program)()
    is(Array(x), UInt32[7, 7], "inferred edges")
end

test("rows") do system, device, queue
    # The second of three columns, in a table of two pages.
    whole = array(device, Int32.(0:23))
    column, again, graph = array(device, zeros(Int32, 8)), array(device, zeros(Int32, 8)), Graph(system)
    rows = Rows(1, 4; slices=2, source=(3, 12))
    copy!(queue, column, view(whole, 2:24), rows)
    finish(queue)
    copy!(graph, again, view(whole, 2:24), rows)
    freeze(graph; check=true)()
    is(Array(column), Int32.(1:3:22), "a queue copies rows")
    is(Array(again), Array(column), "so does a plan")
    copy!(queue, column, whole, Rows(1, 0))
    copy!(queue, column, whole, Rows(1, 4; slices=0))
    finish(queue)
    is(Array(column), Array(again), "no rows are none")
    throws(() -> copy!(graph, again, whole, Rows(1, 9)), PlaitError, "36 bytes, but the target has 32", "rows that do not fit")
    throws(() -> Rows(1, -1), ArgumentError, "not below 0", "less than none")
    throws(() -> copy!(queue, again, array(device, [1.0]), rows), ArgumentError, "rows of Float64", "other elements")
end

test("as a C function") do system, device, queue
    graph, y = Graph(system), floats(device, 0, 0)
    launch!(graph, Kernel(system, SAXPY...), Parameter(:a), floats(device, 1, 2), Parameter(:y), 2; items=2)
    plan = freeze(graph)
    throws(() -> Plait.CFunction(plan, "f(a: f32): i32"), PlaitError, "no argument \"y\"", "one that does not fit")
    try
        made = Plait.CFunction(plan, "f(y: pointer, a: f32): i32")
        release(plan)
        is(ccall(made.pointer, Int32, (Ptr{Raw.plait_buffer}, Float32), y, 3), Int32(0), "a plan as a function")
        is(Array(y), Float32[3, 6], "which has run")
        is(ccall(made.pointer, Int32, (Ptr{Raw.plait_buffer}, Float32), C_NULL, 3), Raw.PLAIT_E_HANDLE,
           "and says what is wrong")
    catch problem
        ok(problem isa PlaitError && problem.status == Raw.PLAIT_E_UNSUPPORTED, "built without libffi", problem)
    end
end

test("loops and branches") do system, device, queue
    saxpy, down = Kernel(system, SAXPY...), Kernel(system, DOWN...)
    left, x, y = array(device, UInt32[0, 5]), floats(device, 1), floats(device, 0)
    which, out = array(device, UInt32[2]), array(device, UInt32[0])
    graph = Graph(system)
    loop = loop!(graph, left; index=2) do body
        step = launch!(body, saxpy, 1, x, y, 1)
        launch!(body, down, view(left, 2:2); after=step)
    end
    _, bodies = case!(graph, which, 3; after=loop, expect=2)
    throws(() -> case!(graph, which, 3; expect=3), PlaitError, "the expected body", "a body that is not there")
    for (i, body) in enumerate(bodies)
        fill!(body, out, 10 + i)
    end
    freeze(graph)()
    is(Array(y), Float32[5], "a loop over a word")
    is(Array(out), UInt32[13], "the branch that a word says")
    throws(() -> loop!(graph, array(device, [1.0])), ArgumentError, "UInt32", "a condition that is no word")
    a, b, again = floats(device, 0), floats(device, 0), array(device, UInt32[3])
    more = Kernel(system, "more(x: in pointer f32, y: out pointer f32)",
                  "KERNEL(more) { EACH(i, 1) y[i] = x[i] + 1; }")
    turning = Graph(system)
    loop!(turning, again; first=true) do body
        turns = rotate!(body, a, b)
        step = launch!(body, more, turns.now, turns.next)
        launch!(body, down, again; after=step)
    end
    freeze(turning)()
    is(Array(b), Float32[3], "buffers take turns")
    c, d, last = array(device, UInt32[5, 5]), array(device, UInt32[6, 6]), array(device, UInt32[7, 7])
    moving = Graph(system)
    count = repeat!(moving, 3) do body
        turns = rotate!(body, c, d)
        step = fill!(body, turns.next, UInt32(9), 2)
        step = copy!(body, turns.next, turns.now, 4; after=step)
        copy!(body, last, turns.now; after=step)
    end
    freeze(moving)()
    is(Array(last), UInt32[5, 9], "buffers that take turns are copied and filled")
end

test("loops with a count") do system, device, queue
    more = Kernel(system, "more(x: inout pointer u32, n: u32)",
                  "KERNEL(more) { EACH(i, 1) x[0] = 10 * x[0] + n; }")
    x, word, graph = array(device, UInt32[0]), array(device, UInt32[7]), Graph(system)
    first = repeat!(graph, 10; step=4) do body
        launch!(body, more, x, ITERATION(scale=-4, from_count=true, limit=4))
    end
    second = repeat!(graph, Parameter("n"); after=first) do body
        launch!(body, more, x, ITERATION; series=(ITERATION(offset=-1),))
    end
    repeat!(graph, word; step=3, after=second) do body
        launch!(body, more, x, ITERATION(offset=5))
    end
    freeze(graph)(n=UInt64(3))
    is(Array(x), UInt32[4422567], "numbers and sizes follow the iteration")
end

test("functions as conditions") do system, device, queue
    left, ran, graph, out = Ref(3), Ref(0), Graph(system), array(device, UInt32[0])
    loop = loop!(graph, () -> left[] > 0) do body
        call!(() -> (left[] -= 1; ran[] += 1), body)
    end
    _, bodies = case!(graph, () -> ran[] - 1, 3; after=loop)
    foreach((body, i) -> fill!(body, out, 10 + i), bodies, 1:3)
    freeze(graph)()
    is((ran[], Array(out)), (3, UInt32[13]), "a function of Julia says how to go on")
    wrong = Graph(system)
    loop!(wrong, () -> error("this one"); label="asked")
    throws(freeze(wrong), PlaitError, r"asked(.|\n)*this one", "one that throws fails its node")
    negative = Graph(system)
    loop!(negative, () -> -1)
    throws(freeze(negative), PlaitError, "InexactError", "so does one that returns no such number")
end

test("functions as nodes") do system, device, queue
    ran, graph = Int[], Graph(system)
    first = call!(() -> push!(ran, 1), graph)
    join!(graph; after=call!(() -> push!(ran, 2), graph; after=first))
    plan = freeze(graph)
    release(graph)
    plan()
    wait(run(plan, queue))
    is(ran, [1, 2, 1, 2], "they run in order, again and again")
    wrong, after, calling = Ref(true), Ref(0), Graph(system)
    one = call!(() -> wrong[] && error("not yet"), calling; label="checked")
    call!(() -> after[] += 1, calling; after=[one])
    again = freeze(calling; instances=2)
    throws(again, PlaitError, r"checked(.|\n)*not yet(.|\n)*plans.jl:", "an error fails its node")
    is(after[], 0, "and what comes after it does not run")
    wrong[] = false
    again()
    foreach(finish, [run(again, queue) for _ in 1:10])
    is(after[], 11, "more runs than can be in flight")
    numbers, sorting = array(device, [2, 1]), Graph(system)
    call!(sort!, sorting, numbers)
    outer = Graph(system)
    subgraph!(outer, sorting)
    sorting = nothing
    GC.gc()
    freeze(outer)()
    is(Array(numbers), [1, 2], "in a copy of a graph")
end

test("nodes") do system, device, queue
    graph, b = Graph(system), array(device, UInt32[1])
    throws(PlaitError, r"mine(.|\n)*plans.jl:[0-9]+", "errors name the node and the place") do
        fill!(graph, b, 0; label="mine", cost=1, device=device, after=[Plait.Node(graph, 99)])
    end
    first = fill!(graph, b, 1)
    second = fill!(graph, b, 2; after=first)
    target = buffer(device, UInt32, 1)
    copy!(graph, target, b; after=(first, second))
    plan = freeze(graph)
    record!(plan)
    one = run(plan, queue)
    wait(one)
    is(Array(target), UInt32[2], "order")
    ok(occursin("<svg", trace(one, :svg)) && occursin("{", trace(one, :json)), "a trace")
    joined = Graph(system)
    join!(joined; label="only")
    path = joinpath(mktempdir(), "one.plan")
    write(path, freeze(joined))
    Plan(system, path)()
    ok(occursin("only", Plait.text(Plan(system, path), :json)), "a plan in a file")
    gate, happened = Signal(device; gate=true), Signal(device)
    wait!(queue, gate, 1)
    late = run(plan, queue)
    ok(!isdone(late), "a run that waits")
    throws(() -> finish(late; timeout=0), PlaitError, "TIMEOUT", "a time limit")
    cancel(late)
    Plait.raise(gate, 1)
    throws(() -> finish(late), PlaitError, "CANCELLED", "a run that was cancelled")
    throws(() -> finish(queue), PlaitError, "CANCELLED", "and its queue")
    asking, seen, asked = Graph(system), Bool[], Ref{Any}(nothing)
    call!(asking) do
        push!(seen, Plait.is_stopping())
        cancel(asked[])
        push!(seen, Plait.is_stopping())
    end
    wait!(queue, gate, 2)
    asked[] = run(freeze(asking), queue)
    Plait.raise(gate, 2)
    throws(() -> finish(asked[]), PlaitError, "CANCELLED", "a run that its function cancels")
    throws(() -> finish(queue), PlaitError, "CANCELLED", "and its queue")
    is((seen, Plait.is_stopping()), ([false, true], false), "a function asks whether its run was stopped")
    waiting, refused, other = Graph(system), String[], Queue(device)
    call!(waiting) do
        for attempt in (() -> finish(asked[]), () -> wait(asked[]), () -> finish(queue), () -> wait(queue),
                        () -> finish(other))
            push!(refused, try
                attempt()
                "waited"
            catch problem
                problem.name
            end)
        end
    end
    asked[] = run(freeze(waiting), queue)
    finish(asked[])
    finish(queue)
    is(refused, [fill("PLAIT_E_DEADLOCK", 4); "waited"], "waits for itself in a function of a plan")
    called, inner = Graph(system), Graph(system)
    emit!(inner, Signal(device))
    inner_plan = freeze(inner)
    call!(called) do
        cancel(asked[])
        push!(refused, try
            inner_plan()
            "ran"
        catch problem
            problem.name
        end)
    end
    asked[] = run(freeze(called), queue)
    throws(() -> finish(asked[]), PlaitError, "CANCELLED", "a cancel")
    throws(() -> finish(queue), PlaitError, "CANCELLED", "and the queue")
    is(refused[end], "PLAIT_E_CANCELLED", "reaches a plan that the function calls")
    signals = Graph(system)
    emit!(signals, happened)
    freeze(signals)()
    is(Plait.reached(happened), 1, "signals")
    release(plan)
    throws(plan, ArgumentError, "was released", "what was released says so")
end

function named(system, device)
    kernel, graph = Kernel(system, SAXPY...), Graph(system)
    x, y = array(device, Float32[1, 2]; label="x"), array(device, Float32[0, 0]; label="y")
    launch!(graph, kernel, Parameter(:a), x, y, 2; items=2, label="saxpy", cost=5)
    return graph, kernel, x, y
end

test("names of plans") do system, device, queue
    graph, kernel, x, y = named(system, device)
    plan = Plan(system, Plait.bytes(freeze(graph)))
    is([(one.kind, one.name) for one in bindings(plan)][1:3], [(:kernel, "saxpy"), (:buffer, "x"), (:buffer, "y")],
       "names are listed")
    throws(() -> plan(a=1), PlaitError, "not bound: call bind!(plan, kernel)", "the call is named")
    bind!(plan, kernel)
    bind!(plan, "x", x)
    throws(() -> bind!(plan, "z", x), PlaitError, "no buffer \"z\"", "a name that is not there")
    bind!(plan, "y", y)
    prepare(plan)
    plan(a=3)
    is(Array(y), Float32[3, 6], "a plan that was read runs")
end

test("capture") do system, device, queue
    other, signal = Queue(device), Signal(device)
    x, y = array(device, UInt32[0, 0]), array(device, UInt32[0, 0])
    graph = capture(system, queue, other; local_signals=true) do
        fill!(queue, x, UInt32(7))
        emit!(queue, signal)
        wait!(other, signal)
        copy!(other, y, x)
        throws(() -> call!(() -> nothing, queue), PlaitError, "called once", "a function in a capture")
        throws(() -> finish(queue), PlaitError, "is captured", "a wait in a capture")
    end
    is(size(graph), (2, 1), "commands become nodes")
    freeze(graph)()
    is(Array(y), UInt32[7, 7], "a captured graph runs")
end

test("planning") do system, device, queue
    graph, kernel, x, y = named(system, device)
    edge!(graph, mark!(graph, "begin"), join!(graph; label="end"))
    gone = (mark!(graph, "gone"), mark!(graph, "extra"))
    edge!(graph, gone...)
    remove_edge!(graph, gone...)
    throws(() -> remove_edge!(graph, gone...), PlaitError, "no edge leads", "an edge that is gone")
    remove!(graph, gone...)
    throws(() -> remove!(graph, gone...), PlaitError, "not a node", "nodes that are gone")
    resource!(graph, "bus", 2)
    extra = (mark!(graph, "first"; cost=5), mark!(graph, "second"; cost=5))
    need!(graph, extra[1], "bus", 2)
    need!(graph, extra[2], "bus")
    priority!(graph, extra[2], 7)
    throws(() -> need!(graph, extra[1], "bug"), PlaitError, "no resource 'bug'", "an unknown resource")
    is(simulate(freeze(graph; lanes=4)).makespan, UInt64(10), "a limit")
    remove!(graph, extra...)
    is(size(graph), (3, 1), "a graph has a size")
    plan = freeze(graph; hop_cost=1)
    is(Plait.query(plan).nodes, UInt64(3), "so has a plan")
    is(simulate(plan).makespan, UInt64(5), "a run is predicted")
    is([one.label for one in critical_path(plan)], ["saxpy"], "with its path")
    is(length(Plait.commands(plan)), 3, "commands are listed")
    record!(plan)
    one = run(plan, queue; a=1)
    finish(one)
    records, dropped = Plait.records(one)
    ok(length(records) >= 1 && dropped == 0, "a run has records")
    is(Plait.query(one).commands, UInt64(3), "and a state")
    tuned, info = tune(plan; mode=:strict)
    is(info.runs, UInt64(1), "a plan is tuned")
    exchange!(tuned, kernel, Kernel(system, SAXPY[1], replace(SAXPY[2], "+=" => "-=")))
    tuned(a=1)
    is(Array(y), Float32[0, 0], "a kernel is exchanged")
    rehearsal = freeze(graph)
    rehearse!(rehearsal)
    rehearsal()
    is(Array(y), Float32[0, 0], "a rehearsal calls nothing")
    is(Plait.query(freeze(read_graph(system, "node a\nnode b after=a\n"))).edges, UInt64(1), "a graph in text form")
    ok(occursin("plait_i", Plait.source_text(SAXPY..., :host)), "source in another language")
    many = Kernel(system, "two(y: out pointer u32)", "KERNEL(two) { *y = twice(ONE); }";
                  before=[("one.h", "#define ONE 1"), ("twice.c", "FUNCTION u32 twice(u32 v) { return 2 * v; }")])
    is(many.name, "two", "a program of several texts")
    throws(() -> Kernel(system, "two(y: out pointer u32)", "KERNEL(two) { *y = 1; }";
                        before=[("twice.c", "FUNCTION u32 twice(u32 v) { return w; }")]),
           PlaitError, "twice.c", "a mistake in a text before it")
    ok(occursin("host", Plait.backend_report(backend="host")), "a report without a system")
    text = "int f(unsigned x)\n{ int unused = 3; return 0; } /* $(time_ns()) */\n"
    warned = Kernel(system, "f(x: u32)", (host=text,); options="-Wunused-variable")
    ok(occursin("warning: unused variable", Plait.messages(warned, device)), "messages of compilers")
    is(Plait.device(system, device.name).raw, device.raw, "a device by its name")
    ok(occursin("3 nodes", repr(plan)) && occursin("done", repr(one)), "what is shown")
end

test("copies whose sides each run sets") do system, device, queue
    graph, a, b = Graph(system), floats(device, 0, 0), floats(device, 1, 2)
    fill = fill!(graph, Parameter(:a), Float32(7), 2)
    copy!(graph, Parameter(:b), Parameter(:a), 8; after=fill)
    freeze(graph)(a=a, b=b)
    is(Array(b), Float32[7, 7], "they are copied")
end

test("runs that may overlap") do system, device, queue
    gate, begun, b = Signal(device; gate=true), Signal(device), floats(device, 0, 0)
    graph = Graph(system)
    between = temporary(graph, Float32, 2; label="between")
    wait = wait!(graph, gate, 1; after=emit!(graph, begun))
    fill = fill!(graph, between, Float32(7); after=wait)
    copy!(graph, b, between; after=fill)
    throws(() -> temporary(graph, Float32, -2), ArgumentError, "-2", "a size below 0")
    throws(() -> Array(between), PlaitError, "temporary", "a temporary has no memory itself")
    plan = freeze(graph)
    Plait.set_flags!(plan; overlap=true)
    runs = [run(plan, Queue(device)), run(plan, Queue(device))]
    for _ in 1:6000
        Plait.reached(begun) == 2 && break
        try
            finish(gate, 1; timeout=0.01)
        catch
        end
    end
    is(Plait.reached(begun), 2, "both have begun")
    Plait.raise(gate, 1)
    foreach(finish, runs)
    is(Array(b), Float32[7, 7], "both were in flight")
end

function close_two()
    system = System()
    kept = buffer(system.devices[1], Float32, 2)
    throws(() -> close(system; timeout=0), PlaitError, "", "a buffer keeps its system alive")
    throws(() -> Plait.report(system), ArgumentError, "released", "which is given back all the same")
    release(kept)
    system = System()
    graph = Graph(system)
    call!(() -> nothing, graph)
    plan = freeze(graph)
    plan()
    one = run(plan)
    finish(one)
    # A plan takes its own queue along; nothing waits for the garbage collector.
    foreach(release, (one, plan, graph))
    close(system; timeout=60)
    throws(() -> Plait.report(system), ArgumentError, "released", "a system that is closed")
end
close_two()

test("waiting for several") do system, device, queue
    gate, signal, b = Signal(device; gate=true), Signal(device), floats(device, 0, 0)
    given, taken = Float32[1, 2], Float32[0, 0]
    emit!(queue, signal)
    finish(system, [(signal, 1)])
    is(finish(system, [(gate, 1), (signal, 1)]; any=true), 2, "one of two")
    wait!(queue, gate, 1)
    copyto!(queue, b, given; wait=false)
    copyto!(queue, taken, b; wait=false)
    is(taken, Float32[0, 0], "a read that does not wait")
    Plait.raise(gate, 1)
    finish(queue)
    is(taken, given, "is complete after finish")
    is(copyto!(queue, Float32[0, 0], b), given, "a read that waits")
    Plait.fail(gate, "no more")
    throws(() -> finish(gate, 2), PlaitError, "no more", "a gate that failed")
    Plait.reset!(gate)
    throws(() -> loop!(Graph(system), floats(device, 1)), ArgumentError, "a condition is a UInt32", "a condition of floats")
end
