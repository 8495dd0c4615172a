#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weak and strong scaling of a split stencil over simulated devices, in virtual time.

    bench/flow_scaling.py BUILD [PLOT.svg]

Simulated are the devices, the links and the time: a launch of all rows lasts WORK ns on
one device and 1/n of that in n pieces, whatever the kernel does; a copy between two devices
2 us and its bytes at 10 GB/s; the way to a queue 200 ns, of a signal 100 ns. The flow is the real one: it decides
what is copied and what waits. Its own time costs no virtual time."""
import os
import re
import subprocess
import sys

DEVICES = (1, 2, 4, 8)
WORKS = (1600000, 400000, 100000)  # ns of a launch
STEPS = 100


def end_ns(build, devices, steps, command_ns):
    options = ("submit_ns=200-200,hop_ns=100-100,command_ns=%d-%d,link=2000/10000,host_link=2000/10000,log=1" %
               (command_ns, command_ns))
    got = subprocess.run([os.path.join(build, "bench/flow_devices"), str(devices), "1", str(steps), str(devices), options],
                         env=dict(os.environ, PLAIT_LOG="info", PLAIT_PLUGIN_PATH=os.path.join(build, "plugins/.libs")),
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=True)
    return int(re.findall(r"chaos (\d+): ", got.stdout)[-1])


def step_ns(build, devices, command_ns):
    """Time of a step, without beginning and end."""
    return (end_ns(build, devices, 2 * STEPS, command_ns) - end_ns(build, devices, STEPS, command_ns)) / STEPS


def curve(points, color, dashes):
    path = " ".join("%g,%g" % (60 + 110 * i, 260 - 220 * value) for i, value in enumerate(points))
    return '<polyline points="%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>' % (path, color, dashes)


def plot(rows):
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320" font-family="sans-serif" font-size="12">',
           '<rect width="640" height="320" fill="white"/>',
           '<text x="60" y="20">Efficiency in virtual time (simulated devices) over devices</text>']
    for percent in (0, 25, 50, 75, 100):
        y = 260 - 2.2 * percent
        out.append('<line x1="60" x2="390" y1="%g" y2="%g" stroke="#ddd"/><text x="20" y="%g">%d %%</text>' % (y, y, y + 4, percent))
    for i, devices in enumerate(DEVICES):
        out.append('<text x="%d" y="280">%d</text>' % (57 + 110 * i, devices))
    for i, (work, strong, weak) in enumerate(rows):
        color = ("#1b6ca8", "#c0392b", "#2e8b57")[i]
        for j, (name, points, dashes) in enumerate((("strong", strong, ""), ("weak", weak, "6 4"))):
            y = 50 + 36 * i + 18 * j
            out += [curve(points, color, dashes),
                    '<line x1="410" x2="440" y1="%d" y2="%d" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>' % (y, y, color, dashes),
                    '<text x="448" y="%d">%s, %d us</text>' % (y + 4, name, work // 1000)]
    return "\n".join(out + ["</svg>", ""])


def main():
    build, rows = sys.argv[1], []
    print("| us a launch | scaling | " + " | ".join("%d" % n for n in DEVICES) + " |\n|---|---|" + "---|" * len(DEVICES))
    for work in WORKS:
        strong = [step_ns(build, n, work // n) for n in DEVICES]
        weak = [step_ns(build, n, work) for n in DEVICES]
        rows.append((work, [strong[0] / (n * at) for n, at in zip(DEVICES, strong)], [weak[0] / at for at in weak]))
        for name, times, parts in (("strong", strong, rows[-1][1]), ("weak", weak, rows[-1][2])):
            print("| %d | %s | " % (work // 1000, name) +
                  " | ".join("%.1f us, %.0f %%" % (at / 1000, 100 * part) for at, part in zip(times, parts)) + " |")
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(plot(rows))


main()
