#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait run: rehearsals of example and random graphs; the events and pictures
that it writes have each command as often as the graph says, lanes that do one
thing at a time, and every edge kept.  seed=N runs only that random graph."""
import json
import os
import random
import re
import sys
import tempfile
import xml.etree.ElementTree as xml
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import Writer, bodies, read_graph
from plans import Broken, check_plan
from tap import BUILD, SANITIZER, done, none, ok, read, run

PLAIT = os.path.join(BUILD, "tools/plait/plait")
FOLDER = tempfile.TemporaryDirectory()
SEEDS = range(12 if SANITIZER == "no" else 4)
SEEDS = [int(a[5:]) for a in sys.argv if a.startswith("seed=")] or SEEDS
HOW = (["--parallel", "--lanes", "3"], ["--parallel", "--lanes", "3", "--mode", "helped"], ["--serial"])
SVG = "{http://www.w3.org/2000/svg}"
# Each lane on its own, however few processors there are.
os.environ["PLAIT_LANES"] = "0"


def at(name):
    return os.path.join(FOLDER.name, name)


def plait(*args, text=None):
    return run([PLAIT, *args], input=text, timeout=300)


def ns(number):
    """Microseconds as they are in the file to nanoseconds, exactly."""
    found = Decimal(number) * 1000
    assert found == int(found), number
    return int(found)


def unique(text):
    """The same graph with names that are there once, in whichever body."""
    lines, stack, count = [], [0], 0
    for line in text.splitlines():
        words = line.split()
        if words and words[0] in ("node", "while", "do", "repeat", "case", "after"):
            name = lambda n: "b%d.%s" % (stack[-1], n)
            words[1] = name(words[1])
            for i, word in enumerate(words[2:], 2):
                if word.startswith("after="):
                    words[i] = "after=" + ",".join(name(n) for n in word[6:].split(","))
                elif words[0] == "after":
                    words[i] = ",".join(name(n) for n in word.split(","))
        if words and words[0] in ("branch", "end"):
            stack.pop()
        if words and words[0] in ("while", "do", "repeat", "case", "branch"):
            count += 1
            stack.append(count)
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def repeats(body, times, inside, found):
    """Per name: its node, how often it runs, and the loop that counts its iterations."""
    for node in body.nodes.values():
        found[node.name] = (node, times, inside)
        for i, part in enumerate(node.bodies):
            if node.kind == "case":
                repeats(part, times if i == node.number else 0, None, found)
            else:
                repeats(part, times * node.number, node, found)
    return found


class Events:
    def __init__(self, text):
        whole = json.loads(text, parse_float=Decimal, parse_int=Decimal)
        self.slices, self.flows, self.lanes, self.other = {}, {}, {}, whole["otherData"]
        self.list = []
        for event in whole["traceEvents"]:
            if event["ph"] == "X":
                event["start"], event["end"] = ns(event["ts"]), ns(event["ts"]) + ns(event["dur"])
                self.slices.setdefault((event["cat"], event["name"]), []).append(event)
                self.list.append(event)
            elif event["ph"] in "sf":
                self.flows.setdefault(event["id"], {})[event["ph"]] = event
            elif event["name"] == "thread_name":
                self.lanes[event["tid"]] = event["args"]["name"]
        for found in self.slices.values():
            found.sort(key=lambda e: (e["start"], e["end"]))

    def of(self, node):
        return self.slices.get(("command" if node.kind == "node" else "region", node.name), [])


def commands_of(node):
    return 1 if node.meaning == "first" or node.kind != "node" else len(node.devices)


def check_counts(graph, events, bad):
    for name, (node, times, loop) in repeats(graph.top, 1, None, {}).items():
        found = events.of(node)
        if len(found) != times * commands_of(node):
            bad.append("%s: %d times, not %d" % (name, len(found), times * commands_of(node)))
        turns = [int(e["args"]["iteration"]) for e in found]
        if loop and node.kind == "node" and commands_of(node) == 1 and \
                sorted(turns) != sorted(list(range(loop.number)) * (times // loop.number)):
            bad.append("%s: iterations %s" % (name, turns))


def check_edges(body, events, bad):
    for before, after in body.edges:
        a, b = body.nodes[before], body.nodes[after]
        one, other = events.of(a), events.of(b)
        for i, event in enumerate(other):
            turn = i // commands_of(b)
            ended = [e["end"] for e in one[turn * commands_of(a):(turn + 1) * commands_of(a)]]
            # Of a barrier the first one ends it; the others stand for it on other lanes.
            end = min if a.meaning == "barrier" else max
            if len(ended) != commands_of(a) or end(ended) > event["start"]:
                bad.append("%s does not come before %s, turn %d" % (before, after, turn))
    for node in body.nodes.values():
        for part in node.bodies:
            check_edges(part, events, bad)


def check_lanes(events, bad):
    last = {}
    for event in sorted(events.list, key=lambda e: (e["tid"], e["start"], e["end"])):
        if event["start"] < 0 or event["end"] > events.other["makespan_ns"] or event["tid"] not in events.lanes:
            bad.append("outside of the run: %s" % event)
        if event["cat"] == "region":
            continue
        if event["start"] < last.get(event["tid"], 0):
            bad.append("overlaps on its lane: %s" % event)
        last[event["tid"]] = event["end"]


def holds(events, flow):
    time = ns(flow["ts"])
    return any(e["tid"] == flow["tid"] and e["start"] <= time <= e["end"] for e in events.list)


def check_flows(events, bad):
    for flow in events.flows.values():
        if sorted(flow) != ["f", "s"] or ns(flow["s"]["ts"]) > ns(flow["f"]["ts"]):
            bad.append("a flow back in time: %s" % flow)
        elif not all(holds(events, end) for end in flow.values()):
            bad.append("a flow between no slices: %s" % flow)


def check_picture(text, events, bad):
    """Each slice is a box above, or in rounds that are not shown; boxes below have a position, not an
    iteration.  In strips of time a box may be in two of them."""
    page = xml.fromstring(text)
    titles = [e.text or "" for e in page.iter(SVG + "title")]
    strips = sum((e.text or "").startswith("time (") for e in page.iter(SVG + "text")) > 2
    gaps = {(int(a), int(b)) for t in titles for a, b in re.findall(r"not shown: (\d+) to (\d+) ns$", t)}
    drawn, seen = {}, set()
    if float(page.get("width")) > 1600:
        bad.append("wider than a page: %s" % page.get("width"))
    for title in titles:
        found = re.fullmatch(r"(?s)(.*): lane (\d+), iteration (\d+), (\d+) to (\d+) ns, thread \d+", title)
        if found:
            key = tuple(int(v) for v in found.groups()[1:])
            drawn[key] = drawn.get(key, 0) + 1
    # The trace and the picture are of one run.
    for event in events.list:
        key = (int(event["tid"]), int(event["args"]["iteration"]), event["start"], event["end"])
        if key not in drawn and any(a <= event["start"] and event["end"] <= b for a, b in gaps):
            continue
        if not drawn.get(key):
            bad.append("not in the picture: %s" % event)
        elif strips:
            seen.add(key)
        else:
            drawn[key] -= 1
    if set(drawn) - seen if strips else any(drawn.values()):
        bad.append("more boxes than slices: %s" % drawn)


def check_axes(text, bad):
    """Numbers that do not run into each other, some six units a digit."""
    rows = {}
    for e in xml.fromstring(text).iter(SVG + "text"):
        if e.get("text-anchor") == "middle":
            rows.setdefault(e.get("y"), []).append((float(e.get("x")), e.text))
    for row in rows.values():
        row.sort()
        bad.extend("%s runs into %s" % (b, a) for (x, a), (y, b) in zip(row, row[1:])
                   if y - x < 6 * (len(a) + len(b)) / 2)


def check(text, how, bad):
    trace, picture = at("trace.json"), at("picture.svg")
    got = plait("run", "-", "--times", "2", "--trace", trace, "--svg", picture, *how, text=text)
    if got.returncode or got.stderr:
        bad.append("%d: %s" % (got.returncode, got.stderr))
        return None
    graph, events = read_graph(text), Events(read(trace))
    check_counts(graph, events, bad)
    check_edges(graph.top, events, bad)
    check_lanes(events, bad)
    check_flows(events, bad)
    check_picture(read(picture), events, bad)
    check_axes(read(picture), bad)
    if events.other["dropped"] or "\ncommands %d\n" % sum(len(f) for (cat, _), f in events.slices.items()
                                                           if cat == "command") not in got.stdout:
        bad.append("not all commands: %s" % got.stdout)
    return events


# --- examples --------------------------------------------------------------------------
EXAMPLE = re.search("```\n(device.*?)```", read("doc/graph-text.md"), re.S).group(1)
ODD = 'node <&>"\'\nnode \\n\\\nnode -->x after=\\n\\\nnode \u00fc\u2264 after=-->x\n'
WAITS = "node a cost=3\n" + "".join("node b%d after=a cost=%d\nnode c%d after=b%d,b%d\n" % (
    i, 1 + i % 3, i, i, max(0, i - 1)) for i in range(30))
for name, text in (("example", EXAMPLE), ("odd", ODD), ("waits", WAITS), ("nothing", "# nothing\n"), ("one", "node a\n")):
    for how in HOW:
        bad = []
        events = check(text, how + ["--unit", "100"], bad)
        none(bad, "%s: %s" % (name, " ".join(how)))
        if events and how == HOW[0] and name == "waits":
            ok(len(events.lanes) == 3 and len(events.flows) > 0, "lanes wait for each other", len(events.flows))
for seed in SEEDS:
    r = random.Random(seed)
    text, bad = unique(Writer(r, r.choice([3, 8, 20, 40]), r.choice([1, 1, 2, 3])).text()), []
    for how in HOW:
        check(text, how, bad)
    none(bad, "seed=%d" % seed)

# --- plans that are made anew ---------------------------------------------------------------
for seed in SEEDS:
    r = random.Random(seed)
    text, bad = Writer(r, r.choice([8, 20, 40]), r.choice([1, 1, 2, 3])).text(), []
    got = plait("run", "-", "--times", "2", "--tune", at("tuned.plan"), "--parallel", "--lanes", "3", text=text)
    if got.returncode or not re.search(r"\nplanned_after_ns \d+\n", "\n" + got.stdout):
        bad.append("%d %s%s" % (got.returncode, got.stdout, got.stderr))
    else:
        try:
            plan = json.loads(plait("plan", at("tuned.plan"), "--json").stdout)
            # Edges that others imply are gone, and costs are times.
            plan["edges"], plan["makespan"] = sum(len(b.edges) for b in bodies(read_graph(text))), 1 << 62
            check_plan(read_graph(text), plan, 3)
        except (Broken, ValueError, KeyError) as error:
            bad.append(repr(error))
    none(bad, "seed=%d, tuned" % seed)

# --- pictures are for people --------------------------------------------------------------
got = plait("run", "-", "--unit", "1000", "--svg", at("x.svg"), *HOW[0], text=EXAMPLE)
page = xml.fromstring(read(at("x.svg")))
words = "".join(page.itertext())
planned = next(float(e.get("y")) for e in page.iter(SVG + "text") if e.text == "what was planned")
boxes = [(e[0].text.split(":")[0], float(e.get("y")) + float(e.get("height"))) for e in page.iter(SVG + "rect") if len(e)]
ok([n for n, end in boxes if end < planned].count("load") == 1 and len([n for n, end in boxes if end < planned]) > 10,
   "what one thread did is above what was planned", planned, boxes[:5])
none([w for w in ("a run of 9 nodes on 3 lanes", "what happened", "what was planned",
                  "time (units of cost)", "critical path", "loop or case", "waits for", "time spent waiting", "refine x10",
                  "ns per unit of cost", "lane 0", "took ") if w not in words], "title, legends and axes are there")
ok(re.search("time \\((ns|\u00b5s|ms|s)\\)", words), "the axis has a unit")

# --- long loops: the first rounds and the last one, and in between how many there are
LOOP = """device cpu lanes=2
node load cost=20
while solve times=500 after=load
  node left cost=5
  node right cost=7
  node join cost=3 after=left,right
