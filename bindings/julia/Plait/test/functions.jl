# SPDX-License-Identifier: MIT
# Tests of Julia functions as commands and nodes, and of the thread they run on.

test("functions") do system, device, queue
    ran = Ref(0)
    for _ in 1:10000
        call!(() -> ran[] += 1, queue)
    end
    finish(queue)
    is(ran[], 10000, "ten thousand functions run")
    threads = Int[]
    call!(() -> push!(threads, Threads.threadid()), queue)
    finish(queue)
    is(threads, [Threads.threadid()], "on this thread")
    call!(() -> throw(DomainError(1, "this one")), queue)
    problem = try
        finish(queue)
    catch problem
        problem
    end
    ok(problem isa PlaitError && problem.status == Raw.PLAIT_E_FAILED, "one that throws fails the command")
    text = sprint(showerror, problem)
    ok(occursin("DomainError with 1:\nthis one", text), "with the whole message", text)
    ok(occursin("functions.jl:", text), "and the backtrace", text)
    ok(problem.cause isa CapturedException && problem.cause.ex isa DomainError, "the cause is there")
    call!(() -> GC.gc(), queue)
    call!(() -> yield(), queue)
    finish(queue)
    ok(true, "the queue goes on; functions collect, and switch tasks")
    numbers = array(device, [3.0, 1.0, 2.0])
    call!(sort!, queue, numbers)
    call!((memory, factor) -> memory .*= factor, queue, numbers, 2)
    finish(queue)
    is(Array(numbers), [2.0, 4.0, 6.0], "buffers are handed over as arrays")
    inner = Ref(0)
    call!(queue) do
        other = Queue(device)
        call!(() -> inner[] = 1, other)
        finish(other)
    end
    finish(queue)
    is(inner[], 1, "a function waits for another one")
end

# Run f on another thread; return its exception as text.
function elsewhere(f)
    here, said = Threads.threadid(), "nothing"
    Threads.@threads for _ in 1:Threads.nthreads()
        Threads.threadid() == here && continue
        try
            f()
        catch problem
            said = sprint(showerror, problem)
        end
    end
    return said
end

if Threads.nthreads() > 1
    test("threads") do system, device, queue
        said = elsewhere(() -> pump(system))
        ok(occursin("thread", said), "another thread is told so", said)
        ran = Int[]
        call!(() -> push!(ran, Threads.threadid()), queue)
        is(elsewhere(() -> (adopt(system); finish(queue))), "nothing", "or adopts the system")
        ok(length(ran) == 1 && ran != [Threads.threadid()], "and runs the functions", ran)
        adopt(system)
        buffers = [buffer(device, Int, 10) for _ in 1:100]
        is(elsewhere(() -> foreach(release, buffers)), "nothing", "all may release")
        is(elsewhere(() -> (fill!(queue, buffer(device, Int, 9), 1); wait(queue))), "nothing",
           "and submit, and wait")
    end
    elsewhere(() -> nothing) # a thread keeps what it ran last
else
    println("# one thread: set JULIA_NUM_THREADS=2 for more tests")
end
