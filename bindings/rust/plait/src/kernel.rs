// SPDX-License-Identifier: MIT
//! Kernels, and the conversion of their launch arguments.
use std::ffi::CString;
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;

use plait_sys as raw;

use crate::access::{Accessed, KeptAccess};
use crate::error::{c_text, call, fill_text, pointer_of, Error, Result, Status};
use crate::library::{lib, Handle};
use crate::memory::{Buffer, Element};
use crate::system::{Device, System};

// --- arguments -----------------------------------------------------------------

#[derive(Clone, Copy)]
pub(crate) enum Kind<'a> {
    Integer(i128),
    Float(f64),
    Bool(bool),
    Buffer(*mut raw::plait_buffer, &'static str),
    /// A vector: its bytes, the type and the number of its elements.
    Vector(&'a [u8], &'static str, usize),
    /// The bytes of a struct.
    Bytes(&'a [u8]),
    /// Memory of the program: its address, its bytes, and whether a run may write to it.
    Memory(*mut u8, usize, bool),
    Parameter(&'a str),
    /// A value in memory that a run sets: the parameter, and an offset in bytes.
    HostValue(&'a str, u64),
    Turn(u64, u64),
    Iteration,
    Series(raw::plait_series),
    Scratch,
    /// Data of a flow.
    Access(Accessed<'a>),
    /// The items of a piece of a split launch.
    Chunk,
}

/// A kernel argument: a number (of local memory: its bytes for each group), a buffer, a parameter of the run, or a value of the
/// iteration.  [`args!`](crate::args) makes a list of them.
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    pub(crate) kind: Kind<'a>,
    buffer: PhantomData<&'a ()>,
}

impl<'a> Argument<'a> {
    pub(crate) fn new(kind: Kind<'a>) -> Argument<'a> {
        Argument { kind, buffer: PhantomData }
    }
}

macro_rules! integers {
    ($($type:ident)*) => { $(
        impl From<$type> for Argument<'_> {
            fn from(value: $type) -> Self {
                Argument::new(Kind::Integer(value as i128))
            }
        }
    )* };
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

impl From<f32> for Argument<'_> {
    fn from(value: f32) -> Self {
        Argument::new(Kind::Float(value.into()))
    }
}

impl From<f64> for Argument<'_> {
    fn from(value: f64) -> Self {
        Argument::new(Kind::Float(value))
    }
}

impl From<bool> for Argument<'_> {
    fn from(value: bool) -> Self {
        Argument::new(Kind::Bool(value))
    }
}

impl<'a, T: Element> From<&'a Buffer<T>> for Argument<'a> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        Argument::new(Kind::Buffer(buffer.raw.get(), T::NAME))
    }
}

impl<'a, T: Element, const N: usize> From<&'a [T; N]> for Argument<'a> {
    /// A vector: `&[1f32, 2., 3., 4.]` is an `f32x4`.
    fn from(values: &'a [T; N]) -> Self {
        // SAFETY: elements are plain numbers.
        let bytes = unsafe {
            std::slice::from_raw_parts(values.as_ptr().cast(), std::mem::size_of_val(values))
        };
        Argument::new(Kind::Vector(bytes, T::NAME, N))
    }
}

/// Return an argument: a struct, as its bytes.
pub fn bytes(given: &[u8]) -> Argument<'_> {
    Argument::new(Kind::Bytes(given))
}

/// Return memory of the program that a run reads: a parameter of
/// [`Graph::write`](crate::Graph::write).
pub fn memory<T: Element>(given: &[T]) -> Argument<'_> {
    let address = given.as_ptr() as *mut u8;
    Argument::new(Kind::Memory(address, std::mem::size_of_val(given), false))
}

/// Return memory of the program that a run writes: a parameter of
/// [`Graph::read`](crate::Graph::read).
pub fn memory_mut<T: Element>(given: &mut [T]) -> Argument<'_> {
    Argument::new(Kind::Memory(given.as_mut_ptr().cast(), std::mem::size_of_val(given), true))
}

