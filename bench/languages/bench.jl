# SPDX-License-Identifier: MIT
# What bench.c measures, from Julia.
using Plait

const CALLS = 1000

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

function submit_held(queues, gate, number)
    foreach(queue -> wait!(queue, gate, number), queues)
    for i in 1:CALLS
        call!(work, queues[mod1(i, end)])
    end
end

function call_pulled(queues, gate, number)
    Plait.raise(gate, number)
    foreach(finish, queues)
end

function timed(batch, given...)
    start = time_ns()
    batch(given...)
    return round((time_ns() - start) / CALLS; digits=1)
end

function main()
    system = System()
    device = system.devices[1]
    queue, graph, telling = Queue(device), Graph(system), Graph(system)
    join!(graph)
    put = Kernel(system, "put(a: f64, y: out pointer f64)", "KERNEL(put) { EACH(i, 1) y[i] = a; }")
    launch!(telling, put, Parameter(:a), array(device, [0.0]))
    plain, told = freeze(graph), freeze(telling)
    queues, gate = [Queue(device) for _ in 1:100], Signal(device; gate=true)
    for (turn, _) in enumerate(eachline(stdin))
        figures = [timed(call_plain, plain), timed(call_told, told), timed(run_and_wait, plain, queue)]
        submit_held(queues, gate, turn)
        println(join(figures, ' '), ' ', timed(call_pulled, queues, gate, turn))
        flush(stdout)
    end
end

main()
