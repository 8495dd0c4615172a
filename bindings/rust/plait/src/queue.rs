// SPDX-License-Identifier: MIT
//! Queues and signals.
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::ptr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use plait_sys as raw;

use crate::error::{c_text, call, pointer_of, Error, Result};
use crate::inbox::{as_user_data, new_number, once, wait, Outcome, Shared};
use crate::kernel::{Argument, Arguments, Items, Kernel};
use crate::library::{lib, Handle};
use crate::memory::{Buffer, Element};
use crate::rows::Rows;
use crate::system::Device;

/// An in-order queue: its commands run one after another.
///
/// Any thread may submit.  Submitted commands continue when the queue is dropped.
pub struct Queue {
    pub(crate) raw: Handle<raw::plait_queue>,
    pub(crate) shared: Arc<Shared>,
}

impl Device {
    /// Create an in-order queue.
    pub fn queue(&self) -> Result<Queue> {
        self.new_queue(None)
    }

    /// Create a queue with a name for errors and drawings.
    pub fn named_queue(&self, label: &str) -> Result<Queue> {
        self.new_queue(Some(label))
    }

    fn new_queue(&self, label: Option<&str>) -> Result<Queue> {
        let label = label.map(c_text).transpose()?;
        let desc = raw::plait_queue_desc { label: pointer_of(&label), ..Default::default() };
        // SAFETY: the label is copied.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_queue_create)(self.get(), &desc, out, error)
        })?;
        Ok(Queue { raw, shared: self.shared.clone() })
    }

    /// Create a queue with a priority (above 0: more urgent) and a number of pending commands
    /// at most (0: 2^20).
    pub fn queue_with(&self, priority: i32, capacity: u64) -> Result<Queue> {
        let desc = raw::plait_queue_desc { priority, capacity, ..Default::default() };
        // SAFETY: `desc` refers to no other memory.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_queue_create)(self.get(), &desc, out, error)
        })?;
        Ok(Queue { raw, shared: self.shared.clone() })
    }

    /// Create a queue that submits to a queue of the driver, of a kind of `plait::sys`, such
    /// as `PLAIT_NATIVE_CL_QUEUE`.
    ///
    /// # Safety
    ///
    /// The native queue is valid, in order, and outlives this one.
    pub unsafe fn native_queue(&self, kind: u32, native: u64) -> Result<Queue> {
        let desc = raw::plait_queue_desc { native_kind: kind, native, ..Default::default() };
        let raw = Handle::make(|out, error| {
            (lib().plait_queue_create)(self.get(), &desc, out, error)
        })?;
        Ok(Queue { raw, shared: self.shared.clone() })
    }

    /// Create a signal.
    pub fn signal(&self) -> Result<Signal> {
        self.new_signal(0, None)
    }

    /// Create a signal with a name for errors and for plans that are saved.
    pub fn named_signal(&self, label: &str) -> Result<Signal> {
        self.new_signal(0, Some(label))
    }

    /// Create a gate: a signal that the program raises.
    pub fn gate(&self) -> Result<Signal> {
        self.new_signal(raw::PLAIT_SIGNAL_GATE, None)
    }

    fn new_signal(&self, flags: u32, label: Option<&str>) -> Result<Signal> {
        let label = label.map(c_text).transpose()?;
        let desc = raw::plait_signal_desc { flags, label: pointer_of(&label), ..Default::default() };
        // SAFETY: `desc` refers to no other memory.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_signal_create)(self.get(), &desc, out, error)
        })?;
        Ok(Signal { raw, shared: self.shared.clone() })
    }
}

impl Queue {
    /// Submit a kernel.
    pub fn launch<'a>(
        &self,
        kernel: &Kernel,
        arguments: &[Argument<'_>],
        items: impl Into<Items<'a>>,
    ) -> Result<()> {
        let items = items.into();
        if items.parameter.is_some() {
            return Err(Error::invalid("parameters are for graphs only"));
        }
        let made = kernel.arguments(arguments)?;
        let launch = items.launch([0; 3]);
        let count = made.array.len() as u64;
        let array = if count == 0 { ptr::null() } else { made.array.as_ptr() };
        // SAFETY: plait copies values and retains buffers.
        call(|error| unsafe {
            (lib().plait_queue_launch)(self.raw.get(), kernel.raw.get(), &launch, array, count,
                                       error)
        })?;
        Ok(())
    }