/// A parameter that each run of a plan sets by name; see [`Plan::call`](crate::Plan::call).
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a>(pub(crate) &'a str);

/// Return an argument, or a number of items, that each run of a plan sets.
pub fn parameter(name: &str) -> Parameter<'_> {
    Parameter(name)
}

impl<'a> From<Parameter<'a>> for Argument<'a> {
    fn from(parameter: Parameter<'a>) -> Self {
        Argument::new(Kind::Parameter(parameter.0))
    }
}

/// Return an argument: a value in the memory that each run sets for a parameter of
/// [`Graph::read`](crate::Graph::read) and [`Graph::write`](crate::Graph::write), `offset`
/// bytes from its start.  The launch reads it when all nodes before it are complete, in each
/// iteration again.
pub fn host_value(name: &str, offset: u64) -> Argument<'_> {
    Argument::new(Kind::HostValue(name, offset))
}

/// Return an argument: the iteration number of the enclosing loop, from 0.
pub fn iteration() -> Argument<'static> {
    Argument::new(Kind::Iteration)
}

/// A number that follows the iteration i of the enclosing loop, at first i itself: an
/// argument, or the items of a launch ([`Adding::series`](crate::Adding::series)).
#[derive(Clone, Copy)]
pub struct Series(pub(crate) raw::plait_series);

impl Default for Series {
    fn default() -> Self {
        Series(raw::plait_series { scale: 1, ..Default::default() })
    }
}

impl Series {
    /// Start with the iteration.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leave the items of a dimension as they are.
    pub fn none() -> Self {
        Series(raw::plait_series::default())
    }

    /// Multiply the iteration.
    pub fn scale(mut self, scale: i64) -> Self {
        self.0.scale = scale;
        self
    }

    /// Add a number.
    pub fn offset(mut self, offset: i64) -> Self {
        self.0.offset = offset;
        self
    }

    /// Add the count of the loop, which is one of [`Graph::repeat`](crate::Graph::repeat).
    pub fn from_count(mut self) -> Self {
        self.0.flags |= raw::PLAIT_SERIES_FROM_COUNT;
        self
    }

    /// Set the most that the number may be; 0, the default: no limit.
    pub fn limit(mut self, limit: i64) -> Self {
        self.0.limit = limit;
        self
    }
}

impl From<Series> for Argument<'_> {
    fn from(series: Series) -> Self {
        Argument::new(Kind::Series(series.0))
    }
}

/// Return an argument: scratch memory of the node; see
/// [`Adding::scratch_bytes`](crate::Adding::scratch_bytes).
pub fn scratch() -> Argument<'static> {
    Argument::new(Kind::Scratch)
}

/// A ring of buffers that advances by one per loop iteration; see
/// [`Graph::rotate`](crate::Graph::rotate).
#[derive(Clone, Copy, Debug)]
pub struct Rotation(pub(crate) u64);

impl Rotation {
    /// Return an argument: the buffer of this iteration.
    pub fn now(&self) -> Argument<'static> {
        self.ahead(0)
    }

    /// Return an argument: the buffer of the next iteration.
    pub fn next(&self) -> Argument<'static> {
        self.ahead(1)
    }

    /// Return an argument: the buffer of the iteration `count` after this.
    pub fn ahead(&self, count: u64) -> Argument<'static> {
        Argument::new(Kind::Turn(self.0, count))
    }
}

// --- numbers -------------------------------------------------------------------

/// A number in its C representation: at most 8 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub(crate) bytes: [u8; 8],
    pub(crate) len: u64,
}

impl Number {
    fn new(given: &[u8]) -> Number {
        let mut bytes = [0; 8];
        bytes[..given.len()].copy_from_slice(given);
        Number { bytes, len: given.len() as u64 }
    }
}

fn integer(value: i128, name: &str) -> Option<Number> {
    macro_rules! of {
        ($type:ident) => {
            $type::try_from(value).ok().map(|value| Number::new(&value.to_ne_bytes()))
        };
    }
    match name {
        "i8" | "char" => of!(i8),
        "i16" => of!(i16),
        "i32" => of!(i32),
        "i64" => of!(i64),
        "u8" => of!(u8),
        "u16" => of!(u16),
        "u32" | "sampler" => of!(u32),
        "u64" => of!(u64),
        "f32" => Some(Number::new(&(value as f32).to_ne_bytes())),
        "f64" => Some(Number::new(&(value as f64).to_ne_bytes())),
        _ => None,
    }
}

