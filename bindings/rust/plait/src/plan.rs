// SPDX-License-Identifier: MIT
//! Plans, runs, and the binding of parameters.
use std::collections::HashMap;
use std::future::Future;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::pin::Pin;
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use plait_sys as raw;

use crate::error::{c_text, call, fill_bytes, fill_text, text_at, Error, Result, Status};
use crate::inbox::{as_user_data, new_number, serve_all, wait, Functions, Owner, Registered,
                   Shared};
use crate::kernel::{aggregate, check_pointer, number, Argument, Kind, Number};
use crate::library::{lib, Handle};
use crate::queue::Queue;

/// A parameter value of one run, by name; [`with!`](crate::with) makes a list of them.
pub type Given<'a> = (&'a str, Argument<'a>);

struct Wanted {
    number: u32,
    kind: u32,
    of: String,
}

/// A frozen schedule.  Any thread may run it.
pub struct Plan {
    raw: Handle<raw::plait_plan>,
    shared: Arc<Shared>,
    functions: Functions,
    /// Pointee types of pointer parameters, where known.
    pointers: HashMap<String, String>,
    wanted: HashMap<String, Wanted>,
    /// Free queues, for calls of plans that have closures.
    queues: Mutex<Vec<Queue>>,
    /// Of later runs.
    flags: AtomicU32,
}

/// Flags of the runs of a plan; see [`Plan::set_flags`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RunFlags {
    /// One lane at a time.
    pub serial: bool,
    /// All lanes, also where no gain is expected; without both the library chooses.
    pub parallel: bool,
    /// An error instead of a wait if all instances are in flight.
    pub no_wait: bool,
    /// See [`Plan::record`].
    pub record: bool,
    /// Runs that write the same memory do not take turns.
    pub overlap: bool,
}

/// A text form or drawing of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanFormat {
    Json,
    Dot,
    Svg,
}

/// A text form or drawing of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Trace events, for `chrome://tracing` and Perfetto.
    Json,
    /// A drawing: the measured run above the planned schedule.
    Svg,
}

impl Plan {
    pub(crate) fn raw(&self) -> *mut raw::plait_plan {
        self.raw.get()
    }

    pub(crate) fn functions(&self) -> Functions {
        self.functions.clone()
    }

    pub(crate) fn new(
        raw: Handle<raw::plait_plan>,
        shared: Arc<Shared>,
        functions: Functions,
        pointers: HashMap<String, String>,
    ) -> Result<Plan> {
        let wanted = parameters(&raw)?;
        Ok(Plan {
            raw,
            shared,
            functions,
            pointers,
            wanted,
            queues: Mutex::default(),
            flags: AtomicU32::new(0),
        })
    }

