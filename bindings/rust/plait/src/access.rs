// SPDX-License-Identifier: MIT
//! Accesses: the elements of data that a task of a flow reads and writes, and the slices
//! that closures get of them.
use std::marker::PhantomData;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo};

use plait_sys as raw;

use crate::data::{Data, Token};
use crate::error::{Error, Result};
use crate::kernel::{Argument, Kernel, Kind};
use crate::memory::Element;

// --- parts of data ---------------------------------------------------------------

/// Indices of one dimension: a range, or a number.
pub trait Span {
    #[doc(hidden)]
    fn ends(&self, size: u64) -> (u64, u64);
}

macro_rules! spans {
    ($($type:ty: |$self:ident, $size:ident| $ends:expr;)*) => { $(
        impl Span for $type {
            fn ends(&self, $size: u64) -> (u64, u64) {
                let $self = self;
                let (low, high): (usize, usize) = $ends;
                (low as u64, high as u64)
            }
        }
    )* };
}

spans! {
    usize: |at, _size| (*at, at.saturating_add(1));
    Range<usize>: |at, _size| (at.start, at.end);
    RangeFrom<usize>: |at, size| (at.start, size as usize);
    RangeTo<usize>: |at, _size| (0, at.end);
    RangeInclusive<usize>: |at, _size| (*at.start(), at.end().saturating_add(1));
    RangeFull: |_at, size| (0, size as usize);
}

/// A part of data: indices for each dimension, such as `2..4`, `(0..8, 3)` or `..`.  The
/// first dimension is that of neighbours in memory.
pub trait Part {
    #[doc(hidden)]
    fn ends(&self, extent: [u64; 3]) -> Vec<(u64, u64)>;
}

impl<A: Span> Part for A {
    fn ends(&self, extent: [u64; 3]) -> Vec<(u64, u64)> {
        vec![Span::ends(self, extent[0])]
    }
}

impl<A: Span, B: Span> Part for (A, B) {
    fn ends(&self, extent: [u64; 3]) -> Vec<(u64, u64)> {
        vec![self.0.ends(extent[0]), self.1.ends(extent[1])]
    }
}

impl<A: Span, B: Span, C: Span> Part for (A, B, C) {
    fn ends(&self, extent: [u64; 3]) -> Vec<(u64, u64)> {
        vec![self.0.ends(extent[0]), self.1.ends(extent[1]), self.2.ends(extent[2])]
    }
}

/// The place of data in memory.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) raw: *mut raw::plait_data,
    pub(crate) at: *mut u8,
    pub(crate) extent: [u64; 3],
    pub(crate) element: &'static str,
    pub(crate) element_bytes: usize,
}

impl Place {
    /// Return the box of a part; a dimension that the part does not name is all of it.
    pub(crate) fn part(&self, part: &impl Part) -> raw::plait_box {
        let mut made = raw::plait_box { low: [0; 3], high: self.extent };
        for (d, (low, high)) in part.ends(self.extent).into_iter().enumerate() {
            made.low[d] = low;
            made.high[d] = high;
        }
        made
    }

    pub(crate) fn whole(&self) -> raw::plait_box {
        raw::plait_box { low: [0; 3], high: self.extent }
    }

    /// Return the number of elements of a box; refuse one that is empty or outside.
    pub(crate) fn count(&self, part: &raw::plait_box) -> Result<usize> {
        let mut count = 1;
        for d in 0..3 {
            let (low, high) = (part.low[d], part.high[d]);
            if low >= high || high > self.extent[d] {
                return Err(Error::invalid(format!(
                    "elements {} to {} of dimension {}, which has {}", low, high, d, self.extent[d])));
            }
            count *= (high - low) as usize;
        }
        Ok(count)
    }

    /// Return the first element of a box without gaps, and the number of its elements.
    fn slice(&self, part: &raw::plait_box) -> Result<(*mut u8, usize)> {
        let (count, mut first, mut step, mut gaps, mut full) = (self.count(part)?, 0, 1, false, true);
        for d in 0..3 {
            let length = part.high[d] - part.low[d];
            gaps |= length > 1 && !full;
            full &= length == self.extent[d];
            first += (part.low[d] * step) as usize;
            step *= self.extent[d];
        }
        if gaps {
            return Err(Error::invalid("a closure gets slices: give it a part without gaps, or all of the data"));
        }
        Ok((self.at.wrapping_add(first * self.element_bytes), count))
    }
}

