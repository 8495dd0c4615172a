# SPDX-License-Identifier: MIT
"""Plans as JSON: an independent proof that one does what its graph says, with
vector clocks.  Shares nothing with the library, nor with its own check."""


class Broken(Exception):
    pass


def need(held, text, *values):
    if not held:
        raise Broken(text % values)


def check_places(where, body, device_of, node, places):
    """`places`: the (lane, position) of each command under the node's name."""
    devices = [body["lanes"][lane]["device"] for lane, _ in places]
    need(places, "%s: no command for %s", where, node.name)
    need(len({lane for lane, _ in places}) == len(places), "%s: %s is twice on a lane", where, node.name)
    if node.bodies:
        return
    wanted = node.devices if node.meaning != "first" else node.devices[:1]
    need(sorted(devices) == sorted(wanted), "%s: %s is on %s, not on %s", where, node.name, devices, wanted)


def homes(body, region_homes, node, places):
    """The commands that start when the node starts and end when it ends."""
    if node.bodies:
        number = region_homes[node.name]
        return [p for p in places if body["lanes"][p[0]]["number"] == number]
    if node.meaning == "group":
        return places
    return [p for p in places if body["lanes"][p[0]]["device"] == node.devices[0]]


def sort(successors, degrees):
    ready = [p for p, d in degrees.items() if d == 0]
    for point in ready:
        for after in successors.get(point, ()):
            degrees[after] -= 1
            if degrees[after] == 0:
                ready.append(after)
    return ready


def check_progress(where, commands, before, home_of, name_of, groups):
    """Starts and ends, with everything that waits for something: no cycle."""
    successors, degrees = {}, {}
    for point in commands:
        degrees[(point, 0)] = degrees[(point, 1)] = 0

    def order(a, b):
        successors.setdefault(a, []).append(b)
        degrees[b] += 1

    for point in commands:
        order((point, 0), (point, 1))
        for other in before[point]:
            order((other, 1), (point, 0))
        home = home_of.get(point, point)
        if home != point:                   # a stub: entered, then left
            order((point, 0), (home, 1))
            order((home, 1), (point, 1))
    for members in groups:                  # all start before any ends
        for a in members:
            for b in members:
                if a != b:
                    order((a, 0), (b, 1))
    done = sort(successors, dict(degrees))
    need(len(done) == 2 * len(commands), "%s: would wait for ever", where)


def clocks(where, commands, before):
    """Per command: how many commands of each lane are done before it."""
    successors = {}
    for point in commands:
        for other in before[point]:
            successors.setdefault(other, []).append(point)
    clock = {}
    for point in sort(successors, {p: len(before[p]) for p in commands}):
        mine = {}
        for other in before[point]:
            for lane, count in list(clock[other].items()) + [(other[0], other[1] + 1)]:
                mine[lane] = max(mine.get(lane, 0), count)
        clock[point] = mine
    need(len(clock) == len(commands), "%s: a cycle", where)
    return clock


def read_waits(where, body, name_of):
    waits = []
    for wait in body["waits"]:
        by, point = (wait["by_lane"], wait["by_position"]), (wait["lane"], wait["position"])
        need(by in name_of and name_of[by] == wait["node"], "%s: %s waits, but is not there", where, wait)
        need(point in name_of, "%s: %s waits for nothing", where, wait)
        need(by[0] != point[0], "%s: %s waits for its own lane", where, wait)
        waits.append((point, by))
    need(len(set(waits)) == len(waits), "%s: a wait is there twice", where)
    return waits


def check_waits_needed(where, commands, before, waits):
    for point, by in waits:
        rest = {p: [b for b in before[p] if (b, p) != (point, by)] for p in commands}
        need(clocks(where, commands, rest)[by].get(point[0], 0) <= point[1],
             "%s: %s waits for %s, which is implied", where, by, point)


