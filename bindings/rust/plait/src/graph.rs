// SPDX-License-Identifier: MIT
//! The graph builder: nodes, loops, branches and freeze.
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::Location;
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;

use plait_sys as raw;

use crate::error::{c_text, call, pointer_of, Error, Result};
use crate::inbox::{answer_of, as_user_data, Functions, Outcome, Owner, Registered, Verdict};
use crate::kernel::{Argument, Arguments, Items, Kernel, Kind, Parameter, Rotation, Series};
use crate::library::{lib, Handle};
use crate::memory::{Buffer, Element};
use crate::plan::Plan;
use crate::queue::{pattern_of, Queue, Signal};
use crate::rows::Rows;
use crate::system::Device;

/// A node of a graph; pass it to [`after`](Adding::after) of nodes that depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    graph: usize,
    number: raw::plait_node,
}

impl Node {
    pub(crate) fn of(graph: &Graph, number: raw::plait_node) -> Node {
        Node { graph: graph.raw.get() as usize, number }
    }

    /// `None`: of another graph.
    pub(crate) fn number_in(self, graph: &Graph) -> Option<raw::plait_node> {
        (self.graph == graph.raw.get() as usize).then_some(self.number)
    }
}

impl AsRef<[Node]> for Node {
    fn as_ref(&self) -> &[Node] {
        std::slice::from_ref(self)
    }
}

/// A task graph under construction; [`freeze`](Graph::freeze) schedules it.
///
/// Nodes run in any order that the edges allow.  A graph stays on the thread of its
/// system; plans are `Send` and `Sync`.
pub struct Graph {
    raw: Handle<raw::plait_graph>,
    owner: Rc<Owner>,
    /// The closures of this graph and its bodies.
    functions: Rc<RefCell<Vec<Arc<Registered>>>>,
    /// Pointer parameters of the launches, with their pointee types.
    pointers: Rc<RefCell<HashMap<String, String>>>,
}

impl Graph {
    pub(crate) fn raw(&self) -> *mut raw::plait_graph {
        self.raw.get()
    }

