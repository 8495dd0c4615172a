// SPDX-License-Identifier: MIT
//! Strided copies: rows and slices.

use crate::error::{Error, Result};
use plait_sys as raw;

/// The shape of a strided copy: slices of rows of elements.  Target and source each have
/// two pitches, in elements: from the start of one row, or slice, to the next; 0, the
/// default: contiguous.
///
/// ```text
/// // The second column of a table with three columns.
/// queue.copy_rows(&column, &table.view(1..)?, Rows::new(1, 100).source(3, 0))?;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    length: usize,
    rows: usize,
    slices: usize,
    target: (usize, usize),
    source: (usize, usize),
}

impl Rows {
    /// Describe `rows` rows of `length` elements, in one slice.
    pub fn new(length: usize, rows: usize) -> Rows {
        Rows { length, rows, slices: 1, target: (0, 0), source: (0, 0) }
    }

    /// Set the number of slices; default 1.
    pub fn slices(mut self, slices: usize) -> Rows {
        self.slices = slices;
        self
    }

    /// Set the row pitch and the slice pitch of the target, in elements.
    pub fn target(mut self, row: usize, slice: usize) -> Rows {
        self.target = (row, slice);
        self
    }

    /// Set the row pitch and the slice pitch of the source, in elements.
    pub fn source(mut self, row: usize, slice: usize) -> Rows {
        self.source = (row, slice);
        self
    }

    /// Return the bytes of a row and the plait_rows, for elements of `size` bytes.
    pub(crate) fn raw(&self, size: usize) -> Result<(u64, raw::plait_rows)> {
        let bytes = |count: usize| {
            count.checked_mul(size).map(|bytes| bytes as u64).ok_or_else(|| {
                Error::invalid(format!("rows: {} elements exceed the address space", count))
            })
        };
        // An empty copy: plait_rows reads 0 rows or slices as 1.
        let length = if self.rows == 0 || self.slices == 0 { 0 } else { self.length };
        Ok((bytes(length)?, raw::plait_rows {
            rows: self.rows as u64,
            slices: self.slices as u64,
            target_row: bytes(self.target.0)?,
            target_slice: bytes(self.target.1)?,
            source_row: bytes(self.source.0)?,
            source_slice: bytes(self.source.1)?,
            ..Default::default()
        }))
    }
}
