// SPDX-License-Identifier: MIT
// error: E0308
// Wrapped memory is owned by its buffer.
use plait::*;

pub fn wrong(device: &Device, data: &mut [f32]) -> Result<Buffer<f32>> {
    device.wrap(data)
}
