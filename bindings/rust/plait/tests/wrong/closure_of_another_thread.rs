// SPDX-License-Identifier: MIT
// error: E0277
// A closure that any thread may submit is Send.
use plait::*;

pub fn wrong(queue: &Queue) -> Result<()> {
    let count = std::rc::Rc::new(0);
    queue.call(move || println!("{}", count))
}
