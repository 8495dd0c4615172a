// SPDX-License-Identifier: MIT
// error: E0502
// A buffer mapped for writing cannot be submitted to a queue.
use plait::*;

pub fn wrong(queue: &Queue, kernel: &Kernel, buffer: &mut Buffer<f32>) -> Result<()> {
    let mut map = unsafe { buffer.map_mut()? };
    queue.launch(kernel, args![&*buffer], 1)?;
    map[0] = 1.0;
    Ok(())
}
