// SPDX-License-Identifier: MIT
// error: E0277
// Elements of device memory are numbers, not references.
use plait::*;

pub fn wrong(device: &Device) -> Result<Buffer<&str>> {
    device.array(&["one"])
}
