// SPDX-License-Identifier: MIT
//! Graphs: nodes, loops and branches, and what freezes them.
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::marker::PhantomData;
use std::panic::Location;
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;

use plait_sys as raw;

use crate::error::{c_text, call, Error, Result};
use crate::inbox::{answer_of, as_user_data, Functions, Outcome, Owner, Registered, Verdict};
use crate::kernel::{Argument, Arguments, Items, Kernel, Rotation};
use crate::library::{lib, Handle};
use crate::memory::{Buffer, Element};
use crate::plan::Plan;
use crate::queue::{pattern_of, Signal};
use crate::rows::Rows;
use crate::system::Device;

/// A node of a graph; later ones come [`after`](Adding::after) it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    graph: usize,
    number: raw::plait_node,
}

impl AsRef<[Node]> for Node {
    fn as_ref(&self) -> &[Node] {
        std::slice::from_ref(self)
    }
}

/// Work and its order; [`freeze`](Graph::freeze) makes a plan of it.
///
/// Nodes run in any order that their `after` allows.  A graph stays on the thread of its
/// system; plans go everywhere.
pub struct Graph {
    raw: Handle<raw::plait_graph>,
    owner: Rc<Owner>,
    /// The closures of this graph and of the bodies in it.
    functions: Rc<RefCell<Vec<Arc<Registered>>>>,
    /// Their parameters that are pointers, and what they point to.
    pointers: Rc<RefCell<HashMap<String, String>>>,
}

