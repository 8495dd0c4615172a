// SPDX-License-Identifier: MIT
// error: E0505
// A mapped buffer cannot be dropped.
use plait::*;

pub fn wrong(device: &Device) -> Result<f32> {
    let buffer = device.zeros::<f32>(1)?;
    let map = unsafe { buffer.map()? };
    drop(buffer);
    Ok(map[0])
}