    /// Submit a closure; it runs on the thread that opened the system.  On that thread
    /// [`System::call`](crate::System::call) takes closures that are not `Send`.
    pub fn call<O: Outcome>(&self, f: impl FnOnce() -> O + Send + 'static) -> Result<()> {
        let number = self.shared.add_once(Box::new(once(f)));
        self.submit_call(number).map_err(|error| {
            drop(self.shared.take_once(number));
            error
        })
    }

    pub(crate) fn submit_call(&self, number: u64) -> Result<()> {
        let command = raw::plait_command {
            kind: raw::PLAIT_COMMAND_CALL,
            user_data: as_user_data(number),
            inbox: self.shared.inbox.get(),
            ..Default::default()
        };
        // SAFETY: a call without a function is an event with the number; plait calls nothing.
        call(|error| unsafe {
            (lib().plait_queue_submit)(self.raw.get(), &command, 1, ptr::null_mut(), error)
        })?;
        Ok(())
    }

    /// Submit a copy from a buffer to another one of the same length.
    pub fn copy<T: Element>(&self, target: &Buffer<T>, source: &Buffer<T>) -> Result<()> {
        if target.len() != source.len() {
            return Err(Error::invalid(format!("{} elements to a buffer that has {}; take a view",
                                              source.len(), target.len())));
        }
        let bytes = (source.len() * std::mem::size_of::<T>()) as u64;
        // SAFETY: plait retains both.
        call(|error| unsafe {
            (lib().plait_queue_copy)(self.raw.get(), target.raw.get(), 0, source.raw.get(), 0,
                                     bytes, error)
        })?;
        Ok(())
    }

    /// Submit a strided copy from rows of a buffer to rows of another one; a view sets the
    /// offset.
    pub fn copy_rows<T: Element>(&self, target: &Buffer<T>, source: &Buffer<T>, rows: Rows)
        -> Result<()> {
        let (bytes, rows) = rows.raw(std::mem::size_of::<T>())?;
        // SAFETY: plait retains both, and copies the rows.
        call(|error| unsafe {
            (lib().plait_queue_copy_rows)(self.raw.get(), target.raw.get(), 0, source.raw.get(), 0,
                                          bytes, &rows, error)
        })?;
        Ok(())
    }

    /// Submit a fill: every element becomes `value`.
    pub fn fill<T: Element>(&self, target: &Buffer<T>, value: T) -> Result<()> {
        let (pattern, size) = pattern_of(value);
        let bytes = target.len() as u64 * u64::from(size);
        // SAFETY: plait retains the buffer.
        call(|error| unsafe {
            (lib().plait_queue_fill)(self.raw.get(), target.raw.get(), 0, bytes, pattern, size,
                                     error)
        })?;
        Ok(())
    }

    /// Copy a buffer into a slice of the same length after the queue's commands, and wait.
    pub fn read<T: Element>(&self, source: &Buffer<T>, data: &mut [T]) -> Result<()> {
        same_length(source, data.len())?;
        let pending = self.read_later(source)?;
        self.finish()?;
        data.copy_from_slice(&pending.wait()?);
        Ok(())
    }

    /// Copy a slice into a buffer of the same length after the queue's commands, and wait.
    pub fn write<T: Element>(&self, target: &Buffer<T>, data: &[T]) -> Result<()> {
        let pending = self.write_later(target, data.to_vec())?;
        self.finish()?;
        pending.wait()?;
        Ok(())
    }

    /// Submit a copy of a buffer to the program's memory; [`Pending::wait`] returns it.
    pub fn read_later<T: Element>(&self, source: &Buffer<T>) -> Result<Pending<T>> {
        let command = raw::plait_command {
            kind: raw::PLAIT_COMMAND_READ,
            source: source.raw.get(),
            ..Default::default()
        };
        self.transfer(source, command, vec![T::ZERO; source.len()])
    }

    /// Submit a copy of a vector into a buffer of the same length; [`Pending::wait`] returns
    /// the vector.
    pub fn write_later<T: Element>(&self, target: &Buffer<T>, data: Vec<T>) -> Result<Pending<T>> {
        let command = raw::plait_command {
            kind: raw::PLAIT_COMMAND_WRITE,
            target: target.raw.get(),
            ..Default::default()
        };
        self.transfer(target, command, data)
    }