// --- accesses --------------------------------------------------------------------

#[derive(Clone, Copy)]
enum Region {
    All,
    Part(raw::plait_box),
    Mapped(raw::plait_mapper),
}

/// An access without the type of its elements: `&data`, `data.at(2..4)` or `&token`.
#[derive(Clone, Copy)]
pub struct Accessed<'a> {
    pub(crate) place: Place,
    mode: u32,
    region: Region,
    /// The kernel that combines, the identity and flags.
    reduction: Option<(*mut raw::plait_kernel, u64, u32)>,
    data: PhantomData<&'a Token>,
}

impl Accessed<'_> {
    pub(crate) fn all(place: Place) -> Self {
        Accessed { place, mode: raw::PLAIT_ACCESS_BY_SIGNATURE, region: Region::All, reduction: None, data: PhantomData }
    }

    pub(crate) fn with_mode(mut self, mode: u32) -> Self {
        self.mode = mode;
        self.reduction = None;
        self
    }

    /// Return the access for C; valid as long as `self` stays in its place.
    pub(crate) fn raw(&self) -> raw::plait_access {
        let mut made = raw::plait_access { mode: self.mode, data: self.place.raw, ..Default::default() };
        match &self.region {
            Region::All => (),
            Region::Part(part) => made.r#box = part,
            Region::Mapped(mapper) => made.mapper = mapper,
        }
        if let Some((combine, identity, flags)) = self.reduction {
            (made.combine, made.identity, made.flags) = (combine, identity, flags);
        }
        made
    }

    /// Return the box, for a task that is not split.
    pub(crate) fn bounds(&self) -> Result<raw::plait_box> {
        match self.region {
            Region::All => Ok(self.place.whole()),
            Region::Part(part) => Ok(part),
            Region::Mapped(_) => Err(Error::invalid("own, near, slice and even are for pieces of launches")),
        }
    }

    fn conflicts(&self, other: &Accessed<'_>) -> bool {
        let writes = (self.mode | other.mode) & raw::PLAIT_ACCESS_WRITE != 0;
        match (self.bounds(), other.bounds()) {
            (Ok(a), Ok(b)) => writes && self.place.raw == other.place.raw
                && (0..3).all(|d| a.low[d] < b.high[d] && b.low[d] < a.high[d]),
            _ => false,
        }
    }
}

/// An access for C that an argument points to; it does not move.
pub(crate) struct KeptAccess {
    pub(crate) raw: raw::plait_access,
    region: Region,
}

impl KeptAccess {
    pub(crate) fn new(given: Accessed<'_>) -> Box<KeptAccess> {
        let mut made = Box::new(KeptAccess { raw: given.raw(), region: given.region });
        match &made.region {
            Region::All => (),
            Region::Part(part) => made.raw.r#box = part,
            Region::Mapped(mapper) => made.raw.mapper = mapper,
        }
        made
    }
}

/// Mode of an access: as the kernel's signature says.
#[derive(Clone, Copy, Debug)]
pub struct BySignature;

/// Mode of an access that reads.
#[derive(Clone, Copy, Debug)]
pub struct Reads;

/// Mode of an access that writes.
#[derive(Clone, Copy, Debug)]
pub struct Writes;

/// Elements of data that a task accesses; made by [`Data::at`], [`Data::near`] and others.
///
/// `reads`, `writes` and `updates` say how; for a kernel its signature does.
pub struct Access<'a, T: Element, M = BySignature> {
    pub(crate) any: Accessed<'a>,
    types: PhantomData<(T, M)>,
}

impl<T: Element, M> Clone for Access<'_, T, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element, M> Copy for Access<'_, T, M> {}

impl<'a, T: Element, M> Access<'a, T, M> {
    fn new<N>(any: Accessed<'a>) -> Access<'a, T, N> {
        Access { any, types: PhantomData }
    }

    /// Return the access as one that reads.
    pub fn reads(self) -> Access<'a, T, Reads> {
        Self::new(self.any.with_mode(raw::PLAIT_ACCESS_READ))
    }

    /// Return the access as one that gives each element a new value.
    pub fn writes(self) -> Access<'a, T, Writes> {
        Self::new(self.any.with_mode(raw::PLAIT_ACCESS_WRITE))
    }

    /// Return the access as one that reads and writes.
    pub fn updates(self) -> Access<'a, T, Writes> {
        Self::new(self.any.with_mode(raw::PLAIT_ACCESS_READ_WRITE))
    }
}

