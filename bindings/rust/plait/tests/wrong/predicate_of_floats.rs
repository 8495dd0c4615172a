// SPDX-License-Identifier: MIT
// error: E0308
// The condition of a loop is a u32.
use plait::*;

pub fn wrong(graph: &Graph, go: &Buffer<f32>) -> Result<()> {
    graph.repeat_while(go).add().map(|_| ())
}
