//! Reduction operations: those that the program made, by handle, and on what the predefined ones are defined.
//!
//! A program calls the same reduction over and over: the last one without gaps is kept resolved ([`Plain`]).

use std::cell::Cell;
use std::rc::Rc;

use pamir_mpi::datatype::{Datatype, Primitive};
use pamir_mpi::op::{Op, Operation, combine, combine_out_of_place, extent_bytes};
use pamir_transport::collective::Reduction;

use super::datatypes::Datatypes;
use super::handles::{Kind, Table, names_nothing};
use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::types::{MPI_Datatype, MPI_Op};

/// What a datatype and an operation were last resolved to.
type Last<T> = Cell<Option<(MPI_Datatype, MPI_Op, T)>>;

/// Reduction operations.
pub struct Operations {
    made: Table<Op>,
    last_plain: Last<Plain>,
    last_accumulating: Last<(Operation, Primitive)>,
}

impl Default for Operations {
    fn default() -> Self {
        Self {
            made: Table::new(Kind::Operation),
            last_plain: Cell::new(None),
            last_accumulating: Cell::new(None),
        }
    }
}

impl Operations {
    /// Takes an operation of the program's, and gives its handle.
    pub fn insert(&self, operation: Op) -> MPI_Op {
        MPI_Op(self.made.insert(Rc::new(operation)))
    }

    /// The operation that a handle names.
    ///
    /// # Errors
    ///
    /// `MPI_ERR_OP` for a handle that names none.
    pub fn named(&self, op: MPI_Op) -> Result<Op> {
        if let Some(operation) = predefined(op) {
            return Ok(Op::Predefined(operation));
        }
        let made = self.made.get(op.0).map(|op| (*op).clone());
        made.ok_or_else(|| {
            let null = (op == MPI_OP_NULL).then_some("MPI_OP_NULL");
            names_nothing(ErrorClass::Op, op.0, null, "operation")
        })
    }

    /// Lets a handle of the program's name nothing any more; whether it was one.
    pub fn remove(&self, op: MPI_Op) -> bool {
        self.made.remove(op.0).is_some()
    }

    /// A predefined operation on a predefined datatype without gaps; none for all others.
    #[inline(always)]
    pub fn plain(
        &self,
        datatypes: &Datatypes,
        datatype: MPI_Datatype,
        op: MPI_Op,
    ) -> Option<Plain> {
        match self.last_plain.get() {
            Some((last_datatype, last_op, plain)) if (last_datatype, last_op) == (datatype, op) => {
                Some(plain)
            }
            _ => self.resolve_plain(datatypes, datatype, op),
        }
    }

    /// A predefined operation that accumulates predefined elements without gaps, and these; none for all others.
    #[inline(always)]
    pub fn accumulating(
        &self,
        datatypes: &Datatypes,
        datatype: MPI_Datatype,
        op: MPI_Op,
    ) -> Option<(Operation, Primitive)> {
        match self.last_accumulating.get() {
            Some((last_datatype, last_op, found)) if (last_datatype, last_op) == (datatype, op) => {
                Some(found)
            }
            _ => self.resolve_accumulating(datatypes, datatype, op),
        }
    }

    #[cold]
    #[inline(never)]
    fn resolve_accumulating(
        &self,
        datatypes: &Datatypes,
        datatype: MPI_Datatype,
        op: MPI_Op,
    ) -> Option<(Operation, Primitive)> {
        let operation = predefined(op)?;
        let described = datatypes
            .predefined(datatype)
            .filter(|described| described.dense())?;
        let primitive = described.primitive()?;
        if !operation.is_one_sided_only() {
            operation.check(primitive).ok()?;
        }
        let found = (operation, primitive);
        self.last_accumulating.set(Some((datatype, op, found)));
        Some(found)
    }

    #[cold]
    #[inline(never)]
    fn resolve_plain(
        &self,
        datatypes: &Datatypes,
        datatype: MPI_Datatype,
        op: MPI_Op,
    ) -> Option<Plain> {
        let operation = predefined(op).filter(|operation| operation.is_commutative())?;
        // Handles of predefined datatypes are never another one's.
        let described = datatypes.predefined(datatype)?;
        let primitive = predefined_on(operation, described, datatype).ok()?;
        let plain = described.dense().then(|| Plain {
            operation,
            primitive,
            element_bytes: extent_bytes(primitive),
        })?;
        self.last_plain.set(Some((datatype, op, plain)));
        Some(plain)
    }
}

/// A predefined operation on a predefined datatype without gaps.
#[derive(Debug, Clone, Copy)]
pub struct Plain {
    operation: Operation,
    primitive: Primitive,
    element_bytes: usize,
}

impl Reduction for Plain {
    #[inline(always)]
    fn combine(&self, incoming: &[u8], inout: &mut [u8]) {
        let count = inout.len() / self.element_bytes;
        combine(self.operation, self.primitive, incoming, inout, count)
            .expect("operation, type and lengths were checked when the call began");
    }

    #[inline(always)]
    fn combine_out_of_place(&self, incoming: &[u8], own: &[u8], result: &mut [u8]) {
        let count = result.len() / self.element_bytes;
        combine_out_of_place(
            self.operation,
            self.primitive,
            (incoming, own),
            result,
            count,
        )
        .expect("operation, type and lengths were checked when the call began");
    }

    #[inline(always)]
    fn commutative(&self) -> bool {
        true
    }

    fn element_bytes(&self) -> usize {
        self.element_bytes
    }
}

/// The predefined operation of a handle.
fn predefined(op: MPI_Op) -> Option<Operation> {
    Some(match op {
        MPI_SUM => Operation::Sum,
        MPI_MIN => Operation::Min,
        MPI_MAX => Operation::Max,
        MPI_PROD => Operation::Prod,
        MPI_BAND => Operation::BitAnd,
        MPI_BOR => Operation::BitOr,
        MPI_BXOR => Operation::BitXor,
        MPI_LAND => Operation::LogicalAnd,
        MPI_LOR => Operation::LogicalOr,
        MPI_LXOR => Operation::LogicalXor,
        MPI_MINLOC => Operation::MinLocation,
        MPI_MAXLOC => Operation::MaxLocation,
        MPI_REPLACE => Operation::Replace,
        MPI_NO_OP => Operation::NoOperation,
        _ => return None,
    })
}

/// The primitive that a predefined operation combines, if it is defined on the datatype.
pub fn predefined_on(
    operation: Operation,
    datatype: &Datatype,
    handle: MPI_Datatype,
) -> Result<Primitive> {
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
    // A Fortran integer is the same primitive as a C integer, but no C integer.
    let fortran_integers = [
        MPI_INTEGER,
        MPI_INTEGER1,
        MPI_INTEGER2,
        MPI_INTEGER4,
        MPI_INTEGER8,
        MPI_INTEGER16,
    ];
    if logical && fortran_integers.contains(&handle) {
        return refused(format!(
            "{name} is not defined on this datatype (MPI-5.0 section 6.9.2)"
        ));
    }
    match operation.check(primitive) {
        Ok(()) => Ok(primitive),
        Err(error) => refused(error.to_string()),
    }
}
