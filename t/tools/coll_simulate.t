#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait coll simulate, draw and tune: results, files, wrong arguments; and on the clusters of
examples/ the order of algorithms that measurements of others have."""
import glob
import json
import os
import re
import sys
import tempfile
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, done, ok, run

TOOL = os.path.join(BUILD, "tools/plait/plait")
CLUSTERS = os.path.join(ROOT, "examples")
LINE = re.compile(r" *(\d+) bytes: +([\d.]+) us; ([\w:./-]+), (\d+) instances, (\w+)"
                  r"(?:, (\d+) chunks)?(?:, messages of up to (\d+) chunks)?$")


def tool(*arguments):
    return run([TOOL, "coll", *arguments])


def cluster(name):
    return os.path.join(CLUSTERS, name + ".cluster")


with tempfile.TemporaryDirectory() as work:
    path = os.path.join(work, "a.sched")

    def times(name, on, sizes, *options):
        """Times in ns of an algorithm."""
        got = tool("compile", name, *options, "-o", path)
        got = tool("simulate", path, "--cluster", cluster(on), "--bytes", sizes, "--json")
        ok(got.returncode == 0, "%s on %s" % (name, on), got.stderr)
        return [json.loads(line)["time_ns"] for line in got.stdout.splitlines()]

    # --- simulate ---
    plain = os.path.join(work, "plain.cluster")
    with open(plain, "w", encoding="ascii") as file:
        file.write("cluster ranks=4 start=1000\nlane rate=1000\nsimple link=500\n")
    tool("compile", "ring", "--ranks", "4", "--in-place", "--protocol", "simple", "-o", path)
    got = tool("simulate", path, "--cluster", plain, "--bytes", "4000,8K")
    ok(got.returncode == 0 and got.stdout.splitlines()[0].split() ==
       "4000 bytes: 11.000 us; 1 tiles of 1000 bytes a chunk; critical path: 7 steps 7.000 us, "
       "latencies 3.000 us".split() and len(got.stdout.splitlines()) == 2, "as text", got.stdout, got.stderr)
    got = tool("simulate", path, "--cluster", plain, "--bytes", "4000", "--json")
    ok(json.loads(got.stdout) == {"bytes": 4000, "time_ns": 11000, "tiles": 1, "executed_tiles": 1,
                                  "tile_bytes": 1000, "critical_steps": 7, "critical_ns": 7000,
                                  "latency_ns": 3000}, "as JSON", got.stdout)
    got = tool("simulate", path, "--cluster", plain, "--bytes", "1K:8K,3", "--json")
    ok([json.loads(line)["bytes"] for line in got.stdout.splitlines()] == [1024, 2048, 4096, 8192, 3],
       "a range of sizes", got.stdout)
    for options, part in (((), "--cluster is missing"), (("--cluster", plain, "--bytes", "2K:1K"), "no size"),
                          (("--cluster", plain, "--bytes", "0:1K"), "no size"),
                          (("--cluster", plain, "--bytes", "1:9223372036854775807"), "no size"),
                          (("--cluster", plain, "--bytes", "1:4000000000,1:4000000000,1"), "more than 64"),
                          (("--cluster", plain, "--bytes", "1Q"), "no size")):
        got = tool("simulate", path, *options)
        ok(got.returncode == 2 and part in got.stderr, "wrong: " + " ".join(options[2:]), got.stderr)
    got = tool("simulate", path, "--cluster", path)
    ok(got.returncode == 1 and path + ":1" in got.stderr, "a file that is no cluster", got.stderr)
    got = tool("simulate", path, "--cluster", os.path.join(work, "none"))
    ok(got.returncode == 1 and "none" in got.stderr, "no file", got.stderr)

    # --- draw ---
    for name, ranks in (("ring", 4), ("allpairs", 3), ("doubletree", 5), ("halving", 8)):
        tool("compile", name, "--ranks", str(ranks), "--in-place", "-o", path)
        got = tool("draw", path, "--svg")
        rows = re.findall(r">ch\d+(?: &lt;\d+)?(?: >\d+)?</text>", got.stdout)
        lanes = int(re.search(r"(\d+) lanes, channels", got.stdout).group(1))
        ok(got.returncode == 0 and xml.dom.minidom.parseString(got.stdout) and len(rows) % lanes == 0 and
           len(rows) >= lanes >= ranks,
           "a picture with all lanes: " + name, len(rows), lanes, got.stderr)
    got = tool("draw", path, "--cluster", cluster("a100"), "--bytes", "64K")
    ok("65536 bytes in" in got.stdout, "on a cluster", got.stderr)
    got = tool("draw", path, "--cluster", plain)
    ok(got.returncode == 1 and "8 ranks, the cluster 4" in got.stderr, "with too few ranks", got.stderr)
    got = tool("draw", path, "--bytes", "1K,2K")
    ok(got.returncode == 2 and "one size" in got.stderr, "of several sizes", got.stderr)

    # --- tune ---
    sizes = "1K,64K,4M"
    got = tool("tune", "allreduce", "--ranks", "4", "--in-place", "--cluster", cluster("a100"), "--bytes", sizes)
    table = [LINE.match(line).groups() for line in got.stdout.splitlines()]
    ok(got.returncode == 0 and [int(row[0]) for row in table] == [1024, 65536, 4 << 20], "a row for each size",
       got.stdout, got.stderr)
    again = tool("tune", "allreduce", "--ranks", "4", "--in-place", "--cluster", cluster("a100"), "--bytes", sizes,
                 "--all", "-o", work, "--xml", "plait")
    ok(again.returncode == 2 and "--xml" in again.stderr, "a dialect that is none", again.stderr)
    again = tool("tune", "allreduce", "--ranks", "4", "--in-place", "--cluster", cluster("a100"), "--bytes", sizes,
                 "--all", "-o", work)
    everything = [LINE.match(line).groups() for line in again.stdout.splitlines()]
    for row in table:
        least = min((float(one[1]) for one in everything if one[0] == row[0]))
        ok(float(row[1]) == least and row in everything, "the least of all times: " + row[0], row, least)
    ok(len({one[2] for one in everything}) >= 6 and {one[4] for one in everything} == {"auto", "ll", "ll128"},
       "many candidates", len(everything))
    files = sorted(glob.glob(os.path.join(work, "allreduce-4-*.sched")), key=lambda n: int(n.split("-")[-1][:-6]))
    ok(files and files[0].endswith("-1024.sched"), "the schedules are written", files)
    for row in table:
        mine = [n for n in files if int(n.split("-")[-1][:-6]) <= int(row[0])][-1]
        got = tool("simulate", mine, "--cluster", cluster("a100"), "--bytes", row[0], "--json")
        ok("%.3f" % (json.loads(got.stdout)["time_ns"] / 1000) == row[1], "with these times", got.stdout, row)
    # Where times are equal, ranks of a world keep the choice that is theirs.
    equal = os.path.join(work, "equal.cluster")
    with open(equal, "w", encoding="ascii") as file:
        file.write("cluster ranks=4 start=1000\nlane rate=1000\n")
    for more, protocol in ((), "auto"), (("-o", os.path.join(work, "equal"), "--xml", "executor"), "simple"):
        got = tool("tune", "allgather", "--ranks", "3", "--cluster", equal, "--bytes", sizes, *more)
        ok({LINE.match(line).group(5) for line in got.stdout.splitlines()} == {protocol},
           "the first protocol of equal times: " + protocol, got.stdout, got.stderr)
    new = os.path.join(work, "new")
    got = tool("tune", "allgather", "--ranks", "3", "--cluster", plain, "--bytes", sizes, "-o", new, "--xml",
               "executor")
    made = [open(n, encoding="ascii").read() for n in glob.glob(os.path.join(new, "allgather-3-*.xml"))]
    limits = sorted(tuple(int(re.search(r'%sBytes="(\d+)"' % end, text).group(1)) for end in ("min", "max"))
                    for text in made)
    ok(got.returncode == 0 and limits and limits[0][0] == 0 and limits[-1][1] == 0 and
       all(one[1] + 1 == two[0] for one, two in zip(limits, limits[1:])), "XML for all sizes, each once",
       limits, got.stderr)

    # --- tune a text: messages are joined where latencies cost more than a pipeline gains ---
    slow = os.path.join(work, "slow.cluster")
    with open(slow, "w", encoding="ascii") as file:
        file.write("cluster ranks=8 step=1000\nlane rate=1000\nlink rate=1000\nsimple link=1000\n"
                   "ll link=1000 wire=16 data=1\nll128 link=1000 wire=16 data=1\n")
    chain = os.path.join(work, "chain.coll")
    with open(chain, "w", encoding="ascii") as file:
        file.write("broadcast ranks=8 chunks=16 in_place\nfor i in 0..chunks {\n"
                   "\tc = input[0, i]\n\tfor r in 1..ranks { c = copy(c, r) }\n}\n")
    everything = tool("tune", chain, "--cluster", slow, "--bytes", "64,4K,16K,2M", "--all")
    rows = [LINE.match(line).groups() for line in everything.stdout.splitlines()]
    limits = {row[6] for row in rows}
    ok(everything.returncode == 0 and {None, "2", "4", "8", "16"} <= limits, "messages of each size", limits,
       everything.stderr)
    got = tool("tune", chain, "--cluster", slow, "--bytes", "64,4K,16K,2M", "-o", work)
    table = [LINE.match(line).groups() for line in got.stdout.splitlines()]
    for row in table:
        ok(float(row[1]) == min(float(one[1]) for one in rows if one[0] == row[0]),
           "the least time of a text: " + row[0], row)
    joined = [int(row[6] or 1) for row in table]
    ok(joined[0] == 16 and joined == sorted(joined, reverse=True) and len(set(joined)) > 2 and joined[-1] == 1,
       "the larger the data the fewer chunks are joined", joined)
    ok(os.path.exists(os.path.join(work, "broadcast-8-64.sched")), "its schedule", os.listdir(work))
    got = tool("tune", chain, "--ranks", "9", "--cluster", slow, "--bytes", "1K")
    ok(got.returncode == 1 and "chain.coll" in got.stderr and "9 ranks, the cluster 8" in got.stderr,
       "a text on too few ranks", got.stderr)
    for options in ((chain,), (chain, "--cluster", slow, "--in-place"), (chain, "--cluster", slow, "--root", "1")):
        got = tool("tune", *options)
        ok(got.returncode == 2 and got.stderr, "wrong arguments: a text" + " ".join(options[3:]), got.stderr)
    steps = [int(re.search(r"(\d+) steps", tool("compile", chain, *option, "-o", path).stdout).group(1))
             for option in ((), ("--aggregate=1",), ("--aggregate=4",), ("--aggregate",))]
    ok(steps[0] == steps[1] == 4 * steps[2] == 16 * steps[3], "compiled with joined messages", steps)
    got = tool("compile", chain, "--aggregate=x", "-o", path)
    ok(got.returncode == 2 and "--aggregate" in got.stderr, "no number", got.stderr)

    for options in (("allreduce",), ("allreduce", "--ranks", "4"), ("custom", "--ranks", "4", "--cluster", plain),
                    ("--ranks", "4", "--cluster", plain),
                    ("allreduce", "--ranks", "4", "--cluster", plain, "--xml", "executor")):
        got = tool("tune", *options)
        ok(got.returncode == 2 and got.stderr, "wrong arguments: " + " ".join(options[:1]), got.stderr)
    got = tool("tune", "allreduce", "--ranks", "5", "--cluster", plain, "--bytes", "1K")
    ok(got.returncode == 1 and "no algorithm for allreduce of 5 ranks" in got.stderr and
       "5 ranks, the cluster 4" in got.stderr, "a cluster that is too small", got.stderr)

    # --- the order of algorithms; doc/measurements/coll.md has the numbers ---
    eight = ("--ranks", "8", "--in-place", "--instances", "4", "--protocol")
    ring = times("ring", "a100", "1K,64K,1G", *eight, "ll")
    pairs = times("allpairs", "a100", "1K,64K,1G", *eight, "ll")
    simple = times("ring", "a100", "1K,64K,1G", *eight, "simple")
    ok(pairs[0] < 0.6 * ring[0] and pairs[1] < ring[1], "all pairs are faster where data is small", pairs, ring)
    ok(ring[0] < simple[0] and simple[2] < ring[2], "LL is for small data, Simple for large", ring, simple)
    ways = [times("ring", "a100", "64M", *eight[:3], "--instances", str(n), "--protocol", "simple")[0]
            for n in (1, 4, 16)]
    ok(ways[0] > 3.5 * ways[1] > 3.5 * 2 * ways[2], "instances share the work until the link is full", ways)
    sixteen = ("--ranks", "16", "--in-place", "--protocol", "simple", "--instances", "4")
    flat = times("ring", "ndv4", "64K,4M,256M", *sixteen)
    nodes = times("hierarchical:8", "ndv4", "64K,4M,256M", *sixteen)
    ok(all(a < b for a, b in zip(nodes, flat)), "two levels are faster on two nodes", nodes, flat)
    to_next = ("--ranks", "16", "--kind", "alltonext", "--protocol", "simple", "--target", "executor")
    one = times("direct", "ndv4", "256M", *to_next)[0]
    all_ports = times("next:8", "ndv4", "256M", *to_next, "--instances", "8")[0]
    ok(6 < one / all_ports < 9, "all ports of a node carry what one did", one, all_ports)
    across = ("--ranks", "16", "--kind", "alltoall", "--target", "executor", "--protocol", "ll")
    pairs, two = times("allpairs", "ndv4", "16K,16M", *across), times("twostep:8", "ndv4", "16K,16M", *across)
    ok(two[0] < 0.8 * pairs[0] and pairs[1] < two[1], "two steps save messages where they are small", two, pairs)
    for name in ("a100", "ndv4", "h100", "ethernet"):
        times("ring", name, "1K:1M", "--ranks", "8", "--in-place")
done()
