# SPDX-License-Identifier: MIT
# The graph builder: nodes, loops, branches and freeze.

"""
    Graph(system)

A task graph under construction; [`freeze`](@ref) schedules it. Nodes run in any order
that the edges allow. Every function that adds a node returns a [`Node`](@ref) and takes

- `after`: the node, or nodes, that finish before this one starts
- `label`: the name in errors and drawings
- `device`: the device to run on; default: the device of the node's buffers. With several,
  and `on=:group`, the default, a member of the node runs on each; with `on=:barrier` all wait
  for the node and it for all; with `on=:first` the first one counts
- `cost`: a duration in any unit; by default 1
"""
mutable struct Graph <: Handle{Raw.plait_graph}
    raw::Ptr{Raw.plait_graph}
    system::System
    functions::Functions
    used::Vector{Functions} # those of graphs copied into this one
    outer::Union{Nothing,Graph}
end

give_back(raw::Ptr{Raw.plait_graph}) = Raw.plait_graph_release(raw)

Graph(raw::Ptr{Raw.plait_graph}, system::System) =
    owned(Graph(raw, system, Functions(Dict{UInt,Any}()), Functions[], nothing))

Graph(system::System) = Graph(create(Raw.plait_graph_create, Raw.plait_graph, system), system)

"""
    read_graph(system, text; name)

Create a graph from its text form; see plait-graph(5). `name` is that of the file, for errors.
"""
function read_graph(system::System, text; name=nothing)
    code, file = String(text), text_or_nothing(name)
    raw = GC.@preserve file create(Raw.plait_graph_read, Raw.plait_graph, system, code, sizeof(code),
                                   text_at(file))
    return Graph(raw, system)
end

"""
    capture(submit, system, queues...; local_signals=false)

Turn what `submit()` submits to queues into a graph:

    graph = capture(system, first, second) do
        submit_work(first, second)
    end

Emissions become edges to waits, and nodes unless `local_signals`; reads and writes without waiting
are nodes whose memory each run gives as `host0`, `host1`, ... Functions are refused, and calls
that wait.
"""
function capture(submit, system::System, queues...; local_signals=false)
    handles = Ptr{Raw.plait_queue}[handle(queue) for queue in queues]
    flags = Raw.PLAIT_CAPTURE_NO_CALLS | (local_signals ? Raw.PLAIT_CAPTURE_LOCAL_SIGNALS : 0)
    GC.@preserve queues call(Raw.plait_queue_capture, handles, length(handles), flags)
    try
        submit()
    catch
        release(Graph(create(Raw.plait_queue_end_capture, Raw.plait_graph, first(queues)), system))
        rethrow()
    end
    return Graph(create(Raw.plait_queue_end_capture, Raw.plait_graph, first(queues)), system)
end

"A node of a graph; pass it as `after` to nodes that depend on it."
struct Node
    graph::Graph
    number::UInt64
end

numbers(after::Node) = UInt64[after.number]
numbers(after) = UInt64[number(node) for node in after]
number(node::Node) = node.number
number(other) = throw(ArgumentError(
    "after: $(repr(other)) is not a Node, as launch! and others return"))

# --- where a node was added -----------------------------------------------------

const places = Dict{Any,Tuple{String,Int}}()
const places_lock = Threads.SpinLock()

function look_up(frame)
    for found in StackTraces.lookup(frame)
        file = string(found.file)
        found.from_c || dirname(file) == @__DIR__() || basename(file) == "boot.jl" ||
            return file, found.line
    end
    return "", 0
end

place_of(frame) = with_lock(places_lock) do
    get!(() -> look_up(frame), places, frame)
end

# Return the file and line of the innermost caller outside this package.
function user_place()
    for frame in backtrace()
        frame isa Union{Ptr,Base.InterpreterIP} || continue
        file, line = place_of(frame)
        isempty(file) || return file, line
    end
    return "", 0
end

# --- adding -------------------------------------------------------------------