impl Graph {
    pub(crate) fn new(owner: &Rc<Owner>) -> Result<Graph> {
        // SAFETY: the context is ours.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_graph_create)(owner.shared.context.get(), out, error)
        })?;
        Ok(Graph { raw, owner: owner.clone(), functions: Rc::default(), pointers: Rc::default() })
    }

    // --- nodes

    /// Does nothing: comes after several, and before others.
    #[track_caller]
    pub fn join(&self) -> Adding<'_, Node> {
        Adding::new(self, raw::PLAIT_NODE_JOIN)
    }

    /// A kernel; [`items`](Adding::items) says how much.
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

    /// A closure; it runs on the thread that opened the system, as often as the node
    /// does.  An error that it returns, or a panic, fails the node.
    #[track_caller]
    pub fn call<'a, O: Outcome>(&'a self, mut f: impl FnMut() -> O + 'static) -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_CALL);
        let registered = self.owner.register(Box::new(move || answer_of(f())));
        made.desc.user_data = as_user_data(registered.number);
        made.desc.inbox = self.owner.shared.inbox.get();
        self.functions.borrow_mut().push(registered);
        made
    }

    /// A copy of a buffer to another one of the same length.
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

    /// A copy of rows of a buffer to rows of another one; views say where they begin.
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

    /// Every element becomes `value`.
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

    /// Raise a signal.
    #[track_caller]
    pub fn emit<'a>(&'a self, signal: &'a Signal) -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_EMIT);
        made.desc.signal = signal.raw.get();
        made
    }

    /// Go on only when it has happened; 0 is the newest one when a run starts.
    #[track_caller]
    pub fn wait<'a>(&'a self, signal: &'a Signal, sequence: u64) -> Adding<'a, Node> {
        let mut made = Adding::new(self, raw::PLAIT_NODE_WAIT);
        made.desc.signal = signal.raw.get();
        made.desc.sequence = sequence;
        made
    }

    /// A copy of all that another graph has now.
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

    /// A loop: it goes on while the first number of `condition` is not 0.  Made are the
    /// node and the body, which is a graph to be filled.
    #[track_caller]
    pub fn repeat_while<'a>(&'a self, condition: &'a Buffer<u32>) -> Adding<'a, (Node, Graph)> {
        self.region(raw::PLAIT_NODE_WHILE, condition)
    }

    /// The same, but the body runs once before it is asked.
    #[track_caller]
    pub fn do_while<'a>(&'a self, condition: &'a Buffer<u32>) -> Adding<'a, (Node, Graph)> {
        self.region(raw::PLAIT_NODE_DO, condition)
    }

    /// Branches: one of `count` bodies runs, that whose number the first of `condition`
    /// is.
    #[track_caller]
    pub fn case<'a>(&'a self, condition: &'a Buffer<u32>, count: usize)
        -> Adding<'a, (Node, Vec<Graph>)> {
        let mut made = self.region(raw::PLAIT_NODE_CASE, condition);
        made.desc.branch_count = count as u64;
        made
    }

    /// The same with a closure that is asked, on the thread that opened the system: the
    /// loop goes on while it returns `true`.  An error that it returns, or a panic, fails
    /// the node.
    #[track_caller]
    pub fn repeat_while_fn<'a, V: Verdict>(&'a self, f: impl FnMut() -> V + 'static)
        -> Adding<'a, (Node, Graph)> {
        self.asking(raw::PLAIT_NODE_WHILE, f)
    }

    /// The same, but the body runs once before it is asked.
    #[track_caller]
    pub fn do_while_fn<'a, V: Verdict>(&'a self, f: impl FnMut() -> V + 'static)
        -> Adding<'a, (Node, Graph)> {
        self.asking(raw::PLAIT_NODE_DO, f)
    }

    /// Branches, of which a closure chooses one; the first is 0.
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

    /// In the body of a loop: buffers that take turns, one an iteration.
    pub fn rotate<T: Element>(&self, buffers: &[&Buffer<T>]) -> Result<Rotation> {
        let array: Vec<_> = buffers.iter().map(|buffer| buffer.raw.get()).collect();
        let mut number = 0;
        // SAFETY: plait keeps the buffers.
        call(|error| unsafe {
            (lib().plait_graph_add_rotation)(self.raw.get(), array.as_ptr(), array.len() as u64, 0,
                                       &mut number, error)
        })?;
        Ok(Rotation(number))
    }

    fn body(&self, node: Node, branch: u64) -> Result<Graph> {
        // SAFETY: a graph of ours.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_graph_body)(self.raw.get(), node.number, branch, out, error)
        })?;
        let (functions, pointers) = (self.functions.clone(), self.pointers.clone());
        Ok(Graph { raw, owner: self.owner.clone(), functions, pointers })
    }

    // --- freezing

    /// A plan: the schedule, which runs as often as you like.
    pub fn freeze(&self) -> Result<Plan> {
        self.freeze_with(&Freeze::default())
    }

    /// A plan, made as [`Freeze`] says.
    pub fn freeze_with(&self, how: &Freeze) -> Result<Plan> {
        // SAFETY: a graph of ours.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_graph_freeze)(self.raw.get(), &how.desc, out, error)
        })?;
        let functions: Functions = Arc::new(self.functions.borrow().clone());
        let pointers = self.pointers.borrow().clone();
        Plan::new(raw, self.owner.shared.clone(), functions, pointers)
    }
}

/// How a graph is frozen.
#[derive(Clone)]
pub struct Freeze {
    desc: raw::plait_freeze_desc,
}

impl Default for Freeze {
    fn default() -> Freeze {
        Freeze {
            desc: raw::plait_freeze_desc { mode: raw::PLAIT_MODE_AUTO, ..Default::default() },
        }
    }
}

impl Freeze {
    /// As the library would choose.
    pub fn new() -> Freeze {
        Freeze::default()
    }

    /// At most so many lanes on each device.
    pub fn lanes(mut self, count: u32) -> Freeze {
        self.desc.lanes = count;
        self
    }

    /// As many lanes as can be of use.
    pub fn widest(mut self) -> Freeze {
        self.desc.policy = raw::PLAIT_POLICY_WIDEST;
        self
    }

    /// So many runs may be in flight.
    pub fn instances(mut self, count: u32) -> Freeze {
        self.desc.instances = count;
        self
    }

    /// Each lane does what was planned for it, and nothing else.
    pub fn strict(mut self) -> Freeze {
        self.desc.mode = raw::PLAIT_MODE_STRICT;
        self
    }

