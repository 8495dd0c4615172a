// SPDX-License-Identifier: MIT
//! Rows and slices of a copy.

use crate::error::{Error, Result};
use plait_sys as raw;

/// What a copy has instead of one piece: rows of so many elements, and all that several
/// times.  How far it is from the start of one row to that of the next, and from slice
/// to slice, is said of both sides, in elements; 0, or nothing said: right behind.
///
/// ```text
/// // The second column of a table with three.
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
    /// So many rows of `length` elements.
    pub fn new(length: usize, rows: usize) -> Rows {
        Rows { length, rows, slices: 1, target: (0, 0), source: (0, 0) }
    }

    /// All that so many times.
    pub fn slices(mut self, slices: usize) -> Rows {
        self.slices = slices;
        self
    }

    /// From row to row and from slice to slice of the target.
    pub fn target(mut self, row: usize, slice: usize) -> Rows {
        self.target = (row, slice);
        self
    }

    /// From row to row and from slice to slice of the source.
    pub fn source(mut self, row: usize, slice: usize) -> Rows {
        self.source = (row, slice);
        self
    }

    /// The bytes of a row, and all else, of elements of that size.
    pub(crate) fn raw(&self, size: usize) -> Result<(u64, raw::plait_rows)> {
        let bytes = |count: usize| {
            count.checked_mul(size).map(|bytes| bytes as u64).ok_or_else(|| {
                Error::invalid(format!("rows: {} elements are more than memory has", count))
            })
        };
        // No rows are none; as 0 they would be one.
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