const ON = (first=Raw.PLAIT_NODE_ON_FIRST, group=Raw.PLAIT_NODE_ON_ALL_GROUP,
            barrier=Raw.PLAIT_NODE_ON_ALL_BARRIER)

devices_of(::Nothing) = Ptr{Raw.plait_device}[]
devices_of(device::Device) = Ptr{Raw.plait_device}[device.raw]
devices_of(devices) = Ptr{Raw.plait_device}[device.raw for device in devices]

function add(graph, kind, fields; after=(), label=nothing, device=nothing, on=:group, cost=nothing)
    devices = devices_of(device)
    several = length(devices) > 1
    file, line = user_place()
    text, before, out = text_or_nothing(label), numbers(after), Ref{UInt64}(0)
    GC.@preserve text file devices call(
        Raw.plait_graph_add, graph,
        Ref(sized(Raw.plait_node_desc; kind=kind, label=text_at(text), file=text_at(file),
                  line=max(line, 0), cost=something(cost, 0),
                  flags=(cost == 0 ? Raw.PLAIT_NODE_FREE : UInt32(0)) | (several ? ON[on] : UInt32(0)),
                  device=length(devices) == 1 ? devices[1] : C_NULL,
                  devices=several ? pointer(devices) : C_NULL, device_count=length(devices), fields...)),
        before, length(before), out)
    return Node(graph, out[])
end

"""
    join!(graph; after, ...)

Add an empty node, for edges from many nodes to many nodes.
"""
join!(graph::Graph; how...) = add(graph, Raw.PLAIT_NODE_JOIN, (); how...)

"""
    mark!(graph, label; after, ...)

Add a mark in the timeline, a name without work.
"""
mark!(graph::Graph, label; how...) = add(graph, Raw.PLAIT_NODE_MARK, (); label=label, how...)

"""
    edge!(graph, before, after)

Add an edge: `before` completes before `after` starts.
"""
edge!(graph::Graph, before::Node, after::Node) =
    (call(Raw.plait_graph_add_edge, graph, before.number, after.number); nothing)

"""
    remove!(graph, nodes...)

Take nodes away, with their edges and bodies. Nodes before and after a removed one are not joined.
"""
function remove!(graph::Graph, nodes::Node...)
    call(Raw.plait_graph_remove, graph, UInt64[node.number for node in nodes], length(nodes))
    return nothing
end

"""
    remove_edge!(graph, before, after)

Take an edge away, as often as it was added.
"""
remove_edge!(graph::Graph, before::Node, after::Node) =
    (call(Raw.plait_graph_remove_edge, graph, before.number, after.number); nothing)

"""
    priority!(graph, node, priority)

Say which of several ready nodes come first: -1000 to 1000, 0 by default.
"""
priority!(graph::Graph, node::Node, priority::Integer) =
    (call(Raw.plait_graph_set_priority, graph, node.number, priority); nothing)

"""
    resource!(graph, name, units)

Add a resource, which limits how many nodes run at once.
"""
resource!(graph::Graph, name::AbstractString, units::Integer) =
    (call(Raw.plait_graph_add_resource, graph, String(name), units); nothing)

"""
    need!(graph, node, name, units=1)

Let a node hold units of a resource while it runs.
"""
need!(graph::Graph, node::Node, name::AbstractString, units::Integer=1) =
    (call(Raw.plait_graph_add_need, graph, node.number, String(name), units); nothing)

"Return (number of nodes, number of edges) of a graph, without those of bodies."
function Base.size(graph::Graph)
    nodes, edges = Ref{UInt64}(0), Ref{UInt64}(0)
    call(Raw.plait_graph_size, graph, nodes, edges)
    return Int(nodes[]), Int(edges[])
end

Base.show(io::IO, graph::Graph) = graph.raw == C_NULL ? print(io, "Graph(released)") :
    print(io, "Graph(", size(graph)[1], " nodes, ", size(graph)[2], " edges)")

