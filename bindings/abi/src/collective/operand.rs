//! The data of a reduction: elements in memory layout, an extent apart.
//!
//! Before: (address, count, datatype, operation). After: bytes that the algorithms send and
//! combine, and a [`Combination`] that knows how.
//!
//! Predefined operations work on the program's own memory where its elements have no gaps. All
//! other data is copied into memory of its own, whose gaps hold nothing:
//!
//! ```text
//! program:   | lb ... data .. gap .. data ... |        copy:  base = -lowest byte
//!            |◀────────── extent ────────────▶|               | element 0 | element 1 | ...
//! ```
//!
//! Invariant: bytes in gaps of the program's memory are neither read nor written.

use std::rc::Rc;

use pamir_mpi::datatype::{Cursor, Datatype, Primitive};
use pamir_mpi::op::{Op, Operation, combine};
use pamir_transport::collective::Reduction;

use crate::collective::reducing::is_in_place;
use crate::constants::*;
use crate::data::{Span, check_address};
use crate::error::{ErrorClass, Result};
use crate::process::State;
use crate::types::{MPI_Datatype, MPI_Op};

/// What is done to the elements.
pub struct Combination {
    kind: Kind,
    element_bytes: usize,
    /// Elements in each `element_bytes`: more than one where they overlap or run backwards.
    elements: usize,
    commutative: bool,
}

enum Kind {
    Predefined(Operation, Primitive),
    User {
        operation: pamir_mpi::op::UserOperation,
        datatype: MPI_Datatype,
        extent: isize,
        /// Where element 0's address lies in the copy.
        base: isize,
    },
}

impl Reduction for Combination {
    fn combine(&self, incoming: &[u8], inout: &mut [u8]) {
        let count = inout.len() / self.element_bytes.max(1) * self.elements;
        match &self.kind {
            Kind::Predefined(operation, primitive) => {
                combine(*operation, *primitive, incoming, inout, count)
                    .expect("operation, type and lengths were checked when the call began");
            }
            Kind::User {
                operation,
                datatype,
                extent,
                base,
            } => {
                let incoming = incoming.as_ptr().wrapping_offset(*base);
                let inout = inout.as_mut_ptr().wrapping_offset(*base);
                // SAFETY: both slices hold `count` elements of the datatype in the layout that
                // `Layout` made, with element 0 at `base`; they do not overlap, as slices.
                unsafe { operation.combine(incoming, inout, count, *extent, datatype.0 as u64) };
            }
        }
    }

    fn commutative(&self) -> bool {
        self.commutative
    }

    fn element_bytes(&self) -> usize {
        self.element_bytes
    }
}

/// How elements of a datatype lie in a copy.
#[derive(Clone)]
pub struct Layout {
    datatype: Rc<Datatype>,
    /// Bytes from one element to the next in the copy.
    pub element_bytes: usize,
    regular: bool,
    /// Elements lie side by side, so that the program's memory is its own copy.
    dense: bool,
}

impl Layout {
    fn new(datatype: Rc<Datatype>) -> Self {
        let (low, high) = (datatype.true_lower_bound(), datatype.true_upper_bound());
        let extent = datatype.extent();
        let regular =
            extent > 0 && low >= datatype.lower_bound() && high <= datatype.lower_bound() + extent;
        let dense = datatype.dense();
        Self {
            element_bytes: extent.max(0) as usize,
            datatype,
            regular,
            dense,
        }
    }

    /// Bytes that `count` elements take in a copy.
    pub fn bytes(&self, count: usize) -> usize {
        if self.regular {
            self.element_bytes * count
        } else {
            self.datatype.span(count).1
        }
    }

    /// Where element 0's address lies in a copy.
    fn base(&self, count: usize) -> isize {
        let low = if self.regular {
            self.datatype.lower_bound()
        } else {
            self.datatype.span(count).0
        };
        -(low as isize)
    }

    /// A copy of `count` elements at `address`.
    ///
    /// # Safety
    ///
    /// The elements are readable.
    unsafe fn load(&self, address: *const u8, count: usize) -> Vec<u8> {
        let mut copy = vec![0; self.bytes(count)];
        let base = copy.as_mut_ptr().wrapping_offset(self.base(count));
        // SAFETY: the caller vouches for the program's memory; the copy was made for the
        // elements, and nobody else knows it.
        unsafe {
            let mut from = Cursor::new(&self.datatype, count, address.cast_mut());
            from.copy_to(&mut Cursor::new(&self.datatype, count, base));
        }
        copy
    }

