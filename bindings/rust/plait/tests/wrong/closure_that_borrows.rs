// SPDX-License-Identifier: MIT
// error: E0373
// A closure runs later and borrows nothing.
use plait::*;

pub fn wrong(graph: &Graph) -> Result<Node> {
    let mut count = 0;
    graph.call(|| count += 1).add()
}