    pub(crate) fn new(owner: &Rc<Owner>) -> Result<Graph> {
        // SAFETY: the context is ours.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_graph_create)(owner.shared.context.get(), out, error)
        })?;
        Ok(Graph::of(raw, owner))
    }

    pub(crate) fn of(raw: Handle<raw::plait_graph>, owner: &Rc<Owner>) -> Graph {
        Graph { raw, owner: owner.clone(), functions: Rc::default(), pointers: Rc::default() }
    }

    pub(crate) fn read_text(owner: &Rc<Owner>, text: &str, name: &str) -> Result<Graph> {
        let name = c_text(name)?;
        // SAFETY: the text has its length beside it.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_graph_read)(owner.shared.context.get(), text.as_ptr().cast(),
                                     text.len() as u64, name.as_ptr(), out, error)
        })?;
        Ok(Graph::of(raw, owner))
    }

    pub(crate) fn capture(owner: &Rc<Owner>, queues: &[&Queue], local_signals: bool,
                          submit: impl FnOnce() -> Result<()>) -> Result<Graph> {
        let handles: Vec<_> = queues.iter().map(|queue| queue.raw.get()).collect();
        let flags = raw::PLAIT_CAPTURE_NO_CALLS |
            if local_signals { raw::PLAIT_CAPTURE_LOCAL_SIGNALS } else { 0 };
        // SAFETY: queues of ours; the array lives for the call.
        call(|error| unsafe {
            (lib().plait_queue_capture)(handles.as_ptr(), handles.len() as u64, flags, error)
        })?;
        let done = submit();
        // SAFETY: a queue of ours.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_queue_end_capture)(handles[0], out, error)
        })?;
        done?;
        Ok(Graph { raw, owner: owner.clone(), functions: Rc::default(), pointers: Rc::default() })
    }

    /// Add an edge: `before` completes before `after` starts.
    pub fn edge(&self, before: Node, after: Node) -> Result<()> {
        if [before, after].iter().any(|node| node.graph != self.raw.get() as usize) {
            return Err(Error::invalid("edge: a node of another graph"));
        }
        // SAFETY: a graph of ours.
        call(|error| unsafe {
            (lib().plait_graph_add_edge)(self.raw.get(), before.number, after.number, error)
        })?;
        Ok(())
    }

    /// Take nodes away, with their edges and bodies.  Nodes before and after a removed one are
    /// not joined.
    pub fn remove(&self, nodes: impl AsRef<[Node]>) -> Result<()> {
        let nodes = nodes.as_ref();
        if nodes.iter().any(|node| node.graph != self.raw.get() as usize) {
            return Err(Error::invalid("remove: a node of another graph"));
        }
        let numbers: Vec<u64> = nodes.iter().map(|node| node.number).collect();
        // SAFETY: a graph of ours; the array lives for the call.
        call(|error| unsafe {
            (lib().plait_graph_remove)(self.raw.get(), numbers.as_ptr(), numbers.len() as u64, error)
        })?;
        Ok(())
    }

    /// Take an edge away, as often as it was added.
    pub fn remove_edge(&self, before: Node, after: Node) -> Result<()> {
        if [before, after].iter().any(|node| node.graph != self.raw.get() as usize) {
            return Err(Error::invalid("remove_edge: a node of another graph"));
        }
        // SAFETY: a graph of ours.
        call(|error| unsafe {
            (lib().plait_graph_remove_edge)(self.raw.get(), before.number, after.number, error)
        })?;
        Ok(())
    }

    /// Say which of several ready nodes come first: -1000 to 1000, 0 by default.
    pub fn priority(&self, node: Node, priority: i32) -> Result<()> {
        if node.graph != self.raw.get() as usize {
            return Err(Error::invalid("priority: a node of another graph"));
        }
        // SAFETY: a graph of ours.
        call(|error| unsafe {
            (lib().plait_graph_set_priority)(self.raw.get(), node.number, priority, error)
        })?;
        Ok(())
    }

    /// Add a resource, which limits how many nodes run at once.
    pub fn resource(&self, name: &str, units: u64) -> Result<()> {
        let name = c_text(name)?;
        // SAFETY: a graph of ours; the text lives for the call.
        call(|error| unsafe {
            (lib().plait_graph_add_resource)(self.raw.get(), name.as_ptr(), units, error)
        })?;
        Ok(())
    }

    /// Let a node hold units of a resource while it runs.
    pub fn need(&self, node: Node, name: &str, units: u64) -> Result<()> {
        if node.graph != self.raw.get() as usize {
            return Err(Error::invalid("need: a node of another graph"));
        }
        let name = c_text(name)?;
        // SAFETY: a graph of ours; the text lives for the call.
        call(|error| unsafe {
            (lib().plait_graph_add_need)(self.raw.get(), node.number, name.as_ptr(), units, error)
        })?;
        Ok(())
    }

    /// Return the number of nodes and the number of edges, without those of bodies.
    pub fn size(&self) -> Result<(u64, u64)> {
        let (mut nodes, mut edges) = (0, 0);
        // SAFETY: a graph of ours.
        call(|error| unsafe {
            (lib().plait_graph_size)(self.raw.get(), &mut nodes, &mut edges, error)
        })?;
        Ok((nodes, edges))
    }

    // --- nodes

    /// A mark in the timeline, a name without work.
    #[track_caller]
    pub fn mark(&self, label: &str) -> Adding<'_, Node> {
        Adding::new(self, raw::PLAIT_NODE_MARK).label(label)
    }

    /// An empty node, for edges from many nodes to many nodes.
    #[track_caller]
    pub fn join(&self) -> Adding<'_, Node> {
        Adding::new(self, raw::PLAIT_NODE_JOIN)
    }

    /// A kernel launch; [`items`](Adding::items) sets its size.
    #[track_caller]
    pub fn launch<'a>(&'a self, kernel: &'a Kernel, arguments: &[Argument<'a>])
        -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_LAUNCH);
        made.desc.kernel = kernel.raw.get();
        match kernel.arguments(arguments) {
            Ok(arguments) => made.arguments = arguments,
            Err(error) => made.wrong = Some(error),
        }
        made
    }

    /// A call of a closure, on the thread that opened the system, at each run of the node.
    /// An error that the closure returns, or a panic, fails the node.
    #[track_caller]
    pub fn call<'a, O: Outcome>(&'a self, mut f: impl FnMut() -> O + 'static) -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_CALL);
        let registered = self.owner.register(Box::new(move || answer_of(f())));
        made.desc.user_data = as_user_data(registered.number);
        made.desc.inbox = self.owner.shared.inbox.get();
        self.functions.borrow_mut().push(registered);
        made
    }

    /// A call of a closure that returns a future, such as an `async` block, on the thread that
    /// opened the system.  The node ends with the future; others run while it waits.  If the
    /// run is stopped, the future is dropped.
    #[track_caller]
    pub fn call_async<'a, F>(&'a self, mut f: impl FnMut() -> F + 'static) -> Adding<'a, Node>
    where
        F: Future + 'static,
        F::Output: Outcome,
    {
        let mut made = Adding::new(self, raw::PLAIT_NODE_CALL);
        let registered = self.owner.register_future(Box::new(move || {
            let future = f();
            Box::pin(async { answer_of(future.await) })
        }));
        made.desc.user_data = as_user_data(registered.number);
        made.desc.inbox = self.owner.shared.inbox.get();
        self.functions.borrow_mut().push(registered);
        made
    }

    /// A copy of a buffer to memory of the program: each run sets `name` to
    /// [`memory_mut`](crate::memory_mut).
    #[track_caller]
    pub fn read<'a, T: Element>(&'a self, source: &'a Buffer<T>, name: &str) -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_READ);
        made.desc.source = source.raw.get();
        made.host(name, source.len() * std::mem::size_of::<T>());
        made
    }

    /// A copy from memory of the program to a buffer: each run sets `name` to
    /// [`memory`](crate::memory).
    #[track_caller]
    pub fn write<'a, T: Element>(&'a self, target: &'a Buffer<T>, name: &str) -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_WRITE);
        made.desc.target = target.raw.get();
        made.host(name, target.len() * std::mem::size_of::<T>());
        made
    }

    /// A copy from a buffer to another one of the same length.
    #[track_caller]
    pub fn copy<'a, T: Element>(&'a self, target: &'a Buffer<T>, source: &'a Buffer<T>)
        -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_COPY);
        if target.len() != source.len() {
            made.wrong = Some(Error::invalid(format!(
                "{} elements to a buffer that has {}; take a view", source.len(), target.len())));
        }
        made.desc.target = target.raw.get();
        made.desc.source = source.raw.get();
        made.desc.bytes = (source.len() * std::mem::size_of::<T>()) as u64;
        made
    }

    /// A copy from a buffer to one that each run sets.
    #[track_caller]
    pub fn copy_to<'a, T: Element>(&'a self, target: Parameter<'a>, source: &'a Buffer<T>)
        -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_COPY);
        made.target_parameter = Some(target.0);
        made.desc.source = source.raw.get();
        made.desc.bytes = (source.len() * std::mem::size_of::<T>()) as u64;
        made
    }

    /// A copy to a buffer from one that each run sets.
    #[track_caller]
    pub fn copy_from<'a, T: Element>(&'a self, target: &'a Buffer<T>, source: Parameter<'a>)
        -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_COPY);
        made.desc.target = target.raw.get();
        made.source_parameter = Some(source.0);
        made.desc.bytes = (target.len() * std::mem::size_of::<T>()) as u64;
        made
    }

    /// A copy of `bytes` bytes between two buffers that each run sets.
    #[track_caller]
    pub fn copy_between<'a>(&'a self, target: Parameter<'a>, source: Parameter<'a>, bytes: u64)
        -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_COPY);
        made.target_parameter = Some(target.0);
        made.source_parameter = Some(source.0);
        made.desc.bytes = bytes;
        made
    }

    /// A copy of a buffer to one of a rotation, such as [`Rotation::next`].
    #[track_caller]
    pub fn copy_to_turn<'a, T: Element>(&'a self, target: Argument<'a>, source: &'a Buffer<T>)
        -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_COPY);
        made.desc.source = source.raw.get();
        made.desc.bytes = (source.len() * std::mem::size_of::<T>()) as u64;
        made.target_turn(target);
        made
    }

    /// A copy to a buffer from one of a rotation.
    #[track_caller]
    pub fn copy_from_turn<'a, T: Element>(&'a self, target: &'a Buffer<T>, source: Argument<'a>)
        -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_COPY);
        made.desc.target = target.raw.get();
        made.desc.bytes = (target.len() * std::mem::size_of::<T>()) as u64;
        made.source_turn(source);
        made
    }

    /// A copy of `bytes` bytes between two buffers of rotations.
    #[track_caller]
    pub fn copy_turns<'a>(&'a self, target: Argument<'a>, source: Argument<'a>, bytes: u64)
        -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_COPY);
        made.desc.bytes = bytes;
        made.target_turn(target);
        made.source_turn(source);
        made
    }

    /// A fill of `count` elements of a buffer of a rotation.
    #[track_caller]
    pub fn fill_turn<'a, T: Element>(&'a self, target: Argument<'a>, value: T, count: usize)
        -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_FILL);
        let (pattern, size) = pattern_of(value);
        made.desc.pattern = pattern;
        made.desc.pattern_bytes = size;
        made.desc.bytes = count as u64 * u64::from(size);
        made.target_turn(target);
        made
    }

    /// A fill of `count` elements of a buffer that each run sets.
    #[track_caller]
    pub fn fill_parameter<'a, T: Element>(&'a self, target: Parameter<'a>, value: T, count: usize)
        -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_FILL);
        let (pattern, size) = pattern_of(value);
        made.target_parameter = Some(target.0);
        made.desc.pattern = pattern;
        made.desc.pattern_bytes = size;
        made.desc.bytes = count as u64 * u64::from(size);
        made
    }

    /// A strided copy from rows of a buffer to rows of another one; a view sets the offset.
    #[track_caller]
    pub fn copy_rows<'a, T: Element>(&'a self, target: &'a Buffer<T>, source: &'a Buffer<T>,
                                     rows: Rows) -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_COPY);
        made.desc.target = target.raw.get();
        made.desc.source = source.raw.get();
        match rows.raw(std::mem::size_of::<T>()) {
            Ok((bytes, rows)) => {
                made.desc.bytes = bytes;
                made.rows = Some(rows);
            }
            Err(error) => made.wrong = Some(error),
        }
        made
    }

    /// A fill: every element becomes `value`.
    #[track_caller]
    pub fn fill<'a, T: Element>(&'a self, target: &'a Buffer<T>, value: T) -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_FILL);
        let (pattern, size) = pattern_of(value);
        made.desc.target = target.raw.get();
        made.desc.pattern = pattern;
        made.desc.pattern_bytes = size;
        made.desc.bytes = target.len() as u64 * u64::from(size);
        made
    }

    /// An emission: increments a signal.
    #[track_caller]
    pub fn emit<'a>(&'a self, signal: &'a Signal) -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_EMIT);
        made.desc.signal = signal.raw.get();
        made
    }

    /// A wait until a signal reaches `sequence`; 0 is the newest sequence number submitted
    /// when a run starts.
    #[track_caller]
    pub fn wait<'a>(&'a self, signal: &'a Signal, sequence: u64) -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_WAIT);
        made.desc.signal = signal.raw.get();
        made.desc.sequence = sequence;
        made
    }

    /// A copy of the nodes that another graph has now.
    #[track_caller]
    pub fn subgraph<'a>(&'a self, graph: &'a Graph) -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_SUBGRAPH);
        made.desc.subgraph = graph.raw.get();
        if !Rc::ptr_eq(&self.functions, &graph.functions) {
            let more: Vec<_> = graph.functions.borrow().clone();
            self.functions.borrow_mut().extend(more);
            let more = graph.pointers.borrow().clone();
            self.pointers.borrow_mut().extend(more);
        }
        made
    }

    // --- loops and branches

    /// A loop that runs while the first number of `condition` is not 0.  Adding it returns
    /// the node and the body, a graph to fill.
    #[track_caller]
    pub fn repeat_while<'a>(&'a self, condition: &'a Buffer<u32>) -> Adding<'a, (Node, Graph)> {
        self.region(raw::PLAIT_NODE_WHILE, condition)
    }

    /// A loop as [`repeat_while`](Graph::repeat_while), with the first test after the body.
    #[track_caller]
    pub fn do_while<'a>(&'a self, condition: &'a Buffer<u32>) -> Adding<'a, (Node, Graph)> {
        self.region(raw::PLAIT_NODE_DO, condition)
    }

    /// A loop with a count: a number, a [`parameter`](crate::parameter) that each run sets
    /// (a u64), or a buffer whose first number is read when the loop is entered.
    #[track_caller]
    pub fn repeat<'a>(&'a self, count: impl Into<Count<'a>>) -> Adding<'a, (Node, Graph)> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_REPEAT);
        match count.into() {
            Count::Number(count) => made.desc.times = count,
            Count::Parameter(name) => made.count_parameter = Some(name),
            Count::Word(word) => made.desc.predicate = word.raw.get(),
        }
        made
    }

    /// A branch: runs the body, of `count`, whose number is the first of `condition`.
    #[track_caller]
    pub fn case<'a>(&'a self, condition: &'a Buffer<u32>, count: usize)
        -> Adding<'a, (Node, Vec<Graph>)> {
        let mut made = self.region(raw::PLAIT_NODE_CASE, condition);
        made.desc.branch_count = count as u64;
        made
    }

    /// A loop that runs while a closure returns `true`.  The closure runs on the thread
    /// that opened the system.  An error that it returns, or a panic, fails the node.
    #[track_caller]
    pub fn repeat_while_fn<'a, V: Verdict>(&'a self, f: impl FnMut() -> V + 'static)
        -> Adding<'a, (Node, Graph)> {
        self.asking(raw::PLAIT_NODE_WHILE, f)
    }

    /// A loop as [`repeat_while_fn`](Graph::repeat_while_fn), with the first test after the
    /// body.
    #[track_caller]
    pub fn do_while_fn<'a, V: Verdict>(&'a self, f: impl FnMut() -> V + 'static)
        -> Adding<'a, (Node, Graph)> {
        self.asking(raw::PLAIT_NODE_DO, f)
    }

    /// A branch: runs the body whose number, from 0, a closure returns.
    #[track_caller]
    pub fn case_fn<'a, V: Verdict>(&'a self, f: impl FnMut() -> V + 'static, count: usize)
        -> Adding<'a, (Node, Vec<Graph>)> {
        let mut made = self.asking(raw::PLAIT_NODE_CASE, f);
        made.desc.branch_count = count as u64;
        made
    }

    #[track_caller]
    fn asking<'a, M: Made, V: Verdict>(&'a self, kind: u32, mut f: impl FnMut() -> V + 'static)
        -> Adding<'a, M> {
        let mut made = Adding::new(self, kind);
        let registered = self.owner.register(Box::new(move || f().verdict().map(i64::from)));
        made.desc.user_data = as_user_data(registered.number);
        made.desc.inbox = self.owner.shared.inbox.get();
        self.functions.borrow_mut().push(registered);
        made
    }

    #[track_caller]
    fn region<'a, M: Made>(&'a self, kind: u32, condition: &'a Buffer<u32>) -> Adding<'a, M> {
        let mut made = Adding::new(self, kind);
        made.desc.predicate = condition.raw.get();
        made
    }

    /// Create a temporary of `len` elements: a buffer for nodes only, of which each run in
    /// flight has a copy.
    pub fn temporary<T: Element>(&self, device: &Device, len: usize) -> Result<Buffer<T>> {
        device.allocate_with(len, None, raw::PLAIT_BUFFER_TEMPORARY)
    }

    /// In the body of a loop: rotate through buffers, one per iteration.
    pub fn rotate<T: Element>(&self, buffers: &[&Buffer<T>]) -> Result<Rotation> {
        self.add_rotation(buffers, 0)
    }

    /// Rotate as [`rotate`](Graph::rotate), with a first buffer for iteration 0 only.
    pub fn rotate_with_prologue<T: Element>(&self, buffers: &[&Buffer<T>]) -> Result<Rotation> {
        self.add_rotation(buffers, raw::PLAIT_ROTATION_PROLOGUE)
    }

    fn add_rotation<T: Element>(&self, buffers: &[&Buffer<T>], flags: u32) -> Result<Rotation> {
        let array: Vec<_> = buffers.iter().map(|buffer| buffer.raw.get()).collect();
        let mut number = 0;
        // SAFETY: plait retains the buffers.
        call(|error| unsafe {
            (lib().plait_graph_add_rotation)(self.raw.get(), array.as_ptr(), array.len() as u64,
                                             flags, &mut number, error)
        })?;
        Ok(Rotation(number))
    }

    fn body(&self, node: Node, branch: u64) -> Result<Graph> {
        // SAFETY: `self` owns the graph.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_graph_body)(self.raw.get(), node.number, branch, out, error)
        })?;
        let (functions, pointers) = (self.functions.clone(), self.pointers.clone());
        Ok(Graph { raw, owner: self.owner.clone(), functions, pointers })
    }

    // --- freezing

    /// Schedule the graph; return a plan, which runs any number of times.
    pub fn freeze(&self) -> Result<Plan> {
        self.freeze_with(&Freeze::default())
    }

    /// Schedule the graph with options.
    pub fn freeze_with(&self, how: &Freeze<'_>) -> Result<Plan> {
        let mut desc = how.desc;
        let numbers = |nodes: &[Node]| nodes.iter().map(|node| node.number).collect::<Vec<_>>();
        let (sources, sinks) = (numbers(&how.sources), numbers(&how.sinks));
        if !sources.is_empty() {
            desc.sources = sources.as_ptr();
            desc.source_count = sources.len() as u64;
        }
        if !sinks.is_empty() {
            desc.sinks = sinks.as_ptr();
            desc.sink_count = sinks.len() as u64;
        }
        // SAFETY: a graph of ours; Freeze borrows the plan that `whole` is.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_graph_freeze)(self.raw.get(), &desc, out, error)
        })?;
        let functions: Functions = Arc::new(self.functions.borrow().clone());
        let pointers = self.pointers.borrow().clone();
        Plan::new(raw, self.owner.shared.clone(), functions, pointers)
    }
}

