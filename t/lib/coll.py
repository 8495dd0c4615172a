# SPDX-License-Identifier: MIT
"""Oracle of collective schedules: executes MSCCL XML as the executors do, with
explicit FIFOs, flags and random interleavings.  It shares nothing with the
library: dictionaries are the memory, sorted tuples the values, vector clocks find
races.

    verdict(read(text))             (reason, detail): "ok", "shape", ...
    least_depth(read(text))         None: a deadlock at any depth
    safe_bytes(read(text))          None: any size
    promises(read(text))            what it computes, as `plait coll check --promise` reads it
"""
import random
import xml.etree.ElementTree as tree

SENDS = {"s", "rcs", "rrs", "rrcs"}
RECEIVES = {"r", "rcs", "rrs", "rrc", "rrcs"}
READS = {"s", "rrs", "rrc", "rrcs", "cpy", "re"}
STORES = {"r", "rcs", "rrc", "rrcs", "cpy", "re"}
ADDS = {"rrs", "rrc", "rrcs", "re"}
DEPTH = {"Simple": 2, "LL": 8, "LL128": 8}
SLOT = {"Simple": 2 << 20, "LL": 32 << 10, "LL128": 576000}
SIZES = {"allreduce": (1, 1), "alltoall": (1, 1), "broadcast": (1, 1), "reduce": (1, 1),
         "allgather": (0, 1), "gather": (0, 1), "reducescatter": (1, 0), "scatter": (1, 0)}
ANY = 71


class Refused(Exception):
    """(reason, text)"""


class Step:
    def __init__(self, element):
        get = element.get
        self.kind, self.count = get("type"), int(get("cnt"))
        self.number = int(get("s"))
        self.source = (get("srcbuf"), int(get("srcoff")))
        self.target = (get("dstbuf"), int(get("dstoff")))
        self.wait = (int(get("depid")), int(get("deps")))
        self.published = get("hasdep") == "1"


class Lane:
    def __init__(self, rank, element):
        self.rank, self.id = rank, int(element.get("id"))
        self.send, self.recv = int(element.get("send")), int(element.get("recv"))
        self.channel = int(element.get("chan"))
        self.steps = [Step(e) for e in element.iter("step")]
        self.clean()

    def clean(self):
        self.key = (self.rank, self.id)
        self.out = (self.rank, self.send, self.channel) if self.send >= 0 else None
        self.into = (self.recv, self.rank, self.channel) if self.recv >= 0 else None


