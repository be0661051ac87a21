//! The data of a reduction: elements in memory layout, in slots of one length.
//!
//! Before: (address, count, datatype, operation). After: bytes that the algorithms send and
//! combine, and a [`Reducer`] that knows how.
//!
//! Elements without gaps are used where the program has them. All others are copied into slots,
//! whose gaps hold nothing; `origin` is where in its slot an element's address lies:
//!
//! ```text
//! program:   | lb ... data .. gap .. data ... |       slots:  | element 0 | element 1 | ...
//!            |◀────────── extent ────────────▶|               |◀ extent ─▶|
//! ```
//!
//! Where elements overlap, run backwards or stick out of their extent, each has a slot as long
//! as it is, and the program's function is called for one at a time.
//!
//! Invariant: bytes in gaps of the program's memory are neither read nor written.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use pamir_mpi::datatype::{Datatype, Primitive};
use pamir_mpi::op::{Op, Operation, UserOperation, combine, combine_out_of_place};
use pamir_transport::collective::data::scratch::{ALIGNMENT_BYTES, Scratch};
use pamir_transport::collective::{CollectiveError, OutOfPlace, Reduction};

use super::place::{is_in_place, misplaced};
use crate::error::Result;
use crate::state::State;
use crate::state::memory::Span;
use crate::state::operations::predefined_on;
use crate::types::{MPI_Datatype, MPI_Op};

type Opened<'o> = std::result::Result<Slots<'o>, CollectiveError>;

/// How elements are combined.
pub struct Reducer {
    kind: Kind,
    layout: Layout,
    commutative: bool,
}

enum Kind {
    Predefined(Operation, Primitive),
    User(UserOperation, MPI_Datatype),
}

impl Reducer {
    /// The operation of a handle on a datatype, checked against each other.
    pub fn new(state: &State, datatype: MPI_Datatype, op: MPI_Op) -> Result<Self> {
        let operation = state.operations.named(op)?;
        let layout = Layout::new(state.datatypes.committed(datatype)?);
        let commutative = operation.is_commutative();
        let kind = match operation {
            Op::Predefined(operation) => {
                let primitive = predefined_on(operation, &layout.datatype, datatype)?;
                Kind::Predefined(operation, primitive)
            }
            Op::User(operation) => Kind::User(operation, datatype),
        };
        Ok(Self {
            kind,
            layout,
            commutative,
        })
    }

    /// `count` elements at `address`.
    pub fn operand(&self, address: *const u8, count: usize) -> Result<Operand> {
        let bytes = self.layout.bytes(count);
        let nowhere = address.is_null() && self.layout.dense;
        if bytes > 0 && (nowhere || is_in_place(address)) {
            return Err(misplaced(address.cast_mut()));
        }
        Ok(Operand {
            layout: self.layout.clone(),
            address: address.cast_mut(),
            count,
        })
    }

    /// Bytes that `count` elements take in slots.
    pub fn bytes(&self, count: usize) -> usize {
        self.layout.bytes(count)
    }

    /// `inout = incoming op inout` by the program's function, for `count` slots.
    ///
    /// # Safety
    ///
    /// Both are good for so many elements in slots, and do not overlap.
    unsafe fn call(
        &self,
        (operation, datatype): (&UserOperation, MPI_Datatype),
        incoming: *const u8,
        inout: *mut u8,
        count: usize,
    ) {
        let layout = &self.layout;
        let (each, calls) = if layout.regular {
            (count, 1)
        } else {
            (1, count)
        };
        let (step, token) = (layout.slot_bytes as isize, datatype.0 as u64);
        for call in 0..calls {
            let at = call as isize * step + layout.origin;
            let incoming = incoming.wrapping_offset(at);
            let inout = inout.wrapping_offset(at);
            // SAFETY: the caller vouches for the slots; `at` is where an element's address lies.
            unsafe { operation.combine(incoming, inout, each, step, token) };
        }
    }
}