end
node store cost=10 after=solve
"""
NESTED = """device cpu lanes=2
node load cost=20
do outer times=12 after=load
  node prep cost=5
  while inner times=20 after=prep
    node a cost=2
    node b cost=2 after=a
  end
  case pick take=1 after=inner
    node keep cost=1
  branch
    node drop cost=1
  end
end
node side cost=900 after=load
node store cost=10 after=outer,side
"""
BESIDE = "device cpu lanes=2\n" + "".join("while w%d times=100\nnode n%d cost=%d\nend\n" % (i, i, i + 1) for i in range(2))
for name, text, left in (("a long loop", LOOP, {"solve: 497"}), ("nested loops", NESTED, {"outer: 9"}),
                         ("loops beside each other", BESIDE, set())):
    for how in HOW:
        bad = []
        check(text, how + ["--unit", "100"], bad)
        none(bad, "%s: %s" % (name, " ".join(how)))
        page = xml.fromstring(read(at("picture.svg")))
        titles = [e.text for e in page.iter(SVG + "title")]
        told = {n for t in titles for n in re.findall(r"^(.*) more rounds?, not shown: .* ns$", t)}
        ok("more rounds, not shown" in "".join(page.itertext()), "%s: the legend says so" % name)
        ok(left <= told or "--parallel" in how, "%s: %s" % (name, " ".join(how)), *sorted(told))
        ok(len(titles) < 1500, "%s: few boxes" % name, len(titles))
got = plait("plan", "-", "--svg", text=NESTED)
words = re.findall(r">([^<]+)<", got.stdout)
ok({"11 more", "19 more"} <= set(words), "planned rounds are left out", words)

for said, told in (("2", True), ("1", False), ("0", False)):
    os.environ["PLAIT_LANES"] = said
    for how in HOW[:2]:
        bad = []
        check(WAITS, how + ["--unit", "100"], bad)
        none(bad, "PLAIT_LANES=%s: %s" % (said, " ".join(how)))
    plait("run", "-", "--parallel", "--svg", at("x.svg"),
          text="device cpu lanes=3\n" + "".join("node n%d device=cpu\n" % i for i in range(6)))
    os.environ["PLAIT_LANES"] = "0"
    ok(("folded onto 2 lanes" in read(at("x.svg"))) == told, "lanes that became fewer are told", said)

# --- on the way ---------------------------------------------------------------------------
for text in (EXAMPLE, WAITS):
    got = plait("run", "-", "--repeat", "7", "--watch", *HOW[0], text=text)
    lines = got.stderr.splitlines()
    ok(got.returncode == 0 and got.stdout.startswith("runs 7\n") and
       re.fullmatch(r"run 7 of 7; \d+ commands, \d+ a second, \d+\.\d s", lines[-1] if lines else ""), "--watch", got.stderr)

# --- what is refused ------------------------------------------------------------------------
for option in ("--trace", "--svg"):
    for path in ("/nowhere/x", FOLDER.name, "/dev/full"):
        got = plait("run", "-", "--times", "1", option, path, text=WAITS)
        ok(got.returncode == 1 and got.stderr.startswith("plait run: %s: " % path) and got.stderr.count("\n") == 1,
           "%s %s" % (option, path.replace(FOLDER.name, ".")), got.returncode, got.stderr)
    got = plait("run", "-", "--times", "1", option, "/nowhere/x", text=WAITS)
    ok("cannot be written: No such file" in got.stderr, option + ": and why", got.stderr)
for args in (["--unit", "x"], ["--unit"], ["--repeat", "0"], ["--trace"], ["--svg"], ["--tune"], ["--watch=1"]):
    got = plait("run", "-", *args, text=WAITS)
    ok(got.returncode == 2 and "usage: plait run" in got.stderr and not got.stdout, "not understood: %s" % " ".join(args),
       got.returncode, got.stderr)
done()