    fn transfer<T: Element>(&self, buffer: &Buffer<T>, mut command: raw::plait_command,
                            mut data: Vec<T>) -> Result<Pending<T>> {
        same_length(buffer, data.len())?;
        let done = buffer.device().signal()?;
        command.host = data.as_mut_ptr().cast();
        command.bytes = std::mem::size_of_val(data.as_slice()) as u64;
        let commands = [command, raw::plait_command {
            kind: raw::PLAIT_COMMAND_EMIT,
            signal: done.raw.get(),
            ..Default::default()
        }];
        // SAFETY: Pending keeps the vector, which neither moves nor grows, until the
        // emission behind the copy has happened.
        call(|error| unsafe {
            (lib().plait_queue_submit)(self.raw.get(), commands.as_ptr(), 2, ptr::null_mut(), error)
        })?;
        Ok(Pending { data, done })
    }

    /// Return the native handle of a kind of `plait::sys`, such as `PLAIT_NATIVE_CL_QUEUE`.
    pub fn native(&self, kind: u32) -> Result<u64> {
        let mut out = 0;
        // SAFETY: a queue of ours.
        call(|error| unsafe { (lib().plait_queue_native)(self.raw.get(), kind, &mut out, error) })?;
        Ok(out)
    }

    /// Submit an emission of a signal; return its sequence number.
    pub fn emit(&self, signal: &Signal) -> Result<u64> {
        let mut sequence = 0;
        // SAFETY: both are ours.
        call(|error| unsafe {
            (lib().plait_queue_emit)(self.raw.get(), signal.raw.get(), &mut sequence, error)
        })?;
        Ok(sequence)
    }

    /// Submit a wait: later commands start after the signal reaches `sequence`.  The call
    /// does not block.
    pub fn wait(&self, signal: &Signal, sequence: u64) -> Result<()> {
        // SAFETY: both are ours.
        call(|error| unsafe {
            (lib().plait_queue_wait)(self.raw.get(), signal.raw.get(), sequence, error)
        })?;
        Ok(())
    }

    /// Wait until all commands are done; return the first failure.
    pub fn finish(&self) -> Result<()> {
        self.finish_in(None)
    }

    /// Wait as [`finish`](Queue::finish), for at most `time`.
    pub fn finish_timeout(&self, time: Duration) -> Result<()> {
        self.finish_in(Some(time))
    }

    fn finish_in(&self, time: Option<Duration>) -> Result<()> {
        // SAFETY: a queue of ours.
        wait(time, |left, error| unsafe {
            (lib().plait_queue_finish)(self.raw.get(), left, error)
        })
    }
}

/// Commands for one submission: the queue receives all of them, or none.
///
/// The batch borrows what its commands use until it is submitted.
pub struct Batch<'a> {
    commands: Vec<raw::plait_command>,
    launches: Vec<Box<(Arguments, raw::plait_launch)>>,
    rows: Vec<Box<raw::plait_rows>>,
    used: PhantomData<&'a Queue>,
}

impl Queue {
    /// Submit the commands that `fill` adds to a batch, all or none; return the sequence
    /// number of the last emission, or 0.  If `fill` fails nothing is submitted.
    pub fn submit<'a>(&'a self, fill: impl FnOnce(&mut Batch<'a>) -> Result<()>) -> Result<u64> {
        let mut batch = Batch {
            commands: Vec::new(),
            launches: Vec::new(),
            rows: Vec::new(),
            used: PhantomData,
        };
        fill(&mut batch)?;
        let mut sequence = 0;
        let count = batch.commands.len() as u64;
        // SAFETY: plait copies values and rows, and retains buffers, kernels and signals.
        call(|error| unsafe {
            (lib().plait_queue_submit)(self.raw.get(), batch.commands.as_ptr(), count,
                                       &mut sequence, error)
        })?;
        Ok(sequence)
    }
}

impl<'a> Batch<'a> {
    /// Add a kernel launch.
    pub fn launch<'i>(&mut self, kernel: &'a Kernel, arguments: &[Argument<'a>],
                      items: impl Into<Items<'i>>) -> Result<()> {
        let items = items.into();
        if items.parameter.is_some() {
            return Err(Error::invalid("parameters are for graphs only"));
        }
        let made = Box::new((kernel.arguments(arguments)?, items.launch([0; 3])));
        self.commands.push(raw::plait_command {
            kind: raw::PLAIT_COMMAND_LAUNCH,
            kernel: kernel.raw.get(),
            launch: &made.1,
            arguments: if arguments.is_empty() { ptr::null() } else { made.0.array.as_ptr() },
            argument_count: arguments.len() as u64,
            ..Default::default()
        });
        self.launches.push(made);
        Ok(())
    }

