// SPDX-License-Identifier: MIT
//! Data of flows: typed arrays and tokens, and host access that waits for its tasks.
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::ops::{Deref, DerefMut};
use std::os::raw::c_void;
use std::ptr;

use plait_sys as raw;

use crate::access::{Access, Part, Place};
use crate::error::{c_text, call, pointer_of, Error, Result};
use crate::flow::Flow;
use crate::inbox::wait;
use crate::kernel::Items;
use crate::library::{lib, Handle};
use crate::memory::Element;
use crate::system::Device;
use crate::task::refuse_in_task;

/// An array of a flow.
///
/// On the host, [`read`](Data::read), [`get`](Data::get) and others wait for the tasks that
/// they have to wait for, and for no other.  As an argument of a task, `&data` is an access
/// to all elements; [`at`](Data::at) to some of them.
pub struct Data<T: Element> {
    raw: Handle<raw::plait_data>,
    pub(crate) place: Place,
    dimensions: u32,
    elements: PhantomData<T>,
}

// SAFETY: plait orders all accesses to the memory; the handle may be used on any thread.
unsafe impl<T: Element> Send for Data<T> {}
unsafe impl<T: Element> Sync for Data<T> {}

/// Data without memory: it stands for a side effect or an object of the program, and orders
/// the tasks that name it.
pub struct Token {
    pub(crate) place: Place,
    _raw: Handle<raw::plait_data>,
}

// SAFETY: as above; a token has no memory.
unsafe impl Send for Token {}
unsafe impl Sync for Token {}

/// Data that is being described; [`zeros`](DataBuilder::zeros) or
/// [`array`](DataBuilder::array) creates it.
#[must_use = "nothing is created before zeros() or array()"]
pub struct DataBuilder<'a> {
    flow: &'a Flow,
    shape: Items<'a>,
    label: Option<String>,
}

impl<'a> DataBuilder<'a> {
    pub(crate) fn new(flow: &'a Flow, shape: Items<'a>) -> DataBuilder<'a> {
        DataBuilder { flow, shape, label: None }
    }

    /// Set the name, for errors and [`Flow::explain`].
    pub fn label(mut self, text: &str) -> Self {
        self.label = Some(text.into());
        self
    }

    fn create(self, element: &'static str, element_bytes: usize) -> Result<(Handle<raw::plait_data>, Place, u32)> {
        if self.shape.parameter.is_some() {
            return Err(Error::invalid("data: parameters are for graphs only"));
        }
        let label = self.label.as_deref().map(c_text).transpose()?;
        let dimensions = if element_bytes == 0 { 0 } else { self.shape.dimensions };
        let mut desc = raw::plait_data_desc {
            dimensions,
            element_bytes: element_bytes as u32,
            label: pointer_of(&label),
            ..Default::default()
        };
        let mut extent = [1; 3];
        extent[..dimensions as usize].copy_from_slice(&self.shape.sizes[..dimensions as usize]);
        desc.extent[..dimensions as usize].copy_from_slice(&extent[..dimensions as usize]);
        // SAFETY: the label is copied.
        let made = Handle::make(|out, error| unsafe {
            (lib().plait_data_create)(self.flow.raw(), &desc, out, error)
        })?;
        let mut info = raw::plait_data_info::default();
        // SAFETY: a record of the right size.
        call(|error| unsafe { (lib().plait_data_query)(made.get(), &mut info, error) })?;
        let place = Place { raw: made.get(), at: info.pointer.cast(), extent, element, element_bytes };
        Ok((made, place, dimensions))
    }

    /// Create the data, of zeros.
    pub fn zeros<T: Element>(self) -> Result<Data<T>> {
        let (raw, place, dimensions) = self.create(T::NAME, size_of::<T>())?;
        if place.at as usize % align_of::<T>() != 0 {
            return Err(Error::invalid(format!("the memory is not aligned for {}", T::NAME)));
        }
        Ok(Data { raw, place, dimensions, elements: PhantomData })
    }

    /// Create the data, with a copy of a slice.
    pub fn array<T: Element>(self, data: &[T]) -> Result<Data<T>> {
        let made = self.zeros()?;
        made.write(data)?;
        Ok(made)
    }

    /// Create a token; it has no shape.
    pub fn token(self) -> Result<Token> {
        let (raw, place, _) = self.create("", 0)?;
        Ok(Token { place, _raw: raw })
    }
}

impl<T: Element> Data<T> {
    /// Return the number of elements.
    pub fn len(&self) -> usize {
        self.place.extent.iter().product::<u64>() as usize
    }

    /// Return false: data has at least one element.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Return the number of elements in each dimension; the first is that of neighbours in
    /// memory.
    pub fn shape(&self) -> Vec<usize> {
        self.place.extent[..self.dimensions as usize].iter().map(|&size| size as usize).collect()
    }

    /// Wait for the writers, and return a copy of the contents.
    pub fn read(&self) -> Result<Vec<T>> {
        fetch(&self.place, self.place.whole())
    }

    /// Wait for the tasks that use the data, and copy a slice of the same length into it.
    pub fn write(&self, data: &[T]) -> Result<()> {
        store(&self.place, self.place.whole(), data)
    }

    /// Wait for the writers of one element, and return it: `get(3)`, `get((3, 4))`.
    pub fn get(&self, at: impl Part) -> Result<T> {
        match fetch(&self.place, self.place.part(&at))?[..] {
            [value] => Ok(value),
            ref more => Err(Error::invalid(format!("get: one element, not {}; at(...).read() returns several",
                                                   more.len()))),
        }
    }

