// SPDX-License-Identifier: MIT
//! Tests of the Rust layer: runs as futures.
use std::cell::Cell;
use std::future::Future;
use std::os::raw::{c_int, c_ulong};
use std::os::unix::io::AsRawFd;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use plait::{args, parameter, with, Status, System};

mod common;
use common::{alone, kernel, nothing_is_left, ALONE, SAXPY};

// --- futures -------------------------------------------------------------------

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: i16,
    revents: i16,
}

extern "C" {
    fn poll(fds: *mut PollFd, count: c_ulong, milliseconds: c_int) -> c_int;
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// An executor of one future: it sleeps on the descriptor.
fn block_on<T>(system: &System, future: impl Future<Output = T>) -> T {
    let mut future: Pin<Box<dyn Future<Output = T> + '_>> = Box::pin(future);
    let flag = Arc::new(Flag(AtomicBool::new(true)));
    let waker = Waker::from(flag.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        while flag.0.swap(false, Ordering::Acquire) {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return value;
            }
        }
        let mut one = PollFd { fd: system.as_raw_fd(), events: 1, revents: 0 };
        assert_eq!(unsafe { poll(&mut one, 1, 100_000) }, 1);
        system.pump().unwrap();
    }
}

#[test]
fn awaited() {
    alone(|system, queue| {
        let (out, ran) = (system.device().zeros::<f32>(1)?, Rc::new(Cell::new(0)));
        let count = ran.clone();
        let graph = system.graph()?;
        let one = system.device().array(&[1f32])?;
        let first = graph.launch(&kernel(system, SAXPY)?, args![parameter("a"), &one, &out, 1]).add()?;
        graph.call(move || count.set(count.get() + 1)).after(first).add()?;
        let plan = graph.freeze()?;
        block_on(system, async {
            for a in 1..=3 {
                plan.run(queue, with![a = a])?.await?;
            }
            // Two at once, the later one first.
            let (one, two) = (plan.run(queue, with![a = 1])?, plan.run(queue, with![a = 1])?);
            two.await?;
            one.await
        })?;
        assert_eq!((out.read()?, ran.get()), (vec![8.0], 5));
        Ok(())
    });
}

#[test]
fn awaited_failures() {
    alone(|system, queue| {
        let graph = system.graph()?;
        graph.call(|| Err::<(), _>("not today")).add()?;
        let plan = graph.freeze()?;
        let error = block_on(system, async { plan.run(queue, with![])?.await }).unwrap_err();
        assert!(error.text().contains("not today"), "{}", error);
        assert!(queue.finish().is_err());
        Ok(())
    });
}

#[test]
fn a_future_without_its_system_ends() {
    let _lock = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let system = System::open().unwrap();
    let (queue, gate) = (system.device().queue().unwrap(), system.device().gate().unwrap());
    queue.wait(&gate, 1).unwrap();
    let graph = system.graph().unwrap();
    graph.join().add().unwrap();
    let mut run = graph.freeze().unwrap().run(&queue, with![]).unwrap();
    let flag = Arc::new(Flag(AtomicBool::new(false)));
    let waker = Waker::from(flag.clone());
    let mut context = Context::from_waker(&waker);
    assert!(Pin::new(&mut run).poll(&mut context).is_pending());
    assert!(Pin::new(&mut run).poll(&mut context).is_pending());
    drop(system);
    assert!(flag.0.load(Ordering::Acquire)); // it was woken
    match Pin::new(&mut run).poll(&mut context) {
        Poll::Ready(Err(error)) => assert_eq!(error.status(), Status::State),
        _ => panic!("it waits for what cannot come"),
    }
    gate.raise(1).unwrap();
    run.wait().unwrap();
    drop((run, graph, queue, gate));
    nothing_is_left();
}