    /// Add a copy from a buffer to another one of the same length.
    pub fn copy<T: Element>(&mut self, target: &'a Buffer<T>, source: &'a Buffer<T>) -> Result<()> {
        same_length(target, source.len())?;
        self.commands.push(raw::plait_command {
            bytes: (source.len() * std::mem::size_of::<T>()) as u64,
            ..copy_command(target, source)
        });
        Ok(())
    }

    /// Add a strided copy from rows of a buffer to rows of another one.
    pub fn copy_rows<T: Element>(&mut self, target: &'a Buffer<T>, source: &'a Buffer<T>,
                                 rows: Rows) -> Result<()> {
        let (bytes, rows) = rows.raw(std::mem::size_of::<T>())?;
        let rows = Box::new(rows);
        self.commands.push(raw::plait_command {
            bytes,
            rows: &*rows,
            ..copy_command(target, source)
        });
        self.rows.push(rows);
        Ok(())
    }

    /// Add a fill: every element becomes `value`.
    pub fn fill<T: Element>(&mut self, target: &'a Buffer<T>, value: T) {
        let (pattern, pattern_bytes) = pattern_of(value);
        self.commands.push(raw::plait_command {
            kind: raw::PLAIT_COMMAND_FILL,
            target: target.raw.get(),
            bytes: target.len() as u64 * u64::from(pattern_bytes),
            pattern,
            pattern_bytes,
            ..Default::default()
        });
    }

    /// Add an emission of a signal.
    pub fn emit(&mut self, signal: &'a Signal) {
        self.commands.push(raw::plait_command {
            kind: raw::PLAIT_COMMAND_EMIT,
            signal: signal.raw.get(),
            ..Default::default()
        });
    }

    /// Add a wait: later commands start after the signal reaches `sequence`; 0: the newest
    /// sequence number submitted so far.
    pub fn wait(&mut self, signal: &'a Signal, sequence: u64) {
        self.commands.push(raw::plait_command {
            kind: raw::PLAIT_COMMAND_WAIT,
            signal: signal.raw.get(),
            sequence,
            ..Default::default()
        });
    }
}

fn copy_command<T: Element>(target: &Buffer<T>, source: &Buffer<T>) -> raw::plait_command {
    raw::plait_command {
        kind: raw::PLAIT_COMMAND_COPY,
        target: target.raw.get(),
        source: source.raw.get(),
        ..Default::default()
    }
}

/// Return a number as the pattern of a fill: (pattern, bytes).
pub(crate) fn pattern_of<T: Element>(value: T) -> (u64, u32) {
    let size = std::mem::size_of::<T>();
    let mut pattern = 0u64;
    // SAFETY: an Element has at most 8 bytes.  from_le: its bytes lie at the lowest addresses.
    unsafe {
        ptr::copy_nonoverlapping((&value as *const T).cast::<u8>(),
                                 (&mut pattern as *mut u64).cast::<u8>(), size);
    }
    (u64::from_le(pattern), size as u32)
}

fn same_length<T: Element>(buffer: &Buffer<T>, len: usize) -> Result<()> {
    if buffer.len() == len {
        return Ok(());
    }
    Err(Error::invalid(format!("{} elements beside a buffer that has {}", len, buffer.len())))
}

/// A copy from or to the program's memory that [`Queue::read_later`] or
/// [`Queue::write_later`] submitted.  The memory of a copy in flight leaks if this is dropped.
#[must_use = "the memory of a copy in flight leaks with it"]
pub struct Pending<T: Element> {
    data: Vec<T>,
    done: Signal,
}

impl<T: Element> Pending<T> {
    /// Return true if the copy has ended; also if it failed.
    pub fn is_done(&self) -> bool {
        let mut reached = 0;
        // SAFETY: a signal of ours.  A failed one has been reached, too.
        unsafe {
            (lib().plait_signal_query)(self.done.raw.get(), &mut reached, ptr::null_mut(),
                                       ptr::null_mut());
        }
        reached > 0
    }

    /// Wait until the copy is done; return the memory.
    pub fn wait(mut self) -> Result<Vec<T>> {
        self.done.wait(1, None)?;
        Ok(std::mem::take(&mut self.data))
    }
}

impl<T: Element> Drop for Pending<T> {
    fn drop(&mut self) {
        if !self.data.is_empty() && !self.is_done() {
            std::mem::forget(std::mem::take(&mut self.data));
        }
    }
}

