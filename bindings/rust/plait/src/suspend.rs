// SPDX-License-Identifier: MIT
//! Calls that are futures: begun by the event of the call, polled on the thread that opened
//! the system while that waits or pumps, answered at their end.
//!
//! A waker of such a call notes its id, and requests an event of a gate that is open: so the
//! next pump polls the future, also if another thread has woken it.
use std::cell::RefCell;
use std::future::Future;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::pin::Pin;
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use plait_sys as raw;

use crate::error::{call, Result};
use crate::inbox::{as_user_data, panic_text, Answer, Calling, Numbered, Owner, Shared};
use crate::library::{lib, Handle};

pub(crate) type Begun = Pin<Box<dyn Future<Output = Answer>>>;
/// Makes the future of each call.
pub(crate) type Beginner = Box<dyn FnMut() -> Begun>;

/// The part of an owner for such calls.
#[derive(Default)]
pub(crate) struct Futures {
    beginners: RefCell<Numbered<Rc<RefCell<Beginner>>>>,
    /// By the id of the call; none while the future is polled.
    begun: RefCell<Numbered<Option<Begun>>>,
}

struct CallWaker {
    id: u64,
    shared: Arc<Shared>,
}

impl Wake for CallWaker {
    fn wake(self: Arc<Self>) {
        self.shared.wake_call(self.id);
    }
}

/// Make a gate that has come to 1.
fn open_gate(shared: &Shared) -> Result<Handle<raw::plait_signal>> {
    let (mut device, desc) = (ptr::null_mut(), raw::plait_signal_desc {
        flags: raw::PLAIT_SIGNAL_GATE,
        ..Default::default()
    });
    // SAFETY: `shared` owns the context, which outlives the device's use here.
    call(|error| unsafe { (lib().plait_context_device)(shared.context.get(), 0, &mut device, error) })?;
    // SAFETY: the descriptor is read during the call.
    let gate = Handle::make(|out, error| unsafe { (lib().plait_signal_create)(device, &desc, out, error) })?;
    // SAFETY: a signal of ours.
    call(|error| unsafe { (lib().plait_signal_raise)(gate.get(), 1, error) })?;
    Ok(gate)
}

impl Futures {
    pub(crate) fn add(&self, number: u64, beginner: Beginner) {
        self.beginners.borrow_mut().insert(number, Rc::new(RefCell::new(beginner)));
    }

    pub(crate) fn forget(&self, number: u64) {
        let beginner = self.beginners.borrow_mut().remove(&number);
        drop(beginner); // may run any code: no RefCell is borrowed here
    }

    pub(crate) fn has(&self, number: u64) -> bool {
        self.beginners.borrow().contains_key(&number)
    }

    /// Drop all of them, unfinished.
    pub(crate) fn clear(&self) {
        let beginners = std::mem::take(&mut *self.beginners.borrow_mut());
        let begun = std::mem::take(&mut *self.begun.borrow_mut());
        drop((beginners, begun));
    }
}

impl Owner {
    /// Begin the call `id` of a closure that makes a future.
    pub(crate) fn begin_call(&self, id: u64, number: u64) -> Result<()> {
        match self.make_future(id, number) {
            Ok(future) => {
                self.futures.begun.borrow_mut().insert(id, Some(future));
                self.poll_call(id)
            }
            Err(text) => self.answer(id, Err(text)),
        }
    }

    fn make_future(&self, id: u64, number: u64) -> std::result::Result<Begun, String> {
        let beginner = self.futures.beginners.borrow().get(&number).cloned();
        let beginner = beginner.ok_or("the closure was dropped")?;
        let mut beginner = beginner.try_borrow_mut().map_err(|_| "the closure waits for itself")?;
        let made = catch_unwind(AssertUnwindSafe(&mut *beginner)).map_err(panic_text)?;
        self.shared.prepare_turns(open_gate).map_err(|error| error.to_string())?;
        // SAFETY: without a function plait calls nothing.
        call(|error| unsafe {
            (lib().plait_inbox_notify_stop)(self.shared.inbox.get(), id, None, ptr::null_mut(), error)
        })
        .map_err(|error| error.to_string())?;
        Ok(made)
    }

    /// Poll the futures that were woken.
    pub(crate) fn poll_woken(&self) -> Result<()> {
        self.shared.take_woken().into_iter().try_for_each(|id| self.poll_call(id))
    }

    fn poll_call(&self, id: u64) -> Result<()> {
        let taken = self.futures.begun.borrow_mut().get_mut(&id).and_then(Option::take);
        let mut future = match taken {
            Some(future) => future,
            None => return Ok(()), // answered, or being polled: it is woken again then
        };
        let waker = Waker::from(Arc::new(CallWaker { id, shared: self.shared.clone() }));
        let polled = {
            let _calling = Calling::enter(self.shared.inbox.get(), id);
            catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Context::from_waker(&waker))))
        };
        let answer = match polled {
            Ok(Poll::Pending) => {
                // Absent if the run was stopped meanwhile: then the future is dropped.
                if let Some(place) = self.futures.begun.borrow_mut().get_mut(&id) {
                    *place = Some(future);
                }
                return Ok(());
            }
            Ok(Poll::Ready(answer)) => answer,
            Err(panic) => Err(panic_text(panic)),
        };
        drop(future);
        self.end_call(id, answer)
    }

    /// The run of the call was stopped: drop its future, which ends it.
    pub(crate) fn stop_call(&self, id: u64) -> Result<()> {
        let future = self.futures.begun.borrow_mut().get_mut(&id).and_then(Option::take);
        drop(future);
        self.end_call(id, Err("was cancelled".into()))
    }

    fn end_call(&self, id: u64, answer: Answer) -> Result<()> {
        let ended = self.futures.begun.borrow_mut().remove(&id);
        match ended {
            Some(_) => self.answer(id, answer),
            None => Ok(()),
        }
    }
}

impl Shared {
    /// Make what wakes need; `open` makes the gate.
    fn prepare_turns(&self, open: impl FnOnce(&Shared) -> Result<Handle<raw::plait_signal>>) -> Result<()> {
        if !self.has_gate() {
            let gate = open(self)?;
            self.set_gate(gate);
        }
        Ok(())
    }

    fn wake_call(&self, id: u64) {
        self.note_woken(id, |gate| {
            // SAFETY: a gate and an inbox of ours; without a function plait calls nothing.
            unsafe {
                (lib().plait_signal_notify)(gate.get(), 1, self.inbox.get(), None, as_user_data(0), ptr::null_mut());
            }
        });
    }
}