impl<T: Element> Data<T> {
    fn access(&self, region: Region) -> Access<'_, T> {
        Access { any: Accessed { region, ..Accessed::all(self.place) }, types: PhantomData }
    }

    fn mapped(&self, kind: u32, mapper: raw::plait_mapper) -> Access<'_, T> {
        self.access(Region::Mapped(raw::plait_mapper { kind, ..mapper }))
    }

    /// Return an access to a part: `2..4`, or `(0..8, 3)` of data with two dimensions.
    pub fn at(&self, part: impl Part) -> Access<'_, T> {
        self.access(Region::Part(self.place.part(&part)))
    }

    /// Return an access to all elements that reads.
    pub fn reads(&self) -> Access<'_, T, Reads> {
        self.access(Region::All).reads()
    }

    /// Return an access that gives each element a new value.
    pub fn writes(&self) -> Access<'_, T, Writes> {
        self.access(Region::All).writes()
    }

    /// Return an access that reads and writes all elements.
    pub fn updates(&self) -> Access<'_, T, Writes> {
        self.access(Region::All).updates()
    }

    fn reduced<'a>(&'a self, combine: &'a Kernel, identity: T, flags: u32) -> Access<'a, T> {
        let mut word = 0u64;
        let bytes = std::mem::size_of::<T>().min(8);
        // SAFETY: both have that many bytes.
        unsafe { std::ptr::copy_nonoverlapping((&identity as *const T).cast::<u8>(), (&mut word as *mut u64).cast(), bytes) };
        let mut made = self.access(Region::All);
        made.any.mode = raw::PLAIT_ACCESS_REDUCE;
        made.any.reduction = Some((combine.raw.get(), word, flags));
        made
    }

    /// Return an access of a launch: each piece updates a partial result, which begins as
    /// `identity`, and the kernel `combine`, `add(into: inout pointer T, from: in pointer T,
    /// n: u64)`, adds them to the data in the order of the pieces.
    pub fn reduces<'a>(&'a self, combine: &'a Kernel, identity: T) -> Access<'a, T> {
        self.reduced(combine, identity, 0)
    }

    /// Return an access as [`reduces`](Data::reduces), which adds to what was there.
    pub fn accumulates<'a>(&'a self, combine: &'a Kernel, identity: T) -> Access<'a, T> {
        self.reduced(combine, identity, raw::PLAIT_ACCESS_ACCUMULATE)
    }

    /// Return an access of a split launch: the elements with the coordinates of a piece's
    /// items.
    pub fn own(&self) -> Access<'_, T> {
        self.mapped(raw::PLAIT_MAPPER_ONE_TO_ONE, Default::default())
    }

    /// Return an access as [`own`](Data::own), and so many elements more on each side, of
    /// each dimension: `[1, 1, 0]`.
    pub fn near(&self, extent: [u64; 3]) -> Access<'_, T> {
        self.mapped(raw::PLAIT_MAPPER_NEIGHBORHOOD, raw::plait_mapper { extent, ..Default::default() })
    }

    /// Return an access as [`near`](Data::near), without elements that differ in several
    /// dimensions.
    pub fn near_without_corners(&self, extent: [u64; 3]) -> Access<'_, T> {
        let flags = raw::PLAIT_MAPPER_NO_CORNERS;
        self.mapped(raw::PLAIT_MAPPER_NEIGHBORHOOD, raw::plait_mapper { extent, flags, ..Default::default() })
    }

    /// Return an access as [`own`](Data::own), and all elements along a dimension.
    pub fn slice(&self, dimension: u32) -> Access<'_, T> {
        self.mapped(raw::PLAIT_MAPPER_SLICE, raw::plait_mapper { dimension, ..Default::default() })
    }

    /// Return an access to the part of a piece, of the data cut along a dimension into as
    /// many as pieces.
    pub fn even(&self, dimension: u32) -> Access<'_, T> {
        self.mapped(raw::PLAIT_MAPPER_EVEN_SPLIT, raw::plait_mapper { dimension, ..Default::default() })
    }
}

impl<'a, T: Element> From<&'a Data<T>> for Accessed<'a> {
    fn from(data: &'a Data<T>) -> Self {
        Accessed::all(data.place)
    }
}

