// SPDX-License-Identifier: MIT
//! Placement of tasks: policies of flows, and devices that need not exist.
use plait_sys as raw;

/// Policy for the device of a launch that is not split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// Predicted to finish first.
    Earliest = raw::PLAIT_CHOOSE_EARLIEST as isize,
    /// The first device.
    Single = raw::PLAIT_CHOOSE_SINGLE as isize,
    /// In turn.
    RoundRobin = raw::PLAIT_CHOOSE_ROUND_ROBIN as isize,
    /// Fewest busy lanes.
    StreamAware = raw::PLAIT_CHOOSE_STREAM_AWARE as isize,
    /// Has most bytes of the data.
    MinSize = raw::PLAIT_CHOOSE_MIN_SIZE as isize,
    /// Least time of moves, by the best links.
    MinMinTime = raw::PLAIT_CHOOSE_MINMIN_TIME as isize,
    /// Least time of moves, by the worst links.
    MinMaxTime = raw::PLAIT_CHOOSE_MINMAX_TIME as isize,
}

/// Policy for the lane of a launch, after the tasks that it comes behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParentChoice {
    /// The lane that can start it first.
    Best = raw::PLAIT_PARENT_BEST as isize,
    /// The lane of the first one.
    Same = raw::PLAIT_PARENT_SAME as isize,
    /// Of the first whose lane no other has.
    Disjoint = raw::PLAIT_PARENT_DISJOINT as isize,
    /// The same, on the chosen device.
    EarlyDisjoint = raw::PLAIT_PARENT_EARLY_DISJOINT as isize,
    /// A device of such lanes first.
    DeviceDisjoint = raw::PLAIT_PARENT_DEVICE_DISJOINT as isize,
}

/// Policy for a lane that is of no earlier task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneChoice {
    /// An idle one, a new one, or the one that is free first.
    Reuse = raw::PLAIT_LANE_REUSE as isize,
    /// A new one.
    AlwaysNew = raw::PLAIT_LANE_ALWAYS_NEW as isize,
}

/// Devices with memories, which need not exist, for [`Flow::instructions`](crate::Flow::instructions).
#[derive(Clone, Debug)]
pub struct Memories {
    pub(crate) devices: u32,
    pub(crate) peers: u32,
    pub(crate) flags: u32,
    pub(crate) choose: u32,
    pub(crate) parent: u32,
    pub(crate) lane: u32,
    pub(crate) lanes: u32,
    pub(crate) memory_bytes: u64,
    pub(crate) links: Option<String>,
    pub(crate) weights: Vec<u32>,
}

impl Memories {
    /// Start with devices that have a memory each, and all memories copy to each other.
    pub fn new(devices: u32) -> Memories {
        Memories {
            devices, peers: raw::PLAIT_PEERS_ALL, flags: 0, choose: 0, parent: 0, lane: 0, lanes: 1,
            memory_bytes: 0, links: None, weights: Vec::new(),
        }
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

    /// Give each device so many lanes for launches; `u32::MAX`: no limit.
    pub fn lanes(mut self, count: u32) -> Self {
        self.lanes = count;
        self
    }

    /// Give each memory of devices so many bytes.
    pub fn memory_bytes(mut self, bytes: u64) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Set bandwidths by lines "From,To,Bandwidth", in GB/s; the host is -1.
    pub fn links(mut self, text: &str) -> Self {
        self.links = Some(text.to_string());
        self
    }

    /// Give each device a share of the pieces of a split launch; those left out have 0.
    pub fn weights(mut self, weights: &[u32]) -> Self {
        self.weights = weights.to_vec();
        self.weights.resize(self.devices as usize, 0);
        self
    }

    /// Let each device copy to the ones beside it, and to others by way of the host.
    pub fn ring(mut self) -> Self {
        self.peers = raw::PLAIT_PEERS_RING;
        self
    }

    /// Let all devices copy to each other by way of the host.
    pub fn no_peers(mut self) -> Self {
        self.peers = raw::PLAIT_PEERS_NONE;
        self
    }

    /// Give the devices one memory in all, beside the host's.
    pub fn shared(mut self) -> Self {
        self.flags |= raw::PLAIT_MEMORIES_SHARED;
        self
    }

    /// Let blocks grow when a task needs it.
    pub fn no_lookahead(mut self) -> Self {
        self.flags |= raw::PLAIT_MEMORIES_NO_LOOKAHEAD;
        self
    }

    /// Make warnings errors.
    pub fn strict(mut self) -> Self {
        self.flags |= raw::PLAIT_MEMORIES_STRICT;
        self
    }
}
