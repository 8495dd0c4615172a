// SPDX-License-Identifier: MIT
//! Tests of the Rust layer: nodes that are futures.
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use plait::{is_stopping, with, Error, Freeze, Plan, Queue, Result, Status, System};

/// Run a test, which leaves nothing behind.
fn alone(test: impl FnOnce(&System, &Queue) -> Result<()>) {
    let system = System::options().backend("host").open().unwrap();
    let queue = system.device().queue().unwrap();
    test(&system, &queue).unwrap();
    drop((queue, system));
    let end = Instant::now() + Duration::from_secs(60);
    while plait::live_count().unwrap() != 0 && Instant::now() < end {
        std::thread::yield_now();
    }
    assert_eq!(plait::live_count().unwrap(), 0);
}

fn widest() -> Freeze<'static> {
    Freeze::new().widest()
}

/// Waits for a wake from another thread.
struct FromThread {
    began: bool,
    done: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

impl Future for FromThread {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        use std::sync::atomic::Ordering;
        if self.done.load(Ordering::Acquire) {
            return Poll::Ready(());
        }
        if !self.began {
            self.began = true;
            let (waker, done): (Waker, _) = (context.waker().clone(), self.done.clone());
            std::thread::spawn(move || {
                done.store(true, Ordering::Release);
                waker.wake();
            });
        }
        Poll::Pending
    }
}

#[test]
fn two_that_wait_for_each_other() {
    alone(|system, queue| {
        let gates = [Rc::new(system.device().gate()?), Rc::new(system.device().gate()?)];
        let (order, first) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Cell::new(1)));
        let graph = system.graph()?;
        let (mine, kept, from) = (gates.clone(), order.clone(), first.clone());
        graph.call_async(move || {
            let (gates, order, first) = (mine.clone(), kept.clone(), from.get());
            async move {
                for i in first..first + 3 {
                    order.borrow_mut().push(i as i64);
                    gates[0].raise(i)?;
                    gates[1].reach(i).await?;
                }
                Ok::<(), Error>(())
            }
        }).add()?;
        let (mine, kept, from) = (gates, order.clone(), first.clone());
        graph.call_async(move || {
            let (gates, order, first) = (mine.clone(), kept.clone(), from.get());
            async move {
                for i in first..first + 3 {
                    gates[0].reach(i).await?;
                    order.borrow_mut().push(-(i as i64));
                    gates[1].raise(i)?;
                }
                Ok::<(), Error>(())
            }
        }).add()?;
        let plan = graph.freeze_with(&widest())?;
        plan.call(with![])?;
        assert_eq!(*order.borrow(), [1, -1, 2, -2, 3, -3]);
        first.set(4);
        plan.run(queue, with![])?.wait()?;
        assert_eq!(order.borrow()[6..], [4, -4, 5, -5, 6, -6]);
        Ok(())
    });
}

fn counting(system: &System, count: &Rc<Cell<u32>>) -> Result<Plan> {
    let (graph, count) = (system.graph()?, count.clone());
    graph.call(move || count.set(count.get() + 1)).add()?;
    graph.freeze()
}

#[test]
fn runs_and_other_threads() {
    alone(|system, queue| {
        let (count, seen) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        let inner = Rc::new(counting(system, &count)?);
        let other = Rc::new(system.device().queue()?);
        let (graph, kept) = (system.graph()?, seen.clone());
        graph.call_async(move || {
            let (inner, other, seen) = (inner.clone(), other.clone(), kept.clone());
            async move {
                inner.run(&other, with![])?.await?;
                FromThread { began: false, done: Default::default() }.await;
                seen.set(seen.get() + 1);
                Ok::<(), Error>(())
            }
        }).add()?;
        let plan = graph.freeze()?;
        for i in 1..=20 {
            plan.run(queue, with![])?.wait()?;
            assert_eq!((count.get(), seen.get()), (i, i));
        }
        Ok(())
    });
}

#[test]
fn failures() {
    alone(|system, queue| {
        let gate = Rc::new(system.device().gate()?);
        gate.raise(1)?;
        for panics in [false, true] {
            let (graph, gate) = (system.graph()?, gate.clone());
            graph.call_async(move || {
                let gate = gate.clone();
                async move {
                    gate.reach(1).await.map_err(|error| error.to_string())?;
                    if panics {
                        panic!("not today");
                    }
                    Err::<(), String>("not today".into())
                }
            }).add()?;
            let error = graph.freeze()?.run(queue, with![])?.wait().unwrap_err();
            assert!(error.text().contains("not today"), "{}", error);
            assert!(queue.finish().is_err());
        }
        Ok(())
    });
}

struct Ends(Rc<RefCell<Vec<bool>>>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.borrow_mut().push(is_stopping());
    }
}

#[test]
fn a_run_that_is_stopped() {
    alone(|system, queue| {
        for fails in [false, true] {
            let (gate, ended) = (Rc::new(system.device().gate()?), Rc::new(RefCell::new(Vec::new())));
            let (graph, kept) = (system.graph()?, ended.clone());
            let began = Rc::new(Cell::new(0));
            let begins = began.clone();
            graph.call_async(move || {
                begins.set(begins.get() + 1);
                let (gate, ends) = (gate.clone(), Ends(kept.clone()));
                async move {
                    let _ends = ends;
                    gate.reach(1).await
                }
            }).add()?;
            if fails {
                graph.call(|| Err::<(), _>("another node")).add()?;
            }
            let run = graph.freeze_with(&widest())?.run(queue, with![])?;
            if !fails {
                while began.get() == 0 {
                    let told = run.wait_timeout(Duration::from_millis(10));
                    assert_eq!(told.unwrap_err().status(), Status::Timeout);
                }
                run.cancel()?;
            }
            let error = run.wait().unwrap_err();
            assert!(error.text().contains(if fails { "another node" } else { "cancelled" }), "{}", error);
            // The other node may fail before this one begins.
            assert!(began.get() == 1 || fails && began.get() == 0);
            assert_eq!(ended.borrow().len(), began.get());
            assert!(queue.finish().is_err());
        }
        Ok(())
    });
}

#[test]
fn a_system_that_goes() {
    let ended = Rc::new(RefCell::new(Vec::new()));
    let begins = Rc::new(Cell::new(0));
    alone(|system, queue| {
        let (gate, kept) = (Rc::new(system.device().gate()?), ended.clone());
        let graph = system.graph()?;
        let begun = begins.clone();
        graph.call_async(move || {
            begun.set(1);
            let (gate, ends) = (gate.clone(), Ends(kept.clone()));
            async move {
                let _ends = ends;
                gate.reach(1).await
            }
        }).add()?;
        let run = graph.freeze()?.run(queue, with![])?;
        while begins.get() == 0 {
            assert!(run.wait_timeout(Duration::from_millis(10)).is_err());
        }
        Ok(())
    });
    assert_eq!(ended.borrow().len(), 1);
}
