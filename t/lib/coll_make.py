# SPDX-License-Identifier: MIT
"""Schedules as XML: known algorithms, random programs, mutants.

A schedule is a dictionary, so that mutants are changes of numbers:

    {"attributes": {...}, "gpus": [{"i", "o", "s", "lanes": [lane, ...]}]}
    lane: {"send", "recv", "chan", "steps": [step, ...]}
    step: {"type", "src": (buffer, offset), "dst": ..., "cnt", "waits": [(lane, step)]}

Waits name steps without nops; text() numbers the nops that it adds.
"""
import copy
import xml.etree.ElementTree as tree

NONE = ("i", 0)


def schedule(kind, ranks, chunks, proto="Simple", in_place=True, scratch=0, sizes=None):
    attributes = {"name": "t", "proto": proto, "nchannels": 1, "nchunksperloop": chunks,
                  "ngpus": ranks, "coll": kind, "inplace": int(in_place),
                  "outofplace": int(not in_place), "minBytes": 0, "maxBytes": 0}
    i, o = sizes or (0, 0)
    return {"attributes": attributes,
            "gpus": [{"i": i, "o": o, "s": scratch, "lanes": []} for _ in range(ranks)]}


def lane(made, rank, send=-1, recv=-1, chan=0):
    """Find or add a lane; returns its number."""
    lanes = made["gpus"][rank]["lanes"]
    for number, one in enumerate(lanes):
        if (one["send"], one["recv"], one["chan"]) == (send, recv, chan):
            return number
    lanes.append({"send": send, "recv": recv, "chan": chan, "steps": []})
    made["attributes"]["nchannels"] = max(made["attributes"]["nchannels"], chan + 1)
    return len(lanes) - 1


def step(made, rank, number, kind, src=NONE, dst=NONE, cnt=1, waits=()):
    """Add a step; returns (lane, step) for a wait."""
    steps = made["gpus"][rank]["lanes"][number]["steps"]
    steps.append({"type": kind, "src": src, "dst": dst, "cnt": cnt, "waits": list(waits)})
    return (number, len(steps) - 1)


def numbered(one):
    """The steps of a lane with nops, and the number of each step."""
    rows, numbers = [], []
    for at in one["steps"]:
        waits = at["waits"] or [None]
        rows += [("nop", None, wait) for wait in waits[:-1]]
        numbers.append(len(rows))
        rows.append((at["type"], at, waits[-1]))
    return rows, numbers


def text(made, drop=()):
    """XML; `drop` names attributes of algo to leave out."""
    out = ["<algo %s>" % " ".join('%s="%s"' % item for item in made["attributes"].items()
                                  if item[0] not in drop)]
    for rank, gpu in enumerate(made["gpus"]):
        out.append('  <gpu id="%d" i_chunks="%d" o_chunks="%d" s_chunks="%d">' %
                   (rank, gpu["i"], gpu["o"], gpu["s"]))
        both = [numbered(one) for one in gpu["lanes"]]
        awaited = {wait for one in gpu["lanes"] for at in one["steps"] for wait in at["waits"]}
        for number, one in enumerate(gpu["lanes"]):
            out.append('    <tb id="%d" send="%d" recv="%d" chan="%d">' %
                       (number, one["send"], one["recv"], one["chan"]))
            place = 0
            for s, (kind, at, wait) in enumerate(both[number][0]):
                depid, deps = (-1, -1) if wait is None else (wait[0], both[wait[0]][1][wait[1]])
                has = 0
                if at is not None:
                    has = int((number, place) in awaited)
                    place += 1
                src, dst, cnt = (at["src"], at["dst"], at["cnt"]) if at else (NONE, NONE, 0)
                out.append('      <step s="%d" type="%s" srcbuf="%s" srcoff="%d" dstbuf="%s" '
                           'dstoff="%d" cnt="%d" depid="%d" deps="%d" hasdep="%d"/>' %
                           (s, kind, *src, *dst, cnt, depid, deps, has))
            out.append("    </tb>")
        out.append("  </gpu>")
    return "\n".join(out + ["</algo>", ""])


