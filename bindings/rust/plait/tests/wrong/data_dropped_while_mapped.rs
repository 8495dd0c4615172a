// SPDX-License-Identifier: MIT
// error: E0505
// Mapped data of a flow cannot be dropped.
use plait::*;

pub fn wrong(flow: &Flow) -> Result<f32> {
    let data = flow.data(1).zeros::<f32>()?;
    let map = data.map()?;
    drop(data);
    Ok(map[0])
}
