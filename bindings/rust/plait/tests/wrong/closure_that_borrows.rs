// SPDX-License-Identifier: MIT
// error: E0373
// Closures are called later: they borrow nothing that is gone then.
use plait::*;

pub fn wrong(graph: &Graph) -> Result<Node> {
    let mut count = 0;
    graph.call(|| count += 1).add()
}