# --- known algorithms --------------------------------------------------------

def ring_allreduce(ranks, per_rank=1, channels=1, proto="Simple", in_place=True, order=False):
    """`order`: all first sends before the first reduction, as list schedulers that
    ignore slots do."""
    made = schedule("allreduce", ranks, ranks * per_rank, proto, in_place)
    buffer = "i" if in_place else "o"
    for rank in range(ranks):
        jobs = []
        for k in range(per_rank):
            for hop in range(2 * ranks - 1):
                jobs.append((hop, k) if order else (k, hop))
        for job in sorted(jobs):
            hop, k = job if order else (job[1], job[0])
            ring_step(made, rank, hop, k, per_rank, channels, buffer)
    return made


def ring_step(made, rank, hop, k, per_rank, channels, buffer):
    ranks = len(made["gpus"])
    number = lane(made, rank, (rank + 1) % ranks, (rank - 1) % ranks, k % channels)
    chunk = (rank - hop) % ranks * per_rank + k
    kinds = ["s"] + ["rrs"] * (ranks - 2) + ["rrcs"] + ["rcs"] * (ranks - 2) + ["r"]
    step(made, rank, number, kinds[hop], ("i", chunk), (buffer, chunk))


def direct(kind, ranks, share=1, count=1, in_place=False):
    """All pairs: allgather or alltoall, sends and receipts on lanes of their own."""
    total = ranks * share
    made = schedule(kind, ranks, total, "LL", in_place,
                    sizes=(share if kind == "allgather" else total, total))
    for rank in range(ranks):
        own = "o" if in_place else "i"
        for c in range(0, share, count):
            at = c if kind == "allgather" else rank * share + c
            if not in_place:
                step(made, rank, lane(made, rank), "cpy", (own, at), ("o", rank * share + c), count)
            for hop in range(1, ranks):
                to, source = (rank + hop) % ranks, (rank - hop) % ranks
                src = (rank * share if in_place else 0) + c if kind == "allgather" else \
                    to * share + c
                step(made, rank, lane(made, rank, to, -1), "s", (own, src), NONE, count)
                step(made, rank, lane(made, rank, -1, source), "r", NONE,
                     ("o", source * share + c), count)
    return made


def allpairs_allreduce(ranks, share=1, in_place=True):
    """Each rank reduces its share in scratch; then all get it."""
    made = schedule("allreduce", ranks, ranks * share, "LL", in_place, scratch=ranks * share)
    out = "i" if in_place else "o"
    for rank in range(ranks):
        received = []
        for hop in range(1, ranks):
            peer = (rank + hop) % ranks
            step(made, rank, lane(made, rank, peer, peer), "s", ("i", peer * share), NONE, share)
        for hop in range(1, ranks):
            peer = (rank + hop) % ranks
            received.append(step(made, rank, lane(made, rank, peer, peer), "r", NONE,
                                 ("s", peer * share), share))
        number = lane(made, rank)
        if not in_place:
            step(made, rank, number, "cpy", ("i", rank * share), ("o", rank * share), share)
        last = None
        for hop in range(1, ranks):
            peer = (rank + hop) % ranks
            last = step(made, rank, number, "re", ("s", peer * share), (out, rank * share),
                        share, [received[hop - 1]])
        for hop in range(1, ranks):
            peer = (rank + hop) % ranks
            step(made, rank, lane(made, rank, peer, peer), "s", (out, rank * share), NONE, share,
                 [last])
        for hop in range(1, ranks):
            peer = (rank + hop) % ranks
            step(made, rank, lane(made, rank, peer, peer), "r", NONE, (out, peer * share), share)
    return made


