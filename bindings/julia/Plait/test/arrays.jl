# SPDX-License-Identifier: MIT
# Tests of buffers, and of kernels on them.
const SAXPY = ("saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
               "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")
const DOWN = ("down(left: inout pointer u32)", "KERNEL(down) { EACH(i, 1) left[i] -= 1; }")
floats(device, values...) = array(device, Float32[values...])

test("buffers") do _, device, queue
    is(Array(floats(device, 1, 2, 3)), Float32[1, 2, 3], "what goes in comes out")
    matrix = [10.0i + j for i in 1:2, j in 1:3]
    b = array(device, matrix)
    is(Array(b), matrix, "a matrix that is not square")
    is((size(b), size(b, 2), length(b), eltype(b), ndims(b), sizeof(b)), ((2, 3), 3, 6, Float64, 2, 48),
       "and its size")
    is(Array(array(device, view(matrix, 1:2, 1:2:3))), matrix[:, [1, 3]], "an array with strides")
    is(Array(array(device, matrix')), Array(matrix'), "and one that is turned")
    is(Array(array(device, Int[])), Int[], "an empty one")
    is(mapped(sum, b), sum(matrix), "a map is the memory")
    mapped(memory -> memory[2, 3] = 0, b)
    is(Array(b)[2, 3], 0.0, "that can be written")
    is(copyto!(zeros(6), b)[6], 0.0, "copied out")
    throws(DimensionMismatch, "6", "not to an array of another length") do
        copyto!(zeros(5), b)
    end
    words = array(device, UInt32[1, 2, 3, 4])
    fill!(queue, view(words, 2:3), 9)
    finish(queue)
    is(Array(words), UInt32[1, 9, 9, 4], "a view is the same memory")
    throws(() -> view(words, 3:5), BoundsError, "5", "a view beyond the end")
    throws(() -> fill!(queue, words, -1), ArgumentError, "does not fit", "a wrong pattern")
    throws(() -> buffer(device, String, 3), ArgumentError, "plain data", "elements that are no data")
    throws(() -> buffer(device, Int, -1), ArgumentError, "cannot be", "a size below 0")
    throws(() -> buffer(device, Int, typemax(Int)), OverflowError, "", "a size that is no number")
    is(Plait.link_to(device, device).latency_ns, 0, "a memory and itself")
    is(Plait.link_to(device).bytes_per_us > 0, true, "a link to the program")
    is(Plait.link_from(device).bytes_per_us > 0, true, "and from it")
    Plait.set_budget(device, 2^20)
    throws(PlaitError, "NOMEM", "beyond the budget") do
        buffer(device, UInt8, 2^30)
    end
    Plait.set_budget(device, typemax(UInt64))
    copied = buffer(device, Float64, 2, 3)
    copy!(queue, copied, b)
    finish(queue)
    is(Array(copied), Array(b), "a copy")
    throws(() -> copy!(queue, copied, words), DimensionMismatch, "48 bytes", "of another size")
end

test("large buffers") do _, device, queue
    large = try
        buffer(device, UInt32, 2^30 + 4)
    catch problem
        ok(problem isa PlaitError && problem.name == "PLAIT_E_NOMEM", "no memory for more than 4 GiB")
        return
    end
    is(sizeof(large), 2^32 + 16, "more than 4 GiB")
    part = view(large, 2^30+3:2^30+4)
    fill!(queue, part, 7)
    finish(queue)
    is(Array(part), UInt32[7, 7], "and what is at its end")
end

test("wrapped arrays") do system, device, queue
    held() = length(Plait.wrapped)
    before = held()
    values = [1.0i + j for i in 1:2, j in 1:3]
    b = wrap(device, values)
    fill!(queue, b, 7)
    finish(queue)
    is(values, fill(7.0, 2, 3), "no copy is made")
    part = wrap(device, view(values, :, 2))
    fill!(queue, part, 1)
    finish(queue)
    is(values, [7.0 1 7; 7 1 7], "nor of a part without gaps")
    throws(() -> wrap(device, view(values, 1, :)), ArgumentError, "strides (2,)", "gaps are refused")
    throws(() -> wrap(device, Any[1]), ArgumentError, "plain data", "so are other things")
    is(held(), before + 2, "the arrays are kept")
    gate = Signal(device; gate=true)
    wait!(queue, gate, 1)
    fill!(queue, b, 3)
    release(b)
    release(part)
    pump(system)
    is(held(), before + 1, "while something uses them")
    Plait.raise(gate, 1)
    finish(queue)
    is(values[1], 3.0, "which it does")
    for _ in 1:1000
        held() == before && break
        finish(queue)
        pump(system)
    end
    is(held(), before, "and not longer")
end

test("wrapped arrays when the system goes") do system, device, queue
    before = length(Plait.wrapped)
    other = System()
    released, used = wrap(other.devices[1], [1]), wrap(other.devices[1], [2])
    release(released)
    release(other)
    is(length(Plait.wrapped), before + 1, "what was released is let go, what is in use stays")
    release(used)
end

test("local memory") do system, device, queue
    turn = Kernel(system, "turn(row: local i32, x: inout pointer i32)",
                  "GROUP_KERNEL(turn, 4, 1, 1) { ITEMS row[LOCAL_ID(0)] = x[LOCAL_ID(0)]; " *
                  "ITEMS x[LOCAL_ID(0)] = row[3 - LOCAL_ID(0)]; }")
    x = array(device, Int32[1, 2, 3, 4])
    launch!(queue, turn, 16, x; items=4)
    finish(queue)
    is(Array(x), Int32[4, 3, 2, 1], "a launch")
    graph = Graph(system)
    launch!(graph, turn, Parameter(:bytes), x; items=4)
    freeze(graph)(bytes=32)
    is(Array(x), Int32[1, 2, 3, 4], "a size that a run sets")
    wrong(pattern, kind, name, given) = throws(() -> launch!(queue, turn, given, x; items=4), kind, pattern, name)
    wrong("turn: argument 1 \"row\" is local memory: give its bytes", ArgumentError, "a buffer", x)
    wrong("turn: argument 1 \"row\" is local memory: give its bytes", ArgumentError, "a size below 0", -1)
    wrong("6 bytes of local memory are not a multiple of 4", PlaitError, "a part of an element", 6)
    wrong("1099511627776 bytes of local memory", PlaitError, "more than there is", 2^40)
end

struct TestBody
    mass::Float64
    count::Int32
end

test("structs and vectors") do system, device, queue
    weigh = Kernel(system, "weigh(b: struct body 16, v: f32x4, i: i16x2, y: out pointer f64)",
                   "struct body { f64 mass; i32 count; }; KERNEL(weigh) { EACH(k, 1) " *
                   "y[0] = b.mass * b.count + v.v[0] + 10 * v.v[3] + i.v[1]; }")
    y = array(device, [0.0])
    launch!(queue, weigh, TestBody(1.5, 4), (1, 2, 3, 4.5), [7, -8], y)
    finish(queue)
    is(Array(y), [6 + 1 + 45 - 8.0], "a launch")
    graph = Graph(system)
    launch!(graph, weigh, Parameter(:b), Parameter(:v), (0, 1), y)
    plan = freeze(graph)
    for count in 0:2
        plan(b=TestBody(2, count), v=(count, 0, 0, 1))
        is(Array(y), [3.0 * count + 11], "values that a run sets")
    end
    wrong(pattern, name, given...) = throws(() -> launch!(queue, weigh, given..., y), ArgumentError, pattern, name)
    wrong("weigh: argument 1 \"b\" is a struct of 16 bytes", "a number for a struct", 3, (1, 2, 3, 4), (1, 2))
    wrong("weigh: argument 2 \"v\" is a vector: give it 4 numbers", "too few", TestBody(1, 1), (1, 2, 3), (1, 2))
    wrong("weigh: argument 3 \"i\" is a vector", "too large", TestBody(1, 1), (1, 2, 3, 4), (1, 40000))
    throws(() -> plan(b=TestBody(1, 1), v=3), ArgumentError, "v is a vector: give it 4 numbers", "no vector")
end

test("arrays and chunks") do system, device, queue
    turn = Kernel(system, "turn(u: in array2 f32, v: out array1 f32, c: chunk)",
                  "KERNEL(turn) { CHUNK1(x) AT1(v, x) = AT2(u, 1, x); }")
    numbers, items = Float32[1 3 5; 2 4 6], map(UInt64, (0, 0, 0, 3, 1, 1))
    u, v = array(device, numbers), array(device, zeros(Float32, 3))
    launch!(queue, turn, u, 0, 2, v, 0, items; items=3)
    finish(queue)
    is(Array(v), Float32[2, 4, 6], "a launch")
    graph = Graph(system)
    launch!(graph, turn, u, Parameter(:at), 2, v, 0, items; items=3)
    freeze(graph)(at=-1)
    is(Array(v), Float32[1, 3, 5], "a number that a run sets")
    wrong(pattern, name, given...) =
        throws(() -> launch!(queue, turn, given...; items=3), ArgumentError, pattern, name)
    wrong("turn takes 6 arguments (u, u_at, u_pitch, v, v_at, c), not 3", "too few", u, v, items)
    wrong("turn: argument 3 \"u_pitch\": -1 does not fit UInt64", "below 0", u, 0, -1, v, 0, items)
    flow = Flow(system)
    a, b = array(flow, numbers), zeros(flow, Float32, 3)
    launch!(flow, turn, a, b, CHUNK; items=3)
    is(Array(b), Float32[2, 4, 6], "a flow adds the numbers")
    throws(() -> launch!(flow, turn, a, 0, 2, b, 0, CHUNK; items=3), ArgumentError,
           "turn takes 3 arguments (u, v, c), not 6", "and takes none")
    finish(flow)
end

test("values that the host computes") do system, device, queue
    graph, state = Graph(system), Float32[0, 2]
    saxpy = Kernel(system, "saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
                   "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")
    x, y = array(device, Float32[1, 2]), array(device, Float32[1, 1])
    _, body = repeat!(graph, 3)
    first = call!(() -> state[2] += 1, body)
    launch!(body, saxpy, HostValue(:state, 4), x, y, 2; items=2, after=first)
    freeze(graph)(state=state)
    is(Array(y), Float32[13, 25], "of each iteration")
    throws(() -> launch!(graph, saxpy, 2, HostValue(:state), y, 2), PlaitError, "values only", "a pointer")
end

test("reads and writes in a graph") do system, device, queue
    graph, x = Graph(system), array(device, UInt32[0, 0])
    first = write!(graph, x, Parameter(:given); host_offset=4, label="in")
    read!(graph, x, Parameter(:got); after=first)
    plan = freeze(graph)
    given, got = UInt32[9, 1, 2], zeros(UInt32, 2)
    plan(given=given, got=got)
    is(got, UInt32[1, 2], "a call")
    for i in 1:3
        given[3] = i
        finish(run(plan, queue; given=given, got=got))
    end
    is(length(queue.kept), 1, "the queue keeps what a run in flight may use")
    finish(queue)
    is(got, UInt32[1, 3], "runs on a queue")
    throws(() -> plan(given=UInt32[1, 2], got=got), PlaitError, "\"in\" uses 8 bytes, and there are 4", "too few bytes")
    throws(() -> plan(given=3, got=got), ArgumentError, "given is memory of the program: give it an Array", "a number")
    throws(() -> read!(graph, x, got), ArgumentError, "the memory is a Parameter, which each run sets", "no parameter")
end

test("batches") do system, device, queue
    step = Kernel(system, "step(a: u32, x: inout pointer u32, n: u64)",
                  "KERNEL(step) { EACH(i, n) x[i] = a * x[i] + 1; }")
    x, y = array(device, UInt32[0, 0]), array(device, UInt32[0, 0])
    signal = Signal(device)
    number = submit!(queue) do batch
        fill!(batch, x, 2)
        foreach(factor -> launch!(batch, step, factor, x, 2; items=2), (3, 5))
        copy!(batch, y, x)
        emit!(batch, signal)
        wait!(batch, signal)
        fill!(batch, x, 7)
        copy!(batch, view(x, 1:1), view(y, 2:2), Rows(1, 1))
    end
    finish(queue)
    is(number, 1, "the number of the emission")
    is((Array(y), Array(x)), (UInt32[36, 36], UInt32[36, 7]), "commands run in order")
    batch = Batch(queue)
    fill!(batch, y, 0)
    launch!(batch, step, 1, x, 2; items=(2^62, 4), label="many")
    is(string(batch), "Batch(2 commands)", "a batch is shown")
    throws(() -> submit!(batch), PlaitError, "command 1 \"many\": step: ", "a mistake is told")
    throws(() -> submit!(batch -> (fill!(batch, y, 0); error("stop")), queue), ErrorException, "stop", "an error in f")
    finish(queue)
    is(Array(y), UInt32[36, 36], "all or none")
end

test("kernels") do system, device, queue
    saxpy = Kernel(system, SAXPY...)
    x, y = floats(device, 1, 2, 3), floats(device, 1, 1, 1)
    launch!(queue, saxpy, 2, x, y, 3; items=3)
    finish(queue)
    is(Array(y), Float32[3, 5, 7], "portable source")
    is(string(saxpy), "Kernel(saxpy(a, x, y, n))", "a kernel is shown")
    wrong(pattern, name, given...; how...) =
        throws(() -> launch!(queue, given...; how...), ArgumentError, pattern, name)
    wrong("takes 4 arguments (a, x, y, n), not 2", "too few arguments", saxpy, 1, x)
    wrong("argument 2 \"x\" is a pointer", "a number for a pointer", saxpy, 1, 2, y, 3)
    wrong("argument 1 \"a\"", "a text for a number", saxpy, "a", x, y, 3)
    wrong("-1 does not fit UInt64", "a number that does not fit", saxpy, 1, x, y, -1)
    wrong("1.5 does not fit UInt64", "nor one with a fraction", saxpy, 1, x, y, 1.5)
    wrong("pointer to f32, the buffer has Float64", "other elements", saxpy, 1, array(device, [1.0]), y, 1)
    wrong("does not fit", "items below 0", saxpy, 1, x, y, 1; items=-1)
    wrong("items: \"3\" is not an integer", "a text for a size", saxpy, 1, x, y, 1; items="3")
    wrong("items: 1.5 is not an integer", "a part of an item", saxpy, 1, x, y, 1; items=1.5)
    wrong("items: nothing is not an integer", "none at all", saxpy, 1, x, y, 1; items=nothing)
    wrong("group: (1, \"2\") is not an integer", "a text among numbers", saxpy, 1, x, y, 1; group=(1, "2"))
    wrong("up to 3 of them", "too many dimensions", saxpy, 1, x, y, 1; items=(1, 1, 1, 1))
    throws(ArgumentError, "no file /nowhere/saxpy.plk; give the folder", "a file that is missing") do
        kernels(system, "/nowhere", "saxpy")
    end
    throws(PlaitError, r"f:2(.|\n)*oops", "a source that does not compile, and why") do
        Kernel(system, "f(x: inout pointer f32)", "KERNEL(f) {\n x[0] = oops; }")
    end
    throws(() -> Kernel(system, "f()", (wrong="",)), ArgumentError, "sources are for", "an unknown form")
    keep = Kernel(system, "keep(x: u64, y: out pointer u64)", "KERNEL(keep) { EACH(i, 1) y[i] = x; }")
    out = array(device, UInt64[0])
    launch!(queue, keep, 2^40 + 7, out)
    finish(queue)
    is(Array(out), UInt64[2^40+7], "a number above 2^31")
    launch!(queue, keep, UInt64(2)^63 + 7, out)
    finish(queue)
    is(Array(out), UInt64[UInt64(2)^63+7], "and above 2^63")
    # A whole matrix, and strides over it: the first index varies fastest.
    pick = Kernel(system, "pick(all: in pointer i64, out: out pointer i64, from: u64, step: u64, n: u64)",
                  "KERNEL(pick) { EACH(i, n) out[i] = all[from + i * step]; }")
    row = buffer(device, Int, 3)
    launch!(queue, pick, array(device, [1 2 3; 4 5 6]), row, 1, 2, 3; items=3)
    finish(queue)
    is(Array(row), [4, 5, 6], "a kernel steps over a matrix")
end

test("images") do system, device, queue
    half = Kernel(system, "shrink(from: in image, by: sampler, to: out image)", """KERNEL(shrink) {
        EACH2(x, IMAGE_WIDTH(to), y, IMAGE_HEIGHT(to))
            IMAGE_WRITE(to, x, y, IMAGE_SAMPLE(from, by, 2 * x + 1.0f, 2 * y + 1.0f)); }""")
    from, small = image(device, 4, 2), image(device, 2, 1)
    copyto!(queue, from, Float32[1 1; 3 3; 5 9; 7 11])
    launch!(queue, half, from, SAMPLER_LINEAR, small; items=(2, 1))
    got = zeros(Float32, 2, 1)
    copyto!(queue, got, small)
    is(vec(got), Float32[2, 8], "a kernel samples an image")
    throws(() -> image(device, 1, 1; format=:rgb), ArgumentError, "rgba8", "a wrong format")
end
