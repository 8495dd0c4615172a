# SPDX-License-Identifier: MIT
# Tests of the Julia layer; TAP.
#
#     JULIA_NUM_THREADS=2 julia --project test/runtests.jl
using Plait
using Plait: Raw

const tally = [0, 0]
function ok(held, name, details...)
    tally[1] += 1
    held === true || (tally[2] += 1)
    println(held === true ? "ok " : "not ok ", tally[1], " - ", name)
    held === true || foreach(detail -> println("#   ", replace(string(detail), '\n' => "\n#   ")), details)
end
is(got, want, name) = ok(isequal(got, want), name, "got $(repr(got))", "wanted $(repr(want))")

# Check the type and the text of the exception of f.
function throws(f, type, pattern, name)
    text = try
        f()
        "nothing"
    catch problem
        problem isa type ? sprint(showerror, problem) : "a $(typeof(problem)): $problem"
    end
    ok(occursin(pattern, text), name, "got $text")
end

include("layout.jl")
include("arrays.jl")
include("functions.jl")
include("plans.jl")
include("tasks.jl")
include("flows.jl")
include("colls.jl")
include("collection.jl")

# Run in a new task, whose stack holds no references of the tests.
is(fetch(@async live_count_falls_to(0)), 0, "nothing is left")
println("1..", tally[1])
exit(tally[2] == 0 ? 0 : 1)