/// The count of a loop; see [`Graph::repeat`].
pub enum Count<'a> {
    /// A constant.
    Number(u64),
    /// A parameter that each run sets.
    Parameter(&'a str),
    /// The first number of a buffer, when the loop is entered.
    Word(&'a Buffer<u32>),
}

impl From<u64> for Count<'_> {
    fn from(count: u64) -> Self {
        Count::Number(count)
    }
}

impl<'a> From<Parameter<'a>> for Count<'a> {
    fn from(parameter: Parameter<'a>) -> Self {
        Count::Parameter(parameter.0)
    }
}

impl<'a> From<&'a Buffer<u32>> for Count<'a> {
    fn from(word: &'a Buffer<u32>) -> Self {
        Count::Word(word)
    }
}

/// Options of freezing a graph.
#[derive(Clone)]
pub struct Freeze<'a> {
    desc: raw::plait_freeze_desc,
    sources: Vec<Node>,
    sinks: Vec<Node>,
    whole: PhantomData<&'a Plan>,
}

impl Default for Freeze<'_> {
    fn default() -> Self {
        Freeze {
            desc: raw::plait_freeze_desc { mode: raw::PLAIT_MODE_AUTO, ..Default::default() },
            sources: Vec::new(),
            sinks: Vec::new(),
            whole: PhantomData,
        }
    }
}