"""
    launch!(graph, kernel, arguments...; items=1, group=(), scratch_bytes=0, series=(), after, ...)

Add a kernel launch. `items` and `group` are numbers or tuples of up to three; `items`
may be a [`Parameter`](@ref) that each run sets. `scratch_bytes` sizes `SCRATCH`. `series`: in a
loop, one [`ITERATION`](@ref) per dimension that the items follow, or `nothing` where they do
not; a launch without items does nothing.
"""
function launch!(graph::Graph, kernel::Kernel, given...; items=1, group=(), scratch_bytes=0, series=(), how...)
    made = Arguments(kernel, given)
    launch = Ref(items isa Parameter ? geometry(1) : geometry(items, group))
    sizes = Raw.plait_series[series_of(one) for one in series]
    GC.@preserve made launch items sizes begin
        size = items isa Parameter ? (launch_parameter=text_at(items.name),) :
            (launch=Base.unsafe_convert(Ptr{Raw.plait_launch}, launch),)
        add(graph, Raw.PLAIT_NODE_LAUNCH,
            (kernel=handle(kernel), arguments=pointer(made.array), argument_count=length(given),
             series=isempty(sizes) ? C_NULL : pointer(sizes), series_count=length(sizes),
             scratch_bytes=scratch_bytes, size...); label=kernel.name, how...)
    end
end

"""
    call!(f, graph, arguments...; task=false, after, ...)

Add a call of a Julia function, on the thread that owns the system. Buffer arguments are
passed as arrays on the mapped memory. With `task` each call is a task: it may `wait` for runs,
flows and signals, and for all that Julia has; others run meanwhile.
"""
function call!(f, graph::Graph, given...; task=false, how...)
    inbox = graph.system.inbox
    made = with_memory(f, given)
    number = register(inbox, task ? Suspending(made) : made, graph.functions)
    add(graph, Raw.PLAIT_NODE_CALL, (inbox=handle(inbox), user_data=as_pointer(number));
        label=string(f), how...)
end

host_fields(host::Parameter, offset) = (host_parameter=text_at(host.name), host_offset=offset)
host_fields(host, offset) =
    throw(ArgumentError("the memory is a Parameter, which each run sets, not $(repr(host))"))

"""
    read!(graph, source, parameter; host_offset=0, after, ...)

Add a copy of a buffer to memory of the program: an `Array` to which each run sets the
[`Parameter`](@ref), from `host_offset` bytes on.
"""
Base.read!(graph::Graph, source::Buffer, host; host_offset=0, how...) =
    GC.@preserve host add(graph, Raw.PLAIT_NODE_READ,
                          (source=handle(source), bytes=sizeof(source),
                           host_fields(host, host_offset)...); how...)

"""
    write!(graph, target, parameter; host_offset=0, after, ...)

Add a copy from memory of the program, of which each run sets an `Array`, to a buffer.
"""
write!(graph::Graph, target::Buffer, host; host_offset=0, how...) =
    GC.@preserve host add(graph, Raw.PLAIT_NODE_WRITE,
                          (target=handle(target), bytes=sizeof(target),
                           host_fields(host, host_offset)...); how...)

"""
    fill!(graph, buffer, value; after, ...)

Add a fill: set all elements to `value`.
"""
function Base.fill!(graph::Graph, target::Buffer, value; how...)
    pattern, bytes = pattern_of(target, value)
    add(graph, Raw.PLAIT_NODE_FILL, (target=handle(target), bytes=sizeof(target), pattern=pattern,
                                     pattern_bytes=bytes); how...)
end

"""
    copy!(graph, target, source; after, ...)

Add a copy from a buffer to another one of the same size.
"""
Base.copy!(graph::Graph, target::Buffer, source::Buffer; how...) =
    add(graph, Raw.PLAIT_NODE_COPY, (target=handle(target), source=handle(source),
                                     bytes=same_bytes(target, source)); how...)

