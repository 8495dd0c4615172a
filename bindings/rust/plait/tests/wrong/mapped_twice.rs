// SPDX-License-Identifier: MIT
// error: E0499
// Memory mapped for writing is mapped once.
use plait::*;

pub fn wrong(buffer: &mut Buffer<f32>) -> Result<()> {
    let mut one = unsafe { buffer.map_mut()? };
    let mut two = unsafe { buffer.map_mut()? };
    one[0] = 1.0;
    two[0] = 2.0;
    Ok(())
}