    /// Lanes that have nothing to do help others.
    pub fn helped(mut self) -> Freeze {
        self.desc.mode = raw::PLAIT_MODE_HELPED;
        self
    }

    /// Prove the schedule.
    pub fn check(mut self) -> Freeze {
        self.desc.flags |= raw::PLAIT_FREEZE_CHECK;
        self
    }
}

// --- adding --------------------------------------------------------------------

/// A node that is being described; [`add`](Adding::add) adds it.
#[must_use = "the node is added by add()"]
pub struct Adding<'a, M> {
    graph: &'a Graph,
    desc: raw::plait_node_desc,
    arguments: Arguments,
    items: Items<'a>,
    group: [u64; 3],
    rows: Option<raw::plait_rows>,
    after: Vec<Node>,
    label: Option<String>,
    place: &'static Location<'static>,
    wrong: Option<Error>,
    made: PhantomData<M>,
}

/// What adding a node makes: the node, and the bodies that it has.
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
            after: Vec::new(),
            label: None,
            place: Location::caller(),
            wrong: None,
            made: PhantomData,
        }
    }

    /// It starts when these are done: a node, or several.
    pub fn after(mut self, nodes: impl AsRef<[Node]>) -> Self {
        self.after.extend_from_slice(nodes.as_ref());
        self
    }

    /// What errors and pictures call it.
    pub fn label(mut self, label: &str) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Where it runs.
    pub fn device(mut self, device: &'a Device) -> Self {
        self.desc.device = device.get();
        self.desc.device_count = 1;
        self
    }

    /// How long it takes, in any unit.
    pub fn cost(mut self, cost: u64) -> Self {
        self.desc.cost = cost;
        self
    }

    /// Launches: how many items; a [`parameter`](crate::parameter) leaves it to each run.
    pub fn items(mut self, items: impl Into<Items<'a>>) -> Self {
        self.items = items.into();
        self
    }

    /// Launches: how many items a group has.
    pub fn group(mut self, items: impl Into<Items<'a>>) -> Self {
        self.group = items.into().sizes;
        self
    }

    /// Launches: memory of the node's own, which [`scratch`](crate::scratch) is.
    pub fn scratch_bytes(mut self, bytes: u64) -> Self {
        self.desc.scratch_bytes = bytes;
        self
    }

    /// Loops: how often it is expected to run.
    pub fn times(mut self, times: u64) -> Self {
        self.desc.times = times;
        self
    }

    /// Loops and branches: the number at this index of the condition is asked.
    pub fn at(mut self, index: usize) -> Self {
        self.desc.predicate_offset = 4 * index as u64;
        self
    }

    /// Add it to the graph.
    pub fn add(mut self) -> Result<M> {
        if let Some(error) = self.wrong {
            return Err(error);
        }
        let label = self.label.as_deref().map(c_text).transpose()?;
        let name = self.items.parameter.map(c_text).transpose()?;
        let file = CString::new(self.place.file()).unwrap_or_default();
        let launch = self.items.launch(self.group);
        self.desc.label = label.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        self.desc.file = file.as_ptr();
        self.desc.line = self.place.line();
        if self.desc.kind == raw::PLAIT_NODE_LAUNCH {
            match &name {
                Some(name) => self.desc.launch_parameter = name.as_ptr(),
                None => self.desc.launch = &launch,
            }
        }
        self.desc.rows = self.rows.as_ref().map_or(ptr::null(), |rows| rows);
        if !self.arguments.array.is_empty() {
            self.desc.arguments = self.arguments.array.as_ptr();
            self.desc.argument_count = self.arguments.array.len() as u64;
        }
        let after = self.numbers()?;
        let at = if after.is_empty() { ptr::null() } else { after.as_ptr() };
        let mut number = 0;
        // SAFETY: all that the description refers to is here, or borrowed.
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
            return Err(Error::invalid(format!("{}: it comes after a node of another graph",
                                              self.place)));
        }
        Ok(self.after.iter().map(|node| node.number).collect())
    }
}