def reduce_scatter(ranks, share=1, in_place=True):
    made = schedule("reducescatter", ranks, ranks * share, "Simple", in_place)
    for rank in range(ranks):
        target = ("i", rank * share) if in_place else ("o", 0)
        for hop in range(1, ranks):
            peer = (rank + hop) % ranks
            step(made, rank, lane(made, rank, peer, -1), "s", ("i", peer * share), NONE, share)
        wait = []
        if not in_place:
            wait = [step(made, rank, lane(made, rank), "cpy", ("i", rank * share), target, share)]
        for hop in range(1, ranks):
            peer = (rank - hop) % ranks
            wait = [step(made, rank, lane(made, rank, -1, peer), "rrc", target, target, share,
                         wait)]
    return made


def rooted(kind, ranks, share=1):
    """broadcast, reduce, gather and scatter over a star around rank 0."""
    total = share * ranks if kind in ("gather", "scatter") else share
    made = schedule(kind, ranks, total, "Simple", False)
    whole = share
    last = []
    own = step(made, 0, lane(made, 0), "cpy", ("i", 0), ("o", 0), whole)
    for peer in range(1, ranks):
        if kind in ("broadcast", "scatter"):
            step(made, 0, lane(made, 0, peer), "s", ("i", peer * share * (kind == "scatter")),
                 NONE, whole)
            step(made, peer, lane(made, peer, -1, 0), "r", NONE, ("o", 0), whole)
        else:
            step(made, peer, lane(made, peer, 0), "s", ("i", 0), NONE, whole)
            if kind == "gather":
                step(made, 0, lane(made, 0, -1, peer), "r", NONE, ("o", peer * share), whole)
            else:
                last = [step(made, 0, lane(made, 0, -1, peer), "rrc", ("o", 0), ("o", 0), whole,
                             last or [own])]
    return made


def onestep_allreduce(ranks):
    """Each rank adds all inputs in an order of its own, so that bits differ."""
    made = schedule("allreduce", ranks, 1, "LL", False, scratch=ranks)
    for rank in range(ranks):
        wait = [step(made, rank, lane(made, rank), "cpy", ("i", 0), ("o", 0))]
        for hop in range(1, ranks):
            peer = (rank + hop) % ranks
            step(made, rank, lane(made, rank, peer, peer), "s", ("i", 0))
            got = step(made, rank, lane(made, rank, peer, peer), "r", NONE, ("s", peer))
            step(made, rank, wait[0][0], "re", ("s", peer), ("o", 0), 1, [got])
    return made


def echo(count, broken=()):
    """Rank 1 returns each chunk, which overwrites the one that was sent: only messages
    order that.  A broken lane of rank 1 sends before it receives."""
    made = schedule("custom", 2, count, "LL", False, scratch=count, sizes=(count, count))
    for k in range(count):
        step(made, 0, lane(made, 0, 1, -1, k), "s", ("i", k))
        step(made, 0, lane(made, 0, -1, 1, k), "r", NONE, ("i", k))
        back = lane(made, 1, 0, 0, k)
        steps = [("r", NONE, ("s", k)), ("s", ("i", k), NONE)]
        for kind, src, dst in reversed(steps) if k in broken else steps:
            step(made, 1, back, kind, src, dst)
    return made


def parsed(text):
    """A schedule of XML, so that it can be changed; nops become waits."""
    root = tree.fromstring(text)
    made = {"attributes": dict(root.attrib), "gpus": []}
    for key in ("nchannels", "nchunksperloop", "ngpus", "inplace"):
        made["attributes"][key] = int(made["attributes"][key])
    for gpu in sorted(root.iter("gpu"), key=lambda g: int(g.get("id"))):
        blocks = sorted(gpu.iter("tb"), key=lambda b: int(b.get("id")))
        places = [published(block) for block in blocks]
        made["gpus"].append({"i": int(gpu.get("i_chunks")), "o": int(gpu.get("o_chunks")),
                             "s": int(gpu.get("s_chunks")),
                             "lanes": [parsed_lane(b, n, places) for n, b in enumerate(blocks)]})
    return made


