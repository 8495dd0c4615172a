// SPDX-License-Identifier: MIT
//! Three stages as futures, with bounded queues between them: the first makes blocks, the
//! second smooths each on the device, the third adds them up.
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;

use plait::{args, with, Buffer, Device, Freeze, Plan, Queue, Result, Signal, System};

const BLOCKS: u64 = 20;
const LENGTH: usize = 64;
const DEPTH: u64 = 4;

/// A bounded queue of blocks.  The gates count what was put in and taken out.
struct Bounded {
    filled: Signal,
    emptied: Signal,
    blocks: Vec<RefCell<Vec<u32>>>,
}

impl Bounded {
    fn new(device: &Device) -> Result<Rc<Bounded>> {
        let blocks = (0..DEPTH).map(|_| RefCell::new(vec![0; LENGTH])).collect();
        Ok(Rc::new(Bounded { filled: device.gate()?, emptied: device.gate()?, blocks }))
    }

    async fn room(&self, i: u64) -> Result<&RefCell<Vec<u32>>> {
        if i >= DEPTH {
            self.emptied.reach(i - DEPTH + 1).await?;
        }
        Ok(&self.blocks[(i % DEPTH) as usize])
    }

    async fn block(&self, i: u64) -> Result<&RefCell<Vec<u32>>> {
        self.filled.reach(i + 1).await?;
        Ok(&self.blocks[(i % DEPTH) as usize])
    }
}

async fn make(raw: Rc<Bounded>) -> Result<()> {
    for i in 0..BLOCKS {
        *raw.room(i).await?.borrow_mut() = (0..LENGTH as u64).map(|j| ((37 * i + 11 * j) % 101) as u32).collect();
        raw.filled.raise(i + 1)?;
    }
    Ok(())
}

/// The device, and what the plan reads and writes there.
struct Smoother {
    plan: Plan,
    queue: Queue,
    x: Buffer<u32>,
    y: Buffer<u32>,
}

async fn smooth(raw: Rc<Bounded>, smoothed: Rc<Bounded>, with: Rc<Smoother>) -> Result<()> {
    for i in 0..BLOCKS {
        let (given, taken) = (raw.block(i).await?, smoothed.room(i).await?);
        with.x.write(&given.borrow())?;
        with.plan.run(&with.queue, with![])?.await?;
        *taken.borrow_mut() = with.y.read()?;
        raw.emptied.raise(i + 1)?;
        smoothed.filled.raise(i + 1)?;
    }
    Ok(())
}

async fn add_up(smoothed: Rc<Bounded>, total: Rc<Cell<u64>>) -> Result<()> {
    for i in 0..BLOCKS {
        let sum: u64 = smoothed.block(i).await?.borrow().iter().map(|&one| u64::from(one)).sum();
        total.set(total.get() + (i + 1) * sum);
        smoothed.emptied.raise(i + 1)?;
    }
    Ok(())
}

fn main() -> Result<()> {
    let here = Path::new(option_env!("CARGO_MANIFEST_DIR").unwrap_or(""));
    let kernels = here.join(file!()).with_file_name("../kernels/coroutines");
    let system = System::open()?;
    let device = system.device();
    // SAFETY: the kernel accesses memory as its signature declares.
    let kernel = unsafe { system.kernel_file(kernels.join("smooth.plk"))? };
    let (x, y, graph) = (device.zeros::<u32>(LENGTH)?, device.zeros::<u32>(LENGTH)?, system.graph()?);
    graph.launch(&kernel, args![&x, &y, LENGTH as u32]).items(LENGTH).add()?;
    let smoother = Rc::new(Smoother { plan: graph.freeze()?, queue: device.queue()?, x, y });

    let (raw, smoothed, total) = (Bounded::new(&device)?, Bounded::new(&device)?, Rc::new(Cell::new(0)));
    let (graph, into, sum) = (system.graph()?, smoothed.clone(), total.clone());
    let from = raw.clone();
    graph.call_async(move || make(from.clone())).add()?;
    graph.call_async(move || smooth(raw.clone(), into.clone(), smoother.clone())).add()?;
    graph.call_async(move || add_up(smoothed.clone(), sum.clone())).add()?;
    graph.freeze_with(&Freeze::new().widest())?.call(with![])?;
    println!("{} blocks through 3 stages, sum {}", BLOCKS, total.get());
    Ok(())
}