    pub(crate) fn load(owner: &Rc<Owner>, path: &Path) -> Result<Plan> {
        let path = c_path(path)?;
        // SAFETY: the path is a text for as long as the call.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_plan_load)(owner.shared.context.get(), path.as_ptr(), out, error)
        })?;
        Plan::new(raw, owner.shared.clone(), Functions::default(), HashMap::new())
    }

    pub(crate) fn read(owner: &Rc<Owner>, bytes: &[u8]) -> Result<Plan> {
        // SAFETY: the bytes have their number beside them.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_plan_read)(owner.shared.context.get(), bytes.as_ptr().cast(),
                                    bytes.len() as u64, out, error)
        })?;
        Plan::new(raw, owner.shared.clone(), Functions::default(), HashMap::new())
    }

    pub(crate) fn get(&self) -> *mut raw::plait_plan {
        self.raw.get()
    }

    /// Keep a closure that was bound.
    pub(crate) fn keep(&mut self, registered: Arc<Registered>) {
        let mut all = (*self.functions).clone();
        all.push(registered);
        self.functions = Arc::new(all);
    }

    /// Return a plan of the same graph, which calls the same closures.
    pub(crate) fn again(&self, raw: Handle<raw::plait_plan>) -> Result<Plan> {
        Plan::new(raw, self.shared.clone(), self.functions.clone(), self.pointers.clone())
    }

    /// Set the flags of later runs.
    pub fn set_flags(&self, how: RunFlags) {
        let bits = [
            (how.serial, raw::PLAIT_RUN_SERIAL),
            (how.parallel, raw::PLAIT_RUN_PARALLEL),
            (how.no_wait, raw::PLAIT_RUN_NO_WAIT),
            (how.record, raw::PLAIT_RUN_RECORD),
            (how.overlap, raw::PLAIT_RUN_OVERLAP),
        ];
        let flags = bits.iter().filter(|(on, _)| *on).fold(0, |all, (_, bit)| all | bit);
        self.flags.store(flags, Ordering::Relaxed);
    }

    /// Return the names of the parameters that each run must set.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.wanted.keys().map(|name| name.as_str())
    }

    /// Run the plan and wait: `plan.call(with![a = 2.0, y = &y])`.
    pub fn call(&self, given: &[Given<'_>]) -> Result<()> {
        if !self.functions.is_empty() {
            return self.call_on_queue(given);
        }
        let bound = self.bind(given, true)?;
        // SAFETY: `bound` has what the description refers to.
        call(|error| unsafe {
            (lib().plait_plan_call)(self.raw.get(), ptr::null_mut(), &bound.desc, error)
        })?;
        Ok(())
    }

    /// Run a plan that has closures: start it on a queue, and serve its calls while waiting.
    fn call_on_queue(&self, given: &[Given<'_>]) -> Result<()> {
        let spare = self.queues.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let queue = match spare {
            Some(queue) => queue,
            None => self.new_queue()?,
        };
        self.run(&queue, given)?.wait()?;
        // A failed queue is not reused.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner).push(queue);
        Ok(())
    }

    fn new_queue(&self) -> Result<Queue> {
        let mut device = ptr::null_mut();
        // SAFETY: the context is ours.
        call(|error| unsafe {
            (lib().plait_context_device)(self.shared.context.get(), 0, &mut device, error)
        })?;
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_queue_create)(device, ptr::null(), out, error)
        })?;
        Ok(Queue { raw, shared: self.shared.clone() })
    }

    /// Start a run after the commands in the queue.
    pub fn run(&self, queue: &Queue, given: &[Given<'_>]) -> Result<Run> {
        let bound = self.bind(given, false)?;
        let raw = loop {
            // SAFETY: `bound` has what the description refers to.
            let made = Handle::make(|out, error| unsafe {
                (lib().plait_plan_run)(self.raw.get(), queue.raw.get(), &bound.desc, out, error)
            });
            match made {
                // All instances are in flight; a run may need this thread to progress.
                Err(error) if error.status() == Status::Busy && serve_all()? > 0 => (),
                made => break made?,
            }
        };
        Ok(Run {
            raw: Some(raw),
            shared: self.shared.clone(),
            functions: self.functions.clone(),
            waker: 0,
        })
    }

    /// Verify the schedule; the error names the violated property.
    pub fn check(&self) -> Result<()> {
        // SAFETY: a plan of ours.
        call(|error| unsafe { (lib().plait_plan_check)(self.raw.get(), error) })?;
        Ok(())
    }

    /// Return the plan as text or as a drawing.
    pub fn text(&self, format: PlanFormat) -> Result<String> {
        let format = match format {
            PlanFormat::Json => raw::PLAIT_FORMAT_JSON,
            PlanFormat::Dot => raw::PLAIT_FORMAT_DOT,
            PlanFormat::Svg => raw::PLAIT_FORMAT_SVG,
        };
        fill_text(|room, bytes, needed| {
            // SAFETY: `room` has `bytes` bytes, or is null.
            call(|error| unsafe {
                (lib().plait_plan_write)(self.raw.get(), format as i32, room.cast(), bytes, needed,
                                         error)
            })?;
            Ok(())
        })
    }

    /// Write the plan to a file, for [`System::load`](crate::System::load).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        // SAFETY: the path is a text for as long as the call.
        call(|error| unsafe { (lib().plait_plan_save)(self.raw.get(), path.as_ptr(), error) })?;
        Ok(())
    }

    /// Return what [`save`](Plan::save) writes, for [`System::read`](crate::System::read).
    pub fn bytes(&self) -> Result<Vec<u8>> {
        fill_bytes(|room, bytes, needed| {
            // SAFETY: `room` has `bytes` bytes, or is null.
            call(|error| unsafe {
                (lib().plait_plan_write)(self.raw.get(), raw::PLAIT_FORMAT_BINARY as i32,
                                         room.cast(), bytes, needed, error)
            })?;
            Ok(())
        })
    }

    /// Record what each lane does in all later runs; see [`Run::trace`].
    pub fn record(&self) -> Result<()> {
        self.record_with(0)
    }

    /// Record as [`record`](Plan::record), with room for so many records per lane; 0: enough
    /// for the expected numbers of iterations.
    pub fn record_with(&self, records: u64) -> Result<()> {
        // SAFETY: a plan of ours.
        call(|error| unsafe { (lib().plait_plan_record)(self.raw.get(), records, error) })?;
        self.flags.fetch_or(raw::PLAIT_RUN_RECORD, Ordering::Relaxed);
        Ok(())
    }

    /// Return the plan as a C function with that signature.
    pub fn callable(&self, signature: &str) -> Result<Callable> {
        let signature = c_text(signature)?;
        let desc = raw::plait_callable_desc {
            signature: signature.as_ptr(),
            ..Default::default()
        };
        // SAFETY: the signature is copied.
        let made = Handle::make(|out, error| unsafe {
            (lib().plait_callable_create)(self.raw.get(), &desc, out, error)
        })?;
        let mut function = None;
        // SAFETY: a callable of ours.
        call(|error| unsafe {
            (lib().plait_callable_function)(made.get(), &mut function, error)
        })?;
        Ok(Callable { _raw: made, function })
    }
}