/// A monotonic counter that queues emit and wait for; the program raises a gate.
pub struct Signal {
    pub(crate) raw: Handle<raw::plait_signal>,
    shared: Arc<Shared>,
}

impl Signal {
    /// Return the newest sequence number that was reached, failed ones included.
    pub fn reached(&self) -> Result<u64> {
        let mut reached = 0;
        // SAFETY: a signal of ours.
        call(|error| unsafe {
            (lib().plait_signal_query)(self.raw.get(), &mut reached, ptr::null_mut(), error)
        })?;
        Ok(reached)
    }

    /// Wait until the signal reaches `sequence`, for at most `time`; `None` waits without
    /// limit.
    pub fn wait(&self, sequence: u64, time: Option<Duration>) -> Result<()> {
        // SAFETY: a signal of ours.
        wait(time, |left, error| unsafe {
            (lib().plait_signal_wait)(self.raw.get(), sequence, left, error)
        })
    }

    /// Raise a gate to a sequence number.
    pub fn raise(&self, sequence: u64) -> Result<()> {
        // SAFETY: a signal of ours.
        call(|error| unsafe { (lib().plait_signal_raise)(self.raw.get(), sequence, error) })?;
        Ok(())
    }

    /// Return the newest sequence number that was submitted.
    pub fn submitted(&self) -> Result<u64> {
        let mut submitted = 0;
        // SAFETY: a signal of ours.
        call(|error| unsafe {
            (lib().plait_signal_query)(self.raw.get(), ptr::null_mut(), &mut submitted, error)
        })?;
        Ok(submitted)
    }

    /// Fail a gate: every wait on it ends with this error.
    pub fn fail(&self, text: &str, origin: i64) -> Result<()> {
        let text = c_text(text)?;
        // SAFETY: the text is copied.
        call(|error| unsafe {
            (lib().plait_signal_fail)(self.raw.get(), origin, text.as_ptr(), error)
        })?;
        Ok(())
    }

    /// Clear the failure of a signal that has no pending work.
    pub fn reset(&self) -> Result<()> {
        // SAFETY: a signal of ours.
        call(|error| unsafe { (lib().plait_signal_reset)(self.raw.get(), error) })?;
        Ok(())
    }

    /// Return a future that ends when the signal reaches `sequence`;
    /// [`System::pump`](crate::System::pump) wakes it.
    pub fn reach(&self, sequence: u64) -> Reach<'_> {
        Reach { signal: self, sequence, waker: 0 }
    }

    fn notify(&self, sequence: u64, number: u64) -> Result<()> {
        // SAFETY: without a function plait hands the number out, and calls nothing.
        call(|error| unsafe {
            (lib().plait_signal_notify)(self.raw.get(), sequence, self.shared.inbox.get(), None,
                                        as_user_data(number), error)
        })?;
        Ok(())
    }
}

/// A future of [`Signal::reach`].
pub struct Reach<'a> {
    signal: &'a Signal,
    sequence: u64,
    /// The number of the waker; 0: no notification was requested yet.
    waker: u64,
}

impl Future for Reach<'_> {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let shared = &self.signal.shared;
        let asked = self.waker != 0 && shared.change_waker(self.waker, context.waker());
        match self.signal.reached() {
            Ok(reached) if reached >= self.sequence => return Poll::Ready(Ok(())),
            Ok(_) if asked => return Poll::Pending,
            Ok(_) => (),
            Err(error) => return Poll::Ready(Err(error)),
        }
        let number = new_number();
        shared.set_waker(number, context.waker());
        self.waker = number;
        match self.signal.notify(self.sequence, number) {
            Ok(()) => Poll::Pending,
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl Drop for Reach<'_> {
    fn drop(&mut self) {
        if self.waker != 0 {
            self.signal.shared.drop_waker(self.waker);
        }
    }
}

/// Wait until signals reach sequence numbers; see [`System::wait`](crate::System::wait).
pub(crate) fn wait_points(points: &[(&Signal, u64)], mode: raw::plait_wait_mode,
                          time: Option<Duration>) -> Result<usize> {
    let array: Vec<_> = points
        .iter()
        .map(|(signal, sequence)| raw::plait_point {
            signal: signal.raw.get(),
            sequence: *sequence,
        })
        .collect();
    let mut index = 0;
    // SAFETY: the signals are borrowed.
    wait(time, |left, error| unsafe {
        (lib().plait_signal_wait_points)(array.as_ptr(), array.len() as u64, mode, left, &mut index,
                                         error)
    })?;
    Ok(index as usize)
}
