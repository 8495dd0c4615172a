// SPDX-License-Identifier: MIT
// error: E0277
// Arguments are numbers and buffers.
use plait::*;

pub fn wrong(queue: &Queue, kernel: &Kernel) -> Result<()> {
    queue.launch(kernel, args!["one"], 1)
}
