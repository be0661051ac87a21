//! What a program can read about an algorithm before it takes it (`pami_metadata_t`).
//!
//! Before: [`super::algorithms`] lists an algorithm. After: its name, what it asks of the data, and
//! the sizes for which the tables would take it.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::sync::{Mutex, PoisonError};

use pamir_transport::selection::Situation;

use crate::layout::reducer::is_commutative;
use crate::structures::DataFunction;
use crate::structures::collective::Transfer;
use crate::structures::kind::TransferKind;
use crate::structures::metadata::{CheckFunction, Metadata, correct, lack};
use crate::structures::pointer::{In, Text};

/// Why an operation's data function cannot be served by what needs a commutative one.
fn lacks(parameters: Option<(DataFunction, i32)>) -> u32 {
    match parameters {
        None => lack::UNSPECIFIED,
        Some((function, said)) if is_commutative(function, said != 0) => 0,
        Some(_) => lack::OPERATION,
    }
}

macro_rules! check_functions {
    ($($name:ident, $field:ident;)*) => {
        $(
            extern "C" fn $name(transfer: In<Transfer>) -> u32 {
                lacks(transfer.get().map(|transfer| {
                    let parameters = transfer.cmd.$field();
                    (parameters.op, parameters.commutative)
                }))
            }
        )*
    };
}

check_functions! {
    check_reduce, reduce;
    check_allreduce, allreduce;
    check_reduce_scatter, reduce_scatter;
}

fn check_function(kind: TransferKind) -> CheckFunction {
    match kind {
        TransferKind::Reduce => Some(check_reduce),
        TransferKind::Allreduce => Some(check_allreduce),
        TransferKind::ReduceScatter => Some(check_reduce_scatter),
        _ => None,
    }
}

/// Names as C has them, for ever.
static NAMES: Mutex<BTreeMap<(TransferKind, &'static str), &'static CStr>> =
    Mutex::new(BTreeMap::new());

fn name_of(kind: TransferKind, algorithm: &'static str) -> Text {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let name = names.entry((kind, algorithm)).or_insert_with(|| {
        let name = format!("Pamir:{}:{algorithm}", kind.name());
        let name = CString::new(name).expect("no name holds a 0");
        Box::leak(name.into_boxed_c_str())
    });
    Text::of(name)
}

/// The sizes from the first to the last one for which the tables take an algorithm, in bytes.
fn sizes(kind: TransferKind, algorithm: &str, situation: Situation) -> (usize, usize) {
    let Some(table) = kind.table() else {
        return (0, usize::MAX);
    };
    let (mut from, mut sizes) = (0, None);
    for (bound, name) in table.ranges(situation) {
        if name == algorithm {
            let first = sizes.map_or(from, |(first, _)| first);
            sizes = Some((first, bound));
        }
        from = bound.saturating_add(1);
    }
    // It is never taken: no size lies in here.
    sizes.unwrap_or((usize::MAX, 0))
}

impl Metadata {
    /// Of an algorithm of a kind; `conditional` if it serves commutative functions only, and none
    /// if it is the one that asks the tables.
    pub fn new(
        kind: TransferKind,
        algorithm: Option<&'static str>,
        conditional: bool,
        situation: Situation,
    ) -> Self {
        let check_fn = conditional.then(|| check_function(kind)).flatten();
        let mut check = correct::IN_PLACE;
        for (bit, holds) in [
            (correct::CHECK_REQUIRED, check_fn.is_some()),
            (correct::ALL_TYPES, !conditional),
            (correct::RUNS_AHEAD, kind.may_run_ahead()),
        ] {
            check |= if holds { bit } else { 0 };
        }
        let everything = if kind.is_active() {
            "direct"
        } else {
            "selected"
        };
        let (range_lo_perf, range_hi_perf) =
            algorithm.map_or((0, usize::MAX), |name| sizes(kind, name, situation));
        Self {
            name: name_of(kind, algorithm.unwrap_or(everything)),
            version: 1,
            check_fn,
            range_lo: 0,
            range_hi: usize::MAX,
            send_min_align: 1,
            recv_min_align: 1,
            check_correct: check,
            check_perf: 0,
            range_lo_perf,
            range_hi_perf,
            min_align_perf: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_are_those_of_the_tables() {
        let situation = Situation::new(4, true);
        let of = |name| {
            let one = Metadata::new(TransferKind::Broadcast, Some(name), false, situation);
            (one.range_lo_perf, one.range_hi_perf)
        };
        assert_eq!(of("binomial"), (0, 64 << 10));
        assert_eq!(of("pipelined_chain"), ((64 << 10) + 1, usize::MAX));
        assert_eq!(of("linear"), (usize::MAX, 0));
    }

    #[test]
    fn names_say_kind_and_algorithm() {
        let situation = Situation::new(4, true);
        for (kind, algorithm, expected) in [
            (
                TransferKind::Reduce,
                Some("binomial"),
                "Pamir:REDUCE:binomial",
            ),
            (TransferKind::Scan, None, "Pamir:SCAN:selected"),
            (TransferKind::ActiveGather, None, "Pamir:AMGATHER:direct"),
        ] {
            let metadata = Metadata::new(kind, algorithm, false, situation);
            let name = metadata.name.get().and_then(|name| name.to_str().ok());
            assert_eq!(name, Some(expected));
        }
    }
}
