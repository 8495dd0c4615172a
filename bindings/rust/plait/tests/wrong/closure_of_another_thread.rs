// SPDX-License-Identifier: MIT
// error: E0277
// What any thread may submit can be sent to the one that runs it.
use plait::*;

pub fn wrong(queue: &Queue) -> Result<()> {
    let count = std::rc::Rc::new(0);
    queue.call(move || println!("{}", count))
}