def published(block):
    """By number of a step: the place of the step that ends a wait for it."""
    steps, found, place = list(block.iter("step")), {}, 0
    for at in steps:
        if at.get("type") != "nop":
            if at.get("hasdep") == "1":
                for number in range(int(at.get("s")) + 1):
                    found.setdefault(number, place)
            place += 1
    return found


def parsed_lane(block, number, places):
    one = {"send": int(block.get("send")), "recv": int(block.get("recv")),
           "chan": int(block.get("chan")), "steps": []}
    waits = []
    for at in block.iter("step"):
        other, deps = int(at.get("depid")), int(at.get("deps"))
        if other >= 0 and other != number:
            waits.append((other, places[other][deps]))
        if at.get("type") != "nop":
            one["steps"].append({"type": at.get("type"), "cnt": int(at.get("cnt")),
                                 "src": (at.get("srcbuf"), int(at.get("srcoff"))),
                                 "dst": (at.get("dstbuf"), int(at.get("dstoff"))), "waits": waits})
            waits = []
    return one


# --- random programs ---------------------------------------------------------

class Tracer:
    """Lowers copies and reductions in program order, with all waits they need."""

    def __init__(self, made, random):
        self.made, self.random = made, random
        self.writer, self.readers = {}, {}

    def access(self, rank, cells, store):
        waits = []
        for cell in cells:
            waits += [self.writer[rank, cell]] if (rank, cell) in self.writer else []
            if store:
                waits += self.readers.get((rank, cell), [])
        return waits

    def add(self, rank, number, kind, src, dst, cnt, reads, stores):
        waits = self.access(rank, reads, False) + self.access(rank, stores, True)
        newest = {}
        for one, place in waits:
            if one != number:
                newest[one] = max(place, newest.get(one, -1))
        at = step(self.made, rank, number, kind, src, dst, cnt, sorted(newest.items()))
        for cell in stores:
            self.writer[rank, cell], self.readers[rank, cell] = at, []
        for cell in reads:
            self.readers.setdefault((rank, cell), []).append(at)

    def move(self, source, src, target, dst, cnt, adds):
        """src of rank source to dst of rank target, copied or added."""
        cells = [(src[0], src[1] + i) for i in range(cnt)]
        to = [(dst[0], dst[1] + i) for i in range(cnt)]
        if source == target:
            self.add(source, lane(self.made, source), "re" if adds else "cpy", src, dst, cnt,
                     cells + (to if adds else []), to)
            return
        chan = self.random.randrange(2)
        joined = (source + target + chan) % 2
        out = lane(self.made, source, target, target if joined else -1, chan)
        self.add(source, out, "s", src, NONE, cnt, cells, [])
        into = lane(self.made, target, source if joined else -1, source, chan)
        self.add(target, into, "rrc" if adds else "r", dst, dst, cnt, to if adds else [], to)


def random_program(random):
    ranks, chunks = random.randint(2, 4), random.randint(1, 4)
    in_place = random.random() < 0.5
    kind = random.choice(["custom", "custom", "allreduce"])
    made = schedule(kind, ranks, chunks, random.choice(["Simple", "LL"]), in_place, scratch=2,
                    sizes=(chunks, chunks))
    tracer, size = Tracer(made, random), {"i": chunks, "o": chunks, "s": 2}
    for _ in range(random.randint(1, 14)):
        places = []
        cnt = random.randint(1, 2)
        for _ in range(2):
            buffer = random.choice("iioos")
            cnt = min(cnt, size[buffer])
            places.append([buffer, random.randrange(size[buffer])])
        cnt = min([cnt] + [size[b] - at for b, at in places])
        (source, target) = (random.randrange(ranks), random.randrange(ranks))
        if source == target and places[0][0] == places[1][0]:
            continue
        tracer.move(source, tuple(places[0]), target, tuple(places[1]), cnt,
                    random.random() < 0.4)
    if random.random() < 0.6:
        fuse(made, random)
    return made