impl Reduction for Reducer {
    fn combine(&self, incoming: &[u8], inout: &mut [u8]) {
        let count = inout.len() / self.layout.slot_bytes;
        match &self.kind {
            Kind::Predefined(operation, primitive) => {
                combine(*operation, *primitive, incoming, inout, count)
                    .expect("operation, type and lengths were checked when the call began");
            }
            Kind::User(operation, datatype) => {
                let function = (operation, *datatype);
                // SAFETY: both slices hold whole slots, and do not overlap, as slices.
                unsafe { self.call(function, incoming.as_ptr(), inout.as_mut_ptr(), count) };
            }
        }
    }

    fn combine_out_of_place(&self, incoming: &[u8], own: &[u8], result: &mut [u8]) {
        if let Kind::Predefined(operation, primitive) = &self.kind {
            let count = result.len() / self.layout.slot_bytes;
            combine_out_of_place(*operation, *primitive, (incoming, own), result, count)
                .expect("operation, type and lengths were checked when the call began");
        } else {
            result.copy_from_slice(own);
            self.combine(incoming, result);
        }
    }

    fn commutative(&self) -> bool {
        self.commutative
    }

    fn element_bytes(&self) -> usize {
        self.layout.slot_bytes
    }
}

/// How elements of a datatype lie in slots.
#[derive(Clone)]
struct Layout {
    datatype: Rc<Datatype>,
    /// Bytes from one slot to the next; not 0.
    slot_bytes: usize,
    /// Where in its slot an element's address lies.
    origin: isize,
    /// Slots are an extent apart, so that several are an array of the datatype.
    regular: bool,
    /// Elements lie side by side: the program's memory is slots.
    dense: bool,
}

impl Layout {
    fn new(datatype: Rc<Datatype>) -> Self {
        let (lower, extent) = (datatype.lower_bound(), datatype.extent());
        let (low, high) = (datatype.true_lower_bound(), datatype.true_upper_bound());
        let dense = datatype.dense() && extent > 0;
        let align = ALIGNMENT_BYTES as i64;
        // Elements must be as aligned in slots as they are in the program's arrays.
        let inside = extent > 0 && low >= lower && high <= lower + extent && lower % align == 0;
        let (slot_bytes, origin) = if dense {
            (extent, 0)
        } else if inside {
            (extent, -lower)
        } else {
            let start = low.div_euclid(align) * align;
            ((high - start + align) / align * align, -start)
        };
        Self {
            datatype,
            slot_bytes: slot_bytes as usize,
            origin: origin as isize,
            regular: dense || inside,
            dense,
        }
    }

    /// Bytes of `count` slots; elements of no data take none.
    fn bytes(&self, count: usize) -> usize {
        if self.datatype.size() == 0 {
            return 0;
        }
        self.slot_bytes.saturating_mul(count)
    }

    /// Copies `count` elements from the program's memory to slots, or back if `out`.
    ///
    /// # Safety
    ///
    /// The elements are good for it, and the slots, which are somewhere else.
    unsafe fn copy(&self, address: *mut u8, slots: *mut u8, count: usize, out: bool) {
        if self.bytes(count) == 0 {
            return;
        }
        let (each, runs) = if self.regular { (count, 1) } else { (1, count) };
        let extent = self.datatype.extent() as isize;
        for run in 0..runs as isize {
            let outside = address.wrapping_offset(run.wrapping_mul(extent));
            let inside = slots.wrapping_offset(run * self.slot_bytes as isize + self.origin);
            // SAFETY: the caller vouches for the elements and for the slots, in which `inside`
            // is where an element's address lies.
            unsafe {
                let mut outside = self.datatype.machine(each, outside);
                let mut inside = self.datatype.machine(each, inside);
                if out {
                    inside.copy_to(&mut outside);
                } else {
                    outside.copy_to(&mut inside);
                }
            }
        }
    }
}

/// Elements in the program's memory.
pub struct Operand {
    layout: Layout,
    address: *mut u8,
    count: usize,
}

impl Operand {
    fn bytes(&self) -> usize {
        self.layout.bytes(self.count)
    }

