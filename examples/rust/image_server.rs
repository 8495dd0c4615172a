// SPDX-License-Identifier: MIT
//! A server of images: handlers await requests, and for each the device, which shades the
//! image.
//!
//! A client sends all requests, and awaits the answers.  While one handler waits for the
//! device, the others and the client go on, on one thread.
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;

use plait::{args, parameter, with, Buffer, Freeze, Plan, Queue, Result, Signal, System};

const REQUESTS: usize = 12;
const HANDLERS: usize = 3;
const WIDTH: usize = 16;
const PIXELS: usize = WIDTH * WIDTH;

struct Request {
    gain: u32,
    pixels: Vec<u32>,
}

impl Request {
    fn new(number: usize) -> Request {
        Request {
            gain: number as u32 + 1,
            pixels: (0..PIXELS).map(|i| (i % WIDTH * (i / WIDTH) % 128) as u32).collect(),
        }
    }
}

/// Takes each third request; the gates count what it was asked and has answered.
struct Handler {
    asked: Signal,
    answered: Signal,
    plan: Plan,
    queue: Queue,
    image: Buffer<u32>,
    number: usize,
}

type Requests = Rc<RefCell<Vec<Request>>>;

async fn handle(own: Rc<Handler>, requests: Requests) -> Result<()> {
    for i in 0..REQUESTS / HANDLERS {
        own.asked.reach(i as u64 + 1).await?;
        let number = i * HANDLERS + own.number;
        own.image.write(&requests.borrow()[number].pixels)?;
        let gain = requests.borrow()[number].gain;
        own.plan.run(&own.queue, with![gain = gain])?.await?;
        requests.borrow_mut()[number].pixels = own.image.read()?;
        own.answered.raise(i as u64 + 1)?;
    }
    Ok(())
}

async fn ask(handlers: Rc<Vec<Rc<Handler>>>, requests: Requests, total: Rc<Cell<u64>>) -> Result<()> {
    let step = |i: usize| (i / HANDLERS) as u64 + 1;
    for i in 0..REQUESTS {
        requests.borrow_mut().push(Request::new(i));
        handlers[i % HANDLERS].asked.raise(step(i))?;
    }
    for i in 0..REQUESTS {
        handlers[i % HANDLERS].answered.reach(step(i)).await?;
        let sum: u64 = requests.borrow()[i].pixels.iter().map(|&pixel| u64::from(pixel)).sum();
        total.set(total.get() + (i as u64 + 1) * sum);
    }
    Ok(())
}

fn main() -> Result<()> {
    let here = Path::new(option_env!("CARGO_MANIFEST_DIR").unwrap_or(""));
    let kernels = here.join(file!()).with_file_name("../kernels/coroutines");
    let system = System::open()?;
    let device = system.device();
    // SAFETY: the kernel accesses memory as its signature declares.
    let kernel = unsafe { system.kernel_file(kernels.join("shade.plk"))? };
    let (requests, total, mut handlers) = (Requests::default(), Rc::new(Cell::new(0)), Vec::new());
    for number in 0..HANDLERS {
        let (image, graph) = (device.zeros::<u32>(PIXELS)?, system.graph()?);
        graph.launch(&kernel, args![&image, parameter("gain"), PIXELS as u32]).items(PIXELS).add()?;
        let (plan, queue) = (graph.freeze()?, device.queue()?);
        let (asked, answered) = (device.gate()?, device.gate()?);
        handlers.push(Rc::new(Handler { asked, answered, plan, queue, image, number }));
    }
    let (graph, handlers) = (system.graph()?, Rc::new(handlers));
    for handler in handlers.iter().cloned() {
        let requests = requests.clone();
        graph.call_async(move || handle(handler.clone(), requests.clone())).add()?;
    }
    let sum = total.clone();
    graph.call_async(move || ask(handlers.clone(), requests.clone(), sum.clone())).add()?;
    graph.freeze_with(&Freeze::new().widest())?.call(with![])?;
    println!("{} images by {} handlers, sum {}", REQUESTS, HANDLERS, total.get());
    Ok(())
}
