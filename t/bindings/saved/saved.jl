# SPDX-License-Identifier: MIT
# Saves a plan, or runs one that another process saved: saved.jl save|run FILE.
using Plait

system = System()
device = system.devices[1]
kernel = Kernel(system, "saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
                "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")
x, y = array(device, Float32[1, 2]; label="x"), array(device, Float32[0, 0]; label="y")
done = Signal(device; label="done")

function save(path)
    graph = Graph(system)
    loop, body = loop!(graph, () -> false; times=3, label="more")
    launch!(body, kernel, Parameter(:a), x, y, 2; items=2)
    note = call!(() -> nothing, graph; after=loop, label="note")
    emit!(graph, done; after=note)
    write(path, freeze(graph))
end

function run_it(path)
    left, notes = 4, String[]
    plan = Plan(system, path)
    println(join(("$(one.kind):$(one.name):$(Int(one.bound))" for one in bindings(plan)), " "))
    try
        plan(a=2)
    catch problem
        println(problem.text)
    end
    bind!(plan, kernel)
    bind!(plan, "x", x)
    bind!(plan, "y", y)
    bind!(plan, "done", done)
    bind!(() -> (left -= 1) > 0, plan, "more")
    bind!(() -> push!(notes, "note"), plan, "note")
    bind!(plan, "host:0", device)
    prepare(plan)
    plan(a=2)
    println(join([Int.(Array(y)); notes; Plait.reached(done)], " "))
end

(ARGS[1] == "save" ? save : run_it)(ARGS[2])