    fn slots(&self, copy: Option<Scratch>) -> Slots<'_> {
        Slots {
            operand: self,
            copy,
        }
    }

    /// The elements in slots; a copy holds them if `load`, else zeros.
    ///
    /// # Safety
    ///
    /// As long as the result lives, the elements are readable, writable if the operation changes
    /// them, and nobody else changes them.
    pub unsafe fn open(&self, load: bool) -> Opened<'_> {
        if self.layout.dense {
            return Ok(self.slots(None));
        }
        if load {
            // SAFETY: as the caller vouches.
            return unsafe { self.copy() };
        }
        Ok(self.slots(Some(Scratch::new(self.bytes())?)))
    }

    /// A copy of the elements in slots.
    ///
    /// # Safety
    ///
    /// The elements are readable.
    pub unsafe fn copy(&self) -> Opened<'_> {
        let mut copy = Scratch::new(self.bytes())?;
        let slots = copy.as_mut_ptr();
        // SAFETY: as the caller vouches; the slots were made for the elements.
        unsafe { self.layout.copy(self.address, slots, self.count, false) };
        Ok(self.slots(Some(copy)))
    }

    /// Slots whose result goes here, and the elements of `from`, or those that are here, beside
    /// them or in them.
    ///
    /// # Safety
    ///
    /// As for [`Self::accumulate`].
    #[inline]
    pub unsafe fn beside<'o>(
        &'o self,
        from: Option<&'o Self>,
    ) -> std::result::Result<Beside<'o>, CollectiveError> {
        // SAFETY: as the caller vouches.
        unsafe {
            let own = from.filter(|_| self.layout.dense);
            let from = from.filter(|_| own.is_none());
            Ok(Beside {
                own: own.map(|own| &*Slots::own(own).bytes_mut()),
                result: self.accumulate(from)?,
            })
        }
    }

    /// Slots whose result goes here, holding the elements of `from`, or those that are here.
    ///
    /// # Safety
    ///
    /// As for [`Self::open`]; `from` has as many elements, and they are readable.
    #[inline]
    pub unsafe fn accumulate(&self, from: Option<&Self>) -> Opened<'_> {
        if !self.layout.dense {
            // SAFETY: as the caller vouches.
            let copied = unsafe { from.unwrap_or(self).copy()? };
            return Ok(self.slots(copied.copy));
        }
        if let Some(from) = from {
            // SAFETY: as the caller vouches; without gaps, slots are the elements themselves.
            unsafe { self.address.copy_from(from.address, self.bytes()) };
        }
        Ok(self.slots(None))
    }
}

/// The own elements and the slots of the result, as long as an operation runs.
pub struct Beside<'o> {
    /// The own elements, where they lie side by side and elsewhere.
    own: Option<&'o [u8]>,
    result: Slots<'o>,
}

impl Beside<'_> {
    /// What the algorithm works on.
    pub fn data(&mut self) -> OutOfPlace<'_> {
        OutOfPlace {
            own: self.own,
            result: &mut self.result,
        }
    }

    /// As [`Slots::store`].
    pub fn store(self) {
        self.result.store();
    }
}

/// Elements in slots, as long as an operation runs.
pub struct Slots<'o> {
    operand: &'o Operand,
    /// `None` where the program's memory is slots.
    copy: Option<Scratch>,
}

impl Slots<'_> {
    /// Puts a copy where the program has the elements.
    pub fn store(mut self) {
        if let Some(copy) = &mut self.copy {
            let Operand {
                layout,
                address,
                count,
            } = self.operand;
            // SAFETY: whoever opened the operand vouched for it; the slots are its elements'.
            unsafe { layout.copy(*address, copy.as_mut_ptr(), *count, true) };
        }
    }

    fn own(operand: &Operand) -> Span {
        Span {
            address: operand.address,
            bytes: operand.bytes(),
        }
    }
}

impl Deref for Slots<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.copy {
            Some(copy) => copy,
            // SAFETY: whoever opened the operand vouched for it.
            None => unsafe { Self::own(self.operand).bytes_mut() },
        }
    }
}

impl DerefMut for Slots<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.copy {
            Some(copy) => copy,
            // SAFETY: whoever opened the operand vouched for it.
            None => unsafe { Self::own(self.operand).bytes_mut() },
        }
    }
}