def check_body(where, graph, body, plan, minimal):
    """One body of the graph against the same one of the plan."""
    name_of = {(l, p): name for l, lane in enumerate(plan["lanes"]) for p, name in enumerate(lane["commands"])}
    places = {}
    for point, name in name_of.items():
        places.setdefault(name, []).append(point)
    need(set(places) == set(body.nodes), "%s: nodes are missing or too many: %s", where,
         set(places) ^ set(body.nodes))
    numbers = [lane["number"] for lane in plan["lanes"]]
    need(len(set(numbers)) == len(numbers), "%s: a lane is there twice", where)
    region_homes = {region["name"]: region["home"] for region in plan["regions"]}
    need(set(region_homes) == {n.name for n in body.nodes.values() if n.bodies}, "%s: regions", where)
    need(len(region_homes) == len(plan["regions"]), "%s: a region is there twice", where)
    before = {(l, p): [(l, p - 1)] if p else [] for l, p in name_of}
    waits = read_waits(where, plan, name_of)
    for point, by in waits:
        before[by].append(point)
    home_of, groups, ends = {}, [], {}
    for name, node in body.nodes.items():
        check_places(where, plan, graph.devices, node, places[name])
        ends[name] = homes(plan, region_homes, node, places[name])
        need(node.meaning == "group" and not node.bodies or len(ends[name]) == 1, "%s: %s has no home", where, name)
        if node.bodies:
            home_of.update({p: ends[name][0] for p in places[name]})
        if node.meaning == "group":
            groups.append(places[name])
    for point, home in home_of.items():     # a stub's wait is for the region's end: then it is left
        if point != home:
            need((home, point) in waits, "%s: %s does not wait for its region", where, point)
            before[point].remove(home)
            waits.remove((home, point))
    check_progress(where, name_of, before, home_of, name_of, groups)
    implied = {p: list(b) for p, b in before.items()}
    for point, home in home_of.items():     # a stub is left after its home
        if point != home:
            implied[point].append(home)
    clock = clocks(where, name_of, implied)
    for a, b in sorted(body.edges):
        for x in ends[a]:
            for y in ends[b]:
                need(clock[y].get(x[0], 0) > x[1], "%s: %s does not come after %s", where, b, a)
    for name, node in body.nodes.items():   # the others stand still while a barrier runs
        for point in places[name] if node.meaning == "barrier" and not node.bodies else []:
            need(point in ends[name] or clock[point].get(ends[name][0][0], 0) > ends[name][0][1],
                 "%s: %s does not hold lane %d", where, name, point[0])
    if minimal:
        check_waits_needed(where, name_of, implied, waits)
    for region in plan["regions"]:
        check_region(where, graph, body, plan, places, region, minimal)


def check_region(where, graph, body, plan, places, region, minimal):
    node = body.nodes[region["name"]]
    held = {plan["lanes"][l]["number"] for l, _ in places[node.name]}
    count = region["take"] if node.kind == "case" else region["times"]
    where = "%s/%s" % (where, node.name)
    need(region["kind"] == node.kind and count == node.number, "%s: %s", where, region["kind"])
    need(len(region["bodies"]) == len(node.bodies), "%s: bodies", where)
    for i, part in enumerate(region["bodies"]):
        used = {lane["number"] for lane in part["lanes"]}
        need(used <= held, "%s: lanes %s are not the region's", where, used - held)
        check_body("%s.%d" % (where, i), graph, node.bodies[i], part, minimal)


def shortest(body):
    """No schedule is shorter: the longest chain of costs."""
    ends = {}
    befores = {}
    for a, b in body.edges:
        befores.setdefault(b, []).append(a)

    def cost(node):
        if node.kind == "case":
            return shortest(node.bodies[node.number])
        return node.number * shortest(node.bodies[0]) if node.bodies else node.cost

    waiting = [n for n in body.nodes]
    while waiting:
        name = waiting.pop()
        missing = [b for b in befores.get(name, ()) if b not in ends]
        if missing:
            waiting += [name] + missing
        elif name not in ends:
            ends[name] = max([ends[b] for b in befores.get(name, ())], default=0) + cost(body.nodes[name])
    return max(ends.values(), default=0)


def check_plan(graph, plan, lanes, minimal=False):
    """Raises Broken.  `lanes`: most lanes of a device without a limit of its
    own, None when the policy has none; `minimal`: no wait may be implied."""
    from graphs import bodies
    every = bodies(graph)
    need(plan["nodes"] == sum(len(b.nodes) for b in every), "nodes: %s", plan["nodes"])
    need(plan["edges"] == sum(len(b.edges) for b in every), "edges: %s", plan["edges"])
    need([lane["number"] for lane in plan["lanes"]] == list(range(len(plan["lanes"]))), "lanes have numbers")
    used = {}
    for lane in plan["lanes"]:
        used[lane["device"]] = used.get(lane["device"], 0) + 1
    for device, count in used.items():
        need(device in graph.devices, "device %s", device)
        need(lanes is None or count <= (graph.devices[device] or lanes), "%d lanes on %s", count, device)
    need(plan["makespan"] >= shortest(graph.top), "makespan %d is below the longest chain, %d", plan["makespan"],
         shortest(graph.top))
    check_body("top", graph, graph.top, plan, minimal)
    counted = [plan]
    for part in counted:
        for region in part["regions"]:
            counted += region["bodies"]
    need(plan["wait_count"] == sum(len(b["waits"]) for b in counted), "wait_count: %s", plan["wait_count"])