    /// Wait for the tasks that use one element, and set it.
    pub fn set(&self, at: impl Part, value: T) -> Result<()> {
        store(&self.place, self.place.part(&at), &[value])
    }

    /// Tell the flow what to expect of the data in the memory of a device; `None`: of the
    /// program.
    pub fn advise(&self, what: Advice, device: Option<&Device>) -> Result<()> {
        advise(&self.place, self.place.whole(), what, device)
    }

    /// Wait for the writers, and have the memory until the guard is dropped: tasks that
    /// write it wait meanwhile.
    pub fn map(&self) -> Result<DataView<'_, T>> {
        Ok(DataView { map: DataMapping::new(self, raw::PLAIT_MAP_READ)? })
    }

    /// Have the memory as [`map`](Data::map), to write: tasks that use it wait meanwhile.
    pub fn map_mut(&self) -> Result<DataViewMut<'_, T>> {
        Ok(DataViewMut { map: DataMapping::new(self, raw::PLAIT_MAP_READ | raw::PLAIT_MAP_WRITE)? })
    }
}

/// What a program expects of data in the memory of a device; a hint, on which no result
/// depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Tasks there will read the elements: what the device lacks is copied.
    Prefetch = raw::PLAIT_ADVISE_PREFETCH as isize,
    /// Tasks there will use the data: its buffer is made.
    Reserve = raw::PLAIT_ADVISE_RESERVE as isize,
    /// No task there will use the data for a time: its buffer is given back.
    Evict = raw::PLAIT_ADVISE_EVICT as isize,
}

fn advise(place: &Place, part: raw::plait_box, what: Advice, device: Option<&Device>) -> Result<()> {
    let device = device.map_or(ptr::null_mut(), Device::get);
    // SAFETY: the data is borrowed, and the system keeps its devices.
    call(|error| unsafe {
        (lib().plait_data_advise)(place.raw, &part, device, what as raw::plait_advice, error)
    })?;
    Ok(())
}

impl<T: Element, M> Access<'_, T, M> {
    /// Tell the flow what to expect of these elements, as [`Data::advise`].
    pub fn advise(&self, what: Advice, device: Option<&Device>) -> Result<()> {
        advise(&self.any.place, self.any.bounds()?, what, device)
    }

    /// Wait for the writers, and return a copy of these elements.
    pub fn read(&self) -> Result<Vec<T>> {
        fetch(&self.any.place, self.any.bounds()?)
    }

    /// Wait for the tasks that use these elements, and copy a slice of as many into them.
    pub fn write(&self, data: &[T]) -> Result<()> {
        store(&self.any.place, self.any.bounds()?, data)
    }
}

fn fetch<T: Element>(place: &Place, part: raw::plait_box) -> Result<Vec<T>> {
    let mut data = vec![T::ZERO; place.count(&part)?];
    refuse_in_task()?;
    // SAFETY: the vector has as many elements as the box; the data is borrowed.
    wait(None, |_, error| unsafe {
        (lib().plait_data_read)(place.raw, &part, data.as_mut_ptr().cast(), error)
    })?;
    Ok(data)
}

fn store<T: Element>(place: &Place, part: raw::plait_box, data: &[T]) -> Result<()> {
    let count = place.count(&part)?;
    if count != data.len() {
        return Err(Error::invalid(format!("{} elements for a part that has {}", data.len(), count)));
    }
    refuse_in_task()?;
    // SAFETY: as above.
    wait(None, |_, error| unsafe {
        (lib().plait_data_write)(place.raw, &part, data.as_ptr().cast(), error)
    })
}

impl<T: Element> std::fmt::Debug for Data<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Data of {:?} {}", self.shape(), T::NAME)
    }
}

// --- maps ------------------------------------------------------------------------

struct DataMapping<'a, T: Element> {
    data: &'a Data<T>,
    at: *mut c_void,
}

impl<'a, T: Element> DataMapping<'a, T> {
    fn new(data: &'a Data<T>, flags: u32) -> Result<DataMapping<'a, T>> {
        let mut at = ptr::null_mut();
        refuse_in_task()?;
        // SAFETY: the mapping borrows the data, which outlives it.
        wait(None, |_, error| unsafe {
            (lib().plait_data_map)(data.raw.get(), ptr::null(), flags, &mut at, error)
        })?;
        Ok(DataMapping { data, at })
    }
}

impl<T: Element> Drop for DataMapping<'_, T> {
    fn drop(&mut self) {
        // SAFETY: `at` was mapped by new().
        unsafe { (lib().plait_data_unmap)(self.data.raw.get(), self.at, ptr::null_mut()) };
    }
}

/// The memory of data as a slice; tasks that write it wait.
pub struct DataView<'a, T: Element> {
    map: DataMapping<'a, T>,
}

/// The memory of data as a slice that can be written; tasks that use it wait.
pub struct DataViewMut<'a, T: Element> {
    map: DataMapping<'a, T>,
}

impl<T: Element> Deref for DataView<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the mapping is an access of the flow: nothing writes the elements.
        unsafe { std::slice::from_raw_parts(self.map.at.cast(), self.map.data.len()) }
    }
}

impl<T: Element> Deref for DataViewMut<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the mapping is an access of the flow: nothing else uses the elements.
        unsafe { std::slice::from_raw_parts(self.map.at.cast(), self.map.data.len()) }
    }
}

impl<T: Element> DerefMut for DataViewMut<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.map.at.cast(), self.map.data.len()) }
    }
}