impl<'a> Freeze<'a> {
    /// Start with the defaults of the library.
    pub fn new() -> Self {
        Self::default()
    }

    /// Set the most lanes per device; 0, the default: what the device can run at once.
    pub fn lanes(mut self, count: u32) -> Self {
        self.desc.lanes = count;
        self
    }

    /// Use as many lanes as the graph is wide, within the limits.
    pub fn widest(mut self) -> Self {
        self.desc.policy = raw::PLAIT_POLICY_WIDEST;
        self
    }

    /// Set the most runs in flight; 0, the default, means 2.
    pub fn instances(mut self, count: u32) -> Self {
        self.desc.instances = count;
        self
    }

    /// Keep the planned order of each lane, for even work.
    pub fn strict(mut self) -> Self {
        self.desc.mode = raw::PLAIT_MODE_STRICT;
        self
    }

    /// Keep the edges only, and let idle workers run commands of other lanes, for uneven
    /// work.
    pub fn helped(mut self) -> Self {
        self.desc.mode = raw::PLAIT_MODE_HELPED;
        self
    }

    /// Run on queues, also on the host.
    pub fn queues(mut self) -> Self {
        self.desc.flags |= raw::PLAIT_FREEZE_QUEUES;
        self
    }

    /// Set the cost of observing another lane, in the unit of `cost` of nodes.
    pub fn hop_cost(mut self, cost: u64) -> Self {
        self.desc.hop_cost = cost;
        self
    }

