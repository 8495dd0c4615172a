// SPDX-License-Identifier: MIT
// error: E0597
// A slice of mapped memory does not outlive its buffer.
use plait::*;

pub fn wrong(device: &Device) -> Result<f32> {
    let map;
    {
        let buffer = device.zeros::<f32>(1)?;
        map = unsafe { buffer.map()? };
    }
    Ok(map[0])
}