"""
    fill!(graph, parameter, value, count; after, ...)

Add a fill of `count` elements of a buffer that each run sets: a [`Parameter`](@ref).
"""
function Base.fill!(graph::Graph, target::Parameter, value::T, count; how...) where {T}
    word = zeros(UInt64, 1)
    bytes = store(word, 1, T, value, () -> "fill")
    GC.@preserve target add(graph, Raw.PLAIT_NODE_FILL,
                            (target_parameter=text_at(target.name), bytes=bytes * count, pattern=word[1],
                             pattern_bytes=bytes); how...)
end

"""
    fill!(graph, turn, value, count; after, ...)

Add a fill of `count` elements of a buffer of a rotation: `turns.now` or `turns.next`.
"""
function Base.fill!(graph::Graph, target::Turn, value::T, count; how...) where {T}
    word = zeros(UInt64, 1)
    bytes = store(word, 1, T, value, () -> "fill")
    add(graph, Raw.PLAIT_NODE_FILL, (; side(:target, target)..., bytes=bytes * count, pattern=word[1],
                                     pattern_bytes=bytes); how...)
end

side(name, given::Buffer) = NamedTuple{(name,)}((handle(given),))
side(name, given::Turn) = name === :target ?
    (target_rotation=given.rotation, target_ahead=given.ahead) :
    (source_rotation=given.rotation, source_ahead=given.ahead)
side(name, given::Parameter) = name === :target ? (target_parameter=text_at(given.name),) :
    (source_parameter=text_at(given.name),)

function add_copy(graph, target, source, bytes; how...)
    GC.@preserve target source add(
        graph, Raw.PLAIT_NODE_COPY,
        (; side(:target, target)..., side(:source, source)..., bytes=bytes); how...)
end

"""
    copy!(graph, target, parameter; after, ...)
    copy!(graph, parameter, source; after, ...)
    copy!(graph, parameter, parameter, bytes; after, ...)

Add a copy whose sides each run sets: a [`Parameter`](@ref). The size is that of the buffer.
"""
Base.copy!(graph::Graph, target::Buffer, source::Parameter; how...) =
    add_copy(graph, target, source, sizeof(target); how...)
Base.copy!(graph::Graph, target::Parameter, source::Buffer; how...) =
    add_copy(graph, target, source, sizeof(source); how...)
Base.copy!(graph::Graph, target::Parameter, source::Parameter, bytes; how...) =
    add_copy(graph, target, source, bytes; how...)

"""
    copy!(graph, target, turn; after, ...)
    copy!(graph, turn, source; after, ...)
    copy!(graph, turn, turn, bytes; after, ...)

Add a copy whose sides are buffers of rotations. The size is that of the buffer.
"""
Base.copy!(graph::Graph, target::Buffer, source::Turn; how...) =
    add_copy(graph, target, source, sizeof(target); how...)
Base.copy!(graph::Graph, target::Turn, source::Buffer; how...) =
    add_copy(graph, target, source, sizeof(source); how...)
Base.copy!(graph::Graph, target::Turn, source::Turn, bytes; how...) =
    add_copy(graph, target, source, bytes; how...)

"""
    copy!(graph, target, source, rows; after, ...)

Add a strided copy: [`Rows`](@ref) of a buffer to rows of another one. A view sets the
offset.
"""
function Base.copy!(graph::Graph, target::Buffer, source::Buffer, rows::Rows; how...)
    bytes, made = raw_rows(rows, target, source)
    GC.@preserve made add(graph, Raw.PLAIT_NODE_COPY,
                          (target=handle(target), source=handle(source), bytes=bytes,
                           rows=Base.unsafe_convert(Ptr{Raw.plait_rows}, made)); how...)
end

emit!(graph::Graph, signal::Signal; how...) =
    add(graph, Raw.PLAIT_NODE_EMIT, (signal=handle(signal),); how...)

wait!(graph::Graph, signal::Signal, sequence=0; how...) =
    add(graph, Raw.PLAIT_NODE_WAIT, (signal=handle(signal), sequence=sequence); how...)

