# SPDX-License-Identifier: MIT
# Graphs: nodes, loops and branches, and what freezes them.

"""
    Graph(system)

Work and its order; [`freeze`](@ref) makes a plan of it. Nodes run in any order that
`after` allows. Every function that adds one returns a [`Node`](@ref) and takes

- `after`: a node, or several, that come first
- `label`, which errors and pictures show
- `device`: where it runs, instead of where its buffers are
- `cost`: how long it takes, in units of your choice
"""
mutable struct Graph <: Handle{Raw.plait_graph}
    raw::Ptr{Raw.plait_graph}
    system::System
    functions::Functions
    used::Vector{Functions} # of graphs that it has copies of
    outer::Union{Nothing,Graph}
end

give_back(raw::Ptr{Raw.plait_graph}) = Raw.plait_graph_release(raw)

Graph(system::System) = owned(Graph(create(Raw.plait_graph_create, Raw.plait_graph, system), system,
                                    Functions(Dict{UInt,Any}()), Functions[], nothing))

"A node of a graph; give it to `after` of later ones."
struct Node
    graph::Graph
    number::UInt64
end

numbers(after::Node) = UInt64[after.number]
numbers(after) = UInt64[number(node) for node in after]
number(node::Node) = node.number
number(other) = throw(ArgumentError(
    "after: $(repr(other)) is no Node, which launch! and the others return"))

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

# The first file and line outside of this package.
function user_place()
    for frame in backtrace()
        frame isa Union{Ptr,Base.InterpreterIP} || continue
        file, line = place_of(frame)
        isempty(file) || return file, line
    end
    return "", 0
end

# --- adding -------------------------------------------------------------------

function add(graph, kind, fields; after=(), label=nothing, device=nothing, cost=0)
    file, line = user_place()
    text, before, out = text_or_nothing(label), numbers(after), Ref{UInt64}(0)
    GC.@preserve text file call(
        Raw.plait_graph_add, graph,
        Ref(sized(Raw.plait_node_desc; kind=kind, label=text_at(text), file=text_at(file),
                  line=max(line, 0), cost=cost,
                  device=device === nothing ? C_NULL : device.raw,
                  device_count=device === nothing ? 0 : 1, fields...)),
        before, length(before), out)
    return Node(graph, out[])
end

"""
    join!(graph; after, ...)

Does nothing: comes after several, and before others.
"""
join!(graph::Graph; how...) = add(graph, Raw.PLAIT_NODE_JOIN, (); how...)

"""
    launch!(graph, kernel, arguments...; items=1, group=(), scratch_bytes=0, after, ...)

A kernel. `items` may be a [`Parameter`](@ref): each run brings them.
"""
function launch!(graph::Graph, kernel::Kernel, given...; items=1, group=(), scratch_bytes=0, how...)
    made = Arguments(kernel, given)
    launch = Ref(items isa Parameter ? geometry(1) : geometry(items, group))
    GC.@preserve made launch items begin
        size = items isa Parameter ? (launch_parameter=text_at(items.name),) :
            (launch=Base.unsafe_convert(Ptr{Raw.plait_launch}, launch),)
        add(graph, Raw.PLAIT_NODE_LAUNCH,
            (kernel=handle(kernel), arguments=pointer(made.array), argument_count=length(given),
             scratch_bytes=scratch_bytes, size...); label=kernel.name, how...)
    end
end

"""
    call!(f, graph, arguments...; after, ...)

A function of Julia, which runs on the thread that owns the system. Buffers among its
arguments it gets as arrays, on the memory itself.
"""
function call!(f, graph::Graph, given...; how...)
    inbox = graph.system.inbox
    number = register(inbox, with_memory(f, given), graph.functions)
    add(graph, Raw.PLAIT_NODE_CALL, (inbox=handle(inbox), user_data=as_pointer(number));
        label=string(f), how...)
end

"""
    fill!(graph, buffer, value; after, ...)

Set all elements.
"""
function Base.fill!(graph::Graph, target::Buffer, value; how...)
    pattern, bytes = pattern_of(target, value)
    add(graph, Raw.PLAIT_NODE_FILL, (target=handle(target), bytes=sizeof(target), pattern=pattern,
                                     pattern_bytes=bytes); how...)
end

"""
    copy!(graph, target, source; after, ...)

Copy a buffer to another one of the same size.
"""
Base.copy!(graph::Graph, target::Buffer, source::Buffer; how...) =
    add(graph, Raw.PLAIT_NODE_COPY, (target=handle(target), source=handle(source),
                                     bytes=same_bytes(target, source)); how...)

"""
    copy!(graph, target, source, rows; after, ...)

Copy [`Rows`](@ref) of a buffer to rows of another one; views say where they begin.
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

A copy of all that `other` has now.
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

# A word that the device looks at, or a function that is asked.
function predicate(graph, condition::Buffer{T}, index) where {T}
    sizeof(T) == 4 || throw(ArgumentError("a condition is a UInt32, the buffer has $T"))
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

Goes on while `condition[index]`, a `UInt32`, is not 0. `first`: the body, a graph, runs
once before that is asked. `times`: how often is to be expected. The condition may be a
function of Julia, too, which returns a `Bool` or such a number.
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
    node, bodies = case!(graph, condition, branches; index=1, after, ...)

The branch whose number `condition[index]` has, or a function of Julia returns: 0 is the
first one.
"""
function case!(graph::Graph, condition::Condition, branches; index=1, how...)
    node = add(graph, Raw.PLAIT_NODE_CASE, (branch_count=branches, predicate(graph, condition, index)...); how...)
    return node, [body(graph, node, i - 1) for i in 1:branches]
end

"Buffers that take turns, one an iteration: `now`, `next`, `ahead(turns, n)`."
struct Turns
    now::Turn
    next::Turn
end

ahead(turns::Turns, count) = Turn(turns.now.rotation, count)

"""
    turns = rotate!(body, buffers...; prologue=false)

In the body of a loop: buffers that take turns; `turns.now` and `turns.next` are
arguments.
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
    freeze(graph; lanes, widest=false, mode=:auto, instances, check=false)

A plan: the schedule, which runs as often as you like.
"""
function freeze(graph::Graph; lanes=0, widest=false, mode=:auto, instances=0, check=false)
    desc = sized(Raw.plait_freeze_desc; lanes=lanes, instances=instances, mode=MODES[mode],
                 policy=widest ? Raw.PLAIT_POLICY_WIDEST : Raw.PLAIT_POLICY_BOUNDED,
                 flags=check ? Raw.PLAIT_FREEZE_CHECK : UInt32(0))
    raw = create(Raw.plait_graph_freeze, Raw.plait_plan, graph, Ref(desc))
    return Plan(raw, graph.system, Functions[graph.functions; graph.used])
end
