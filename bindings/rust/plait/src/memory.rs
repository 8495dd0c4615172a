// SPDX-License-Identifier: MIT
//! Buffers: typed arrays in device memory, and their mappings.
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::ops::{Bound, Deref, DerefMut, RangeBounds};
use std::os::raw::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, AtomicU8, Ordering};

use plait_sys as raw;

use crate::error::{c_text, call, pointer_of, Error, Result};
use crate::library::{lib, Handle};
use crate::system::Device;

/// An element type of buffers.
///
/// # Safety
///
/// Every bit pattern is a value; `NAME` is the type's name in signatures; size and
/// alignment are equal, at most 8 bytes.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    const NAME: &'static str;
    const ZERO: Self;
}

macro_rules! elements {
    ($($type:ident)*) => { $(
        // SAFETY: a plain number.
        unsafe impl Element for $type {
            const NAME: &'static str = stringify!($type);
            const ZERO: Self = 0 as $type;
        }
    )* };
}

elements! { i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }

/// Copy numbers from or to memory that other threads may access concurrently.  A
/// concurrent store may be seen or not, but each number is loaded and stored whole
/// (relaxed atomics).
///
/// # Safety
///
/// Both pointers are aligned and valid for `count` numbers.
unsafe fn copy_shared<T: Element>(from: *const T, to: *mut T, count: usize) {
    macro_rules! each {
        ($atomic:ident) => {
            for i in 0..count {
                let value = (*from.cast::<$atomic>().add(i)).load(Ordering::Relaxed);
                (*to.cast::<$atomic>().add(i)).store(value, Ordering::Relaxed);
            }
        };
    }
    match size_of::<T>() {
        1 => each!(AtomicU8),
        2 => each!(AtomicU16),
        4 => each!(AtomicU32),
        _ => each!(AtomicU64),
    }
}

/// An array in the memory of a device.
///
/// Work in flight keeps the memory alive; the buffer may be dropped at any time.
pub struct Buffer<T: Element> {
    pub(crate) raw: Handle<raw::plait_buffer>,
    device: Device,
    len: usize,
    elements: PhantomData<T>,
}

/// The format of an image's pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    /// One float.
    R32F,
    /// Four floats.
    Rgba32F,
    /// Four bytes, which are numbers from 0 to 1.
    Rgba8,
}

/// Part of a sampler, whose argument is a sum: interpolate between the four nearest pixels.
pub const SAMPLER_LINEAR: u32 = raw::PLAIT_SAMPLER_LINEAR;
/// Part of a sampler: outside of the image are zeros.
pub const SAMPLER_ZERO: u32 = raw::PLAIT_SAMPLER_ZERO;

// --- creation ------------------------------------------------------------------

fn bytes_of<T: Element>(count: usize) -> Result<u64> {
    (count as u64).checked_mul(size_of::<T>() as u64).ok_or_else(|| {
        Error::invalid(format!("{} elements of {} exceed the address space", count, T::NAME))
    })
}

