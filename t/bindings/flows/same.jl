# SPDX-License-Identifier: MIT
# The program of same.py: t/bindings/flows.t compares their outputs.
using Plait

const SIGNATURE = "heat(u: in array1 f32, v: out array1 f32, n: u64, c: chunk)"
const SOURCE = """
KERNEL(heat) {
	CHUNK1(x)
		AT1(v, x) = AT1(u, x > 0 ? x - 1 : 0) + AT1(u, x) + AT1(u, x + 1 < n ? x + 1 : n - 1);
}
"""

const SUM = """
struct chunk { u64 low[3], high[3]; };
KERNEL(sum) { EACH(i, 1) for (u64 k = c.low[0]; k < c.high[0]; k++) t[0] += u[k]; }
"""

# As C's %g: whole numbers without a point.
text(numbers) = join((x == round(x) ? Int(x) : x for x in numbers), ' ')

Plait.open(backend="host") do system
    heat = Kernel(system, SIGNATURE, SOURCE)
    flow = Flow(system; record=true, check=true, fixed=true, lanes=2)
    u = array(flow, Float32[0, 0, 0, 1, 0, 0, 0, 0]; label="u")
    v, total = zeros(flow, Float32, 8; label="v"), zeros(flow, Float64; label="total")
    for _ in 1:3
        launch!(flow, heat, near(u, 1), own(v), 8, CHUNK; items=8, split=1, pieces=2)
        u, v = v, u
    end
    call!(flow, reads(u), writes(total); label="add") do numbers, out
        out[] = sum(numbers)
    end
    println(text(total[]), ' ', text(Array(u)))
    add_up = Kernel(system, "sum(u: in pointer f32, t: inout pointer f64, c: struct chunk 48)", SUM)
    join_up = Kernel(system, "add(into: inout pointer f64, from: in pointer f64, n: u64)",
                     "KERNEL(add) { EACH(i, n) into[i] += from[i]; }")
    launch!(flow, add_up, u, reduces(total, join_up; accumulate=true), CHUNK; items=8, split=1, pieces=2)
    println(text(total[]))
    u[3] = 9
    fill!(flow, view(v, 3:4), 5)
    println(text([u[3], v[4]]))
    task = call!(() -> error("lost"), flow; updates=v, label="fail")
    try
        finish(flow, task)
    catch problem
        problem isa PlaitError && println("failed")
    end
    try
        v[1]
    catch problem
        problem isa PlaitError && println("poisoned")
    end
    fill!(flow, v, 2)
    println(text(v[1]))
    println(join(("$(first(one[1]) - 1)-$(last(one[1]))" for one in Plait.chunks(flow, 10; pieces=3)), ' '))
    fill!(flow, u, 1)
    graph = Graph(system)
    capture(() -> launch!(flow, heat, u, v, 8, CHUNK; items=8), flow, graph)
    plan = freeze(graph)
    for _ in 1:3
        repeat(flow, 1) do
            launch!(flow, heat, near(u, 1), own(v), 8, CHUNK; items=8, split=1, pieces=2)
            copy!(flow, u, v)
        end
    end
    println(text(u[5]))
    plan()
    println(text(v[5]))
    on_devices = Flow(system; devices=system.devices, choose=:min_size, parent=:disjoint, lane=:always_new,
                      device_lanes=2, threshold=50)
    a, b = array(on_devices, ones(Float32, 8)), zeros(on_devices, Float32, 8)
    foreach(what -> advise(a, what, system.devices[1]), (:prefetch, :reserve, :evict, :prefetch))
    advise(a, :prefetch, nothing, 3:4)
    launch!(on_devices, heat, a, b, 8, CHUNK; items=8)
    println(text(b[5]))
    Plait.read_tasks!(flow, "data x 8\ntask late writes=x[2:4]\ntask last reads=x[2:4]\n")
    println(strip(last(filter(line -> occursin("which it wrote", line), split(explain(flow), '\n')))))
    text_of_all = Plait.instructions(flow, 3; peers=:ring, shared=true, lookahead=false, strict=true, weights=[1, 1, 1],
                                      choose=:min_size, parent=:disjoint, lane=:always_new,
                                      lanes=nothing, memory_bytes=1 << 30, links="-1,0,2\n")
    println(first(split(text_of_all, '\n')))
    finish(flow)
end
