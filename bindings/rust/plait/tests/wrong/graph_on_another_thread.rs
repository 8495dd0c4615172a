// SPDX-License-Identifier: MIT
// error: E0277
// A graph stays on its thread, since it owns closures of that thread.
use plait::*;

pub fn wrong(graph: Graph) {
    std::thread::spawn(move || graph.freeze());
}
