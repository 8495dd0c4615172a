// SPDX-License-Identifier: MIT
// error: E0133
// A mapping needs an unsafe promise that nothing else uses the memory.
use plait::*;

pub fn wrong(buffer: &Buffer<f32>) -> Result<f32> {
    Ok(buffer.map()?[0])
}
