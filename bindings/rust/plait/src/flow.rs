// SPDX-License-Identifier: MIT
//! Flows: tasks with data, whose order is inferred.
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::ptr;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use plait_sys as raw;

use crate::access::{Accessed, Accesses, Views};
use crate::data::{Data, DataBuilder, Token};
use crate::error::{c_text, call, fill_text, pointer_of, Error, Result, Status};
use crate::flow_options::FlowOptions;
use crate::graph::Graph;
use crate::inbox::{as_user_data, new_number, once, serve_all, wait, Functions, Outcome, Owner};
use crate::kernel::{Argument, Items, Kernel};
use crate::library::{lib, Handle};
use crate::memory::Element;
use crate::placement::Memories;
use crate::plan::Plan;
use crate::queue::{pattern_of, Signal};
use crate::system::System;
use crate::task::{refuse_in_task, InTask, Task};

/// Properties of a flow, at the time of the query.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FlowInfo {
    pub window: u32,
    pub lanes: u32,
    /// The newest number.
    pub newest: u64,
    /// All tasks up to this one are done; others may be.
    pub settled: u64,
    /// Failed tasks, those not run included.
    pub failed: u64,
    /// Pieces into which data is cut by accesses to parts.
    pub pieces: u64,
    pub flow_bytes: u64,
    pub data_bytes: u64,
    pub warnings: u64,
    /// Tasks that were parts of runs of repetitions that the flow has found.
    pub repeated: u64,
}

/// Form of [`Flow::write`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowFormat {
    Text,
    Json,
    Dot,
    Svg,
}

fn number_of(format: FlowFormat) -> raw::plait_flow_format {
    match format {
        FlowFormat::Text => raw::PLAIT_FLOW_TEXT,
        FlowFormat::Json => raw::PLAIT_FLOW_JSON,
        FlowFormat::Dot => raw::PLAIT_FLOW_DOT,
        FlowFormat::Svg => raw::PLAIT_FLOW_SVG,
    }
}

/// A stream of tasks.  Their order is inferred from the data that they access.
///
/// ```no_run
/// # use plait::{args, System};
/// # fn main() -> plait::Result<()> {
/// # let system = System::open()?;
/// # let heat = unsafe { system.kernel("heat(u: in pointer f32, v: out pointer f32)", "")? };
/// let flow = system.flow()?;
/// let (mut u, mut v) = (flow.array(&[1f32; 1000])?, flow.zeros::<f32>(1000)?);
/// for _ in 0..100 {
///     flow.launch(&heat, args![&u, &v]).items(1000).submit()?;
///     std::mem::swap(&mut u, &mut v);
/// }
/// println!("{}", u.get(0)?);                   // waits for its writer
/// # Ok(())
/// # }
/// ```
///
/// Each task has a number.  A flow stays on the thread that opened the system; its data may
/// be used on any thread.  Dropping a flow leaves its tasks running.
pub struct Flow {
    raw: Handle<raw::plait_flow>,
    pub(crate) owner: Rc<Owner>,
    /// Numbers of closures that may not have been called.
    calls: RefCell<Vec<u64>>,
    /// Closures of plans that tasks run.
    plans: RefCell<Vec<Functions>>,
    /// Tasks become nodes; closures, which are called once, are refused.
    pub(crate) captured: Cell<bool>,
}

impl System {
    /// Create a flow; see [`FlowOptions`] for its options.
    pub fn flow(&self) -> Result<Flow> {
        FlowOptions::new().create(self)
    }
}

impl Flow {
    pub(crate) fn of(raw: Handle<raw::plait_flow>, owner: Rc<Owner>) -> Flow {
        Flow {
            raw,
            owner,
            calls: RefCell::default(),
            plans: RefCell::default(),
            captured: Cell::new(false),
        }
    }

    pub(crate) fn raw(&self) -> *mut raw::plait_flow {
        self.raw.get()
    }

    // --- data

    /// Describe data: `flow.data((640, 480)).label("u").zeros::<f32>()?`.  The first
    /// dimension is that of neighbours in memory, as with the items of a launch.
    pub fn data<'a>(&'a self, shape: impl Into<Items<'a>>) -> DataBuilder<'a> {
        DataBuilder::new(self, shape.into())
    }

    /// Create data with a copy of a slice.
    pub fn array<T: Element>(&self, data: &[T]) -> Result<Data<T>> {
        self.data(data.len()).array(data)
    }