    /// Puts `count` elements of a copy to `address`.
    ///
    /// # Safety
    ///
    /// The elements are writable.
    unsafe fn store(&self, copy: &[u8], address: *mut u8, count: usize) {
        let base = copy.as_ptr().cast_mut().wrapping_offset(self.base(count));
        // SAFETY: as for `load`; the copy is only read.
        unsafe {
            let mut from = Cursor::new(&self.datatype, count, base);
            from.copy_to(&mut Cursor::new(&self.datatype, count, address));
        }
    }
}

/// The predefined operation of a handle.
pub fn predefined(op: MPI_Op) -> Option<Operation> {
    let operations = [
        (MPI_SUM, Operation::Sum),
        (MPI_MIN, Operation::Min),
        (MPI_MAX, Operation::Max),
        (MPI_PROD, Operation::Prod),
        (MPI_BAND, Operation::BitAnd),
        (MPI_BOR, Operation::BitOr),
        (MPI_BXOR, Operation::BitXor),
        (MPI_LAND, Operation::LogicalAnd),
        (MPI_LOR, Operation::LogicalOr),
        (MPI_LXOR, Operation::LogicalXor),
        (MPI_MINLOC, Operation::MinLocation),
        (MPI_MAXLOC, Operation::MaxLocation),
        (MPI_REPLACE, Operation::Replace),
        (MPI_NO_OP, Operation::NoOperation),
    ];
    operations
        .into_iter()
        .find(|(handle, _)| *handle == op)
        .map(|(_, operation)| operation)
}

/// The operation that a handle names.
pub fn operation(state: &State, op: MPI_Op) -> Result<Op> {
    if let Some(operation) = predefined(op) {
        return Ok(Op::Predefined(operation));
    }
    let made = state.operations.get(op.0).map(|op| (*op).clone());
    made.ok_or_else(|| {
        let what = if op == MPI_OP_NULL {
            "MPI_OP_NULL is"
        } else {
            "this handle is freed, or"
        };
        ErrorClass::Op.with(format!("{what} no operation ({:#x})", op.0))
    })
}

/// What reductions of one call work with: how to combine, and how elements lie.
pub struct Plan {
    /// The combination.
    pub combination: Combination,
    /// The layout of elements.
    pub layout: Layout,
    count: usize,
}