/// A plan as a C function, which returns a status; see [`Plan::callable`].
///
/// A pointer parameter of the signature takes a `plait_buffer *`.
pub struct Callable {
    _raw: Handle<raw::plait_callable>,
    function: raw::plait_any_function,
}

impl Callable {
    /// Return the function, to be cast to its type; valid while this object lives.
    pub fn function(&self) -> raw::plait_any_function {
        self.function
    }
}

fn c_path(path: &Path) -> Result<std::ffi::CString> {
    std::ffi::CString::new(path.as_os_str().as_bytes())
        .map_err(|_| Error::invalid(format!("{:?} has a NUL", path)))
}

fn parameters(plan: &Handle<raw::plait_plan>) -> Result<HashMap<String, Wanted>> {
    let mut count = 0;
    // SAFETY: a plan of ours; records of the right size.
    call(|error| unsafe { (lib().plait_plan_parameter_count)(plan.get(), &mut count, error) })?;
    let mut found = HashMap::new();
    for number in 0..count {
        let mut info = raw::plait_parameter_info::default();
        call(|error| unsafe {
            (lib().plait_plan_query_parameter)(plan.get(), number, &mut info, error)
        })?;
        let wanted = Wanted { number, kind: info.kind, of: text_at(&info.r#type) };
        found.insert(text_at(&info.name), wanted);
    }
    Ok(found)
}

// --- bindings ------------------------------------------------------------------

/// The bindings of a run for C.  `desc` points into the vectors, which do not reallocate.
struct Bound {
    desc: raw::plait_run_desc,
    _array: Vec<raw::plait_binding>,
    _numbers: Vec<Number>,
    _launches: Vec<raw::plait_launch>,
}

impl Plan {
    /// `waits`: the caller waits for the end of the run, so the run may borrow memory.
    fn bind(&self, given: &[Given<'_>], waits: bool) -> Result<Bound> {
        // A rehearsal needs none.
        if !given.is_empty() && given.len() < self.wanted.len() {
            self.check_complete(given)?;
        }
        let mut array = Vec::with_capacity(given.len());
        let mut numbers = Vec::with_capacity(given.len());
        let mut launches = Vec::with_capacity(given.len());
        for (name, value) in given {
            let wanted = self.wanted.get(*name).ok_or_else(|| self.unknown(name))?;
            let mut one = raw::plait_binding { parameter: wanted.number, ..Default::default() };
            match (wanted.kind, value.kind) {
                (raw::PLAIT_PARAMETER_BUFFER, Kind::Buffer(buffer, element)) => {
                    if let Some(target) = self.pointers.get(*name) {
                        check_pointer(element, target, || name.to_string())?;
                    }
                    one.buffer = buffer;
                }
                (raw::PLAIT_PARAMETER_BUFFER, _) => {
                    return Err(Error::invalid(format!("{} is a pointer: give it a buffer", name)));
                }
                (raw::PLAIT_PARAMETER_HOST, Kind::Memory(address, bytes, writable)) => {
                    if !waits {
                        return Err(Error::invalid(format!(
                            "{} is memory of the program, which a run borrows: use call, with a \
                             plan without closures", name)));
                    }
                    if !writable && wanted.of != "in" {
                        return Err(Error::invalid(format!("{} is written: give it memory_mut", name)));
                    }
                    one.value = address as *const std::ffi::c_void;
                    one.bytes = bytes as u64;
                }
                (raw::PLAIT_PARAMETER_HOST, _) => {
                    return Err(Error::invalid(format!(
                        "{} is memory of the program: give it memory or memory_mut", name)));
                }
                (raw::PLAIT_PARAMETER_LAUNCH, kind) => {
                    launches.push(launch_of(kind, name)?);
                    let last = &launches[launches.len() - 1];
                    one.value = (last as *const raw::plait_launch).cast();
                    one.bytes = std::mem::size_of::<raw::plait_launch>() as u64;
                }
                (_, kind) => {
                    if let Some(bytes) = aggregate(kind, &wanted.of, || name.to_string()) {
                        let bytes = bytes?;
                        one.value = bytes.as_ptr().cast();
                        one.bytes = bytes.len() as u64;
                        array.push(one);
                        continue;
                    }
                    numbers.push(number(kind, &wanted.of, name)?);
                    let last = &numbers[numbers.len() - 1];
                    one.value = last.bytes.as_ptr().cast();
                    one.bytes = last.len;
                }
            }
            array.push(one);
        }
        let desc = raw::plait_run_desc {
            flags: self.flags.load(Ordering::Relaxed),
            bindings: if array.is_empty() { ptr::null() } else { array.as_ptr() },
            binding_count: array.len() as u64,
            ..Default::default()
        };
        Ok(Bound { desc, _array: array, _numbers: numbers, _launches: launches })
    }

    /// Name the parameters that a run lacks.
    fn check_complete(&self, given: &[Given<'_>]) -> Result<()> {
        let has = |name: &str| given.iter().any(|(one, _)| *one == name);
        let mut names: Vec<&str> = self.parameters().filter(|name| !has(name)).collect();
        names.sort_unstable();
        match given.iter().find(|(name, _)| !self.wanted.contains_key(*name)) {
            Some((name, _)) => Err(self.unknown(name)),
            None => Err(Error::invalid(format!("the plan also needs {}", names.join(", ")))),
        }
    }

    fn unknown(&self, name: &str) -> Error {
        let mut names: Vec<&str> = self.parameters().collect();
        names.sort_unstable();
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        Error::invalid(format!("the plan has no parameter {}; it has {}", name, names))
    }
}

fn launch_of(kind: Kind<'_>, name: &str) -> Result<raw::plait_launch> {
    let items = number(kind, "u64", name)?;
    Ok(raw::plait_launch {
        dimensions: 1,
        items: [u64::from_ne_bytes(items.bytes), 0, 0],
        ..Default::default()
    })
}

// --- runs ----------------------------------------------------------------------

/// A run in flight: [`wait`](Run::wait) for it, `await` it, or [`cancel`](Run::cancel)
/// it.  A dropped run continues.
///
/// As a future a run may be polled on any thread, by any executor.
/// [`System::pump`](crate::System::pump) wakes it; an event loop calls pump when the
/// system's descriptor is readable.
#[must_use = "its failure is seen by who waits for it"]
pub struct Run {
    /// None after the run was handed to Shared::forget.
    raw: Option<Handle<raw::plait_run>>,
    shared: Arc<Shared>,
    functions: Functions,
    /// The number of the waker; 0: no notification was requested yet.
    waker: u64,
}

impl Run {
    fn get(&self) -> *mut raw::plait_run {
        self.raw.as_ref().map_or(ptr::null_mut(), |raw| raw.get())
    }

    /// Return true if the run is done; its error if it failed.
    pub fn poll_done(&self) -> Result<bool> {
        // SAFETY: a run of ours.
        let status = call(|error| unsafe { (lib().plait_run_poll)(self.get(), error) })?;
        Ok(status != raw::PLAIT_PENDING)
    }

    /// Wait until the run is done; return its error if it failed.
    pub fn wait(&self) -> Result<()> {
        self.wait_in(None)
    }

    /// Wait as [`wait`](Run::wait), for at most `time`.
    pub fn wait_timeout(&self, time: Duration) -> Result<()> {
        self.wait_in(Some(time))
    }

    fn wait_in(&self, time: Option<Duration>) -> Result<()> {
        // SAFETY: a run of ours.
        wait(time, |left, error| unsafe { (lib().plait_run_wait)(self.get(), left, error) })
    }

    /// Cancel the run: no further command starts; the run ends after those that run now.
    pub fn cancel(&self) -> Result<()> {
        // SAFETY: a run of ours.
        call(|error| unsafe { (lib().plait_run_cancel)(self.get(), error) })?;
        Ok(())
    }

    /// Return the state of the run.
    pub fn query(&self) -> Result<raw::plait_run_info> {
        let mut info = raw::plait_run_info::default();
        // SAFETY: a record of the right size.
        call(|error| unsafe { (lib().plait_run_query)(self.get(), &mut info, error) })?;
        Ok(info)
    }

    /// Return the records of a recorded run that is done, and the number of dropped ones;
    /// see [`Plan::record`].
    pub fn records(&self) -> Result<(Vec<raw::plait_record>, u64)> {
        let (mut count, mut dropped) = (0, 0);
        // SAFETY: null asks for the counts.
        call(|error| unsafe {
            (lib().plait_run_records)(self.get(), ptr::null_mut(), 0, &mut count, &mut dropped,
                                      error)
        })?;
        let mut found = vec![raw::plait_record::default(); count.max(1) as usize];
        // SAFETY: the array has the length beside it.
        call(|error| unsafe {
            (lib().plait_run_records)(self.get(), found.as_mut_ptr(), found.len() as u64,
                                      &mut count, &mut dropped, error)
        })?;
        found.truncate(count as usize);
        Ok((found, dropped))
    }

    /// Return the trace of a recorded run that is done; see [`Plan::record`].
    pub fn trace(&self, format: TraceFormat) -> Result<String> {
        let format = match format {
            TraceFormat::Json => raw::PLAIT_TRACE_JSON,
            TraceFormat::Svg => raw::PLAIT_TRACE_SVG,
        };
        fill_text(|room, bytes, needed| {
            // SAFETY: `room` has `bytes` bytes, or is null.
            call(|error| unsafe {
                (lib().plait_run_write)(self.get(), format as i32, room.cast(), bytes, needed,
                                        error)
            })?;
            Ok(())
        })
    }

    /// Request a notification that wakes the task when the run is done.
    fn ask(&mut self, context: &mut Context<'_>) -> Result<()> {
        let number = new_number();
        self.shared.set_waker(number, context.waker());
        self.waker = number;
        // SAFETY: without a function plait hands the number out, and calls nothing.
        call(|error| unsafe {
            (lib().plait_run_notify)(self.get(), self.shared.inbox.get(), None,
                                     as_user_data(number), error)
        })?;
        Ok(())
    }
}

impl Future for Run {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        // Set the waker before polling: pump takes the waker only after the run's end, so
        // either this poll sees the end or the notification wakes the new waker.
        let asked = self.waker != 0 && self.shared.change_waker(self.waker, context.waker());
        match self.poll_done() {
            Ok(true) => return Poll::Ready(Ok(())),
            Ok(false) if asked => return Poll::Pending,
            Ok(false) => (),
            Err(error) => return Poll::Ready(Err(error)),
        }
        match self.ask(context) {
            Ok(()) => Poll::Pending,
            Err(error) if error.status() == Status::State => Poll::Ready(Err(Error::new(
                Status::State, "the system was dropped, so its runs wake no task"))),
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.waker != 0 {
            self.shared.drop_waker(self.waker);
        }
        if self.functions.is_empty() || !matches!(self.poll_done(), Ok(false)) {
            return;
        }
        if let Some(raw) = self.raw.take() {
            self.shared.forget(raw, self.functions.clone());
        }
    }
}
