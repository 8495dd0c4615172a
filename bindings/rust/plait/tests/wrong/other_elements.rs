// SPDX-License-Identifier: MIT
// error: E0308
// A copy is of the same elements.
use plait::*;

pub fn wrong(queue: &Queue, to: &Buffer<f32>, from: &Buffer<f64>) -> Result<()> {
    queue.copy(to, from)
}
