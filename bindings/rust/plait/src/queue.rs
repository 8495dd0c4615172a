// SPDX-License-Identifier: MIT
//! Queues and signals.
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use plait_sys as raw;

use crate::error::{c_text, call, pointer_of, Error, Result};
use crate::inbox::{as_user_data, once, wait, Outcome, Shared};
use crate::kernel::{Argument, Items, Kernel};
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

    /// Create a signal.
    pub fn signal(&self) -> Result<Signal> {
        self.new_signal(0)
    }

    /// Create a gate: a signal that the program raises.
    pub fn gate(&self) -> Result<Signal> {
        self.new_signal(raw::PLAIT_SIGNAL_GATE)
    }

    fn new_signal(&self, flags: u32) -> Result<Signal> {
        let desc = raw::plait_signal_desc { flags, ..Default::default() };
        // SAFETY: `desc` refers to no other memory.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_signal_create)(self.get(), &desc, out, error)
        })?;
        Ok(Signal { raw })
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

/// A monotonic counter that queues emit and wait for; the program raises a gate.
pub struct Signal {
    pub(crate) raw: Handle<raw::plait_signal>,
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
}
