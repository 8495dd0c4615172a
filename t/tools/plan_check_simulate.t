#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""plait plan, check and simulate: every option, plans proved by a checker that
shares nothing with the library (t/lib/plans.py), files, pictures, bad input.
seed=N plans only the random graph of that seed."""
import copy
import itertools
import json
import os
import random
import re
import stat
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from graphs import Writer, bodies, read_graph
from plans import Broken, check_plan
from tap import BUILD, SANITIZER, done, none, ok, read, run, skip, which

PLAIT = os.path.join(BUILD, "tools/plait/plait")
FOLDER = tempfile.TemporaryDirectory()
SEEDS = range(240 if SANITIZER == "no" else 60)
SEEDS = [int(a[5:]) for a in sys.argv if a.startswith("seed=")] or SEEDS


def at(name):
    return os.path.join(FOLDER.name, name)


def keep(name, text):
    with open(at(name), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return at(name)


def plait(*args, text=None):
    return run([PLAIT, *args], input=text, timeout=300)


def stats_of(got):
    return dict(line.split(" ") for line in got.stdout.splitlines()
                if not line.startswith(("lane ", "critical ")))


CRITICAL = re.compile(r"critical (\d+) lane (\d+) start (\d+) end (\d+) node (.*)")


def critical_of(got):
    """A tuple per command on the critical path: its number, lane, start, end, name."""
    return [CRITICAL.fullmatch(line).groups() for line in got.stdout.splitlines() if line.startswith("critical ")]


LANE = re.compile(r"lane (\d+) busy (\d+) share ([\d.]+)% start (\d+) end (\d+) commands (\d+) waits (\d+) device (.*)")


def lanes_of(got):
    """A tuple per lane: its number, busy, share, start, end, commands, waits, device."""
    found = [LANE.fullmatch(line) for line in got.stdout.splitlines() if line.startswith("lane ")]
    return [tuple(float(v) if "." in v else int(v) if v.isdigit() else v for v in m.groups()) if m else None
            for m in found]


EXAMPLE = re.search("```\n(device.*?)```", read("doc/graph-text.md"), re.S).group(1)
ok(read("examples/first.graph").endswith("\n" + EXAMPLE), "examples/first.graph is the example of doc/graph-text.md")
graph = keep("example.graph", EXAMPLE)

# --- formats ------------------------------------------------------------------
got = plait("plan", graph)
ok(got.returncode == 0 and re.search(r"^nodes +9, 6 edges, 2 regions$", got.stdout, re.M), "a summary", got.stdout,
   got.stderr)
ok(plait("plan", "--text", graph).stdout.splitlines()[:4] == got.stdout.splitlines()[:4], "--text is the same")
got = plait("plan", graph, "--stats")
ok(re.fullmatch(r"plan_ns \d+\npeak_bytes \d+\nlanes \d+\nwaits \d+\nsignals \d+\n", got.stdout), "--stats",
   got.stdout)
ok(all(int(v) > 0 for v in stats_of(got).values()), "none of it is 0", got.stdout)
got = plait("plan", graph, "--json")
plan = json.loads(got.stdout)
ok({"lanes", "regions", "waits", "signals", "makespan", "nodes", "edges"} <= set(plan), "--json", sorted(plan))
ok(plan["lanes"][0]["device"] == "cpu" and plan["lanes"][0]["commands"] == ["load", "store"], "lanes have commands",
   plan["lanes"])
ok(got.stdout == plait("plan", "-", "--json", text=EXAMPLE).stdout, "the same from the standard input")
ok({"node": "store", "lane": 1, "position": 1}.items() <= plan["waits"][0].items(), "waits", plan["waits"])
twice = "device a lanes=4\ndevice b lanes=4\nnode s\nwhile w times=3 after=s\nnode x cost=5\nnode z device=b\nend\n" \
    "node f after=w device=b cost=9\n"
ok(json.loads(plait("plan", "-", "--json", text=twice).stdout)["critical"] == ["s", "w", "f"],
   "a loop on the critical path is named once, though the path goes on from its stub")
numbers = stats_of(plait("plan", graph, "--stats"))
ok(int(numbers["lanes"]) == len(plan["lanes"]) and int(numbers["waits"]) == plan["wait_count"] and
   int(numbers["signals"]) == plan["signal_count"],
   "--stats and --json agree", numbers)

# --- how to plan ---------------------------------------------------------------
WIDE = "node a\n" + "".join("node b%d after=a\n" % i for i in range(8)) + "node z after=" + \
    ",".join("b%d" % i for i in range(8)) + "\n"
for policy, lanes, want in (("bounded", 3, 3), ("bounded", 0, 1), ("widest", 0, 8), ("bounded", 100, 8)):
    got = plait("plan", "-", "--json", "--policy", policy, "--lanes", str(lanes), text=WIDE)
    plan = json.loads(got.stdout)
    ok(len(plan["lanes"]) == want and plan["policy"] == policy, "%s, --lanes %d: %d lanes" % (policy, lanes, want),
       [l["commands"] for l in plan["lanes"]])
# Of two limits the smaller one holds, with either policy.
for policy in ("bounded", "widest"):
    for own, asked, want in ((4, 0, 4), (4, 1, 1), (4, 2, 2), (2, 4, 2), (1, 0, 1), (0, 3, 3)):
        got = plait("plan", "-", "--json", "--policy", policy, "--lanes", str(asked),
                    text="device d lanes=%d\nnode a\nnode b\nnode c\nnode d\n" % own)
        ok(len(json.loads(got.stdout)["lanes"]) == want, "%s, lanes=%d, --lanes %d: %d lanes" % (policy, own, asked, want))
for mode, want in (("strict", "strict"), ("helped", "helped"), ("auto", "strict")):
    got = plait("plan", "-", "--json", "--mode", mode, text=WIDE)
    ok(json.loads(got.stdout)["mode"] == want, "--mode %s" % mode)
got = plait("plan", "-", "--json", "--mode=auto", text="node a cost=1000\n" + "".join("node c%d\n" % i for i in range(30)))
ok(json.loads(got.stdout)["mode"] == "helped", "--mode auto: uneven work is helped")
spread = plait("plan", "-", "--json", "--lanes", "8", "--hop", "1000", text=WIDE)
ok(len(json.loads(spread.stdout)["lanes"]) < 8, "--hop: where hops are dear, fewer lanes",
   [l["commands"] for l in json.loads(spread.stdout)["lanes"]])

got = plait("plan", "-", "--json", text="node a\nnode b after=a,a,a\nafter b a\nnode c after=b,a\n")
ok(json.loads(got.stdout)["edges"] == 3, "edges: one that is given four times is one", got.stdout)

# --- files -----------------------------------------------------------------------
plan_file = at("example.plan")
got = plait("plan", graph, "-o", plan_file)
ok(got.returncode == 0 and open(plan_file, "rb").read(8) == b"plaitpln", "-o keeps the plan", got.stderr)
ok(stat.S_IMODE(os.stat(plan_file).st_mode) & 0o133 == 0, "readable, not executable")
first = open(plan_file, "rb").read()
ok(plait("plan", plan_file, "-o", at("again.plan")).returncode == 0 and open(at("again.plan"), "rb").read() == first,
   "kept, read and kept again: the same bytes")
for form in ("--json", "--svg", "--dot"):
    ok(plait("plan", graph, form).stdout == plait("plan", plan_file, form).stdout, "%s of the file is the same" % form)
ok(os.listdir(FOLDER.name).count("example.plan") == 1 and len(os.listdir(FOLDER.name)) == 3, "nothing is left beside",
   os.listdir(FOLDER.name))
ok(plait("plan", "-", "-o", plan_file, text="node a\n").returncode == 0 and
   plait("check", plan_file).stdout == "right: 1 commands on 1 lanes, 0 waits\n", "a file is replaced")
keep("example.plan", first)

# --- temporaries -------------------------------------------------------------------
TEMPORARIES = ("device gpu lanes=2\ndevice cpu lanes=1\ntemporary a&b bytes=4096\ntemporary c device=cpu bytes=1\n"
               "node x writes=a&b\nnode y reads=a&b writes=c after=x\nnode z reads=c device=cpu after=y\n")
source, saved = keep("temporaries.graph", TEMPORARIES.encode()), at("temporaries.plan")
ok(plait("plan", source, "-o", saved).returncode == 0 and plait("check", saved).returncode == 0, "temporaries: kept, right")
for name in (source, saved):
    ok(json.loads(plait("plan", name, "--json").stdout)["temporaries"] ==
       [{"name": "a&b", "device": "gpu", "bytes": 4096}, {"name": "c", "device": "cpu", "bytes": 1}], "--json names them")
    svg, dot = plait("plan", name, "--svg").stdout, plait("plan", name, "--dot").stdout
    ok("a&amp;b: temporary, 4096 bytes" in svg and "c: temporary, 1 byte<" in svg, "--svg shows them")
    ok(r'[label="a&b\n4096 bytes", shape=cylinder' in dot and "c0 -> t0 " in dot and "t0 -> c1 " in dot and
       "t1 -> c2 " in dot and "c2 -> t1" not in dot, "--dot draws their uses", dot)
got = plait("check", "-", "--lanes", "2", text=TEMPORARIES.replace(" after=x", ""))
ok(got.returncode == 1 and "no edge orders node 0 'x'" in got.stderr and "temporary 'a&b'" in got.stderr, "unordered uses", got.stderr)
limited = ("resource a&b:1 units=3\nresource disk units=1\nnode x needs=a&b:1:2,disk priority=-3\nnode y needs=a&b:1,a&b:1\n"
           "while w times=2 needs=disk\nnode z needs=a&b:1\nend\n")
ok("priority -3, 2 of a&amp;b:1, 1 of disk<" in plait("plan", "-", "--svg", text=limited).stdout, "--svg shows limits")
ok("priority -3, 2 of a&b:1, 1 of disk\"" in plait("plan", "-", "--dot", text=limited).stdout, "--dot shows limits")
got = json.loads(plait("plan", "-", "--json", "--lanes", "3", text=limited).stdout)
ok([(x["name"], x["units"], sorted((h["node"], h["units"]) for h in x["holders"])) for x in got["resources"]] ==
   [("a&b:1", 3, [("x", 2), ("y", 2), ("z", 1)]), ("disk", 1, [("w", 1), ("x", 1)])] and
   got["priorities"] == [{"node": "x", "priority": -3}], "--json has limits", repr(got["resources"]))
ok(plait("check", "-", text=limited).returncode == 0, "limits are proved")
many = "".join("temporary t%d bytes=%d\n" % (i, i) for i in range(1000)) + "node a\n"
ok("801 more temporaries" in plait("plan", "-", "--svg", text=many).stdout, "the picture of many is short")

# --- check and simulate ------------------------------------------------------------
for name in (graph, plan_file):
    got = plait("check", name)
    ok(got.returncode == 0 and got.stdout == "right: 9 commands on 3 lanes, 4 waits\n", "check", got.stdout, got.stderr)
damaged = bytearray(first)
damaged[len(damaged) // 2] ^= 1
got = plait("check", keep("damaged.plan", bytes(damaged)))
ok(got.returncode == 1 and "damaged.plan: plan: the checksum is wrong" in got.stderr, "a damaged plan", got.stderr)
got = plait("check", keep("cut.plan", first[:200]))
ok(got.returncode == 1 and "cut.plan: plan: " in got.stderr, "a part of a plan", got.stderr)
got = plait("simulate", plan_file)
free = {k: int(v) for k, v in stats_of(got).items()}
ok(got.returncode == 0 and list(free) == ["makespan", "critical_cost", "critical_count", "busy", "lanes",
                                           "memory_peak"], "simulate", got.stdout, got.stderr)
# load 20, left 50, then ten times: step 5 and drop 2 (take=1), store 1.
ok(free["makespan"] == 20 + 50 + 10 * 7 + 1 and free["lanes"] == 3, "its makespan", free)
ok(lanes_of(got) == [(0, 21, 14.9, 0, 141, 2, 1, "cpu"), (1, 120, 85.1, 20, 140, 6, 2, "gpu"),
                     (2, 30, 21.3, 20, 50, 1, 1, "gpu")], "and how its lanes are used", got.stdout)
ok(critical_of(got) == [("0", "0", "0", "20", "load"), ("1", "1", "20", "70", "left"), ("2", "1", "70", "140", "refine"),
                        ("3", "0", "140", "141", "store")], "and its critical path", got.stdout)
ok(json.loads(plait("plan", plan_file, "--json").stdout)["critical"] == ["load", "left", "refine", "store"],
   "which the JSON names, too")
ok(sum(lane[1] for lane in lanes_of(got)) == free["busy"], "which adds up")
for text, want in (("while w times=3 cost=5\nnode a\nend\n", 3 + 4 * 5), ("do w times=3 cost=5\nnode a\nend\n", 3 + 3 * 5),
                   ("while w times=0 cost=5\nnode a cost=9\nend\n", 5),
                   ("while w times=0\nnode a cost=9\nend\nnode z after=w\n", 1),
                   ("do w times=0 cost=5\nnode a cost=9\nend\n", 9 + 5),
                   ("while w times=0\ndo v times=2\nnode a cost=9\nend\nend\n", 0),
                   ("repeat w times=3 cost=5\nnode a\nend\n", 3), ("repeat w times=0\nnode a\nend\n", 0),
                   ("case w take=0 cost=5\nnode a\nend\n", 1 + 5), ("while w times=3\nnode a\nend\n", 3),
                   ("do v times=2\nwhile w times=3 cost=5\nnode a\nend\nend\nnode z after=v\n", 2 * (3 + 4 * 5) + 1)):
    ok(stats_of(plait("simulate", "-", text=text))["makespan"] == str(want) and
       json.loads(plait("plan", "-", "--json", text=text).stdout)["makespan"] == want, "what decisions cost: %r" % text)
dear = {k: int(v) for k, v in stats_of(plait("simulate", plan_file, "--hop", "7")).items()}
ok(dear["makespan"] == free["makespan"] + 2 * 7, "--hop: on the critical path lanes change twice", dear)
ok(plait("simulate", graph, "--submit", "3", "--copy", "10,1024").returncode == 0, "--submit and --copy")
peak = stats_of(plait("simulate", "-", "--lanes", "2", text="node a scratch=100\nnode b scratch=28\nnode c after=a,b\n"))
ok(peak["memory_peak"] == "128" or int(peak["memory_peak"]) >= 128, "memory at once", peak)

# --- run ------------------------------------------------------------------------------
TREE = "device far lanes=2\n" + "node a\n" + "".join("node b%d after=a device=far\n" % i for i in range(5))
for how in ([], ["--serial"], ["--parallel", "--lanes", "2"]):
    got = plait("run", "-", "--times", "9", *how, text=TREE)
    ok(got.returncode == 0 and re.fullmatch(r"runs 9\nmin_ns \d+\nmedian_ns \d+\ncommands 6\n"
                                            r"min_ns_per_command \d+\.\d\n", got.stdout),
       " ".join(["run", *how]), got.stdout, got.stderr)
ok(plait("run", "-", "--times", "2", text="# nothing\n").returncode == 0, "an empty graph runs")
got = plait("run", graph, "--times", "3")
ok(got.returncode == 0 and "\ncommands 24\n" in got.stdout, "loops run as often as was expected", got.stdout, got.stderr)
got = plait("run", plan_file, "--times", "3")
ok(got.returncode == 0 and "\ncommands 24\n" in got.stdout, "a plan too", got.stdout, got.stderr)

# --- random graphs, proved ------------------------------------------------------------
broken, drawn = [], []
for seed in SEEDS:
    r = random.Random(seed)
    text = Writer(r, r.choice([3, 8, 20, 40]), r.choice([1, 1, 2, 3])).text()
    policy, lanes = r.choice(["bounded", "widest"]), r.choice([0, 1, 2, 3, 8])
    options = ["--policy", policy, "--lanes", str(lanes), "--mode", r.choice(["strict", "helped", "auto"])]
    got = plait("plan", "-", "--json", *options, text=text)
    try:
        plan = json.loads(got.stdout)
        check_plan(read_graph(text), plan, None if policy == "widest" else lanes or 1, True)
        if seed % 4 == 0:
            got = plait("simulate", "-", *options, text=text)
            simulated, path = stats_of(got), critical_of(got)
            if not simulated["makespan"] == simulated["critical_cost"] == str(plan["makespan"]):
                broken.append("seed=%d: makespan %d, simulated %s" % (seed, plan["makespan"], simulated))
            # From 0 on, each begins when the one before it is done.
            names = [name for name, _ in itertools.groupby(p[4] for p in path)]
            if names != plan["critical"] or [p[2] for p in path] != ["0"] + [p[3] for p in path[:-1]]:
                broken.append("seed=%d: critical path %s, %s" % (seed, path, plan["critical"]))
    except (Broken, ValueError, KeyError) as error:
        broken.append("seed=%d %s: %r %s" % (seed, " ".join(options), error, got.stderr))
    if seed % 8 == 0:
        drawn.append((seed, text))
none(broken, "%d random graphs: every edge is kept, no wait too many" % len(SEEDS))


def all_bodies(plan):
    found = [plan]
    for body in found:
        for region in body["regions"]:
            found += region["bodies"]
    return found


def drop_wait(r, body, plan):
    body["waits"].remove(r.choice(body["waits"]))
    plan["wait_count"] -= 1


def wait_earlier(r, body, plan):
    r.choice([w for w in body["waits"] if w["position"] > 0])["position"] -= 1


def drop_command(r, body, plan):
    r.choice(body["lanes"])["commands"].pop()


def command_twice(r, body, plan):
    commands = r.choice(body["lanes"])["commands"]
    commands.append(commands[0])


caught, missed = {}, []
for seed, text in drawn:
    r = random.Random(seed)
    got = plait("plan", "-", "--json", "--lanes", "3", text=text)
    plan = json.loads(got.stdout)
    for i in range(len(all_bodies(plan))):
        for change in (drop_wait, wait_earlier, drop_command, command_twice):
            other = copy.deepcopy(plan)
            try:
                change(r, all_bodies(other)[i], other)
            except (IndexError, ValueError):
                continue
            try:
                check_plan(read_graph(text), other, 3)
                missed.append("seed=%d body %d: %s" % (seed, i, change.__name__))
            except Broken:
                caught[change.__name__] = caught.get(change.__name__, 0) + 1
if len(SEEDS) > 1:
    none(missed, "the checker sees plans that were broken on purpose: %s" % caught)
    ok(len(caught) == 4, "in each way")
nodes = [len(b.nodes) for _, text in drawn for b in bodies(read_graph(text))]
ok(len(SEEDS) == 1 or sum(nodes) > 100 and len(nodes) > len(drawn), "the graphs were not trivial")

# --- pictures ----------------------------------------------------------------------------
NAMES = 'node <&>"\'\nnode \\n\\\nnode -->x after=\\n\\\nnode \x01\x7f\nnode \u00fc\u2264 after=-->x\n'
drawn = [(0, NAMES), (0, EXAMPLE), (0, "")] + drawn[:12]
bad = []
for seed, text in drawn:
    got = plait("plan", "-", "--svg", "--lanes", "3", text=text)
    try:
        root = xml.fromstring(got.stdout)
        boxes = [e for e in root.iter("{http://www.w3.org/2000/svg}rect") if len(e)]
        if not root.tag.endswith("}svg") or (text and not boxes):
            bad.append("seed=%d: %d boxes" % (seed, len(boxes)))
    except xml.ParseError as error:
        bad.append("seed=%d: %s" % (seed, error))
none(bad, "SVG is well formed")
titles = [e.text for e in xml.fromstring(plait("plan", "-", "--svg", text=NAMES).stdout).iter(
    "{http://www.w3.org/2000/svg}title")]
ok(any(t.startswith('<&>"\':') for t in titles) and any(t.startswith("\u00fc\u2264:") for t in titles),
   "names are as they were", titles)
ok(set(n for l in json.loads(plait("plan", "-", "--json", text=NAMES).stdout)["lanes"] for n in l["commands"]) ==
   {'<&>"\'', "\\n\\", "-->x", "\x01?", "\u00fc\u2264"}, "in JSON too")
root = xml.fromstring(plait("plan", graph, "--svg").stdout)
words = "".join(root.itertext())
missing = [w for w in ("9 nodes on 3 lanes", "4 waits; makespan 141", "critical path", "time (units of cost)",
                       "loop or case", "waits for", "gpu", "cpu", "refine x10", "pick: 1") if w not in words]
none(missing, "title, legend, axis and regions are there")
wide = "while w times=2\nnode a\nnode b\nnode c\nend\n"
held = [e[0].text for e in xml.fromstring(plait("plan", "-", "--svg", "--lanes", "3", text=wide).stdout).iter(
    "{http://www.w3.org/2000/svg}rect") if len(e) and e[0].text.startswith("w:")]
ok(len(held) == 3 and len(set(t.split("position")[1] for t in held)) == 1, "a region is on each lane, all the time", held)
ok("9 nodes on 3 lanes, 4 waits" in plait("plan", graph, "--dot").stdout, "DOT has a title")
ok("2 nodes on 2 lanes, 1 wait<" in plait("plan", "-", "--dot", text="device d lanes=1\ndevice e lanes=1\nnode a device=d\n"
   "node b device=e after=a\n").stdout, "which counts one as one")
if which("dot"):
    bad = [(seed, got.stderr) for seed, text in drawn
           for got in [run(["dot", "-Tplain"], input=plait("plan", "-", "--dot", "--lanes", "3", text=text).stdout)]
           if got.returncode or got.stderr]
    none(bad, "Graphviz reads DOT")
else:
    skip("no dot; on Debian: apt-get install graphviz")
big = "".join("node n%d cost=%d%s\n" % (i, 1 + i * 7 % 13, " after=n%d" % (i - 40) if i >= 40 else "")
              for i in range(1000))
page = xml.fromstring(plait("plan", "-", "--svg", "--lanes", "16", text=big).stdout)
boxes = [(float(e.get("x")), float(e.get("y")), float(e.get("width")), float(e.get("height")), e[0].text.split(":")[0])
         for e in page.iter("{http://www.w3.org/2000/svg}rect")]
width, height = int(page.get("width")), int(page.get("height"))
ok(width <= 1600 and height <= 1200, "1,000 nodes fit a page", width, height)
ok({b[4] for b in boxes} == {"n%d" % i for i in range(1000)}, "each of them is there")
none([b for b in boxes if b[0] < 110 or b[0] + b[2] > 1576.1 or b[1] < 76 or b[1] + b[3] > height], "and on it")
none([(a, b) for a, b in zip(sorted(boxes, key=lambda b: b[1::-1]), sorted(boxes, key=lambda b: b[1::-1])[1:])
      if a[1] == b[1] and a[0] + a[2] > b[0] + 0.02], "none over another")
starts = len({b[1] for b in boxes}) // 16
ok(starts > 1, "time goes on in %d strips" % starts)
names = [e.text for e in page.iter("{http://www.w3.org/2000/svg}text")]
named = sum(names.count("n%d" % i) > 0 for i in range(1000))
ok(named > 900, "%d of them can be read" % named)
ok(float(re.search(r'stroke-width="([\d.]+)" opacity', plait("plan", "-", "--svg", "--lanes", "16", text=big).stdout)[1])
   >= 0.9, "waits can be seen among so many")
TEXT, RECT = "{http://www.w3.org/2000/svg}text", "{http://www.w3.org/2000/svg}rect"
page = xml.fromstring(plait("plan", "-", "--svg", "--lanes", "16", text=re.sub(r"\bn(\d+)", r"kernel_of_layer_\1", big)).stdout)
cut = [e.text.split("..") for e in page.iter(TEXT) if ".." in (e.text or "")]
ok(len(cut) > 200 and all("kernel_of_layer_".startswith(a) and re.fullmatch(r"\D*\d+", b) for a, b in cut),
   "long names keep their numbers: %d" % len(cut), [c for c in cut if not c[1][-1:].isdigit()][:9])


def texts_in(page):
    """Of each text but halos where it starts and, about, ends: x, y, end, words."""
    halos = {e for g in page.iter(TEXT[:-4] + "g") if g.get("aria-hidden") for e in g}
    for e in page.iter(TEXT):
        if e in halos:
            continue
        words, size = "".join(e.itertext()), float(e.get("font-size", 11))
        x, wide = float(e.get("x")), len(words) * size * (0.64 if words[:1].isdigit() else 0.5)
        x -= {"middle": wide / 2, "end": wide}.get(e.get("text-anchor"), 0)
        yield x, float(e.get("y")), x + wide, words


LONG = "a_rather_long_device_name_"
several = "".join("device %s%d lanes=2\n" % (LONG, i) for i in range(8)) + "".join(
    "node s%d cost=%d device=%s%d%s\n" % (i, 30000000000 + i * 4000000000, LONG, i % 8, " after=s%d" % (i - 3) if i > 2 else "")
    for i in range(12)) + "node all cost=9000000000 barrier device=%s after=s11\n" % "+".join(LONG + str(i) for i in range(8))
page = xml.fromstring(plait("plan", "-", "--svg", text=several).stdout)
none([t for t in texts_in(page) if t[2] > float(page.get("width"))], "long names of devices stay on the page")
axis = sorted(t for t in texts_in(page) if re.fullmatch(r"[\d.]+", t[3]) and t[1] == 66)
ok(len(axis) > 3 and all(a[2] < b[0] for a, b in zip(axis, axis[1:])) and max(len(t[3]) for t in axis) <= 5 and
   "time (109\u00a0units)" in [t[3] for t in texts_in(page)], "large times have few digits", axis)
stubs = [float(e.get("width")) for e in page.iter(RECT) if len(e) and e[0].text.startswith("all:")]
ok(len(stubs) == 8 and min(stubs) >= 4, "a barrier is seen on each device", stubs)
labels = [t[3] for t in texts_in(page)]
none([i for i in range(8) if "lane %d" % i not in labels], "lanes are called that")
ok(len({t for t in labels if t.startswith("a_..")}) >= 8, "names of devices are told apart", labels)
for lanes, named in ((37, True), (64, True), (92, True), (93, False)):
    page = xml.fromstring(plait("plan", "-", "--svg", "--policy", "widest", text="".join(
        "node n%d_%d%s\n" % (i, k, " after=n%d_%d" % (i, k - 1) if k else "") for i in range(lanes) for k in range(6))).stdout)
    names = {e.text for e in page.iter("{http://www.w3.org/2000/svg}text")}
    ok(("n0_0" in names and "n%d_5" % (lanes - 1) in names) == named and int(page.get("height")) <= 1200,
       "%d lanes fit a page, names %d" % (lanes, named), page.get("height"), sorted(map(str, names))[:20])
few = "".join("node named_%d cost=%d%s\n" % (i, (1, 1, 2, 3, 400)[i * 7 % 5], " after=named_%d" % (i - 5) if i >= 5 else "")
              for i in range(30))
for lanes in (1, 5):
    page = xml.fromstring(plait("plan", "-", "--svg", "--lanes", str(lanes), text=few).stdout)
    written = {"".join(e.itertext()).split(" ")[-1] for e in page.iter("{http://www.w3.org/2000/svg}text")}
    none(["named_%d" % i for i in range(30) if "named_%d" % i not in written],
         "each of 30 nodes on %d lanes has its name written" % lanes)
page = xml.fromstring(plait("plan", "-", "--svg", "--lanes", "3", text=few).stdout)
numbers = sorted((t[1], t[0], t[2], t[3]) for t in texts_in(page) if re.fullmatch(r"\d+(\u2013\d+)?", t[3]) and t[1] > 76)
none([(a, b) for a, b in zip(numbers, numbers[1:]) if a[0] == b[0] and a[2] > b[1]], "numbers of notes do not touch")
ok(any("\u2013" in n[3] for n in numbers), "some stand for several", numbers)
for form, limit in (("--svg", 2000000), ("--dot", 1000000)):
    got = plait("plan", "-", form, "--lanes", "16", text=big)
    ok(got.returncode == 0 and got.stdout.count("n999") >= 1 and len(got.stdout) < limit,
       "%s of 1,000 nodes: %d bytes" % (form, len(got.stdout)))

# --- what is refused -------------------------------------------------------------------------
for text in "", "# nothing\n", "\n\r\n":
    keep("empty.graph", text)
    got = [plait("plan", at("empty.graph"), "-o", at("empty.plan"))]
    got += [plait(c, at(n)) for c in ("plan", "check", "simulate", "run") for n in ("empty.graph", "empty.plan")]
    ok(all(g.returncode == 0 for g in got) and got[3].stdout == got[4].stdout == "right: 0 commands on 0 lanes, 0 waits\n",
       "an empty graph is one like others: %r" % text, [g.stdout + g.stderr for g in got])
WRONG = (
    ("node a after=b\nnode b after=a\n", r"x:1: cycle: 'a' \(line 1\) -> 'b' \(line 2\) -> 'a' \(line 1\)\n", "a cycle"),
    ("node z\nwhile w times=2\nnode c after=d\nnode b after=c\nnode d after=b\nend\n",
     r"x:3: cycle: 'c' \(line 3\) -> 'b' \(line 4\) -> 'd' \(line 5\) -> 'c' \(line 3\)\n", "a cycle in a body"),
    ("node a\nnode b after=c\n", r'x:2: no node "c" in this body', "an edge from nothing"),
    ("node a\nafter b a\n", r'x:2: no node "b" in this body', "an edge to nothing"),
    ("node a\nwhile w times=2\nnode b after=a\nend\n", r'x:3: no node "a" in this body', "an edge into a body"),
    ("node a after=a\n", r'x:1: "a" comes after itself', "a node after itself"),
    ("while w times=2\nnode a\nend\nnode b after=a\n", r'x:4: no node "a" in this body; that of line 2 is in another',
     "an edge out of a body"),
    ("node a cost = 3\n", r'x:1: expected "=" and a value right after it, no space, found "cost"', "spaces around ="),
    ("node a\nnode b after= a\n", r'x:2: expected a node\'s name right after "=", found a space', "a space behind ="),
    ("device d lanes=2\nnode a device=d,d\n", r'x:2: expected "\+" between devices, found "d,d"', "a comma for +"),
    ("node a\nnode b\nnode c\nafter a,b c\n", r'x:4: expected one node, and then .*found "a,b"', "two nodes after one"),
    ("node a\nnode a\n", r'x:2: "a" is defined in line 1', "the same line again"),
    ("case c\nnode a\nend\n", r"x:1: expected take=K, the branch to expect, found none", "a case without take"),
    ("nodes a\n", r"x:1: expected device, temporary, resource, node, .*found \"nodes\"", "an unknown line"),
    ("resource r units=0\n", r"x:1: resource 'r' has 0 units; expected 1 to 1024", "a resource without units"),
    ("resource r units=2000\n", r"x:1: expected a number from 0 to 1024 after \"units=\"", "a resource that is too large"),
    ("resource r 2\n", r"x:1: expected units=N, .*found \"2\"", "a resource with a bare number"),
    ("resource r units=2\nresource r units=2\n", r'x:2: resource "r" is already defined', "a resource twice"),
    ("resource bus units=2\nnode a needs=buss\n", r'x:2: no resource "buss".*bus', "an unknown resource"),
    ("resource bus units=2\nnode a needs=bus:3\n", r'x:2: expected 1 to 2 units of "bus", found 3', "too many units"),
    ("resource bus units=2\nnode a needs=bus:2,bus\n", r"x:2: .*'a' \(line 2\) needs 3 units of resource 'bus'", "too many units together"),
    ("node a priority=1001\n", r'x:1: expected a number from -1000 to 1000 after "priority=", found "1001"', "a priority out of range"),
    ("node a priority=--1\n", r'x:1: expected a number from -1000 to 1000', "a priority that is no number"),
    ("node a priority=1 priority=2\n", r'x:1: expected one "priority="', "a priority twice"),
    ("node a costs=1\n", r"x:1: expected .*found \"costs=1\"", "an unknown attribute"),
    ("node a cost=x\n", r"x:1: .*cost", "a cost that is no number"),
    ("node a cost=99999999999999999999\n", r"x:1: .*cost", "a cost that is too large"),
    ("node a cost=9223372036854775807\nnode b cost=9223372036854775807 after=a\n"
     "node c cost=9223372036854775807 after=b\n", r"x:1: costs add up to more than 2\^63 - 1; most is 'a' \(line 1\), with 9223372036854775807\n", "costs that overflow"),
    ("node z cost=7\nwhile v times=4000\nwhile w times=4000000000\nnode a cost=2\nnode b cost=3000000\nend\nend\n"
     "node y cost=9 after=v\n", r"x:5: costs .*; most is 'b' \(line 5\), with 3000000, 16000000000000 times\n",
     "costs that overflow in loops"),
    ("while v times=4000000000\nwhile w times=4000000000\ncase c take=0\nnode a cost=3\nbranch\nnode b cost=7\n"
     "end\nend\nend\n", r"x:4: costs .*; most is 'a' \(line 4\), with 3, 16000000000000000000 times\n",
     "costs that overflow in a case in loops"),
    ("while v times=3 cost=9223372036854775807\nend\n", r"x:1: costs .*'v' \(line 1\), with 9223372036854775807, 3 times\n",
     "decisions that overflow"),
    ("node z\nnode a after=z\nnode b after=z cost=9223372036854775807\n", r"x:3: costs .*'b' \(line 3\), with 92",
     "a cost that is too much after others"),
    ("node a\nnode a cost=2\n", r'x:2: "a" is defined in line 1', "a node twice"),
    ("device d lanes=1\ndevice d lanes=2\n", r'x:2: device "d" is already defined', "a device twice"),
    ("device d\n", r"x:1: expected lanes=N, the most lanes of this device \(0: .*found the end of the line",
     "a device without lanes"),
    ("device d 3\n", r'x:1: expected lanes=N, .*found "3"', "a device with a bare number"),
    ("node a device=gpu\n", r"x:1: .*gpu", "an unknown device"),
    ("device d lanes=1\nnode a device=d+d\n", r"x:2: .*d", "a device twice in a node"),
    ("while w\nend\n", r"x:1: expected times=N", "a loop without times"),
    ("case c take=2\nnode a\nbranch\nnode b\nend\n", r"x:1: expected take=K, K from 0 to 1: .* line 5; found take=2",
     "take too high"),
    ("while w times=1\nnode a\n", r'x:1: no "end" for the region that starts here', "no end"),
    ("end\n", r'x:1: "end" without', "an end too many"),
    ("branch\n", r'x:1: "branch" outside of a case', "a branch outside"),
    ("while w times=1\nbranch\nend\n", r'x:2: "branch" outside of a case', "a branch in a loop"),
    ("node " + "n" * 300 + "\n", r"x:1: .*255", "a name that is too long"),
    ("node a extra\n", r'x:1: expected .*found "extra"', "a word too many"),
    ("node\n", r"x:1: expected a name", "no name"),
    ("node a=b\n", r"x:1: expected a name", "a name with ="),
    ("node a\0b\n", r"x: neither a graph nor a plan: x:1: a name contains a NUL byte", "a name with a NUL"),
    ("\x7fELF\2\1\1\0\0\n", r"x: neither a graph nor a plan: x:1: ", "a program"),
    ("device a lanes=1\ndevice b lanes=1\nnode n\nwhile w times=1 device=a+b\nend\n",
     r"x:4: 'w' \(line 4\): a region sits on one device, not 2", "a loop on two devices"),
    ("do a times=2\n" * 63 + "node n\n" + "end\n" * 63, r"x:64: costs .* 'n' \(line 64\), with 1, 9223372036854775808 times",
     "costs that overflow in 63 loops"),
    ("".join("node n%d after=n%d\n" % (i, (i + 1) % 20000) for i in range(20000)),
     r"x:1: cycle: 'n0' \(line 1\) -> 'n19999' \(line 20000\) -> .* -> \.\.\.\n", "a long cycle"),
)
for text, want, what in WRONG:
    path = keep("x", text)
    found = []
    for command in ("plan", "check", "simulate"):
        got = plait(command, path)
        said = got.stderr.replace(FOLDER.name + "/", "")
        if got.returncode != 1 or got.stdout or not re.match("plait %s: (%s)" % (command, want), said):
            found.append("%s: %d %s%s" % (command, got.returncode, got.stdout, said))
        if said.count("\n") != 1:
            found.append("%s: not one line" % command)
    none(found, what)
deep = "".join("while w times=1\n" for i in range(20000)) + "node a\n" + "end\n" * 20000
got = plait("plan", "-", "--stats", text=deep)
ok(got.returncode == 0 and stats_of(got)["lanes"] == "1", "20,000 loops in each other", got.stderr)
chain = "node n0\n" + "".join("node n%d after=n%d\n" % (i, i - 1) for i in range(1, 100000))
got = plait("plan", "-", "--stats", text=chain)
ok(got.returncode == 0 and stats_of(got)["waits"] == "0" and int(stats_of(got)["peak_bytes"]) < 300 * 100000,
   "a chain of 100,000", got.stdout, got.stderr)

for args in (["/nowhere/x"], [FOLDER.name], [graph, "-o", "/nowhere/x"], [graph, "-o", FOLDER.name],
             [graph, "-o", "/dev/null"]):
    got = plait("plan", *args)
    ok(got.returncode == 1 and got.stderr.startswith("plait plan: /") and got.stderr.count("\n") == 1,
       "files: %s" % " ".join(args).replace(FOLDER.name, "."), got.returncode, got.stderr)
with open("/dev/full", "w") as full:
    got = subprocess.run([PLAIT, "plan", graph, "--json"], stdout=full, stderr=subprocess.PIPE, timeout=300)
ok(got.returncode == 1 and b"could not be written" in got.stderr, "no room for the output", got.stderr)
for command, *args in (["plan"], ["plan", "a", "b"], ["plan", graph, "--what"], ["plan", graph, "--lanes"],
                       ["plan", graph, "--lanes", "-1"], ["plan", graph, "--lanes", "4294967296"],
                       ["plan", graph, "--lanes", ""], ["plan", graph, "--policy", "best"],
                       ["plan", graph, "--mode", "x"], ["plan", graph, "--json", "--svg"], ["plan", graph, "-o"],
                       ["plan", graph, "--hop", "x"], ["plan", plan_file, "--lanes", "2"], ["plan", graph, "-x"],
                       ["check"], ["check", graph, "--json"], ["check", graph, "-o", "x"], ["simulate"],
                       ["simulate", graph, "--copy", "1"], ["simulate", graph, "--copy", "1,x"],
                       ["simulate", graph, "--copy", ",1"], ["simulate", graph, "-o", "x"],
                       ["simulate", plan_file, "--policy", "widest"], ["run"], ["run", graph, "--times", "0"],
                       ["run", graph, "--serial", "--parallel"], ["run", graph, "-o", "x"]):
    got = plait(command, *args)
    ok(got.returncode == 2 and got.stderr.startswith("plait %s: " % command) and "usage: plait %s" % command in
       got.stderr and not got.stdout, "not understood: %s" % " ".join([command] + args).replace(FOLDER.name + "/", ""),
       got.returncode, got.stderr)

# --- no backend is needed, but one must be there -------------------------------------------------
os.environ["PLAIT_BACKEND"] = "no_such_backend"
ok(plait("plan", graph).returncode == 0, "PLAIT_BACKEND does not matter")
os.environ["PLAIT_PLUGIN_PATH"] = FOLDER.name
got = plait("plan", graph)
ok(got.returncode == 1 and "no backend is usable" in got.stderr, "without any backend that is said", got.stderr)
done()