"""
    subgraph!(graph, other; after, ...)

Add a copy of the nodes that `other` has now.
"""
function subgraph!(graph::Graph, other::Graph; how...)
    push!(family(graph).used, other.functions)
    append!(family(graph).used, other.used)
    add(graph, Raw.PLAIT_NODE_SUBGRAPH, (subgraph=handle(other),); how...)
end

family(graph) = graph.outer === nothing ? graph : family(graph.outer)

# --- loops and branches ---------------------------------------------------------

body(graph, node, branch) =
    owned(Graph(create(Raw.plait_graph_body, Raw.plait_graph, graph, node.number, branch),
                graph.system, graph.functions, Functions[], graph))

# Node fields of a condition: a word in a buffer, or a callback.
function predicate(graph, condition::Buffer{T}, index) where {T}
    T <: Union{UInt32,Int32} || throw(ArgumentError("a condition is a UInt32, the buffer has $T"))
    checkbounds(1:length(condition), index)
    return (predicate=handle(condition), predicate_offset=4 * (index - 1))
end

function predicate(graph, condition::Function, index)
    inbox = graph.system.inbox
    number = register(inbox, Predicate(condition), graph.functions)
    return (inbox=handle(inbox), user_data=as_pointer(number))
end

const Condition = Union{Buffer,Function}

"""
    node, body = loop!(graph, condition; index=1, times=0, first=false, after, ...)
    node = loop!(body -> ..., graph, condition; ...)

Add a loop; its body is a graph to fill. The loop runs while `condition[index]`, a
`UInt32`, is not 0, or while a Julia function returns `true` or such a number. `first`:
run the body once before the first test. `times`: the expected number of iterations, for
the planner; 0 means 1.
"""
function loop!(graph::Graph, condition::Condition; index=1, times=0, first=false, how...)
    kind = first ? Raw.PLAIT_NODE_DO : Raw.PLAIT_NODE_WHILE
    node = add(graph, kind, (times=times, predicate(graph, condition, index)...); how...)
    return node, body(graph, node, 0)
end

function loop!(f, graph::Graph, condition::Condition; how...)
    node, inner = loop!(graph, condition; how...)
    f(inner)
    return node
end

"""
    node, body = repeat!(graph, count; step=1, index=1, times=0, after, ...)
    node = repeat!(body -> ..., graph, count; ...)

Add a loop with a count; its body is a graph to fill. `count` is a number, a
[`Parameter`](@ref) that each run sets (a `UInt64`), or a buffer whose element `index`, a
`UInt32`, is read when the loop is entered. An iteration takes `step` of it, the last one the
rest. `times`: the expected count of a parameter or buffer, for the planner; 0 means 1.
"""
function repeat!(graph::Graph, count::Union{Integer,Parameter,Buffer}; step=1, index=1, times=0, how...)
    fields = count isa Integer ? (times=count,) :
        count isa Parameter ? (times=times, count_parameter=text_at(count.name)) :
        (times=times, predicate(graph, count, index)...)
    node = GC.@preserve count add(graph, Raw.PLAIT_NODE_REPEAT, (count_step=step, fields...); how...)
    return node, body(graph, node, 0)
end

function repeat!(f, graph::Graph, count; how...)
    node, inner = repeat!(graph, count; how...)
    f(inner)
    return node
end

"""
    node, bodies = case!(graph, condition, branches; index=1, expect, after, ...)

Add a branch: run the body whose number, from 0, is `condition[index]` or the result of a
Julia function. `expect`: the number of the likely body, for planning.
"""
function case!(graph::Graph, condition::Condition, branches; index=1, expect=nothing, how...)
    times = expect === nothing ? 0 : expect + 1
    node = add(graph, Raw.PLAIT_NODE_CASE, (branch_count=branches, times=times, predicate(graph, condition, index)...); how...)
    return node, [body(graph, node, i - 1) for i in 1:branches]
end

"A ring of buffers that advances by one per loop iteration: `now`, `next`, `ahead(turns, n)`."
struct Turns
    now::Turn
    next::Turn
end

ahead(turns::Turns, count) = Turn(turns.now.rotation, count)