class Program:
    def __init__(self, root):
        self.kind = root.get("coll").replace("_", "")
        self.protocol, self.chunks = root.get("proto"), int(root.get("nchunksperloop"))
        self.ranks, self.in_place = int(root.get("ngpus")), root.get("inplace") == "1"
        self.size, self.lanes = {}, []
        full, share = self.chunks, self.chunks // self.ranks
        for gpu in root.iter("gpu"):
            rank = int(gpu.get("id"))
            sizes = [int(gpu.get(k)) for k in ("i_chunks", "o_chunks", "s_chunks")]
            if self.kind in SIZES:
                for k in (0, 1):
                    sizes[k] = sizes[k] or (full if SIZES[self.kind][k] else share)
            self.size[rank] = dict(zip("ios", sizes))
            self.lanes += [Lane(rank, e) for e in gpu.iter("tb")]
        self.lanes.sort(key=lambda lane: lane.key)
        self.by_key = {lane.key: lane for lane in self.lanes}

    def cell(self, rank, buffer, index):
        """Memory of a chunk: in place, the output is in the input or around it."""
        if buffer != "o" or not self.in_place:
            return (rank, buffer, index)
        first = 0
        if self.kind in ("allgather", "gather"):
            first = -rank * self.size[rank]["i"]
        if self.kind in ("reducescatter", "scatter"):
            first = rank * self.size[rank]["o"]
        if 0 <= index + first < self.size[rank]["i"]:
            return (rank, "i", index + first)
        return (rank, "o", index)

    def promise(self, rank, index):
        """The sources that an output chunk shall have; None: any."""
        everyone, n = range(self.ranks), self.ranks
        share = self.chunks // n
        if self.kind == "allreduce" or (self.kind == "reduce" and rank == 0):
            return tuple((index, q) for q in everyone)
        if self.kind == "allgather" or (self.kind == "gather" and rank == 0):
            return ((index % share, index // share),)
        if self.kind == "reducescatter":
            return tuple((rank * share + index, q) for q in everyone)
        if self.kind == "alltoall":
            return ((rank * share + index % share, index // share),)
        if self.kind == "broadcast":
            return ((index, 0),)
        if self.kind == "scatter":
            return ((rank * share + index, 0),)
        return None


def read(text):
    return Program(tree.fromstring(text))


# --- shape -------------------------------------------------------------------

def check_sizes(program):
    if program.kind not in SIZES:
        return
    full, n = program.chunks, program.ranks
    for rank, size in program.size.items():
        for k, buffer in enumerate("io"):
            want = full if SIZES[program.kind][k] else full // n
            if size[buffer] != want or (full % n and 0 in SIZES[program.kind]) or \
                    (program.kind == "alltoall" and full % n):
                raise Refused("value", "rank %d: size of %s" % (rank, buffer))


def check_connections(program):
    ends = {}
    for lane in program.lanes:
        for side, name in (("out", lane.out), ("into", lane.into)):
            if name and (name, side) in ends:
                raise Refused("shape", "two lanes of %s" % (name,))
            ends[name, side] = lane
    counts = {}
    for lane in program.lanes:
        for step in lane.steps:
            if step.kind in SENDS:
                counts.setdefault((lane.out, "out"), []).append(step.count)
            if step.kind in RECEIVES:
                counts.setdefault((lane.into, "into"), []).append(step.count)
    for name, _ in list(counts):
        if name is None:
            raise Refused("shape", "no peer")
        if counts.get((name, "out")) != counts.get((name, "into")):
            raise Refused("shape", "counts of %s" % (name,))


def check_bounds(program):
    """Stores outside of a buffer have no shape, reads no value."""
    for used, field, reason in ((STORES, "target", "shape"), (READS, "source", "value")):
        for lane in program.lanes:
            for step in lane.steps:
                buffer, first = getattr(step, field)
                if step.kind in used and first + step.count > program.size[lane.rank][buffer]:
                    raise Refused(reason, "bounds")


def check_waits(program):
    for lane in program.lanes:
        for step in lane.steps:
            tb, number = step.wait
            if tb < 0:
                continue
            other = program.by_key.get((lane.rank, tb))
            if other is None or not any(
                    s.published and s.kind != "nop" for s in other.steps if s.number >= number):
                raise Refused("shape", "a wait that never ends")
            if other is lane and number >= step.number:
                raise Refused("shape", "a wait for a later step")
        for one, other in zip(lane.steps, lane.steps[1:]):
            if one.kind == other.kind == "re" and one.target == other.target and \
                    one.source[0] == other.source[0] and other.wait[0] < 0 and \
                    not one.published and one.count != other.count:
                raise Refused("shape", "merged counts")
        if lane.steps and lane.steps[-1].kind == "nop":
            raise Refused("shape", "a nop at the end")


# --- execution ---------------------------------------------------------------

class Machine:
    """One tile.  A message is (value, clock); a clock is {lane: steps}."""

    def __init__(self, program, depth, at_once=True, part=ANY, values=True, seed=0):
        self.program, self.depth, self.at_once, self.part = program, depth, at_once, part
        self.random, self.values = random.Random(seed), values
        self.pc = {lane.key: 0 for lane in program.lanes}
        self.done = dict(self.pc)          # parts of the step
        self.popped = {}                   # fused steps that have their message
        self.fifo, self.flags = {}, {lane.key: [] for lane in program.lanes}
        self.clock = {lane.key: {} for lane in program.lanes}
        self.race, self.fault = None, None
        self.memory, self.writer, self.readers, self.ids = {}, {}, {}, {}
        for rank, size in program.size.items():
            # Only the root of these has an input.
            for index in range(size["i"] if program.kind not in ("broadcast", "scatter")
                               or rank == 0 else 0):
                self.memory[rank, "i", index] = self.leaf(index, rank)

    # values: (sorted sources, number of the expression)
    def leaf(self, index, rank):
        return (((index, rank),), self.ids.setdefault((index, rank), len(self.ids)))

    def add(self, one, other):
        key = ("+", *sorted((one[1], other[1])))
        sources = tuple(sorted(one[0] + other[0]))
        if any(a == b for a, b in zip(sources, sources[1:])):
            self.fault = self.fault or "a duplicate"
        return (sources, self.ids.setdefault(key, len(self.ids)))

    def parts(self, step):
        return max(1, -(-step.count // self.part))

    def can(self, lane):
        """Can the lane do something: a part of a step, or the first half of one?"""
        if self.pc[lane.key] == len(lane.steps):
            return False
        step = lane.steps[self.pc[lane.key]]
        tb, number = step.wait
        if self.done[lane.key] == 0 and tb >= 0 and lane.key not in self.popped and \
                not any(n >= number for n, _ in self.flags[lane.rank, tb]):
            return False
        has = step.kind not in RECEIVES or lane.key in self.popped or \
            bool(self.fifo.get(lane.into))
        room = step.kind not in SENDS or len(self.fifo.get(lane.out, ())) < self.depth
        if self.at_once or step.kind not in RECEIVES or lane.key in self.popped:
            return has and room
        return has

    def join(self, lane, other):
        mine = self.clock[lane.key]
        for key, steps in other.items():
            if steps > mine.get(key, 0):
                mine[key] = steps

    def access(self, lane, cell, store):
        if not self.values:
            return
        mine, now = self.clock[lane.key], self.pc[lane.key] + 1
        before = [self.writer.get(cell)] if not store else \
            [self.writer.get(cell), *self.readers.get(cell, {}).items()]
        for other in before:
            if other and other[0] != lane.key and mine.get(other[0], 0) < other[1]:
                self.race = self.race or (lane.key, other, cell)
        if store:
            self.writer[cell], self.readers[cell] = (lane.key, now), {}
        else:
            self.readers.setdefault(cell, {})[lane.key] = now

    def load(self, lane, where, i):
        cell = self.program.cell(lane.rank, where[0], where[1] + i)
        self.access(lane, cell, False)
        if cell not in self.memory:
            self.fault = self.fault or "uninitialised %s" % (cell,)
            return self.leaf(-1 - len(self.ids), -1)
        return self.memory[cell]

    def compute(self, lane, step, message):
        """The whole step: what is stored and sent."""
        cell = self.program.cell
        if step.kind in READS and step.kind in STORES:
            sources = [cell(lane.rank, step.source[0], step.source[1] + i)
                       for i in range(step.count)]
            for i in range(step.count):
                at = cell(lane.rank, step.target[0], step.target[1] + i)
                if at in sources and sources.index(at) != i:
                    self.race = self.race or (lane.key, "itself", at)
        result = []
        for i in range(step.count):
            value = self.load(lane, step.source, i) if step.kind in READS else None
            if step.kind in RECEIVES:
                value = self.add(value, message[i]) if step.kind in ADDS else message[i]
            elif step.kind == "re":
                value = self.add(value, self.load(lane, step.target, i))
            result.append(value)
        for i in range(step.count):
            if step.kind in STORES:
                at = cell(lane.rank, step.target[0], step.target[1] + i)
                self.access(lane, at, True)
                self.memory[at] = result[i]
        return result

    def wait(self, lane, step):
        tb, number = step.wait
        if tb >= 0:
            self.join(lane, next(c for n, c in self.flags[lane.rank, tb] if n >= number))

    def advance(self, lane):
        step = lane.steps[self.pc[lane.key]]
        if step.kind in RECEIVES and lane.key not in self.popped:
            self.popped[lane.key] = self.fifo[lane.into].pop(0)
            if step.kind in SENDS and not self.at_once:
                return
        message = self.popped.pop(lane.key, None)
        self.done[lane.key] += 1
        last = self.done[lane.key] == self.parts(step)
        result = None
        if self.values:
            if self.done[lane.key] == 1:
                self.wait(lane, step)
            if message:
                self.join(lane, message[1])
            self.clock[lane.key][lane.key] = self.pc[lane.key] + 1
            if last and step.kind != "nop":
                result = self.compute(lane, step, message and message[0])
        if step.kind in SENDS:
            self.fifo.setdefault(lane.out, []).append((result, dict(self.clock[lane.key])))
        if last:
            if step.published:
                self.flags[lane.key].append((step.number, dict(self.clock[lane.key])))
            self.pc[lane.key] += 1
            self.done[lane.key] = 0

    def run(self):
        """True if the tile ends."""
        ready = list(self.program.lanes)
        while ready:
            lane = ready[self.random.randrange(len(ready))]
            if not self.can(lane):
                ready.remove(lane)
                if not ready:
                    ready = [other for other in self.program.lanes if self.can(other)]
                continue
            self.advance(lane)
            if len(ready) < 3:
                ready = [other for other in self.program.lanes if self.can(other)]
        return all(self.pc[lane.key] == len(lane.steps) for lane in self.program.lanes)


# --- questions ---------------------------------------------------------------

def unlimited(program):
    return max([1] + [sum(s.kind in SENDS for s in lane.steps) for lane in program.lanes])


def ends(program, depth, at_once=True, part=1 << 30, seed=0):
    return Machine(program, depth, at_once, part, values=False, seed=seed).run()


def least_depth(program, at_once=True, seed=0):
    most = unlimited(program)
    if not ends(program, most, at_once, seed=seed):
        return None
    return next(d for d in range(1, most + 1) if ends(program, d, at_once, seed=seed))


def safe_bytes(program, depth=0, slot=0, seed=0):
    depth, slot = depth or DEPTH[program.protocol], slot or SLOT[program.protocol]
    most = max([1] + [s.count for lane in program.lanes for s in lane.steps])
    last = None
    for part in range(min(most, ANY), 0, -1):
        parts = [-(-s.count // part) for lane in program.lanes for s in lane.steps]
        if parts != last and not ends(program, depth, True, part, seed):
            return 0 if last is None else slot // (part + 1) * program.chunks
        last = parts
    return None


def check_values(program, machine):
    if machine.fault:
        raise Refused("value", machine.fault)
    for rank, size in program.size.items():
        for index in range(size["o"]):
            want = program.promise(rank, index)
            got = machine.memory.get(program.cell(rank, "o", index), ((), 0))[0]
            if want is not None and got != tuple(sorted(want)):
                raise Refused("value", "rank %d output %d" % (rank, index))


def same_bits(program, machine):
    if program.kind not in ("allreduce", "allgather", "broadcast"):
        return True
    return all(len({machine.memory[program.cell(rank, "o", index)][1]
                    for rank in range(program.ranks)}) == 1
               for index in range(program.size[0]["o"]))


def promises(program):
    """Results of a program that ends, as text: lines of RANK.CHUNK = RANK.CHUNK + ..."""
    machine = Machine(program, 1 << 30, True, 1 << 30)
    machine.run()
    lines = []
    for rank, size in sorted(program.size.items()):
        for index in range(size["o"]):
            sources = machine.memory.get(program.cell(rank, "o", index), ((), 0))[0]
            if sources:
                lines.append("%d.%d = %s\n" % (rank, index,
                                               " + ".join("%d.%d" % (q, i) for i, q in sources)))
    return "".join(lines)


def verdict(program, depth=0, at_once=True, seed=0):
    """(reason, detail), in the order of the proof's phases."""
    try:
        check_waits(program)
        check_connections(program)
        check_bounds(program)
        if not ends(program, depth or DEPTH[program.protocol], at_once, seed=seed):
            raise Refused("deadlock", "")
        machine = Machine(program, 1 << 30, at_once, 1 << 30, seed=seed)
        machine.run()
        if machine.race:
            raise Refused("race", str(machine.race))
        check_sizes(program)
        check_values(program, machine)
    except Refused as refused:
        return refused.args
    return ("ok", same_bits(program, machine))
