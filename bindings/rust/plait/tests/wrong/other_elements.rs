// SPDX-License-Identifier: MIT
// error: E0308
// Source and target of a copy have the same element type.
use plait::*;

pub fn wrong(queue: &Queue, to: &Buffer<f32>, from: &Buffer<f64>) -> Result<()> {
    queue.copy(to, from)
}