    /// Create data of zeros.
    pub fn zeros<'a, T: Element>(&'a self, shape: impl Into<Items<'a>>) -> Result<Data<T>> {
        self.data(shape).zeros()
    }

    /// Create a token, which orders the tasks that name it.
    pub fn token(&self) -> Result<Token> {
        self.data(1).token()
    }

    // --- tasks

    /// A launch of a kernel: values, data, accesses and [`chunk()`](crate::chunk) for its
    /// parameters.
    pub fn launch<'a>(&'a self, kernel: &'a Kernel, arguments: &[Argument<'a>]) -> Task<'a> {
        let mut made = Task::new(self, raw::PLAIT_TASK_LAUNCH);
        made.desc.kernel = kernel.raw.get();
        match kernel.flow_arguments(arguments) {
            Ok(arguments) => made.arguments = arguments,
            Err(error) => made.wrong = Some(error),
        }
        made
    }

    /// A call of a closure on the thread that opened the system, while that waits.  The
    /// closure gets slices: `flow.call((u.reads(), v.updates()), |(u, v)| v[0] += u[0])`.
    /// An error that it returns, or a panic, fails the task.  It can submit tasks, but not
    /// wait for tasks or data: that is [`Status::Deadlock`].
    pub fn call<'a, A, F, O>(&'a self, accesses: A, f: F) -> Task<'a>
    where
        A: Accesses<'a>,
        F: for<'v> FnOnce(<A::Kept as Views<'v>>::View) -> O + 'static,
        O: Outcome,
    {
        let mut made = Task::new(self, raw::PLAIT_TASK_CALL);
        match accesses.keep(&mut made.accesses) {
            // SAFETY: the closure runs as a task with these accesses, which do not alias;
            // plait lets no other task use the elements meanwhile, and keeps their memory.
            Ok(kept) => {
                made.function = Some(Box::new(once(move || {
                    let _inside = InTask::new();
                    f(unsafe { kept.view() })
                })))
            }
            Err(error) => made.wrong = Some(error),
        }
        made
    }

    /// A copy between data, or parts of data with the same shape.
    pub fn copy<'a>(&'a self, target: impl Into<Accessed<'a>>, source: impl Into<Accessed<'a>>) -> Task<'a> {
        let (target, source) = (target.into(), source.into());
        let mut made = Task::new(self, raw::PLAIT_TASK_COPY).target(target);
        if target.place.element != source.place.element {
            made.wrong = Some(Error::invalid(format!("copy: {} to {}", source.place.element, target.place.element)));
        }
        made.source = Some(source);
        made
    }

    /// A fill: each element becomes `value`.
    pub fn fill<'a, T: Element>(&'a self, target: impl Into<Accessed<'a>>, value: T) -> Task<'a> {
        let target = target.into();
        let mut made = Task::new(self, raw::PLAIT_TASK_FILL).target(target);
        if target.place.element != T::NAME {
            made.wrong = Some(Error::invalid(format!("fill: {} with a {}", target.place.element, T::NAME)));
        }
        made.desc.pattern = pattern_of(value).0;
        made
    }

    /// A run of a plan without parameters; its accesses are those of the task.
    pub fn run<'a>(&'a self, plan: &'a Plan) -> Task<'a> {
        let mut made = Task::new(self, raw::PLAIT_TASK_PLAN);
        made.desc.plan = plan.raw();
        made.plan = Some(plan.functions());
        made
    }

    /// The next emission of a signal, behind the tasks that the accesses name.
    pub fn emit<'a>(&'a self, signal: &'a Signal) -> Task<'a> {
        let mut made = Task::new(self, raw::PLAIT_TASK_EMIT);
        made.desc.signal = signal.raw.get();
        made
    }

    /// A wait for an emission of a signal; 0: the newest one.
    pub fn wait_for<'a>(&'a self, signal: &'a Signal, sequence: u64) -> Task<'a> {
        let mut made = Task::new(self, raw::PLAIT_TASK_WAIT);
        made.desc.signal = signal.raw.get();
        made.desc.sequence = sequence;
        made
    }

    // --- repetitions

    /// Call a closure whose tasks are captured; end the capture if it fails.
    fn captured(&self, submit: impl FnOnce() -> Result<()>) -> Result<()> {
        struct Capture<'a>(&'a Flow, bool);
        impl Drop for Capture<'_> {
            fn drop(&mut self) {
                self.0.captured.set(false);
                if !self.1 {
                    // SAFETY: a flow of ours, whose capture ends.
                    unsafe { (lib().plait_flow_capture)(self.0.raw(), ptr::null_mut(), ptr::null_mut()) };
                }
            }
        }
        self.captured.set(true);
        let mut capture = Capture(self, false);
        let done = submit();
        capture.1 = done.is_ok();
        done
    }

    /// Turn the tasks that a closure submits into nodes of a graph, and their order into edges;
    /// they do not run.  Calls of closures are refused, and waits for data.
    pub fn capture(&self, graph: &Graph, submit: impl FnOnce() -> Result<()>) -> Result<()> {
        // SAFETY: a flow and a graph of ours, which the capture keeps.
        call(|error| unsafe { (lib().plait_flow_capture)(self.raw(), graph.raw(), error) })?;
        self.captured(submit)?;
        // SAFETY: a flow of ours.
        call(|error| unsafe { (lib().plait_flow_capture)(self.raw(), ptr::null_mut(), error) })?;
        Ok(())
    }

    /// Run a repetition of tasks as one task: those that a closure submits.  It is called for a
    /// new `key`, which is not 0, only; later calls run the same tasks again, with the values of
    /// the first time.  Returns the number of the run.
    pub fn repeat(&self, key: u64, submit: impl FnOnce() -> Result<()>) -> Result<u64> {
        let mut task = 0;
        // SAFETY: a flow of ours; a number of ours is written.
        wait(None, |_, error| unsafe { (lib().plait_flow_repeat)(self.raw(), key, &mut task, error) })?;
        if task != 0 {
            return Ok(task);
        }
        self.captured(submit)?;
        // SAFETY: as above.
        let ended = call(|error| unsafe { (lib().plait_flow_repeat)(self.raw(), 0, &mut task, error) })?;
        if ended == raw::PLAIT_EVENT_READY {
            serve_all()?;
            // SAFETY: as above; the key is known by now.
            wait(None, |_, error| unsafe { (lib().plait_flow_repeat)(self.raw(), key, &mut task, error) })?;
        }
        Ok(task)
    }

    // --- waiting

    fn wait_in(&self, task: u64, time: Option<Duration>) -> Result<()> {
        refuse_in_task()?;
        // SAFETY: a flow of ours.
        wait(time, |left, error| unsafe { (lib().plait_flow_wait)(self.raw(), task, left, error) })
    }

    /// Wait for a task; return its failure.
    pub fn wait(&self, task: u64) -> Result<()> {
        self.wait_in(task, None)
    }

    /// Wait for all tasks; return the first failure that no call has returned.
    pub fn finish(&self) -> Result<()> {
        self.finish_in(None)
    }

    /// Wait as [`finish`](Flow::finish), for at most `time`.
    pub fn finish_timeout(&self, time: Duration) -> Result<()> {
        self.finish_in(Some(time))
    }

    fn finish_in(&self, time: Option<Duration>) -> Result<()> {
        let (calls, plans) = (self.calls.borrow().len(), self.plans.borrow().len());
        self.wait_in(0, time)?;
        // Closures of tasks that were not run; a closure that is dropped may run any code.
        let calls: Vec<u64> = self.calls.borrow_mut().drain(..calls).collect();
        let calls: Vec<_> = calls.into_iter().map(|number| self.owner.take_once(number)).collect();
        let plans: Vec<_> = self.plans.borrow_mut().drain(..plans).collect();
        drop((calls, plans));
        Ok(())
    }

    /// Return a future that ends with a task, or with all tasks submitted before (0);
    /// [`System::pump`] wakes it.
    pub fn done(&self, task: u64) -> Done<'_> {
        Done { flow: self, task, waker: 0 }
    }

    /// End all tasks submitted so far that have not begun.
    pub fn cancel(&self) -> Result<()> {
        // SAFETY: a flow of ours.
        call(|error| unsafe { (lib().plait_flow_cancel)(self.raw(), error) })?;
        Ok(())
    }

    // --- looking

    /// Return the properties of the flow.
    pub fn query(&self) -> Result<FlowInfo> {
        let mut info = raw::plait_flow_info::default();
        // SAFETY: a record of the right size.
        call(|error| unsafe { (lib().plait_flow_query)(self.raw(), &mut info, error) })?;
        Ok(FlowInfo {
            window: info.window,
            lanes: info.lanes,
            newest: info.newest,
            settled: info.settled,
            failed: info.failed,
            pieces: info.pieces,
            flow_bytes: info.flow_bytes,
            data_bytes: info.data_bytes,
            warnings: info.warnings,
            repeated: info.repeated,
        })
    }

    /// Return the chunks of a launch that would be split: for each, the items of each
    /// dimension.  `pieces` 0: as many as lanes.
    pub fn split<'a>(&self, items: impl Into<Items<'a>>, split: u32, pieces: u32) -> Result<Vec<Vec<Range<usize>>>> {
        let items = items.into();
        let launch = items.launch([0; 3]);
        let desc = raw::plait_task_desc { launch: &launch, split, pieces, ..Default::default() };
        let (mut boxes, mut count) = ([raw::plait_box::default(); 256], 0);
        // SAFETY: as many boxes as said.
        call(|error| unsafe {
            (lib().plait_flow_split)(self.raw(), &desc, boxes.as_mut_ptr(), boxes.len() as u64, &mut count, error)
        })?;
        let ranges = |one: &raw::plait_box| {
            (0..items.dimensions as usize).map(|d| one.low[d] as usize..one.high[d] as usize).collect()
        };
        Ok(boxes[..count as usize].iter().map(ranges).collect())
    }

    /// Submit the tasks of a text, which do nothing; see doc/flow-text.md.  `name` is that of
    /// the file, for errors.
    pub fn read(&self, text: &str, name: &str) -> Result<()> {
        let name = c_text(name)?;
        // SAFETY: the text has its length, and is copied.
        call(|error| unsafe {
            (lib().plait_flow_read)(self.raw(), text.as_ptr().cast(), text.len() as u64, name.as_ptr(), error)
        })?;
        Ok(())
    }

    /// Return the tasks of a flow with [`FlowOptions::record`], and why each waits for others.
    pub fn write(&self, format: FlowFormat) -> Result<String> {
        let format = number_of(format);
        fill_text(|room, bytes, needed| {
            // SAFETY: `room` has `bytes` bytes, or is null.
            call(|error| unsafe {
                (lib().plait_flow_write)(self.raw(), format, room.cast(), bytes, needed, error)
            })?;
            Ok(())
        })
    }

    /// Return what the tasks of a flow with [`FlowOptions::record`] would do on devices with
    /// memories, as text or JSON; see doc/flow-memories.md.
    pub fn instructions(&self, memories: &Memories, format: FlowFormat) -> Result<String> {
        let links = memories.links.as_deref().map(c_text).transpose()?;
        let desc = raw::plait_memories_desc {
            choose: memories.choose,
            parent: memories.parent,
            lane: memories.lane,
            lanes: memories.lanes,
            memory_bytes: memories.memory_bytes,
            links: pointer_of(&links),
            weights: if memories.weights.is_empty() { std::ptr::null() } else { memories.weights.as_ptr() },
            flags: memories.flags,
            devices: memories.devices,
            peers: memories.peers,
            ..Default::default()
        };
        fill_text(|room, bytes, needed| {
            // SAFETY: `room` has `bytes` bytes, or is null.
            call(|error| unsafe {
                (lib().plait_flow_write_instructions)(
                    self.raw(), &desc, number_of(format), room.cast(), bytes, needed, error)
            })?;
            Ok(())
        })
    }

    /// Return the text of [`write`](Flow::write).
    pub fn explain(&self) -> Result<String> {
        self.write(FlowFormat::Text)
    }
}

