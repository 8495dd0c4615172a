// SPDX-License-Identifier: MIT
//! The inbox: closures as events, wakers, and waiting.
//!
//! plait never calls a closure.  The thread that opened the system pulls calls from the
//! inbox as events, runs the closures and replies.
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::hash::{BuildHasherDefault, Hasher};
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use plait_sys as raw;

use crate::error::{call, Result, Status};
use crate::library::{lib, Handle};
use crate::suspend::{Beginner, Futures};

/// The reply to a call: a number, or the text of a failure.
pub(crate) type Answer = std::result::Result<i64, String>;

/// The return type of a command's closure: nothing, or a result.
pub trait Outcome: 'static {
    /// Return the text of a failure, for the command's error.
    fn failure(self) -> Option<String>;
}

impl Outcome for () {
    fn failure(self) -> Option<String> {
        None
    }
}

impl<E: std::fmt::Display + 'static> Outcome for std::result::Result<(), E> {
    fn failure(self) -> Option<String> {
        self.err().map(|error| error.to_string())
    }
}

/// The return type of a predicate closure: a `bool` for a loop, a `u32` for branches, or
/// a result of those.
pub trait Verdict: 'static {
    /// Return the condition's word, or the text of a failure, for the node's error.
    fn verdict(self) -> std::result::Result<u32, String>;
}

impl Verdict for bool {
    fn verdict(self) -> std::result::Result<u32, String> {
        Ok(self.into())
    }
}

impl Verdict for u32 {
    fn verdict(self) -> std::result::Result<u32, String> {
        Ok(self)
    }
}

impl<V: Verdict, E: std::fmt::Display + 'static> Verdict for std::result::Result<V, E> {
    fn verdict(self) -> std::result::Result<u32, String> {
        self.map_err(|error| error.to_string())?.verdict()
    }
}

pub(crate) type Function = Box<dyn FnMut() -> Answer>;
pub(crate) type SendFunction = Box<dyn FnMut() -> Answer + Send>;

pub(crate) fn answer_of(outcome: impl Outcome) -> Answer {
    outcome.failure().map_or(Ok(0), Err)
}

/// Wrap an `FnOnce` as an `FnMut` that fails at the second call.
pub(crate) fn once<O: Outcome>(function: impl FnOnce() -> O) -> impl FnMut() -> Answer {
    let mut kept = Some(function);
    move || match kept.take() {
        Some(function) => answer_of(function()),
        None => Err("the closure was already called".into()),
    }
}

/// Hasher of callback numbers: one multiplication (Fibonacci hashing).
#[derive(Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 << 8 | u64::from(byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

pub(crate) type Numbered<T> = HashMap<u64, T, BuildHasherDefault<Spread>>;

static LAST: AtomicU64 = AtomicU64::new(0);