impl Device {
    fn allocate<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        self.allocate_named(len, None)
    }

    fn allocate_named<T: Element>(&self, len: usize, label: Option<&str>) -> Result<Buffer<T>> {
        self.allocate_with(len, label, 0)
    }

    pub(crate) fn allocate_with<T: Element>(&self, len: usize, label: Option<&str>, flags: u32)
        -> Result<Buffer<T>> {
        let label = label.map(c_text).transpose()?;
        let desc = raw::plait_buffer_desc {
            bytes: bytes_of::<T>(len)?,
            label: pointer_of(&label),
            flags,
            ..Default::default()
        };
        // SAFETY: the label is copied.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_buffer_create)(self.get(), &desc, out, error)
        })?;
        Ok(Buffer { raw, device: self.clone(), len, elements: PhantomData })
    }

    pub(crate) fn allocate_in<T: Element>(&self, world: *mut raw::plait_world, len: usize) -> Result<Buffer<T>> {
        let desc = raw::plait_buffer_desc { bytes: bytes_of::<T>(len)?, ..Default::default() };
        // SAFETY: a world of ours; the description is valid during the call.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_world_buffer)(world, self.get(), &desc, out, error)
        })?;
        Ok(Buffer { raw, device: self.clone(), len, elements: PhantomData })
    }

    /// Create an image of `width` times `height` pixels for kernels with parameters of type
    /// image.  Copies, reads and writes in a queue or graph move whole rows; `T` is the type of
    /// a number of a pixel.  The argument of a sampler is a sum of [`SAMPLER_LINEAR`] and
    /// [`SAMPLER_ZERO`], or 0.
    pub fn image<T: Element>(&self, width: u32, height: u32, format: ImageFormat) -> Result<Buffer<T>> {
        let (kind, pixel) = match format {
            ImageFormat::R32F => (raw::PLAIT_IMAGE_R32F, 4),
            ImageFormat::Rgba32F => (raw::PLAIT_IMAGE_RGBA32F, 16),
            ImageFormat::Rgba8 => (raw::PLAIT_IMAGE_RGBA8, 4),
        };
        let desc = raw::plait_buffer_desc { format: kind, width, height, ..Default::default() };
        // SAFETY: the description is valid during the call.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_buffer_create)(self.get(), &desc, out, error)
        })?;
        let len = width as usize * height as usize * pixel / size_of::<T>();
        Ok(Buffer { raw, device: self.clone(), len, elements: PhantomData })
    }

    /// Create a buffer with a copy of a slice.
    pub fn array<T: Element>(&self, data: &[T]) -> Result<Buffer<T>> {
        let made = self.allocate(data.len())?;
        made.write(data)?;
        Ok(made)
    }

    /// Create a buffer with a copy of a slice, and a name for errors and for plans that are
    /// saved.
    pub fn named_array<T: Element>(&self, data: &[T], label: &str) -> Result<Buffer<T>> {
        let made = self.allocate_named(data.len(), Some(label))?;
        made.write(data)?;
        Ok(made)
    }

    /// Create a buffer of `len` zeros.
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        let made = self.allocate(len)?;
        made.clear()?;
        Ok(made)
    }

    /// Create a buffer on the memory of a vector, without a copy.  The vector is dropped,
    /// on any thread, when neither buffers nor commands use the memory.
    pub fn wrap<T: Element>(&self, data: Vec<T>) -> Result<Buffer<T>> {
        let len = data.len();
        if len == 0 {
            return self.zeros(0);
        }
        let kept = Box::into_raw(Box::new(data));
        let desc = raw::plait_wrap_desc {
            flags: raw::PLAIT_CALL_ANY_THREAD,
            // SAFETY: the box is owned here; its vector neither moves nor grows.
            pointer: unsafe { (*kept).as_mut_ptr().cast() },
            bytes: bytes_of::<T>(len)?,
            released: Some(released::<T>),
            user_data: kept.cast(),
            ..Default::default()
        };
        // SAFETY: the memory lives until plait calls `released`.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_buffer_wrap)(self.get(), &desc, out, error)
        });
        match raw {
            Ok(raw) => Ok(Buffer { raw, device: self.clone(), len, elements: PhantomData }),
            Err(error) => {
                // SAFETY: the call failed, so plait does not own the box.
                drop(unsafe { Box::from_raw(kept) });
                Err(error)
            }
        }
    }
}

unsafe extern "C" fn released<T: Element>(kept: *mut c_void) -> i32 {
    drop(Box::from_raw(kept.cast::<Vec<T>>()));
    0
}

// --- access --------------------------------------------------------------------

impl<T: Element> Buffer<T> {
    /// Write zeros into a buffer that is not shared yet.
    pub(crate) fn clear(&self) -> Result<()> {
        if self.len > 0 {
            let map = Mapping::new(self, raw::PLAIT_MAP_WRITE)?;
            // SAFETY: the mapping has `len` elements.
            unsafe { ptr::write_bytes(map.at.cast::<T>(), 0, self.len) };
        }
        Ok(())
    }

    /// Return the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Return true if the buffer has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Return the device of the buffer.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Return the native handle of a kind of `plait::sys`, such as `PLAIT_NATIVE_CL_MEMORY`,
    /// and the offset of the buffer in it, in bytes.
    pub fn native(&self, kind: u32) -> Result<(u64, u64)> {
        let (mut out, mut offset) = (0, 0);
        // SAFETY: a buffer of ours.
        call(|error| unsafe {
            (lib().plait_buffer_native)(self.raw.get(), kind, &mut out, &mut offset, error)
        })?;
        Ok((out, offset))
    }

