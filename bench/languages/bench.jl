# SPDX-License-Identifier: MIT
# The operations of bench.c, from Julia.
using Plait

const CALLS, QUEUES, A_MOMENT_NS = 1000, 100, 500_000

call_plain(plain) = for _ in 1:CALLS
    plain()
end

call_told(told) = for i in 1:CALLS
    told(a=i)
end

run_and_wait(plain, queue) = for _ in 1:CALLS
    one = run(plain, queue)
    finish(one)
    release(one)
end

work() = nothing

function submit_held(queues, gate, calls, number)
    foreach(queue -> wait!(queue, gate, number), queues)
    for i in 1:calls
        call!(work, queues[mod1(i, end)])
    end
end

function call_pulled(queues, gate, number)
    Plait.raise(gate, number)
    foreach(finish, queues)
end

function pull_waiting(system)
    count = 0
    while count < QUEUES
        count += pump(system)
    end
end

function timed(batch, calls, given...)
    start = time_ns()
    batch(given...)
    return round((time_ns() - start) / calls; digits=1)
end

function time_pull(system, queues, gate, number)
    submit_held(queues, gate, QUEUES, number)
    Plait.raise(gate, number)
    start = time_ns()
    while time_ns() - start < A_MOMENT_NS
    end
    time = timed(pull_waiting, QUEUES, system)
    foreach(finish, queues)
    return time
end

function main()
    system = System()
    device = system.devices[1]
    queue, graph, telling = Queue(device), Graph(system), Graph(system)
    join!(graph)
    put = Kernel(system, "put(a: f64, y: out pointer f64)", "KERNEL(put) { EACH(i, 1) y[i] = a; }")
    launch!(telling, put, Parameter(:a), array(device, [0.0]))
    plain, told = freeze(graph), freeze(telling)
    queues, gate, turn = [Queue(device) for _ in 1:QUEUES], Signal(device; gate=true), 0
    for _ in eachline(stdin)
        figures = [timed(call_plain, CALLS, plain), timed(call_told, CALLS, told),
                   timed(run_and_wait, CALLS, plain, queue)]
        push!(figures, minimum(time_pull(system, queues, gate, turn += 1) for _ in 1:CALLS÷QUEUES))
        submit_held(queues, gate, CALLS, turn += 1)
        println(join(figures, ' '), ' ', timed(call_pulled, CALLS, queues, gate, turn))
        flush(stdout)
    end
end

main()