/// Convert a number to the kernel type `name`; refuse one that C would truncate.
pub(crate) fn number(kind: Kind<'_>, name: &str, what: &str) -> Result<Number> {
    match (kind, name) {
        (Kind::Integer(value), _) => integer(value, name)
            .ok_or_else(|| Error::invalid(format!("{}: {} is not a {}", what, value, name))),
        (Kind::Float(value), "f32") => Ok(Number::new(&(value as f32).to_ne_bytes())),
        (Kind::Float(value), "f64") => Ok(Number::new(&value.to_ne_bytes())),
        (Kind::Float(value), _) => Err(Error::invalid(format!("{}: {} is not a {}", what, value,
                                                              name))),
        (Kind::Bool(value), "bool") => Ok(Number::new(&[value as u8])),
        _ => Err(Error::invalid(format!("{}: give it a number of type {}", what, name))),
    }
}

/// Return the bytes of a vector or struct for the type `name`: `f32x4`, or `struct 24`.
pub(crate) fn aggregate<'a>(
    kind: Kind<'a>,
    name: &str,
    what: impl Fn() -> String,
) -> Option<Result<&'a [u8]>> {
    let wanted = name.strip_prefix("struct ");
    match (kind, wanted) {
        (Kind::Bytes(given), Some(bytes)) if given.len().to_string() == bytes => Some(Ok(given)),
        (_, Some(bytes)) => Some(Err(Error::invalid(format!(
            "{} is a struct: give it {} bytes", what(), bytes)))),
        (Kind::Vector(given, lane, lanes), None) if format!("{}x{}", lane, lanes) == name =>
            Some(Ok(given)),
        (_, None) if name.contains('x') => Some(Err(Error::invalid(format!(
            "{} is a vector: give it an array of type {}", what(), name)))),
        _ => None,
    }
}

// --- kernels -------------------------------------------------------------------

#[derive(Debug)]
struct Wanted {
    name: String,
    /// The type of a number, of a pointee, or of the elements of local memory.
    kind: String,
    pointer: bool,
    local: bool,
    /// A number behind the pointer of an array, which a flow adds.
    place: bool,
}

/// Return the last word of a type, or `struct` and its size, which is 48 for a chunk.
fn type_of(words: &str) -> String {
    if words.trim() == "chunk" {
        return "struct 48".into();
    }
    let mut words = words.split_whitespace();
    if words.clone().next() != Some("struct") {
        return words.last().unwrap_or("").into();
    }
    format!("struct {}", words.find(|word| word.parse::<u32>().is_ok()).unwrap_or(""))
}

/// Numbers behind the pointer of an array.
const PLACES: [(&str, &str); 3] = [("_at", "i64"), ("_pitch", "u64"), ("_slice", "u64")];

/// Return a parameter, and the numbers of an array.
fn parse_parameter(part: &str) -> Vec<Wanted> {
    let (name, words) = part.split_once(':').unwrap_or((part, ""));
    let name = name.trim();
    let dimensions = words.split_whitespace()
        .find_map(|word| word.strip_prefix("array")?.parse::<usize>().ok()).unwrap_or(0);
    let mut made = vec![Wanted {
        name: name.into(),
        kind: type_of(words),
        pointer: dimensions > 0 || words.split_whitespace().any(|word| word == "pointer" || word == "image"),
        local: words.split_whitespace().next() == Some("local"),
        place: false,
    }];
    made.extend(PLACES.iter().take(dimensions).map(|(suffix, kind)| Wanted {
        name: format!("{}{}", name, suffix),
        kind: (*kind).into(),
        pointer: false,
        local: false,
        place: true,
    }));
    made
}