impl<'a> From<&'a Token> for Accessed<'a> {
    fn from(token: &'a Token) -> Self {
        Accessed::all(token.place)
    }
}

impl<'a, T: Element, M> From<Access<'a, T, M>> for Accessed<'a> {
    fn from(access: Access<'a, T, M>) -> Self {
        access.any
    }
}

impl<'a, T: Element> From<&'a Data<T>> for Argument<'a> {
    fn from(data: &'a Data<T>) -> Self {
        Argument::new(Kind::Access(data.into()))
    }
}

impl<'a, T: Element, M> From<Access<'a, T, M>> for Argument<'a> {
    fn from(access: Access<'a, T, M>) -> Self {
        Argument::new(Kind::Access(access.any))
    }
}

/// Return an argument of a split launch: the items of the piece, `c: chunk`.
pub fn chunk() -> Argument<'static> {
    Argument::new(Kind::Chunk)
}

// --- slices for closures ---------------------------------------------------------

/// The slices that a closure gets, while the task runs.
pub trait Views<'v> {
    type View;
    /// # Safety
    ///
    /// The flow runs the task that accesses these elements, until `'v` ends.
    #[doc(hidden)]
    unsafe fn view(&self) -> Self::View;
}

/// The accesses of a closure: one, or a tuple of them, or `()`.
pub trait Accesses<'a> {
    type Kept: for<'v> Views<'v> + 'static;
    #[doc(hidden)]
    fn keep(self, list: &mut Vec<Accessed<'a>>) -> Result<Self::Kept>;
}

/// A slice that a closure will read.
pub struct Reading<T>(*const T, usize);

/// A slice that a closure will write.
pub struct Writing<T>(*mut T, usize);

impl<'v, T: Element> Views<'v> for Reading<T> {
    type View = &'v [T];

    unsafe fn view(&self) -> &'v [T] {
        std::slice::from_raw_parts(self.0, self.1)
    }
}

impl<'v, T: Element> Views<'v> for Writing<T> {
    type View = &'v mut [T];

    unsafe fn view(&self) -> &'v mut [T] {
        std::slice::from_raw_parts_mut(self.0, self.1)
    }
}

/// Add an access; refuse one that would alias a slice that is written.
fn keep_slice<'a>(any: Accessed<'a>, list: &mut Vec<Accessed<'a>>) -> Result<(*mut u8, usize)> {
    let found = any.place.slice(&any.bounds()?)?;
    if list.iter().any(|other| other.conflicts(&any)) {
        return Err(Error::invalid("call: two accesses to the same elements, one of which writes; give one for both"));
    }
    list.push(any);
    Ok(found)
}

impl<'a, T: Element> Accesses<'a> for Access<'a, T, Reads> {
    type Kept = Reading<T>;

    fn keep(self, list: &mut Vec<Accessed<'a>>) -> Result<Reading<T>> {
        keep_slice(self.any, list).map(|(at, count)| Reading(at.cast(), count))
    }
}

impl<'a, T: Element> Accesses<'a> for Access<'a, T, Writes> {
    type Kept = Writing<T>;

    fn keep(self, list: &mut Vec<Accessed<'a>>) -> Result<Writing<T>> {
        keep_slice(self.any, list).map(|(at, count)| Writing(at.cast(), count))
    }
}

impl<'v> Views<'v> for () {
    type View = ();

    unsafe fn view(&self) {}
}

impl Accesses<'_> for () {
    type Kept = ();

    fn keep(self, _: &mut Vec<Accessed<'_>>) -> Result<()> {
        Ok(())
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<'v, $($name: Views<'v>),+> Views<'v> for ($($name,)+) {
            type View = ($($name::View,)+);

            #[allow(non_snake_case)]
            unsafe fn view(&self) -> Self::View {
                let ($($name,)+) = self;
                ($($name.view(),)+)
            }
        }

        impl<'a, $($name: Accesses<'a>),+> Accesses<'a> for ($($name,)+) {
            type Kept = ($($name::Kept,)+);

            #[allow(non_snake_case)]
            fn keep(self, list: &mut Vec<Accessed<'a>>) -> Result<Self::Kept> {
                let ($($name,)+) = self;
                Ok(($($name.keep(list)?,)+))
            }
        }
    };
}

tuples! { A }
tuples! { A B }
tuples! { A B C }
tuples! { A B C D }
tuples! { A B C D E }
tuples! { A B C D E F }