/// Return a new callback number: the user data of events.  An unknown number is an error,
/// not a crash.
pub(crate) fn new_number() -> u64 {
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

pub(crate) fn as_user_data(number: u64) -> *mut c_void {
    number as usize as *mut c_void
}

// --- state shared by all threads -----------------------------------------------

#[derive(Default)]
struct Waiting {
    wakers: Numbered<Waker>,
    /// Closures to be called once, submitted by any thread.
    functions: Numbered<SendFunction>,
    /// Numbers of unreachable closures; the owner thread drops the closures.
    dropped: Vec<u64>,
    /// Ids of calls whose futures were woken, and the gate whose event has them polled.
    woken: Vec<u64>,
    gate: Option<Handle<raw::plait_signal>>,
    /// Dropped runs in flight, with the closures that they may call.
    forgotten: Vec<(Handle<raw::plait_run>, Functions)>,
}

/// The part of a system that its objects keep alive.
pub(crate) struct Shared {
    pub(crate) inbox: Handle<raw::plait_inbox>,
    pub(crate) context: Handle<raw::plait_context>,
    waiting: Mutex<Waiting>,
}

/// Closures that a graph, its plans and their runs keep alive.
pub(crate) type Functions = Arc<Vec<Arc<Registered>>>;

/// Keeps a closure callable; the owner thread drops the closure afterwards.
pub(crate) struct Registered {
    pub(crate) number: u64,
    shared: Arc<Shared>,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.shared.lock().dropped.push(self.number);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // No foreign code runs under the lock, so the state is consistent after a panic.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_waker(&self, number: u64, waker: &Waker) {
        let old = self.lock().wakers.insert(number, waker.clone());
        drop(old);
    }

    /// Replace the waker of a pending event; return false if the event has arrived.
    pub(crate) fn change_waker(&self, number: u64, waker: &Waker) -> bool {
        let mut old = waker.clone();
        match self.lock().wakers.get_mut(&number) {
            Some(there) => std::mem::swap(there, &mut old),
            None => return false,
        }
        true
    }

    pub(crate) fn drop_waker(&self, number: u64) {
        let old = self.lock().wakers.remove(&number);
        drop(old);
    }

    pub(crate) fn add_once(&self, function: SendFunction) -> u64 {
        let number = new_number();
        self.lock().functions.insert(number, function);
        number
    }

    pub(crate) fn take_once(&self, number: u64) -> Option<SendFunction> {
        self.lock().functions.remove(&number)
    }

    pub(crate) fn has_gate(&self) -> bool {
        self.lock().gate.is_some()
    }

    pub(crate) fn set_gate(&self, gate: Handle<raw::plait_signal>) {
        self.lock().gate = Some(gate);
    }

    /// Note a call whose future was woken; the first one requests an event by ask(gate).
    /// After the close there is no gate, and no future.
    pub(crate) fn note_woken(&self, id: u64, ask: impl FnOnce(&Handle<raw::plait_signal>)) {
        let mut waiting = self.lock();
        if waiting.woken.is_empty() {
            match &waiting.gate {
                Some(gate) => ask(gate),
                None => return,
            }
        }
        waiting.woken.push(id);
    }

    pub(crate) fn take_woken(&self) -> Vec<u64> {
        std::mem::take(&mut self.lock().woken)
    }

    pub(crate) fn forget(&self, run: Handle<raw::plait_run>, functions: Functions) {
        self.lock().forgotten.push((run, functions));
    }

    /// Release forgotten runs that are done.
    fn sweep(&self) {
        let runs = std::mem::take(&mut self.lock().forgotten);
        if runs.is_empty() {
            return;
        }
        let (still, ended): (Vec<_>, Vec<_>) = runs.into_iter().partition(|(run, _)| {
            // SAFETY: `run` owns the run.
            unsafe { (lib().plait_run_poll)(run.get(), ptr::null_mut()) == raw::PLAIT_PENDING }
        });
        drop(ended);
        self.lock().forgotten.extend(still);
    }
}

// --- state of the owner thread --------------------------------------------------

thread_local! {
    /// The systems opened by this thread.
    static OWNED: RefCell<Vec<Weak<Owner>>> = RefCell::new(Vec::new());
}

/// Lives while the closure of a call runs, or its future is polled: the thread is inside of
/// the call, so that a wait for itself is [`Status::Deadlock`].
pub(crate) struct Calling(*mut raw::plait_inbox, u64);

impl Calling {
    pub(crate) fn enter(inbox: *mut raw::plait_inbox, id: u64) -> Calling {
        // SAFETY: an inbox of ours.  Refused if a close has answered the call.
        unsafe { (lib().plait_inbox_begin)(inbox, id, ptr::null_mut()) };
        Calling(inbox, id)
    }
}

impl Drop for Calling {
    fn drop(&mut self) {
        // SAFETY: a handle that is compared only, as the closure may have dropped the inbox.
        unsafe { (lib().plait_inbox_end)(self.0, self.1, ptr::null_mut()) };
    }
}

/// In a closure of a run, return true if the run was stopped, so that a long closure can
/// return early.
pub fn is_stopping() -> bool {
    // SAFETY: a word of the thread.
    unsafe { (lib().plait_run_is_stopping)() == 1 }
}