/// Return the parameters of a signature that plait accepted.
fn parse(signature: &str) -> Vec<Wanted> {
    let inside = signature.split_once('(').map_or("", |(_, rest)| rest);
    let inside = inside.rsplit_once(')').map_or("", |(inside, _)| inside);
    let parts = inside.split(',').filter(|part| !part.trim().is_empty());
    parts.flat_map(parse_parameter).collect()
}

/// A C array of arguments, and the data that its pointers refer to.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) array: Vec<raw::plait_argument>,
    numbers: Vec<Number>,
    names: Vec<CString>,
    /// Arguments point to them.
    series: Vec<Box<raw::plait_series>>,
    accesses: Vec<Box<KeptAccess>>,
    /// Pointer parameters, with their pointee types.
    pub(crate) pointers: Vec<(String, String)>,
}

/// A kernel: code and its signature.
pub struct Kernel {
    pub(crate) raw: Handle<raw::plait_kernel>,
    name: String,
    wanted: Vec<Wanted>,
}

impl Kernel {
    /// Return the name in the signature.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Convert the arguments of a launch in a queue or graph.
    pub(crate) fn arguments(&self, given: &[Argument<'_>]) -> Result<Arguments> {
        self.convert(given, self.wanted.iter().collect())
    }

    /// Convert the arguments of a launch in a flow, which adds the numbers of arrays.
    pub(crate) fn flow_arguments(&self, given: &[Argument<'_>]) -> Result<Arguments> {
        self.convert(given, self.wanted.iter().filter(|one| !one.place).collect())
    }

    fn convert(&self, given: &[Argument<'_>], parameters: Vec<&Wanted>) -> Result<Arguments> {
        if given.len() != parameters.len() {
            let names: Vec<&str> = parameters.iter().map(|one| one.name.as_str()).collect();
            return Err(Error::invalid(format!("{} takes {} arguments ({}), not {}", self.name,
                                              parameters.len(), names.join(", "), given.len())));
        }
        let mut made = Arguments {
            // Arguments point into this vector: it must not reallocate.
            numbers: Vec::with_capacity(given.len()),
            ..Default::default()
        };
        for (i, (given, wanted)) in given.iter().zip(parameters).enumerate() {
            let what = || format!("{}: argument {} \"{}\"", self.name, i, wanted.name);
            let argument = made.one(given.kind, wanted, what)?;
            made.array.push(argument);
        }
        Ok(made)
    }
}

impl Arguments {
    fn one(
        &mut self,
        given: Kind<'_>,
        wanted: &Wanted,
        what: impl Fn() -> String,
    ) -> Result<raw::plait_argument> {
        let mut argument = raw::plait_argument::default();
        match given {
            Kind::Parameter(name) => {
                if wanted.pointer {
                    self.pointers.push((name.into(), wanted.kind.clone()));
                }
                self.names.push(c_text(name)?); // the text does not move with its CString
                argument.kind = raw::PLAIT_ARGUMENT_PARAMETER;
                argument.name = self.names[self.names.len() - 1].as_ptr();
            }
            Kind::HostValue(name, offset) => {
                self.names.push(c_text(name)?); // the text does not move with its CString
                argument.kind = raw::PLAIT_ARGUMENT_HOST;
                argument.name = self.names[self.names.len() - 1].as_ptr();
                argument.offset_bytes = offset;
            }
            Kind::Turn(rotation, ahead) => {
                argument.kind = raw::PLAIT_ARGUMENT_ROTATION;
                argument.rotation = rotation;
                argument.ahead = ahead;
            }
            Kind::Iteration => argument.kind = raw::PLAIT_ARGUMENT_ITERATION,
            Kind::Series(series) => {
                self.series.push(Box::new(series));
                argument.kind = raw::PLAIT_ARGUMENT_ITERATION;
                argument.series = &*self.series[self.series.len() - 1];
            }
            Kind::Scratch => argument.kind = raw::PLAIT_ARGUMENT_SCRATCH,
            Kind::Chunk => argument.kind = raw::PLAIT_ARGUMENT_CHUNK,
            Kind::Access(given) if wanted.pointer => {
                check_pointer(given.place.element, &wanted.kind, &what)?;
                argument.kind = raw::PLAIT_ARGUMENT_ACCESS;
                self.accesses.push(KeptAccess::new(given));
                let last: *const _ = &self.accesses[self.accesses.len() - 1].raw;
                argument.value = last.cast();
            }
            Kind::Buffer(buffer, element) if wanted.pointer => {
                check_pointer(element, &wanted.kind, &what)?;
                argument.kind = raw::PLAIT_ARGUMENT_BUFFER;
                argument.buffer = buffer;
            }
            _ if wanted.pointer => {
                return Err(Error::invalid(format!("{} is a pointer: give it a buffer", what())));
            }
            Kind::Integer(bytes) if wanted.local => {
                argument.kind = raw::PLAIT_ARGUMENT_LOCAL;
                argument.bytes = u64::try_from(bytes)
                    .map_err(|_| Error::invalid(format!("{}: {} is no number of bytes", what(), bytes)))?;
            }
            _ if wanted.local => {
                let text = format!("{} is local memory: give its bytes, an integer", what());
                return Err(Error::invalid(text));
            }
            _ => {
                argument.kind = raw::PLAIT_ARGUMENT_VALUE;
                if let Some(bytes) = aggregate(given, &wanted.kind, &what) {
                    let bytes = bytes?;
                    argument.value = bytes.as_ptr().cast();
                    argument.bytes = bytes.len() as u64;
                    return Ok(argument);
                }
                self.numbers.push(number(given, &wanted.kind, &what())?);
                let last = &self.numbers[self.numbers.len() - 1];
                argument.value = last.bytes.as_ptr().cast();
                argument.bytes = last.len;
            }
        }
        Ok(argument)
    }
}

pub(crate) fn check_pointer(
    element: &str,
    wanted: &str,
    what: impl Fn() -> String,
) -> Result<()> {
    let same = match wanted {
        "pointer" | "image" => true, // to anything
        "char" | "bool" => element == "i8" || element == "u8",
        kind => kind == element,
    };
    if same {
        return Ok(());
    }
    Err(Error::invalid(format!("{} is a pointer to {}, the buffer has {}", what(), wanted,
                               element)))
}

// --- geometry ------------------------------------------------------------------

/// The size of a launch, in items, in up to three dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Items<'a> {
    pub(crate) sizes: [u64; 3],
    pub(crate) dimensions: u32,
    pub(crate) parameter: Option<&'a str>,
}

impl Items<'_> {
    pub(crate) fn launch(&self, group: [u64; 3]) -> raw::plait_launch {
        raw::plait_launch {
            dimensions: self.dimensions,
            items: self.sizes,
            group,
            ..Default::default()
        }
    }
}

impl From<usize> for Items<'_> {
    fn from(x: usize) -> Self {
        Items { sizes: [x as u64, 0, 0], dimensions: 1, parameter: None }
    }
}