impl Plan {
    /// Checks operation and datatype against each other, for `count` elements in all.
    pub fn new(state: &State, count: i64, datatype: MPI_Datatype, op: MPI_Op) -> Result<Self> {
        let count = usize::try_from(count)
            .map_err(|_| ErrorClass::Count.with(format!("a count is at least 0, not {count}")))?;
        let handle = datatype;
        let datatype = state.datatypes.committed(datatype)?;
        let operation = operation(state, op)?;
        let commutative = operation.is_commutative();
        let layout = Layout::new(datatype);
        let kind = match operation {
            Op::Predefined(operation) => predefined_kind(operation, &layout.datatype, handle)?,
            Op::User(operation) => Kind::User {
                operation,
                datatype: handle,
                extent: layout.datatype.extent() as isize,
                base: layout.base(count),
            },
        };
        let (element_bytes, elements) = if layout.regular {
            (layout.element_bytes, 1)
        } else {
            (layout.bytes(count), count)
        };
        let combination = Combination {
            kind,
            element_bytes,
            elements,
            commutative,
        };
        Ok(Self {
            combination,
            layout,
            count,
        })
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Refuses a null buffer, and `MPI_IN_PLACE` where it means nothing.
    pub fn check(&self, address: *const u8) -> Result {
        if is_in_place(address) {
            return Err(ErrorClass::Buffer.with("MPI_IN_PLACE does not belong here"));
        }
        check_address(&self.layout.datatype, address, self.count)
    }

    /// The elements at `address` to be read.
    ///
    /// # Safety
    ///
    /// `count` elements are readable there as long as the result lives.
    pub unsafe fn input(&self, address: *const u8, count: usize) -> Elements {
        if self.layout.dense {
            let bytes = self.layout.bytes(count);
            return Elements::Own(Span {
                address: address.cast_mut(),
                bytes,
            });
        }
        // SAFETY: as the caller vouches.
        Elements::Copy(unsafe { self.layout.load(address, count) })
    }

    /// A copy of the elements at `address`.
    ///
    /// # Safety
    ///
    /// `count` elements are readable there.
    pub unsafe fn copy(&self, address: *const u8, count: usize) -> Elements {
        // SAFETY: as the caller vouches.
        Elements::Copy(unsafe { self.layout.load(address, count) })
    }

    /// Room for a result of `count` elements that is to go to `address`.
    ///
    /// # Safety
    ///
    /// `count` elements are writable there as long as the result lives.
    pub unsafe fn room(&self, address: *mut u8, count: usize) -> Elements {
        let bytes = self.layout.bytes(count);
        if self.layout.dense {
            return Elements::Own(Span { address, bytes });
        }
        Elements::Copy(vec![0; bytes])
    }

    /// The elements at `from`, where a result can be built that is to go to `to`.
    ///
    /// # Safety
    ///
    /// `count` elements are readable at `from` and writable at `to` as long as the result lives;
    /// the two are the same or do not overlap.
    pub unsafe fn accumulator(&self, from: *const u8, to: *mut u8, count: usize) -> Elements {
        if !self.layout.dense {
            // SAFETY: as the caller vouches.
            return unsafe { self.copy(from, count) };
        }
        let bytes = self.layout.bytes(count);
        if bytes > 0 && from != to.cast_const() {
            // SAFETY: as the caller vouches.
            unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        }
        Elements::Own(Span { address: to, bytes })
    }

    /// Puts elements where the program wants them.
    ///
    /// # Safety
    ///
    /// `count` elements are writable at `address`.
    pub unsafe fn store(&self, elements: &[u8], address: *mut u8, count: usize) {
        if !self.layout.dense {
            // SAFETY: as the caller vouches; the elements are a copy in this layout.
            unsafe { self.layout.store(elements, address, count) };
        }
    }
}

fn predefined_kind(
    operation: Operation,
    datatype: &Datatype,
    handle: MPI_Datatype,
) -> Result<Kind> {
    let name = operation.name();
    let refused = |text: String| Err(ErrorClass::Op.with(text));
    let Some(primitive) = datatype.primitive() else {
        return refused(format!("{name} is defined on predefined datatypes only"));
    };
    if operation.is_one_sided_only() {
        return refused(format!("{name} is for one-sided communication only"));
    }
    let logical = matches!(
        operation,
        Operation::LogicalAnd | Operation::LogicalOr | Operation::LogicalXor
    );
    // A Fortran integer or an address is the same primitive as a C integer, but no C integer.
    let no_c_integer = [
        MPI_INTEGER,
        MPI_INTEGER1,
        MPI_INTEGER2,
        MPI_INTEGER4,
        MPI_INTEGER8,
        MPI_AINT,
        MPI_OFFSET,
        MPI_COUNT,
    ];
    if logical && no_c_integer.contains(&handle) {
        return refused(format!(
            "{name} is not defined on this datatype (MPI-5.0 section 6.9.2)"
        ));
    }
    match operation.check(primitive) {
        Ok(()) => Ok(Kind::Predefined(operation, primitive)),
        Err(error) => refused(error.to_string()),
    }
}

/// Elements in memory layout.
pub enum Elements {
    /// The program's own memory.
    Own(Span),
    /// A copy.
    Copy(Vec<u8>),
}

impl Elements {
    /// The elements, to be read.
    ///
    /// # Safety
    ///
    /// The program's memory is readable, and is not changed as long as the slice lives.
    pub unsafe fn read(&self) -> &[u8] {
        match self {
            Self::Copy(copy) => copy,
            // SAFETY: as the caller vouches.
            Self::Own(span) => unsafe { span.bytes_mut() },
        }
    }

    /// The elements, to be changed.
    ///
    /// # Safety
    ///
    /// The program's memory is writable, and nobody else uses it as long as the slice lives.
    pub unsafe fn write(&mut self) -> &mut [u8] {
        match self {
            Self::Copy(copy) => copy,
            // SAFETY: as the caller vouches.
            Self::Own(span) => unsafe { span.bytes_mut() },
        }
    }
}
