// SPDX-License-Identifier: MIT
// error: E0133
// That nothing else uses the memory is promised.
use plait::*;

pub fn wrong(buffer: &Buffer<f32>) -> Result<f32> {
    Ok(buffer.map()?[0])
}