pub(crate) struct Owner {
    pub(crate) shared: Arc<Shared>,
    functions: RefCell<Numbered<Rc<RefCell<Function>>>>,
    /// Closures that are called once.
    once: RefCell<Numbered<Function>>,
    pub(crate) futures: Futures,
}

impl Owner {
    pub(crate) fn new(context: Handle<raw::plait_context>) -> Result<Rc<Owner>> {
        // SAFETY: `context` owns the context; the inbox belongs to this thread.
        let inbox = Handle::make(|out, error| unsafe {
            (lib().plait_inbox_create)(context.get(), out, error)
        })?;
        let shared = Shared { inbox, context, waiting: Mutex::default() };
        let made = Rc::new(Owner {
            shared: Arc::new(shared),
            functions: RefCell::default(),
            once: RefCell::default(),
            futures: Futures::default(),
        });
        OWNED.with(|owned| owned.borrow_mut().push(Rc::downgrade(&made)));
        Ok(made)
    }

    /// Register a closure under a new number.
    pub(crate) fn register(&self, function: Function) -> Arc<Registered> {
        self.clean();
        let number = new_number();
        self.functions.borrow_mut().insert(number, Rc::new(RefCell::new(function)));
        Arc::new(Registered { number, shared: self.shared.clone() })
    }

    /// Register a closure that makes a future under a new number.
    pub(crate) fn register_future(&self, beginner: Beginner) -> Arc<Registered> {
        self.clean();
        let number = new_number();
        self.futures.add(number, beginner);
        Arc::new(Registered { number, shared: self.shared.clone() })
    }

    pub(crate) fn add_once(&self, function: Function) -> u64 {
        let number = new_number();
        self.once.borrow_mut().insert(number, function);
        number
    }

    pub(crate) fn take_once(&self, number: u64) -> Option<Function> {
        self.once.borrow_mut().remove(&number)
    }

    /// Return true if the closure has not been called.
    pub(crate) fn has_once(&self, number: u64) -> bool {
        self.once.borrow().contains_key(&number)
    }

    fn forget(&self, number: u64) {
        let function = self.functions.borrow_mut().remove(&number);
        drop(function); // may run any code: no RefCell is borrowed here
        self.futures.forget(number);
    }

    /// Drop unreachable closures, repeatedly: dropping one may make others unreachable.
    fn clean(&self) {
        self.shared.sweep();
        loop {
            let numbers = std::mem::take(&mut self.shared.lock().dropped);
            if numbers.is_empty() {
                return;
            }
            numbers.into_iter().for_each(|number| self.forget(number));
        }
    }

    /// Serve all pending events; return their number.
    pub(crate) fn pump(&self) -> Result<usize> {
        let mut count = 0;
        loop {
            let mut event = raw::plait_event::default();
            // SAFETY: `shared` owns the inbox; the event has its size set.
            let next = call(|error| unsafe {
                (lib().plait_inbox_next)(self.shared.inbox.get(), &mut event, error)
            });
            match next {
                Ok(raw::PLAIT_PENDING) => break,
                Ok(_) => self.serve(&event)?,
                Err(error) if error.status() == Status::State => break, // closed
                Err(error) => return Err(error),
            }
            count += 1;
        }
        self.clean();
        Ok(count)
    }

