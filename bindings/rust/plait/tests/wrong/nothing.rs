// SPDX-License-Identifier: MIT
// error: none
// The control: this program compiles.
use plait::*;

pub fn right(graph: &Graph, go: &Buffer<u32>) -> Result<Node> {
    let (node, body) = graph.repeat_while(go).add()?;
    body.join().add()?;
    Ok(node)
}
