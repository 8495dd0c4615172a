# SPDX-License-Identifier: MIT
"""Graphs in their text form: random ones, and a reader that shares nothing
with the library's."""


class Node:
    def __init__(self, name):
        self.name = name
        self.devices = []
        self.meaning = "first"
        self.cost = 1
        self.kind = "node"
        self.number = None      # times= or take=
        self.bodies = []


class Body:
    def __init__(self):
        self.nodes = {}
        self.edges = set()      # (before, after), names


class Graph:
    def __init__(self):
        self.devices = {}       # name: most lanes, 0 for none of its own
        self.temporaries = {}   # name: (device, bytes)
        self.top = Body()


def _node_line(graph, body, kind, words):
    name = words.pop(0)
    node = body.nodes.setdefault(name, Node(name))
    for word in words:
        key, _, value = word.partition("=")
        if key == "after":
            body.edges |= {(before, name) for before in value.split(",")}
        elif key == "device":
            node.devices = value.split("+")
        elif key in ("first", "barrier", "group"):
            node.meaning = key
        elif key == "cost":
            node.cost = int(value)
        elif key in ("times", "take"):
            node.number = int(value)
    if kind != "node":
        node.kind = kind
        node.bodies.append(Body())
    return node


def read_graph(text):
    graph = Graph()
    stack = [(None, graph.top)]
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        word = words.pop(0)
        body = stack[-1][1]
        if word == "device":
            graph.devices[words[0]] = int(words[1].split("=")[1])
        elif word == "temporary":
            values = dict(word.split("=") for word in words[1:])
            graph.temporaries[words[0]] = (values.get("device"), int(values["bytes"]))
        elif word == "node":
            _node_line(graph, body, word, words)
        elif word == "after":
            body.edges |= {(before, words[0]) for before in words[1].split(",")}
        elif word == "branch":
            region = stack.pop()[0]
            region.bodies.append(Body())
            stack.append((region, region.bodies[-1]))
        elif word == "end":
            stack.pop()
        else:
            region = _node_line(graph, body, word, words)
            stack.append((region, region.bodies[0]))
    graph.devices = graph.devices or {"host": 0}
    first = next(iter(graph.devices))
    graph.temporaries = {name: (device or first, bytes) for name, (device, bytes) in graph.temporaries.items()}
    for body in bodies(graph):
        for node in body.nodes.values():
            node.devices = node.devices or [first]
    return graph


def bodies(graph):
    found = [graph.top]
    for body in found:
        for node in body.nodes.values():
            found += node.bodies
    return found


class Writer:
    """A random graph of about `size` nodes, as text."""

    def __init__(self, random, size, devices):
        self.random = random
        self.lines = []
        self.count = 0
        self.size = size
        self.temporaries = 0
        self.devices = ["d%d" % i for i in range(devices)]
        for name in self.devices:
            if devices > 1 or random.random() < 0.7:
                self.lines.append("device %s lanes=%d" % (name, random.choice([0, 1, 2, 3, 5])))
            else:
                self.devices = []
        self.body(0, max(1, size * 2 // 3))     # the rest is for bodies

    def attributes(self, region):
        r, words = self.random, []
        if not region and r.random() < 0.6:
            words.append("cost=%d" % r.choice([1, 2, 3, 7, 20, 100]))
        if not region and r.random() < 0.3:
            words.append("kernel=k%d" % r.randrange(3))
        if not region and r.random() < 0.2:
            words.append("scratch=%d" % r.choice([1, 64, 4096]))
        if self.devices and r.random() < 0.8:
            many = r.choice([1, 1, 1, 2, 3]) if not region else 1
            chosen = r.sample(self.devices, min(many, len(self.devices)))
            words.append("device=" + "+".join(chosen))
            if len(chosen) > 1:
                words += r.choice([[], ["first"], ["barrier"], ["group"]])
        r.shuffle(words)
        return words

    def accesses(self, name, after, written):
        """Some nodes write a temporary of their own; those that come after them may read it."""
        r = self.random
        words = ["reads=" + written[before] for before in after if before in written and r.random() < 0.7]
        if r.random() < 0.15:
            written[name] = "t%d" % self.temporaries
            self.temporaries += 1
            self.lines.append("temporary %s bytes=%d" % (written[name], r.choice([0, 8, 300, 4096])) +
                              (" device=" + r.choice(self.devices) if self.devices and r.random() < 0.3 else ""))
            words.append("writes=" + written[name])
        return words

    def regions(self, name, depth, room):
        """The lines of a region's line and its bodies."""
        r = self.random
        kind = r.choice(["while", "do", "repeat", "case"])
        branches = r.randint(1, 3) if kind == "case" else 1
        count = "take=%d" % r.randrange(branches) if kind == "case" else "times=%d" % r.randint(1, 4)
        self.lines.append(" ".join([kind, name, count] + self.attributes(True)))
        for i in range(branches):
            if i:
                self.lines.append("branch")
            start = len(self.lines)
            self.body(depth + 1, r.randint(0, room))
            if kind == "case" and branches == 1 and len(self.lines) == start:
                self.lines.append("node alone")
        self.lines.append("end")

    def body(self, depth, room):
        """Nodes in any order of lines; edges only from lower to higher."""
        r, names, heads = self.random, [], []
        for i in range(room):
            if self.count >= self.size:
                break
            self.count += 1
            names.append("n%d" % i)
        order = list(names)
        if r.random() < 0.3:
            r.shuffle(order)
        density = r.choice([0.0, 0.5, 1.0, 2.0, 4.0])
        afters = {}
        for i, name in enumerate(names):
            many = min(i, int(r.expovariate(1 / density)) if density else 0)
            near = names[max(0, i - 12):i] if r.random() < 0.8 else names[:i]
            afters[name] = r.sample(near, min(many, len(near)))
        written = {}            # node: the temporary that it writes
        for name in order:
            after = afters[name]
            if depth < 3 and r.random() < (0.15 if self.count < self.size else 0.05):
                self.regions(name, depth, min(6, self.size - self.count))
                if after:
                    heads.append((name, after))
                continue
            early = after if r.random() < 0.8 else after[:1]
            self.lines.append(" ".join(["node", name] + self.attributes(False) + self.accesses(name, early, written) +
                                       (["after=" + ",".join(early)] if early else [])))
            if len(early) < len(after):
                heads.append((name, after[len(early):]))
        for name, after in heads:
            self.lines.append("after %s %s" % (name, ",".join(after)))

    def text(self):
        return "\n".join(self.lines) + "\n"