"""
    temporary(graph, T, dims...; device, label)

Create a temporary: a buffer for nodes only, of which each run in flight has a copy. The
default device is the system's first one.
"""
temporary(graph::Graph, ::Type{T}, dims::Integer...; device=graph.system.devices[1], label=nothing) where {T} =
    new_buffer(device, T, dims, label, Raw.PLAIT_BUFFER_TEMPORARY)

"""
    turns = rotate!(body, buffers...; prologue=false)

In the body of a loop: rotate through buffers, one per iteration. `turns.now` and
`turns.next` are kernel arguments: the buffer of this iteration and of the next one.
`prologue`: the first buffer is for iteration 0 only.
"""
function rotate!(graph::Graph, buffers::Buffer...; prologue=false)
    flags = prologue ? Raw.PLAIT_ROTATION_PROLOGUE : UInt32(0)
    array = GC.@preserve buffers begin
        handles = Ptr{Raw.plait_buffer}[handle(b) for b in buffers]
        ask(Raw.plait_graph_add_rotation, UInt64, graph, handles, length(handles), flags)
    end
    return Turns(Turn(array, 0), Turn(array, 1))
end

# --- freezing -------------------------------------------------------------------

const MODES = (strict=Raw.PLAIT_MODE_STRICT, helped=Raw.PLAIT_MODE_HELPED, auto=Raw.PLAIT_MODE_AUTO)

"""
    freeze(graph; lanes, widest=false, mode=:auto, instances, check=false, queues=false,
           order=:edges, hop_cost, sources, sinks, whole)

Schedule the graph; return a [`Plan`](@ref), which runs any number of times.

- `lanes`: most lanes per device; 0: what the device can run at once
- `widest`: as many lanes as the graph is wide, within the limits
- `mode`: `:strict` keeps the order of each lane, for even work; `:helped` keeps the edges
  only and lets idle workers run commands of other lanes, for uneven work; `:auto` chooses
- `instances`: most runs in flight; 0 means 2
- `check`: verify that edges order all nodes that use the same memory, and then the plan
- `order`: `:edges`, or `:program`, which adds edges between nodes that use the same memory,
  in the order of adding; functions are ordered with all nodes
- `queues`: run on queues, also on the host
- `hop_cost`: the cost of observing another lane, in the unit of `cost`
- `sources`, `sinks`: plan only the nodes on paths from one to the other, with the lanes of
  the plan `whole`, if it is given
"""
function freeze(graph::Graph; lanes=0, widest=false, mode=:auto, instances=0, check=false, queues=false,
                order=:edges, hop_cost=0, sources=(), sinks=(), whole=nothing)
    order in (:edges, :program) ||
        throw(ArgumentError("order: $(repr(order)) is neither :edges nor :program"))
    first_nodes, last_nodes = numbers(sources), numbers(sinks)
    raw = GC.@preserve first_nodes last_nodes whole create(
        Raw.plait_graph_freeze, Raw.plait_plan, graph,
        Ref(sized(Raw.plait_freeze_desc; lanes=lanes, instances=instances, mode=MODES[mode], hop_cost=hop_cost,
                  sources=isempty(first_nodes) ? C_NULL : pointer(first_nodes), source_count=length(first_nodes),
                  sinks=isempty(last_nodes) ? C_NULL : pointer(last_nodes), sink_count=length(last_nodes),
                  whole=whole === nothing ? C_NULL : handle(whole),
                  policy=widest ? Raw.PLAIT_POLICY_WIDEST : Raw.PLAIT_POLICY_BOUNDED,
                  flags=(check ? Raw.PLAIT_FREEZE_CHECK : UInt32(0)) |
                        (order === :program ? Raw.PLAIT_FREEZE_PROGRAM_ORDER : UInt32(0)) |
                        (queues ? Raw.PLAIT_FREEZE_QUEUES : UInt32(0)))))
    return Plan(raw, graph.system, Functions[graph.functions; graph.used])
end