impl Flow {
    /// Remember a closure; forget those that have been called, when the list is full.
    pub(crate) fn remember(&self, number: u64) {
        let mut calls = self.calls.borrow_mut();
        if calls.len() == calls.capacity() {
            calls.retain(|&number| self.owner.has_once(number));
        }
        calls.push(number);
    }

    /// Keep the closures of a plan until all tasks are done.
    pub(crate) fn remember_plan(&self, functions: Functions) {
        self.plans.borrow_mut().push(functions);
    }
}

// --- futures ---------------------------------------------------------------------

/// A future of [`Flow::done`].
pub struct Done<'a> {
    flow: &'a Flow,
    task: u64,
    /// The number of the waker; 0: no notification was requested yet.
    waker: u64,
}

impl Future for Done<'_> {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let shared = &self.flow.owner.shared;
        if self.waker != 0 {
            return match shared.change_waker(self.waker, context.waker()) {
                true => Poll::Pending,
                false => Poll::Ready(self.outcome()),
            };
        }
        let number = new_number();
        shared.set_waker(number, context.waker());
        self.waker = number;
        // SAFETY: without a function plait hands the number out, and calls nothing.
        let asked = wait(None, |_, error| unsafe {
            (lib().plait_flow_notify)(self.flow.raw(), self.task, self.flow.owner.shared.inbox.get(), None,
                                      as_user_data(number), error)
        });
        match asked {
            Ok(()) => Poll::Pending,
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl Done<'_> {
    fn outcome(&self) -> Result<()> {
        match self.flow.wait_in(self.task, Some(Duration::ZERO)) {
            Err(error) if self.task == 0 && error.status() == Status::Timeout => Ok(()), // of newer tasks
            other => other,
        }
    }
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        if self.waker != 0 {
            self.flow.owner.shared.drop_waker(self.waker);
        }
    }
}
