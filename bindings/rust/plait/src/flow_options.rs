// SPDX-License-Identifier: MIT
//! Options of flows.
use plait_sys as raw;

use crate::error::{c_text, pointer_of, Result};
use crate::flow::Flow;
use crate::library::{lib, Handle};
use crate::placement::{DeviceChoice, LaneChoice, ParentChoice};
use crate::system::{Device, System};

/// Options of a flow; [`create`](FlowOptions::create) makes it.
#[derive(Clone, Debug, Default)]
pub struct FlowOptions {
    window: u32,
    lanes: u32,
    flags: u32,
    devices: Vec<Device>,
    choose: u32,
    parent: u32,
    lane: u32,
    device_lanes: u32,
    threshold: u32,
    memory_bytes: u64,
    history: Option<String>,
    links: Option<String>,
    label: Option<String>,
}

impl FlowOptions {
    /// Start with the defaults.
    pub fn new() -> FlowOptions {
        FlowOptions::default()
    }

    /// Set how many tasks may be not done at a time: a power of two, 16 to 2^20.
    pub fn window(mut self, tasks: u32) -> Self {
        self.window = tasks;
        self
    }

    /// Set how many tasks run at a time, at most 30.
    pub fn lanes(mut self, lanes: u32) -> Self {
        self.lanes = lanes;
        self
    }

    /// Keep what [`Flow::explain`] tells: 100 bytes and more of each task.
    pub fn record(mut self) -> Self {
        self.flags |= raw::PLAIT_FLOW_RECORD;
        self
    }

    /// Keep the record, and refuse tasks that [`Flow::explain`] would warn of.
    pub fn strict(mut self) -> Self {
        self.flags |= raw::PLAIT_FLOW_STRICT;
        self
    }

    /// Prove the order of the tasks while they run: a fault of plait is an error.
    pub fn check(mut self) -> Self {
        self.flags |= raw::PLAIT_FLOW_CHECK;
        self
    }

    /// Let times decide nothing: equal calls of one thread give equal texts.
    pub fn fixed(mut self) -> Self {
        self.flags |= raw::PLAIT_FLOW_FIXED;
        self
    }

    /// Find tasks that repeat, and run them as one.
    pub fn repeats(mut self) -> Self {
        self.flags |= raw::PLAIT_FLOW_REPEATS;
        self
    }

    /// Set the devices where launches run; none: on the host.
    pub fn devices(mut self, devices: &[Device]) -> Self {
        self.devices = devices.to_vec();
        self
    }

    /// Choose devices of launches by a policy.
    pub fn choose(mut self, choice: DeviceChoice) -> Self {
        self.choose = choice as u32;
        self
    }

    /// Choose lanes after earlier tasks by a policy.
    pub fn parent(mut self, choice: ParentChoice) -> Self {
        self.parent = choice as u32;
        self
    }

    /// Choose other lanes by a policy.
    pub fn lane(mut self, choice: LaneChoice) -> Self {
        self.lane = choice as u32;
        self
    }

    /// Give each device so many queues for launches, at most 8.
    pub fn device_lanes(mut self, count: u32) -> Self {
        self.device_lanes = count;
        self
    }

    /// Set the part of a task's bytes, per mille, that a good device has more than.
    pub fn threshold(mut self, per_mille: u32) -> Self {
        self.threshold = per_mille;
        self
    }

    /// Keep at most so many bytes of buffers in each memory of devices: others are evicted.
    pub fn memory_bytes(mut self, bytes: u64) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Read measured times of kernels from a file, which is written when the flow ends.
    pub fn history(mut self, path: &str) -> Self {
        self.history = Some(path.into());
        self
    }

    /// Read bandwidths from a file: lines `From,To,Bandwidth` in GB/s, the host is -1.
    pub fn links(mut self, path: &str) -> Self {
        self.links = Some(path.into());
        self
    }

    /// Set the name, for errors.
    pub fn label(mut self, text: &str) -> Self {
        self.label = Some(text.into());
        self
    }

    /// Create the flow.
    pub fn create(self, system: &System) -> Result<Flow> {
        let label = self.label.as_deref().map(c_text).transpose()?;
        let history = self.history.as_deref().map(c_text).transpose()?;
        let links = self.links.as_deref().map(c_text).transpose()?;
        let devices: Vec<_> = self.devices.iter().map(Device::get).collect();
        let desc = raw::plait_flow_desc {
            flags: self.flags,
            window: self.window,
            lanes: self.lanes,
            label: pointer_of(&label),
            devices: devices.as_ptr(),
            device_count: devices.len() as u32,
            choose: self.choose,
            parent: self.parent,
            lane: self.lane,
            device_lanes: self.device_lanes,
            threshold: self.threshold,
            memory_bytes: self.memory_bytes,
            history: pointer_of(&history),
            links: pointer_of(&links),
            ..Default::default()
        };
        // SAFETY: label and devices are copied.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_flow_create)(system.context(), &desc, out, error)
        })?;
        Ok(Flow::of(raw, system.owner.clone()))
    }
}