    /// Return a buffer on a range of the elements; both share the memory, and each keeps
    /// it alive.
    pub fn view(&self, range: impl RangeBounds<usize>) -> Result<Buffer<T>> {
        let start = match range.start_bound() {
            Bound::Included(start) => *start,
            Bound::Excluded(start) => start.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(end) => end.saturating_add(1),
            Bound::Excluded(end) => *end,
            Bound::Unbounded => self.len,
        };
        if start > end || end > self.len {
            return Err(Error::invalid(format!("elements {} to {} of a buffer that has {}",
                                              start, end, self.len)));
        }
        let (offset, bytes) = (bytes_of::<T>(start)?, bytes_of::<T>(end - start)?);
        // SAFETY: `self` owns the buffer.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_buffer_view)(self.raw.get(), offset, bytes, out, error)
        })?;
        Ok(Buffer { raw, device: self.device.clone(), len: end - start, elements: PhantomData })
    }

    /// Return a copy of the contents now; does not wait for queues.
    pub fn read(&self) -> Result<Vec<T>> {
        let mut data = vec![T::ZERO; self.len];
        if self.len > 0 {
            let map = Mapping::new(self, raw::PLAIT_MAP_READ)?;
            // SAFETY: both have `self.len` elements; Mapping checks the alignment.
            unsafe { copy_shared(map.at.cast(), data.as_mut_ptr(), self.len) };
        }
        Ok(data)
    }

    /// Copy a slice of the same length into the buffer now; does not wait for queues.
    pub fn write(&self, data: &[T]) -> Result<()> {
        if data.len() != self.len {
            return Err(Error::invalid(format!("{} elements for a buffer that has {}", data.len(),
                                              self.len)));
        }
        if self.len > 0 {
            let map = Mapping::new(self, raw::PLAIT_MAP_WRITE)?;
            // SAFETY: both have `self.len` elements; Mapping checks the alignment.
            unsafe { copy_shared(data.as_ptr(), map.at.cast(), self.len) };
        }
        Ok(())
    }

    /// Map the memory for reading until the guard is dropped.
    ///
    /// # Safety
    ///
    /// Until then nothing writes the memory: no work in flight, no other map, no view.
    pub unsafe fn map(&self) -> Result<Mapped<'_, T>> {
        Ok(Mapped { map: Mapping::checked(self, raw::PLAIT_MAP_READ)?, len: self.len })
    }

    /// Map the memory for reading and writing until the guard is dropped.
    ///
    /// # Safety
    ///
    /// Until then nothing else uses the memory: no work in flight, no other map, no view.
    pub unsafe fn map_mut(&mut self) -> Result<MappedMut<'_, T>> {
        let (len, flags) = (self.len, raw::PLAIT_MAP_READ | raw::PLAIT_MAP_WRITE);
        Ok(MappedMut { map: Mapping::checked(self, flags)?, len })
    }
}

impl<T: Element> std::fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer of {} {}", self.len, T::NAME)
    }
}

// --- maps ----------------------------------------------------------------------

/// One mapping of a buffer; `at` is dangling if the buffer is empty.
struct Mapping<'a, T: Element> {
    buffer: &'a Buffer<T>,
    at: *mut c_void,
}

// SAFETY: a mapping is bound to no thread; Mapped and MappedMut guard the memory.
unsafe impl<T: Element> Send for Mapping<'_, T> {}
unsafe impl<T: Element> Sync for Mapping<'_, T> {}

impl<'a, T: Element> Mapping<'a, T> {
    fn new(buffer: &'a Buffer<T>, flags: u32) -> Result<Mapping<'a, T>> {
        let mut at = ptr::null_mut();
        let bytes = bytes_of::<T>(buffer.len)?;
        // SAFETY: the mapping borrows the buffer, which outlives it.
        call(|error| unsafe {
            (lib().plait_buffer_map)(buffer.raw.get(), 0, bytes, flags, &mut at, error)
        })?;
        let made = Mapping { buffer, at };
        if at as usize % align_of::<T>() != 0 {
            return Err(Error::invalid(format!("the memory is not aligned for {}", T::NAME)));
        }
        Ok(made)
    }

    fn checked(buffer: &'a Buffer<T>, flags: u32) -> Result<Mapping<'a, T>> {
        match buffer.len {
            0 => Ok(Mapping { buffer, at: ptr::NonNull::<T>::dangling().as_ptr().cast() }),
            _ => Mapping::new(buffer, flags),
        }
    }
}

impl<T: Element> Drop for Mapping<'_, T> {
    fn drop(&mut self) {
        // SAFETY: `at` was mapped by new(); an empty buffer was not mapped.
        if self.buffer.len > 0 {
            unsafe {
                (lib().plait_buffer_unmap)(self.buffer.raw.get(), self.at, ptr::null_mut());
            }
        }
    }
}

/// A buffer's memory as a slice.
pub struct Mapped<'a, T: Element> {
    map: Mapping<'a, T>,
    len: usize,
}

/// A buffer's memory as a slice that can be written.
pub struct MappedMut<'a, T: Element> {
    map: Mapping<'a, T>,
    len: usize,
}

impl<T: Element> Deref for Mapped<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `len` aligned numbers; the caller of map() promised that none is written.
        unsafe { std::slice::from_raw_parts(self.map.at.cast(), self.len) }
    }
}

impl<T: Element> Deref for MappedMut<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.map.at.cast(), self.len) }
    }
}

impl<T: Element> DerefMut for MappedMut<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above; the caller of map_mut() promised exclusive use.
        unsafe { std::slice::from_raw_parts_mut(self.map.at.cast(), self.len) }
    }
}