    fn serve(&self, event: &raw::plait_event) -> Result<()> {
        let number = event.user_data as usize as u64;
        if matches!(event.kind, raw::PLAIT_EVENT_RUN | raw::PLAIT_EVENT_SIGNAL | raw::PLAIT_EVENT_TASK) {
            let waker = self.shared.lock().wakers.remove(&number);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
        match event.kind {
            raw::PLAIT_EVENT_SIGNAL if number == 0 => return self.poll_woken(),
            raw::PLAIT_EVENT_STOPPED if event.status == raw::PLAIT_OK => return self.stop_call(event.id),
            raw::PLAIT_EVENT_CALL => (),
            _ => return Ok(()),
        }
        if self.futures.has(number) && event.status == raw::PLAIT_OK {
            return self.begin_call(event.id, number);
        }
        let found = self.find(number);
        if event.status != raw::PLAIT_OK {
            return Ok(()); // cancelled, and answered already
        }
        let answer = {
            let _calling = Calling::enter(self.shared.inbox.get(), event.id);
            found.run() // catches panics
        };
        self.answer(event.id, answer)
    }

    /// Return the closure of a number; remove a closure that is called once.
    fn find(&self, number: u64) -> Found {
        if let Some(function) = self.take_once(number) {
            return Found::Once(function);
        }
        if let Some(function) = self.functions.borrow().get(&number) {
            return Found::Often(function.clone());
        }
        self.shared.take_once(number).map_or(Found::Nothing, |function| Found::Once(function))
    }

    pub(crate) fn answer(&self, id: u64, answer: Answer) -> Result<()> {
        let (value, text) = match answer {
            Ok(value) => (value, None),
            Err(text) => (1, Some(CString::new(text.replace('\0', " ")).unwrap_or_default())),
        };
        let at = text.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        // SAFETY: the text is copied.
        call(|error| unsafe {
            (lib().plait_inbox_answer)(self.shared.inbox.get(), id, value, at, error)
        })?;
        Ok(())
    }

    /// Close the inbox: cancel pending calls, drop all closures, wake all tasks.
    pub(crate) fn close(&self) {
        // SAFETY: `shared` owns the inbox.
        unsafe { (lib().plait_inbox_close)(self.shared.inbox.get(), ptr::null_mut()) };
        // The remaining events are cancelled; no caller is left to receive an error.
        let _ = self.pump();
        let functions = std::mem::take(&mut *self.functions.borrow_mut());
        let once = std::mem::take(&mut *self.once.borrow_mut());
        drop((functions, once));
        self.futures.clear();
        let waiting = std::mem::take(&mut *self.shared.lock());
        waiting.wakers.into_values().for_each(Waker::wake);
    }
}

pub(crate) fn panic_text(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.unwrap_or_else(|| "(no text)".into()))
}

/// The closure of an event.
enum Found {
    Once(Function),
    Often(Rc<RefCell<Function>>),
    Nothing,
}

impl Found {
    fn run(self) -> Answer {
        match self {
            Found::Once(mut function) => caught(&mut function),
            Found::Often(function) => match function.try_borrow_mut() {
                Ok(mut function) => caught(&mut function),
                Err(_) => Err("the closure waits for itself: it already runs on this thread".into()),
            },
            Found::Nothing => Err("the closure was dropped".into()),
        }
    }
}

fn caught(function: &mut Function) -> Answer {
    catch_unwind(AssertUnwindSafe(function)).unwrap_or_else(|panic| Err(panic_text(panic)))
}

/// Return the next system of this thread; remove dropped ones from the list.
fn owned_behind(at: &mut usize) -> Option<Rc<Owner>> {
    OWNED.with(|owned| {
        let mut owned = owned.borrow_mut();
        while *at < owned.len() {
            if let Some(found) = owned[*at].upgrade() {
                *at += 1;
                return Some(found);
            }
            owned.swap_remove(*at);
        }
        None
    })
}

/// Serve the pending events of all systems of this thread; return their number.
pub(crate) fn serve_all() -> Result<usize> {
    let (mut count, mut at) = (0, 0);
    // A closure may open and drop systems, so each step indexes the list again.
    while let Some(one) = owned_behind(&mut at) {
        count += one.pump()?;
    }
    Ok(count)
}

/// Wait, serving the events of this thread meanwhile.
///
/// `None` waits without limit, as does a time past the end of the clock.
pub(crate) fn wait(
    time: Option<Duration>,
    mut function: impl FnMut(u64, *mut raw::plait_error) -> raw::plait_status,
) -> Result<()> {
    let end = time.and_then(|time| Instant::now().checked_add(time));
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()).as_nanos());
        let left = left.map_or(raw::PLAIT_FOREVER, |left| left.min(u64::MAX as u128 - 1) as u64);
        if call(|error| function(left, error))? != raw::PLAIT_EVENT_READY {
            return Ok(());
        }
        serve_all()?;
    }
}
