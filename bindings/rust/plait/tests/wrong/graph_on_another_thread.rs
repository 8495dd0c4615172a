// SPDX-License-Identifier: MIT
// error: E0277
// So do graphs, which have closures of that thread.
use plait::*;

pub fn wrong(graph: Graph) {
    std::thread::spawn(move || graph.freeze());
}