impl From<(usize, usize)> for Items<'_> {
    fn from((x, y): (usize, usize)) -> Self {
        Items { sizes: [x as u64, y as u64, 0], dimensions: 2, parameter: None }
    }
}

impl From<(usize, usize, usize)> for Items<'_> {
    fn from((x, y, z): (usize, usize, usize)) -> Self {
        Items { sizes: [x as u64, y as u64, z as u64], dimensions: 3, parameter: None }
    }
}

impl<'a> From<Parameter<'a>> for Items<'a> {
    fn from(parameter: Parameter<'a>) -> Self {
        Items { sizes: [0; 3], dimensions: 1, parameter: Some(parameter.0) }
    }
}

// --- creation ------------------------------------------------------------------

/// A builder of a kernel: one text for all backends, one per backend, or a function of a
/// shared library.
#[derive(Clone, Debug, Default)]
pub struct KernelBuilder {
    signature: String,
    texts: Vec<(u32, String)>,
    library: Option<String>,
    symbol: Option<String>,
    defines: Option<String>,
    options: Option<String>,
    file: Option<String>,
    flags: u32,
    grain: u64,
    before: Vec<(String, String)>,
}

impl KernelBuilder {
    /// Start with the signature; the code is set by the other methods.
    pub fn new(signature: &str) -> KernelBuilder {
        KernelBuilder { signature: signature.into(), ..Default::default() }
    }

