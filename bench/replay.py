#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Repeated runs of graphs by plait and other libraries, interleaved, as tables.

Usage: replay.py [--quick | --smoke] [--shapes A,B] [--nodes N,M] [--grains NS,NS]
                 [--spreads even,heavy] [--threads 1,2] [--who A,B] [--rounds N]
                 [--busy caller|worker|loose] [--out results.tsv] [--absent 'NAME: why'] PROGRAM...

Each PROGRAM is a bench/who_NAME, or LABEL=bench/who_NAME; README.md in this folder says what is measured
and how to read it."""
import argparse
import collections
import os
import select
import statistics
import subprocess
import sys
import time

SHAPES = "chain independent diamonds in_tree out_tree wavefront cholesky layers pair".split()
COLUMNS = ("shape nodes grain_ns spread threads who min_ns_per_node "
           "median_ns_per_node efficiency hop").split()
# Rows with more total work than this are left out.
WORK_MOST_NS = 1.1e9
LONG_SHARE, LONG_FACTOR = 0.1, 50

Row = collections.namedtuple("Row", "shape nodes grain spread threads")
Batch = collections.namedtuple("Batch", "hop drawings")


def split_label(program):
    """Parse a program argument; "old=bench/who_plait" prefixes its names with "old."."""
    label, _, path = program.rpartition("=")
    return label + "." if label else "", path


class Player:
    """The process of a contestant; restarted after a failure."""

    def __init__(self, program, name, label=""):
        self.program, self.asked, self.name = program, name, label + name
        self.process, self.pending = None, b""

    def ask(self, line, seconds):
        """Send a command; return the lines of the reply, the last with ok or no."""
        if self.process is None:
            # Limits the spinning of threads before they sleep to 20 ms.
            environment = dict(os.environ, KMP_BLOCKTIME="20")
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, env=environment)
            self.pending = b""
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
            return self.read(time.monotonic() + seconds) if seconds else []
        except OSError:
            return [self.end("crashed")]

    def read(self, until):
        lines = []
        while not lines or lines[-1].split(" ")[0] not in ("ok", "no"):
            while b"\n" not in self.pending:
                left = until - time.monotonic()
                if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                    return [self.end("hangs")]
                more = os.read(self.process.stdout.fileno(), 65536)
                if not more:
                    return [self.end("crashed")]
                self.pending += more
            line, self.pending = self.pending.split(b"\n", 1)
            lines.append(line.decode())
        return lines

    def end(self, why):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
        self.process = None
        return "no " + why


class Bench:
    def __init__(self, options):
        self.options = options
        self.players = []
        for label, program in (split_label(p) for p in options.programs):
            listed = subprocess.run([program, "list"], stdout=subprocess.PIPE,
                                    universal_newlines=True)
            if listed.returncode != 0:
                options.absent.append(os.path.basename(program) + ": does not start")
            names = listed.stdout.split()
            self.players += [Player(program, n, label) for n in names
                             if not options.who or n in options.who]
        self.judge = Player(split_label(options.programs[0])[1], "")
        self.turns = float(self.judge.ask("calibrate", 60)[-1].split()[1])
        self.results = {}      # (Row, who) -> [Batch] or a word
        self.counts = {}       # Row -> actual number of nodes

    def hop(self):
        return float(self.judge.ask("hop", 60)[-1].split()[1])

    def prepare(self, player, row):
        """Return True if the player is ready and has passed the order check."""
        if self.options.busy:
            player.ask("busy " + self.options.busy, 60)
        answer = player.ask("prepare %s %s %d %d %s %d %.3f" % (
            (player.asked, row.shape, row.nodes, row.grain, row.spread, row.threads, self.turns)), 60)[-1]
        if answer.startswith("ok"):
            self.counts[row] = int(answer.split()[1])
            answer = player.ask("check", 60)[-1]
        if not answer.startswith("ok"):
            self.results[row, player.name] = answer[3:]
            player.end("")
            return False
        self.results[row, player.name] = []
        return True

    def batch(self, player, row):
        hops = row.threads == 2 and not self.options.smoke and not self.options.busy
        before = self.hop() if hops else 0
        lines = player.ask("batch %d" % self.options.budget_ns, 60)
        after = self.hop() if hops else 0
        if not lines[-1].startswith("ok"):
            self.results[row, player.name] = lines[-1][3:]
            return False
        self.results[row, player.name].append(
            Batch((before, after), [tuple(map(float, x.split()[1:])) for x in lines[:-1]]))
        return True

    def measure(self, row):
        # Interleaved in each round, so that changes of the machine affect all alike.
        ready = [p for p in self.players if self.prepare(p, row)]
        for _ in range(self.options.rounds):
            ready = [p for p in ready if self.batch(p, row)]
        for player in ready:
            player.ask("finish", 60)

    def close(self):
        for player in self.players + [self.judge]:
            player.end("")


def rows(options):
    for threads in options.threads:
        for shape in options.shapes:
            if shape == "pair":
                for grain in sorted(set(options.grains + [10000])):
                    yield Row(shape, 2, grain, "even", threads)
                continue
            for nodes in options.nodes:
                for grain in options.grains:
                    if nodes * grain <= WORK_MOST_NS and "even" in options.spreads:
                        yield Row(shape, nodes, grain, "even", threads)
                # One grain: 1 us, and 50 us for one node in ten.
                mean = 1000 * (1 + LONG_SHARE * (LONG_FACTOR - 1))
                if "heavy" in options.spreads and nodes * mean * 16 <= WORK_MOST_NS:
                    yield Row(shape, nodes, 1000, "heavy", threads)


def hop_class(hop, least):
    """Return near or far, if the hop latencies before and after a batch agree."""
    if max(hop) == 0:
        return "-"
    classes = {"near" if h < 2 * least else "far" for h in hop}
    return classes.pop() if len(classes) == 1 else None


def ideals(batches):
    """Return the minimum ideal time per draw over all batches of the row, since
    disturbances only increase the measured work."""
    return [min(s[3] for s in samples) for samples in zip(*(b.drawings for b in batches))]


def figures(batches, nodes, ideal):
    """Return, over the draws, the mean of the minima, the mean of the medians, and the
    efficiency of the minima."""
    least = middle = 0.0
    drawings = list(zip(*(b.drawings for b in batches)))
    for samples in drawings:
        least += min(s[1] for s in samples)
        middle += statistics.median(s[2] for s in samples)
    return (least / nodes / len(drawings), middle / nodes / len(drawings),
            sum(ideal) / least if sum(ideal) else None)


def lines_of(bench, row):
    hops = [h for b in bench.results.values() if isinstance(b, list)
            for x in b for h in x.hop if h > 0]
    least = min(hops) if hops else 0
    every = [b for p in bench.players for b in bench.results[row, p.name] if isinstance(b, Batch)]
    ideal = ideals(every)
    for player in bench.players:
        got = bench.results[row, player.name]
        front = [row.shape, bench.counts.get(row, row.nodes), row.grain, row.spread,
                 row.threads, player.name]
        if not isinstance(got, list):
            yield front + ["-", "-", "-", got]
            continue
        for kind in ("-", "near", "far"):
            of_kind = [b for b in got if hop_class(b.hop, least) == kind]
            if of_kind:
                low, mid, good = figures(of_kind, bench.counts[row], ideal)
                hop = statistics.median(h for b in of_kind for h in b.hop)
                yield front + ["%.2f" % low, "%.2f" % mid,
                               "%.3f" % good if good else "-",
                               "-" if kind == "-" else "%s:%.0f" % (kind, hop)]


def print_busy(bench, done):
    """Print median and mean: beside a competing process the minimum is meaningless."""
    names = [p.name for p in bench.players]
    print("\nmedian / mean of the runs, ms; a busy thread: " + bench.options.busy)
    print("%-12s %6s %7s" % ("", "nodes", "ns") + "".join("%16s" % n for n in names))
    for row in done:
        cells = []
        for name in names:
            got = bench.results[row, name]
            runs = [x for b in got if isinstance(b, Batch) for x in b.drawings]
            cells.append("%.2f / %.2f" % (statistics.median(x[2] for x in runs) / 1e6,
                                          statistics.mean(x[4] for x in runs) / 1e6) if runs else "-")
        print("%-12s %6d %7d" % (row.shape, bench.counts.get(row, row.nodes), row.grain) +
              "".join("%16s" % c for c in cells))


def print_table(bench, done):
    """Print tables: a block per grain and number of threads, a line per shape."""
    names = [p.name for p in bench.players]
    blocks = collections.OrderedDict()
    for row in done:
        blocks.setdefault((row.threads, row.grain, row.spread, row.nodes), []).append(row)
    for (threads, grain, spread, nodes), members in blocks.items():
        unit = "efficiency, %" if grain else "ns per node"
        print("\n%d thread%s, about %d nodes of %s%s: %s" % (
            threads, "s" * (threads > 1), nodes, "%d ns" % grain if grain else "no work",
            ", one in ten %d times that" % LONG_FACTOR if spread == "heavy" else "", unit))
        print("%-12s %-5s" % ("", "hop") + "".join("%15s" % n for n in names))
        for row in members:
            lines = list(lines_of(bench, row))
            for hop in sorted({line[9].split(":")[0] for line in lines if line[6] != "-"}):
                cells = []
                for name in names:
                    cell = [x for x in lines if x[5] == name and (x[6] == "-" or x[9].split(":")[0] == hop)]
                    cells.append("-" if not cell else "none" if cell[0][6] == "-" else
                                 "%.1f" % (100 * float(cell[0][8])) if grain else cell[0][6])
                print("%-12s %-5s" % (row.shape, hop) + "".join("%15s" % c for c in cells))


def write(bench, done, options):
    with open(options.out, "w", encoding="utf-8") as file:
        for text in options.absent:
            file.write("# absent: %s\n" % text)
        file.write("\t".join(COLUMNS) + "\n")
        for row in done:
            for line in lines_of(bench, row):
                file.write("\t".join(map(str, line)) + "\n")


def parse():
    def words(text):
        return text.split(",")

    def numbers(text):
        return [int(x) for x in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--quick", action="store_true", help="empty and 200 ns, 1k and 10k")
    parser.add_argument("--smoke", action="store_true", help="check only that every contestant keeps the order")
    parser.add_argument("--shapes", type=words)
    parser.add_argument("--nodes", type=numbers)
    parser.add_argument("--grains", type=numbers)
    parser.add_argument("--spreads", type=words)
    parser.add_argument("--threads", type=numbers)
    parser.add_argument("--who", type=words)
    parser.add_argument("--busy", choices=["caller", "worker", "loose"],
                        help="something else runs, where the calling thread is or where it is not; "
                        "loose: anywhere, without pinning")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--budget-ms", type=float)
    parser.add_argument("--out", default="results.tsv")
    parser.add_argument("--absent", action="append", default=[])
    options = parser.parse_args()
    whole = dict(shapes=SHAPES, nodes=[1000, 10000, 100000], grains=[0, 200, 1000, 10000, 100000],
                 spreads=["even", "heavy"], threads=[1, 2], rounds=7, budget_ms=30)
    if options.quick:
        whole.update(nodes=[1000, 10000], grains=[0, 200], spreads=["even"], rounds=5, budget_ms=12)
    if options.smoke:
        whole.update(nodes=[100], grains=[0], spreads=["even"], rounds=1, budget_ms=0.1)
    for name, value in whole.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    options.budget_ns = options.budget_ms * 1e6
    return options


def main():
    options = parse()
    started = time.monotonic()
    bench, done = Bench(options), []
    for text in options.absent:
        print("absent: " + text)
    print("%s; load %s; 1 us = %.0f turns" % (
        time.strftime("%F %T"), " ".join("%.1f" % x for x in os.getloadavg()), bench.turns))
    every = list(rows(options))
    for row in every:
        bench.measure(row)
        done.append(row)
        if sys.stderr.isatty():
            sys.stderr.write("\r%d of %d rows, %d s " % (len(done), len(every), time.monotonic() - started))
    (print_busy if options.busy else print_table)(bench, done)
    write(bench, done, options)
    bench.close()
    failed = collections.Counter((who, got) for (_, who), got in bench.results.items()
                                 if not isinstance(got, list))
    for (who, why), rows_lost in sorted(failed.items()):
        print("no figures of %s in %d rows: %s" % (who, rows_lost, why))
    print("load %s at the end; %d s; all figures: %s" % (
        " ".join("%.1f" % x for x in os.getloadavg()), time.monotonic() - started, options.out))
    # A refused graph is not an error; a wrong run is.
    return any(f.startswith(("WRONG", "crashed", "hangs")) for _, f in failed)


if __name__ == "__main__":
    sys.exit(main())