    /// Plan only the nodes on paths from these.
    pub fn sources(mut self, nodes: impl AsRef<[Node]>) -> Self {
        self.sources = nodes.as_ref().into();
        self
    }

    /// Plan only the nodes on paths to these.
    pub fn sinks(mut self, nodes: impl AsRef<[Node]>) -> Self {
        self.sinks = nodes.as_ref().into();
        self
    }

    /// With sources or sinks: keep the lanes of this plan of the whole graph.
    pub fn whole(mut self, plan: &'a Plan) -> Self {
        self.desc.whole = plan.get();
        self
    }

    /// Add edges between nodes that use the same memory, in the order of adding; closures
    /// are ordered with all nodes.
    pub fn program_order(mut self) -> Self {
        self.desc.flags |= raw::PLAIT_FREEZE_PROGRAM_ORDER;
        self
    }

    /// Verify that edges order all nodes that use the same memory, and then the plan.
    pub fn check(mut self) -> Self {
        self.desc.flags |= raw::PLAIT_FREEZE_CHECK;
        self
    }
}

// --- adding --------------------------------------------------------------------

/// A builder of one node; [`add`](Adding::add) adds the node.
#[must_use = "the node is added by add()"]
pub struct Adding<'a, M> {
    graph: &'a Graph,
    desc: raw::plait_node_desc,
    arguments: Arguments,
    items: Items<'a>,
    group: [u64; 3],
    rows: Option<raw::plait_rows>,
    devices: Vec<*mut raw::plait_device>,
    target_parameter: Option<&'a str>,
    source_parameter: Option<&'a str>,
    count_parameter: Option<&'a str>,
    host_parameter: Option<String>,
    series: Vec<raw::plait_series>,
    after: Vec<Node>,
    label: Option<String>,
    place: &'static Location<'static>,
    wrong: Option<Error>,
    made: PhantomData<M>,
}

