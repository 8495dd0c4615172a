# SPDX-License-Identifier: MIT
import array
import plait

with plait.open() as system:
    x = system.devices[0].array(array.array("f", [1, 2, 3]))
    graph = system.graph()
    graph.launch(system.kernel("twice(x: inout pointer f32)", "KERNEL(twice) { EACH(i, 3) x[i] *= 2; }"), x, items=3)
    plan = graph.freeze()
    plan()
    plan()
    print(x.tolist())  # [4.0, 8.0, 12.0]
