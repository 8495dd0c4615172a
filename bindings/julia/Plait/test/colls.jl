# SPDX-License-Identifier: MIT
# Tests of collectives: programs, proofs, graphs.

test("collectives"; backend="host") do system, device, queue
    spread = Coll(system, :broadcast, 3; algorithm="ring", root=1, chunks=2, label="spread")
    schedule = compile(spread)
    info = Plait.properties(schedule)
    is((info.kind, info.target, info.root, info.in_place, info.name), (:broadcast, :plait, 1, false, "spread"), "properties")
    source, outputs = array(device, Int64[2, 3]), [array(device, zeros(Int64, 2)) for _ in 1:3]
    freeze(Graph(schedule, 2, Int64; inputs=[nothing, source, nothing], outputs=outputs, devices=fill(device, 3)))()
    is(map(Array, outputs), fill([2, 3], 3), "a broadcast")
    throws(() -> Graph(schedule, 2, Int64; outputs=outputs[1:2]), DimensionMismatch,
           "outputs: 2 given, the schedule has 3 ranks", "too few buffers")
    throws(() -> Coll(system, :all, 2), ArgumentError, "is none of allgather", "a kind that is none")
    throws(() -> Coll(system, :broadcast, 3; algorithm="none"), PlaitError, "ring", "an algorithm that is none")
    pairs = compile(Coll(system, :allreduce, 2; in_place=true, algorithm="allpairs"))
    halves = [array(device, [one]) for one in (Float16(1), Float16(2))]
    freeze(Graph(pairs, 1, :f16; outputs=halves))()
    is(Array(halves[1]), [Float16(3)], "half floats")
    numbers = [array(device, [one]) for one in (0x07, 0x09)]
    freeze(Graph(pairs, 1, UInt8; outputs=numbers, op=:min))()
    is(Array(numbers[2]), [0x07], "the least one")
    throws(() -> Graph(pairs, 1; op=:xor), ArgumentError, "op: :xor is none of max", "an operation that is none")
end

test("chunks"; backend="host") do system, device, queue
    coll = Coll(system, :custom, 2; inputs=2, outputs=1)
    old = chunk(coll, 0, :i, 0, 2)
    moved = copy!(part(old, 0), 1, :s3, 0; lanes=(0, 0))
    reduce!(chunk(coll, 0, :i, 1), moved)
    throws(() -> copy!(old, 1, :o, 0), PlaitError, "", "a stale chunk")
    throws(() -> chunk(coll, 2, :i, 0), PlaitError, "rank", "a rank that is none")
    throws(() -> chunk(coll, 0, :x, 0), ArgumentError, "is none of :i, :o, :s, :s1", "a buffer that is none")
    throws(() -> parallel(() -> chunk(coll, 0, :o, 5), coll, 2), PlaitError, "", "in a fragment")
    compile(coll)
    ok(true, "which has ended")
end

test("proofs and forms"; backend="host") do system, device, queue
    text = "broadcast ranks=2\nfor r in 0..2 { copy(input[0, 0], output[r, 0]) }\n"
    schedule = compile(read_coll(system, text); target=:executor, protocol=:simple, depth=2, channels=1,
                       slot_bytes=65536, max_bytes=2^20, fusion=false, separate_lanes=true)
    proof = check(schedule; target=:executor, depth=1, slot_bytes=4096)
    is((proof.reason, proof.ranks), (nothing, 2), "a proof")
    ok(:executor in proof.exports, "what can express it", proof.exports)
    problem = try
        check(schedule; kind=:allreduce)
    catch problem
        problem
    end
    ok(problem isa Plait.Refused && problem.proof.reason isa Symbol, "another collective is refused")
    ok(problem.error isa PlaitError && !isempty(sprint(showerror, problem)), "with an error")
    xml = Plait.bytes(schedule; format=:executor)
    is(check(read_schedule(system, xml; name="it.xml")).reason, nothing, "written and read")
    throws(() -> read_schedule(system, "<algo"; name="it.xml"), PlaitError, "it.xml", "XML that is none")
    throws(() -> simulate(schedule, "cluster rank=4", 8; name="a.cluster"), PlaitError, "a.cluster:1", "a wrong cluster")
end
