// SPDX-License-Identifier: MIT
// error: E0277
// Memory of a device has no references.
use plait::*;

pub fn wrong(device: &Device) -> Result<Buffer<&str>> {
    device.array(&["one"])
}