def fuse(made, random):
    """Join a receipt and the next send of the lane that sends the same chunks; the
    result may deadlock, race or differ, which is what tests are for."""
    kinds = {("r", "s"): "rcs", ("rrc", "s"): "rrcs"}
    for gpu in made["gpus"]:
        for number, one in enumerate(gpu["lanes"]):
            steps, k = one["steps"], 0
            while k + 1 < len(steps):
                a, b = steps[k], steps[k + 1]
                kind = kinds.get((a["type"], b["type"]))
                if kind and a["dst"] == b["src"] and a["cnt"] == b["cnt"] and \
                        random.random() < 0.8:
                    a["type"], a["waits"] = kind, sorted(set(a["waits"]) | set(b["waits"]))
                    remove(gpu, number, k + 1)
                k += 1


def remove(gpu, number, place):
    """Remove a step; waits for it become waits for the one before."""
    del gpu["lanes"][number]["steps"][place]
    for one in gpu["lanes"]:
        for at in one["steps"]:
            at["waits"] = [(n, p - (n == number and p >= place)) for n, p in at["waits"]]
            at["waits"] = [(n, p) for n, p in at["waits"] if p >= 0]


# --- mutants -----------------------------------------------------------------

EXCHANGE = {"rcs": ["rrs", "rrcs", "r"], "rrs": ["rcs", "rrcs"], "rrcs": ["rrs", "rcs"],
            "rrc": ["r"], "r": ["rrc"], "cpy": ["re"], "re": ["cpy"], "s": ["s"]}


def mutant(made, random):
    """(name, changed copy), or None if the change has no place here."""
    made = copy.deepcopy(made)
    gpu = random.choice(made["gpus"])
    lanes = [one for one in gpu["lanes"] if one["steps"]]
    if not lanes:
        return None
    one = random.choice(lanes)
    place = random.randrange(len(one["steps"]))
    at = one["steps"][place]
    name = random.choice(["wait", "wait", "swap", "channel", "count", "shift", "kind", "earlier"])
    if name in ("wait", "earlier"):
        some = [s for l in lanes for s in l["steps"] if s["waits"]]
        if not some:
            return None
        at = random.choice(some)
        k = random.randrange(len(at["waits"]))
        lane_number, number = at["waits"].pop(k)
        if name == "earlier" and number > 0:
            at["waits"].insert(k, (lane_number, number - 1))
    elif name == "swap":
        if place + 1 == len(one["steps"]):
            return None
        one["steps"][place], one["steps"][place + 1] = one["steps"][place + 1], at
    elif name == "channel":
        one["chan"] = (one["chan"] + 1) % (made["attributes"]["nchannels"] + 1)
        made["attributes"]["nchannels"] += 1
    elif name == "count":
        at["cnt"] += 1
    elif name == "shift":
        field = random.choice(["src", "dst"])
        at[field] = (at[field][0], max(0, at[field][1] + random.choice([-1, 1])))
    else:
        at["type"] = random.choice(EXCHANGE[at["type"]])
    return name, made


def unrolled(made, tiles, slots):
    """`tiles` tiles as one: inputs and outputs of their own, scratch of tile t mod
    `slots`."""
    made = copy.deepcopy(made)
    for gpu in made["gpus"]:
        size = {"i": gpu["i"], "o": gpu["o"], "s": gpu["s"]}
        counts = [len(one["steps"]) for one in gpu["lanes"]]
        for one in gpu["lanes"]:
            once, one["steps"] = one["steps"], []
            for tile in range(tiles):
                for at in copy.deepcopy(once):
                    for field in ("src", "dst"):
                        buffer, offset = at[field]
                        place = tile % slots if buffer == "s" else tile
                        at[field] = (buffer, offset + place * size[buffer])
                    at["waits"] = [(n, p + tile * counts[n]) for n, p in at["waits"]]
                    one["steps"].append(at)
        gpu["i"], gpu["o"], gpu["s"] = size["i"] * tiles, size["o"] * tiles, size["s"] * slots
    made["attributes"]["nchunksperloop"] *= tiles
    return made