/// The result of adding a node: the node, and its bodies if it has any.
pub trait Made: Sized {
    #[doc(hidden)]
    fn made(graph: &Graph, node: Node, branches: u64) -> Result<Self>;
}

impl Made for Node {
    fn made(_: &Graph, node: Node, _: u64) -> Result<Node> {
        Ok(node)
    }
}

impl Made for (Node, Graph) {
    fn made(graph: &Graph, node: Node, _: u64) -> Result<(Node, Graph)> {
        Ok((node, graph.body(node, 0)?))
    }
}

impl Made for (Node, Vec<Graph>) {
    fn made(graph: &Graph, node: Node, branches: u64) -> Result<(Node, Vec<Graph>)> {
        let bodies: Result<Vec<Graph>> = (0..branches).map(|i| graph.body(node, i)).collect();
        Ok((node, bodies?))
    }
}

impl<'a, M: Made> Adding<'a, M> {
    #[track_caller]
    fn new(graph: &'a Graph, kind: u32) -> Adding<'a, M> {
        Adding {
            graph,
            desc: raw::plait_node_desc { kind, ..Default::default() },
            arguments: Arguments::default(),
            items: Items { sizes: [0; 3], dimensions: 1, parameter: None },
            group: [0; 3],
            rows: None,
            devices: Vec::new(),
            target_parameter: None,
            host_parameter: None,
            source_parameter: None,
            count_parameter: None,
            series: Vec::new(),
            after: Vec::new(),
            label: None,
            place: Location::caller(),
            wrong: None,
            made: PhantomData,
        }
    }

    fn turn(&mut self, given: Argument<'a>) -> (u64, u64) {
        if let Kind::Turn(rotation, ahead) = given.kind {
            return (rotation, ahead);
        }
        self.wrong = Some(Error::invalid("this side of a copy or fill is a buffer of a rotation: its \
                                          now(), next() or ahead()"));
        (0, 0)
    }

    fn target_turn(&mut self, given: Argument<'a>) {
        (self.desc.target_rotation, self.desc.target_ahead) = self.turn(given);
    }

    fn source_turn(&mut self, given: Argument<'a>) {
        (self.desc.source_rotation, self.desc.source_ahead) = self.turn(given);
    }

    fn host(&mut self, name: &str, bytes: usize) {
        self.desc.bytes = bytes as u64;
        self.host_parameter = Some(name.into());
    }

    /// Set the number of the likely body of a branch, for planning.
    pub fn expect(mut self, branch: usize) -> Self {
        self.desc.times = branch as u64 + 1;
        self
    }

    /// Set where in the program's memory a read or write begins, in bytes; default 0.
    pub fn host_offset(mut self, bytes: u64) -> Self {
        self.desc.host_offset = bytes;
        self
    }

    /// Add edges: the node starts after these, one or several.
    pub fn after(mut self, nodes: impl AsRef<[Node]>) -> Self {
        self.after.extend_from_slice(nodes.as_ref());
        self
    }

    /// Set the name in errors and drawings.
    pub fn label(mut self, label: &str) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Set the device to run on.
    pub fn device(mut self, device: &'a Device) -> Self {
        self.desc.device = device.get();
        self.desc.device_count = 1;
        self
    }

    /// Set several devices: a member of the node runs on each.
    pub fn on_each(self, devices: &[&'a Device]) -> Self {
        self.on_all(devices, raw::PLAIT_NODE_ON_ALL_GROUP)
    }

    /// Set several devices: the node runs on the first, all wait for it, and it for all.
    pub fn barrier(self, devices: &[&'a Device]) -> Self {
        self.on_all(devices, raw::PLAIT_NODE_ON_ALL_BARRIER)
    }

    fn on_all(mut self, devices: &[&'a Device], flag: u32) -> Self {
        self.devices = devices.iter().map(|device| device.get()).collect();
        self.desc.flags |= flag;
        self
    }

    /// Set the duration, in any unit; default 1.
    pub fn cost(mut self, cost: u64) -> Self {
        self.desc.cost = cost;
        if cost == 0 {
            self.desc.flags |= raw::PLAIT_NODE_FREE;
        }
        self
    }

    /// Launches: set the number of items, or a [`parameter`](crate::parameter) that each
    /// run sets.
    pub fn items(mut self, items: impl Into<Items<'a>>) -> Self {
        self.items = items.into();
        self
    }

    /// Launches: set the items per group.
    pub fn group(mut self, items: impl Into<Items<'a>>) -> Self {
        self.group = items.into().sizes;
        self
    }

    /// Launches: set the size of [`scratch`](crate::scratch) memory, in bytes.
    pub fn scratch_bytes(mut self, bytes: u64) -> Self {
        self.desc.scratch_bytes = bytes;
        self
    }

    /// Launches in a loop: let the items of each dimension follow a number; a launch without
    /// items does nothing.
    pub fn series(mut self, items: &[Series]) -> Self {
        self.series = items.iter().map(|one| one.0).collect();
        self
    }

    /// Repeats: set the part of the count that an iteration takes; the last one takes the
    /// rest.
    pub fn step(mut self, step: u64) -> Self {
        self.desc.count_step = step;
        self
    }

    /// Loops: set the expected number of iterations, for the planner; 0 means 1.
    pub fn times(mut self, times: u64) -> Self {
        self.desc.times = times;
        self
    }

    /// Loops and branches: set the index of the condition in its buffer; default 0.
    pub fn at(mut self, index: usize) -> Self {
        self.desc.predicate_offset = 4 * index as u64;
        self
    }

    /// Add the node to the graph.
    pub fn add(mut self) -> Result<M> {
        if let Some(error) = self.wrong {
            return Err(error);
        }
        let label = self.label.as_deref().map(c_text).transpose()?;
        let name = self.items.parameter.map(c_text).transpose()?;
        let target = self.target_parameter.map(c_text).transpose()?;
        let host = self.host_parameter.as_deref().map(c_text).transpose()?;
        let source = self.source_parameter.map(c_text).transpose()?;
        let count = self.count_parameter.map(c_text).transpose()?;
        let file = CString::new(self.place.file()).unwrap_or_default();
        let launch = self.items.launch(self.group);
        if !self.devices.is_empty() {
            self.desc.device_count = self.devices.len() as u32;
            match self.devices.as_slice() {
                [one] => self.desc.device = *one,
                several => self.desc.devices = several.as_ptr(),
            }
        }
        self.desc.label = label.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        self.desc.file = file.as_ptr();
        self.desc.line = self.place.line();
        if self.desc.kind == raw::PLAIT_NODE_LAUNCH {
            match &name {
                Some(name) => self.desc.launch_parameter = name.as_ptr(),
                None => self.desc.launch = &launch,
            }
        }
        self.desc.target_parameter = pointer_of(&target);
        self.desc.host_parameter = pointer_of(&host);
        self.desc.source_parameter = pointer_of(&source);
        self.desc.count_parameter = pointer_of(&count);
        if !self.series.is_empty() {
            self.desc.series = self.series.as_ptr();
            self.desc.series_count = self.series.len() as u64;
        }
        self.desc.rows = self.rows.as_ref().map_or(ptr::null(), |rows| rows);
        if !self.arguments.array.is_empty() {
            self.desc.arguments = self.arguments.array.as_ptr();
            self.desc.argument_count = self.arguments.array.len() as u64;
        }
        let after = self.numbers()?;
        let at = if after.is_empty() { ptr::null() } else { after.as_ptr() };
        let mut number = 0;
        // SAFETY: everything the description refers to is local, or borrowed by `self`.
        call(|error| unsafe {
            (lib().plait_graph_add)(self.graph.raw.get(), &self.desc, at, after.len() as u64,
                                    &mut number, error)
        })?;
        self.graph.pointers.borrow_mut().extend(self.arguments.pointers);
        let node = Node { graph: self.graph.raw.get() as usize, number };
        M::made(self.graph, node, self.desc.branch_count)
    }

    fn numbers(&self) -> Result<Vec<raw::plait_node>> {
        let here = self.graph.raw.get() as usize;
        if self.after.iter().any(|node| node.graph != here) {
            return Err(Error::invalid(format!("{}: after: a node of another graph",
                                              self.place)));
        }
        Ok(self.after.iter().map(|node| node.number).collect())
    }
}
