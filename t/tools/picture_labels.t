#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names and numbers in pictures of plans and runs: arrows and bands do not cross
them, numbers lie on no name, and every command without room for its name has a
number."""
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, done, none, ok, run

PLAIT = os.path.join(BUILD, "tools/plait/plait")
SVG = "{http://www.w3.org/2000/svg}"
# A narrow command first in a loop, below the loop's name; long names; two levels.
SOLVER = """device gpu lanes=3
device cpu lanes=2
node upload cost=30 device=gpu
node setup cost=10 device=cpu
while solve times=50 after=upload,setup
  node matrix_times_vector cost=40 device=gpu
  node dot cost=2 after=matrix_times_vector device=gpu
  node alpha cost=1 after=dot device=cpu
  node update_x cost=6 after=alpha device=gpu
  node update_r cost=6 after=alpha device=gpu
  node norm cost=2 after=update_r device=gpu
  node beta cost=1 after=norm device=cpu
  while line_search times=3 after=beta
    node try_step cost=2 device=gpu
    node accept cost=1 after=try_step device=cpu
  end
  node direction cost=6 after=line_search,update_x device=gpu
end
node download cost=30 after=solve device=gpu
node report cost=5 after=download device=cpu
"""
FIRST = """node before cost=500
while iterate times=4 after=before
  node evaluate cost=1
  node compare cost=1 after=evaluate
  node long_work cost=90 after=compare
end
"""
MANY = "".join("node named_%d cost=%d%s\n" % (i, (1, 1, 2, 3, 400)[i * 7 % 5],
                                              " after=named_%d" % (i - 5) if i >= 5 else "") for i in range(30))


class Label:
    """A text of a picture with the box that it takes, about."""
    def __init__(self, element):
        self.words, size = "".join(element.itertext()), float(element.get("font-size", 11))
        self.is_number = element.get("fill") == "#a00"
        self.left, self.bottom = float(element.get("x")), float(element.get("y"))
        self.right = self.left + len(self.words) * size * (0.6 if self.is_number else 0.5)
        self.top = self.bottom - size * 0.7
        self.key = (self.words, self.left, self.bottom)

    def meets(self, other):
        return self.left < other.right and other.left < self.right and \
            self.top < other.bottom and other.top < self.bottom


def labels_of(page):
    """Labels of commands and bands; the same of their halos."""
    # Each strip of time draws its halos, then its names.
    children, names, halos, inside = list(page), [], [], False
    for child in children:
        if child.tag == SVG + "g" and child.get("aria-hidden") == "true":
            halos += [Label(e) for e in child.iter(SVG + "text")]
            inside = True
        elif child.tag == SVG + "text" and inside and len(child) == 0:
            names.append(Label(child))
    keys = {h.key for h in halos}
    return [n for n in names if n.key in keys], halos, names


def numbers_in(labels):
    """All numbers of notes that the labels stand for."""
    found = []
    for label in labels:
        for part in label.words.split(",") if label.is_number else []:
            first, _, last = part.partition("\u2013")
            found += range(int(first), int(last or first) + 1)
    return found


def check(name, page, is_plan):
    labels, halos, after = labels_of(page)
    ok(labels and len(labels) == len(halos), "%s: each name has a halo below it, above arrows and bands" % name,
       [h.words for h in halos][:9])
    order = [c.get("marker-end") is not None for c in page if c.tag == SVG + "g"]
    ok(len(order) % 2 == 0 and order == [True, False] * (len(order) // 2), "%s: arrows lie below names" % name, order)
    none(["%s on %s" % (a.words, b.words) for a in labels if a.is_number for b in labels if b is not a and a.meets(b)],
         "%s: numbers lie on no name" % name)
    notes = [int(e[0].text) for e in page.iter(SVG + "text") if len(e) and e[0].get("fill") == "#a00"]
    if is_plan:
        none(sorted(set(notes) ^ set(numbers_in(labels))), "%s: each note has its number" % name)
        ok(len(numbers_in(labels)) >= len(notes) > 0, "%s: %d notes" % (name, len(notes)))


with tempfile.TemporaryDirectory() as folder:
    for name, text in ("a solver", SOLVER), ("a loop that begins with short commands", FIRST), ("many", MANY):
        for lanes in "1", "3":
            got = run([PLAIT, "plan", "-", "--svg", "--lanes", lanes], input=text)
            check("%s on %s" % (name, lanes), xml.fromstring(got.stdout), True)
            path = os.path.join(folder, "x.svg")
            got = run([PLAIT, "run", "-", "--times", "3", "--unit", "1000", "--parallel", "--lanes", lanes,
                       "--svg", path], input=text)
            ok(got.returncode == 0, "%s: a run on %s" % (name, lanes), got.stderr)
            with open(path, encoding="utf-8") as file:
                check("a run of %s on %s" % (name, lanes), xml.fromstring(file.read()), False)
done()
