// SPDX-License-Identifier: MIT
//! A search in a tree whose shape is data: queens on a board, none of which attacks another.
//!
//! A plan finds the free squares of the next row; a future below each square of the first row
//! awaits it, and goes into all of them.
use std::cell::Cell;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::rc::Rc;

use plait::{args, parameter, with, Buffer, Freeze, Plan, Queue, Result, System};

const SIZE: u32 = 7;

struct Seeker {
    plan: Plan,
    queue: Queue,
    squares: Buffer<u32>,
    places: Cell<u32>,
    solutions: Cell<u32>,
}

/// A future that contains itself is boxed.
fn search(seeker: Rc<Seeker>, columns: u32, left: u32, right: u32) -> Pin<Box<dyn Future<Output = Result<()>>>> {
    Box::pin(async move {
        seeker.places.set(seeker.places.get() + 1);
        if columns == (1 << SIZE) - 1 {
            seeker.solutions.set(seeker.solutions.get() + 1);
            return Ok(());
        }
        seeker.plan.run(&seeker.queue, with![columns = columns, left = left, right = right])?.await?;
        let squares = seeker.squares.read()?[0];
        for square in (0..SIZE).map(|i| 1 << i).filter(|square| squares & square != 0) {
            search(seeker.clone(), columns | square, (left | square) << 1, (right | square) >> 1).await?;
        }
        Ok(())
    })
}

fn main() -> Result<()> {
    let here = Path::new(option_env!("CARGO_MANIFEST_DIR").unwrap_or(""));
    let kernels = here.join(file!()).with_file_name("../kernels/coroutines");
    let system = System::open()?;
    let device = system.device();
    // SAFETY: the kernel accesses memory as its signature declares.
    let kernel = unsafe { system.kernel_file(kernels.join("squares.plk"))? };
    let (all, mut seekers) = (system.graph()?, Vec::new());
    for i in 0..SIZE {
        let (graph, squares) = (system.graph()?, device.zeros::<u32>(1)?);
        graph.launch(&kernel, args![parameter("columns"), parameter("left"), parameter("right"), SIZE, &squares])
            .items(1).add()?;
        let (plan, queue) = (graph.freeze()?, device.queue()?);
        let seeker = Rc::new(Seeker { plan, queue, squares, places: Cell::new(0), solutions: Cell::new(0) });
        seekers.push(seeker.clone());
        let square = 1 << i;
        all.call_async(move || search(seeker.clone(), square, square << 1, square >> 1)).add()?;
    }
    all.freeze_with(&Freeze::new().widest())?.call(with![])?;
    let solutions: u32 = seekers.iter().map(|one| one.solutions.get()).sum();
    let places: u32 = seekers.iter().map(|one| one.places.get()).sum();
    println!("{} queens: {} solutions in {} places", SIZE, solutions, places + 1);
    Ok(())
}