    /// Start with a file of portable source; the comment `NAME(...)` in the file is the
    /// signature.
    pub fn read(path: &Path) -> Result<KernelBuilder> {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| {
                let text = format!("kernel_file: {}: {}; give the path of a .plk file", shown, error);
                Error::new(Status::Unavailable, text)
            })?;
        let name = path.file_stem().map_or("".into(), |name| name.to_string_lossy());
        let start = format!("/* {}(", name);
        let found = text.find(&start).and_then(|at| {
            let rest = &text[at + 3..];
            rest.find(')').map(|end| rest[..=end].to_string())
        });
        let signature = found.ok_or_else(|| {
            Error::invalid(format!("{} has no comment with the signature {}(...)", shown, name))
        })?;
        Ok(KernelBuilder::new(&signature).portable(&text).file(&shown.to_string()))
    }

    fn text(mut self, form: u32, text: &str) -> KernelBuilder {
        self.texts.push((form, text.into()));
        self
    }

    /// Set portable source, for all backends.
    pub fn portable(self, text: &str) -> KernelBuilder {
        self.text(raw::PLAIT_SOURCE_PORTABLE, text)
    }

    /// Set C source, for the host.
    pub fn host(self, text: &str) -> KernelBuilder {
        self.text(raw::PLAIT_SOURCE_C, text)
    }

    /// Set OpenCL C source.
    pub fn opencl(self, text: &str) -> KernelBuilder {
        self.text(raw::PLAIT_SOURCE_OPENCL_C, text)
    }

    /// Set CUDA C++ source.
    pub fn cuda(self, text: &str) -> KernelBuilder {
        self.text(raw::PLAIT_SOURCE_CUDA_C, text)
    }

    /// Set the shared library of a compiled C function; the default of
    /// [`KernelBuilder::symbol`] is the kernel's name.
    pub fn library(mut self, path: &str) -> KernelBuilder {
        self.library = Some(path.into());
        self
    }

    /// Set the symbol of the function in the library.
    pub fn symbol(mut self, name: &str) -> KernelBuilder {
        self.symbol = Some(name.into());
        self
    }

    /// Set macro definitions: `NAME=VALUE` or `NAME`, separated by spaces.
    pub fn defines(mut self, text: &str) -> KernelBuilder {
        self.defines = Some(text.into());
        self
    }

    /// Set compiler options.
    pub fn options(mut self, text: &str) -> KernelBuilder {
        self.options = Some(text.into());
        self
    }

    /// Set the name that compiler messages give the source.
    pub fn file(mut self, name: &str) -> KernelBuilder {
        self.file = Some(name.into());
        self
    }

    /// Add a text that comes before the source, as if it included it, with the name of its file.
    pub fn before(mut self, file: &str, text: &str) -> KernelBuilder {
        self.before.push((file.into(), text.into()));
        self
    }

    /// Round every operation separately: no fused multiply-add.
    pub fn strict(mut self) -> KernelBuilder {
        self.flags |= raw::PLAIT_SOURCE_STRICT;
        self
    }

    /// Let the compiler reorder arithmetic.
    pub fn fast(mut self) -> KernelBuilder {
        self.flags |= raw::PLAIT_SOURCE_FAST;
        self
    }

    /// Promise that no two pointers of a launch address the same memory.
    pub fn no_alias(mut self) -> KernelBuilder {
        self.flags |= raw::PLAIT_SOURCE_NO_ALIAS;
        self
    }

    /// Set the fewest items per call of a compiled range function.
    pub fn grain(mut self, items: u64) -> KernelBuilder {
        self.grain = items;
        self
    }

    /// Return the portable source in the language of a backend: `PLAIT_SOURCE_C`,
    /// `PLAIT_SOURCE_OPENCL_C` or `PLAIT_SOURCE_CUDA_C` of `plait::sys`.
    pub fn source_text(&self, form: u32) -> Result<String> {
        crate::library::load()?;
        let (signature, defines) = (c_text(&self.signature)?, self.defines.as_deref().map(c_text).transpose()?);
        let code = self.texts.iter().find(|(form, _)| *form == raw::PLAIT_SOURCE_PORTABLE);
        let (_, code) = code.ok_or_else(|| Error::invalid("source_text: no portable source"))?;
        let source = raw::plait_source {
            form: raw::PLAIT_SOURCE_PORTABLE,
            code: code.as_ptr().cast(),
            bytes: code.len() as u64,
            defines: pointer_of(&defines),
            ..Default::default()
        };
        fill_text(|room, bytes, needed| {
            // SAFETY: `room` has `bytes` bytes, or is null.
            call(|error| unsafe {
                (lib().plait_source_text)(signature.as_ptr(), &source, form, room.cast(), bytes,
                                          needed, error)
            })?;
            Ok(())
        })
    }

    /// Compile the kernel.
    ///
    /// # Safety
    ///
    /// As [`System::kernel`].
    pub unsafe fn build(self, system: &System) -> Result<Kernel> {
        let text = |text: &Option<String>| text.as_deref().map(c_text).transpose();
        let signature = c_text(&self.signature)?;
        let (library, symbol) = (text(&self.library)?, text(&self.symbol)?);
        let (defines, options, file) =
            (text(&self.defines)?, text(&self.options)?, text(&self.file)?);
        let names: Vec<_> = self.before.iter().map(|(file, _)| c_text(file)).collect::<Result<_>>()?;
        let before: Vec<raw::plait_source> = names.iter().zip(&self.before)
            .map(|(file, (_, code))| raw::plait_source {
                code: code.as_ptr().cast(),
                bytes: code.len() as u64,
                file: file.as_ptr(),
                ..Default::default()
            }).collect();
        let source = |(form, code): &(u32, String)| raw::plait_source {
            before: if before.is_empty() { ptr::null() } else { before.as_ptr() },
            before_count: before.len() as u64,
            form: *form,
            code: code.as_ptr().cast(),
            bytes: code.len() as u64,
            defines: pointer_of(&defines),
            options: pointer_of(&options),
            file: pointer_of(&file),
            flags: self.flags,
            ..Default::default()
        };
        let sources: Vec<raw::plait_source> = self.texts.iter().map(source).collect();
        let desc = raw::plait_kernel_desc {
            signature: signature.as_ptr(),
            library: pointer_of(&library),
            symbol: pointer_of(&symbol),
            sources: if sources.is_empty() { ptr::null() } else { sources.as_ptr() },
            source_count: sources.len() as u64,
            grain: self.grain,
            ..Default::default()
        };
        Kernel::new(Handle::make(|out, error| {
            (lib().plait_kernel_create)(system.context(), &desc, out, error)
        })?)
    }
}

impl Kernel {
    fn new(raw: Handle<raw::plait_kernel>) -> Result<Kernel> {
        let whole = fill_text(|room, bytes, needed| {
            // SAFETY: `room` has `bytes` bytes, or is null.
            call(|error| unsafe {
                (lib().plait_kernel_signature)(raw.get(), room.cast(), bytes, needed, error)
            })?;
            Ok(())
        })?;
        let name = whole.split('(').next().unwrap_or("").trim().into();
        Ok(Kernel { raw, name, wanted: parse(&whole) })
    }

    /// What the compiler wrote about the code for a device, with the warnings of a build that
    /// succeeded; empty for functions, and for code from the cache.
    pub fn messages(&self, device: &Device) -> Result<String> {
        fill_text(|room, bytes, needed| {
            // SAFETY: `room` has `bytes` bytes, or is null; the others are ours.
            call(|error| unsafe {
                (lib().plait_kernel_messages)(
                    self.raw.get(), device.get(), room.cast(), bytes, needed, error)
            })?;
            Ok(())
        })
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.wanted.iter().map(|one| one.name.as_str()).collect();
        write!(f, "Kernel {}({})", self.name, names.join(", "))
    }
}
