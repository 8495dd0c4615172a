// SPDX-License-Identifier: MIT
//! Tasks of flows: their description, their labels, and the closures that run.
use std::cell::Cell;
use std::collections::HashSet;
use std::ffi::CString;
use std::os::raw::c_char;
use std::sync::{Mutex, PoisonError};
use std::{mem, ptr};

use plait_sys as raw;

use crate::access::Accessed;
use crate::error::{c_text, Error, Result, Status};
use crate::flow::Flow;
use crate::inbox::{as_user_data, wait, Function, Functions};
use crate::kernel::{Arguments, Items};
use crate::library::lib;

/// A task that is being described; [`submit`](Task::submit) submits it.
#[must_use = "nothing is submitted before submit()"]
pub struct Task<'a> {
    flow: &'a Flow,
    pub(crate) desc: raw::plait_task_desc,
    pub(crate) arguments: Arguments,
    items: Items<'a>,
    group: [u64; 3],
    pub(crate) accesses: Vec<Accessed<'a>>,
    target: Option<Accessed<'a>>,
    pub(crate) source: Option<Accessed<'a>>,
    label: Option<String>,
    pub(crate) function: Option<Function>,
    pub(crate) plan: Option<Functions>,
    pub(crate) wrong: Option<Error>,
}

impl<'a> Task<'a> {
    pub(crate) fn new(flow: &'a Flow, kind: u32) -> Task<'a> {
        Task {
            flow,
            desc: raw::plait_task_desc { kind, ..Default::default() },
            arguments: Arguments::default(),
            items: Items { sizes: [1, 0, 0], dimensions: 1, parameter: None },
            group: [0; 3],
            accesses: Vec::new(),
            target: None,
            source: None,
            label: None,
            function: None,
            plan: None,
            wrong: None,
        }
    }

    pub(crate) fn target(mut self, target: Accessed<'a>) -> Self {
        self.target = Some(target);
        self
    }

    /// Set the items of a launch: a number, `(x, y)` or `(x, y, z)`.
    pub fn items(mut self, items: impl Into<Items<'a>>) -> Self {
        self.items = items.into();
        self
    }

    /// Set the size of a group of items.
    pub fn group(mut self, group: [u64; 3]) -> Self {
        self.group = group;
        self
    }

    /// Cut as many of the outermost dimensions of a launch into `pieces`; 0: as many as
    /// lanes.  The kernel takes a [`chunk()`](crate::chunk).
    pub fn split(mut self, dimensions: u32, pieces: u32) -> Self {
        self.desc.split = dimensions;
        self.desc.pieces = pieces;
        self
    }

    /// Add an access that reads, beside those of the arguments.
    pub fn reads(mut self, one: impl Into<Accessed<'a>>) -> Self {
        self.accesses.push(one.into().with_mode(raw::PLAIT_ACCESS_READ));
        self
    }

    /// Add an access that gives each element a new value.
    pub fn writes(mut self, one: impl Into<Accessed<'a>>) -> Self {
        self.accesses.push(one.into().with_mode(raw::PLAIT_ACCESS_WRITE));
        self
    }

    /// Add an access that reads and writes.
    pub fn updates(mut self, one: impl Into<Accessed<'a>>) -> Self {
        self.accesses.push(one.into().with_mode(raw::PLAIT_ACCESS_READ_WRITE));
        self
    }

    /// Set the name, for errors and [`Flow::explain`]; it is kept until the process ends.
    pub fn label(mut self, text: &str) -> Self {
        self.label = Some(text.into());
        self
    }

    /// Run the task before those that are not urgent.
    pub fn urgent(mut self) -> Self {
        self.desc.priority = 1;
        self
    }

    /// Run the task after all tasks before it, and before all after it.
    pub fn barrier(mut self) -> Self {
        self.desc.flags |= raw::PLAIT_TASK_BARRIER;
        self
    }

    /// Set the expected duration in any unit, for pictures.
    pub fn cost(mut self, cost: u64) -> Self {
        self.desc.cost = cost;
        self
    }

    /// Submit the task, and return its number; waits while the flow's window is full.
    pub fn submit(mut self) -> Result<u64> {
        if let Some(error) = self.wrong.take() {
            return Err(error);
        }
        if self.items.parameter.is_some() {
            return Err(Error::invalid("parameters are for graphs only"));
        }
        if self.function.is_some() && self.flow.captured.get() {
            return Err(Error::invalid("a captured flow refuses closures, which are called once; call it from the graph"));
        }
        let mut desc = mem::take(&mut self.desc);
        if in_task() {
            desc.flags |= raw::PLAIT_TASK_NO_WAIT;
        }
        let launch = self.items.launch(self.group);
        let accesses: Vec<_> = self.accesses.iter().map(Accessed::raw).collect();
        let (target, source) = (self.target.as_ref().map(Accessed::raw), self.source.as_ref().map(Accessed::raw));
        desc.label = self.label.as_deref().map(label).transpose()?.unwrap_or(ptr::null());
        if desc.kind == raw::PLAIT_TASK_LAUNCH {
            desc.launch = &launch;
            desc.arguments = self.arguments.array.as_ptr();
            desc.argument_count = self.arguments.array.len() as u64;
        }
        desc.accesses = if accesses.is_empty() { ptr::null() } else { accesses.as_ptr() };
        desc.access_count = accesses.len() as u64;
        if let Some(target) = &target {
            (desc.target, desc.target_box) = (target.data, target.r#box);
        }
        if let Some(source) = &source {
            (desc.source, desc.source_box) = (source.data, source.r#box);
        }
        let flow = self.flow;
        let number = self.function.take().map(|function| flow.owner.add_once(function));
        if let Some(number) = number {
            desc.user_data = as_user_data(number);
            desc.inbox = flow.owner.shared.inbox.get();
        }
        let mut task = 0;
        // SAFETY: what `desc` refers to lives until the call returns, and labels longer; plait
        // copies values and accesses, and retains kernels, data, signals and plans.
        let made = wait(None, |_, error| unsafe { (lib().plait_flow_submit)(flow.raw(), &desc, &mut task, error) });
        match (made, number) {
            (Err(error), number) => {
                drop(number.and_then(|number| flow.owner.take_once(number)));
                return Err(error);
            }
            (Ok(()), Some(number)) => flow.remember(number),
            (Ok(()), None) => (),
        }
        if let Some(functions) = self.plan.take().filter(|functions| !functions.is_empty()) {
            flow.remember_plan(functions);
        }
        Ok(task)
    }
}

/// Labels live until their tasks are done: as long as the process.
static LABELS: Mutex<Option<HashSet<CString>>> = Mutex::new(None);

fn label(text: &str) -> Result<*const c_char> {
    let text = c_text(text)?;
    let mut labels = LABELS.lock().unwrap_or_else(PoisonError::into_inner);
    let labels = labels.get_or_insert_with(HashSet::new);
    if let Some(found) = labels.get(&text) {
        return Ok(found.as_ptr());
    }
    let at = text.as_ptr(); // the text does not move with its CString
    labels.insert(text);
    Ok(at)
}

// --- inside of closures --------------------------------------------------------

thread_local! {
    /// Closures of tasks that run on this thread, one inside of another.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Lives while a closure of a task runs.
pub(crate) struct InTask;

impl InTask {
    pub(crate) fn new() -> InTask {
        DEPTH.with(|depth| depth.set(depth.get() + 1));
        InTask
    }
}

impl Drop for InTask {
    fn drop(&mut self) {
        DEPTH.with(|depth| depth.set(depth.get() - 1));
    }
}

fn in_task() -> bool {
    DEPTH.with(Cell::get) > 0
}

/// Refuse to wait in a closure of a task: what it waits for may be behind that task.
pub(crate) fn refuse_in_task() -> Result<()> {
    match in_task() {
        true => Err(Error::new(Status::Deadlock, "a closure of a task cannot wait for tasks or data; give the task an \
                                                  access, or wait outside")),
        false => Ok(()),
    }
}
