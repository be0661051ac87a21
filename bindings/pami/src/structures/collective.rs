//! C's structures of collective operations, as `include/pami.h` declares them.
//!
//! Before: a C call. After: [`crate::collective`] reads those of the kind that the algorithm names. A
//! test compiles the header and compares every size and offset.

use std::ffi::c_void;

use crate::structures::Type;
use crate::structures::function::{DataFunction, EventFunction};
use crate::structures::pointer::{Address, List};

/// Declares a structure of C, and in tests what its members' offsets are.
macro_rules! structures {
    ($(
        $(#[$documentation:meta])*
        $name:ident = $c:literal { $($(#[$about:meta])* $field:ident: $type:ty = $member:literal,)* }
    )*) => {
        $(
            $(#[$documentation])*
            #[derive(Clone, Copy, Debug)]
            #[repr(C)]
            pub struct $name {
                $($(#[$about])* pub $field: $type,)*
            }
        )*

        #[cfg(test)]
        fn assertions() -> String {
            let mut text = String::new();
            let mut equal = |what: String, number: usize| {
                text += &format!("_Static_assert({what} == {number}, \"{what}\");\n");
            };
            $(
                equal(format!("sizeof({})", $c), size_of::<$name>());
                $(
                    let member = format!("offsetof({}, {})", $c, $member);
                    equal(member, std::mem::offset_of!($name, $field));
                )*
            )*
            text
        }
    };
}

structures! {
    /// To and from all, blocks of any lengths.
    Alltoallv = "pami_alltoallv_t" {
        /// What is sent.
        sndbuf: Address = "sndbuf",
        /// Its type.
        stype: Type = "stype",
        /// Elements for each member.
        stypecounts: List<c_void> = "stypecounts",
        /// Where they begin, in elements.
        sdispls: List<c_void> = "sdispls",
        /// Where it goes.
        rcvbuf: Address = "rcvbuf",
        /// Its type there.
        rtype: Type = "rtype",
        /// Elements from each member.
        rtypecounts: List<c_void> = "rtypecounts",
        /// Where they go, in elements.
        rdispls: List<c_void> = "rdispls",
    }
    /// To and from all, or from each at all: blocks of one length.
    Alltoall = "pami_alltoall_t" {
        /// What is sent.
        sndbuf: Address = "sndbuf",
        /// Its type.
        stype: Type = "stype",
        /// Elements of a block.
        stypecount: usize = "stypecount",
        /// Where it goes.
        rcvbuf: Address = "rcvbuf",
        /// Its type there.
        rtype: Type = "rtype",
        /// Elements of a block.
        rtypecount: usize = "rtypecount",
    }
    /// The combination at one member.
    Reduce = "pami_reduce_t" {
        /// Which member.
        root: u32 = "root",
        /// What is combined.
        sndbuf: Address = "sndbuf",
        /// Its type.
        stype: Type = "stype",
        /// Elements.
        stypecount: usize = "stypecount",
        /// The result.
        rcvbuf: Address = "rcvbuf",
        /// Its type.
        rtype: Type = "rtype",
        /// Elements.
        rtypecount: usize = "rtypecount",
        /// The data function.
        op: DataFunction = "op",
        /// What it gets.
        data_cookie: *mut c_void = "data_cookie",
        /// Whether operands may change places.
        commutative: i32 = "commutative",
    }
    /// The combination at all members.
    Allreduce = "pami_allreduce_t" {
        /// What is combined.
        sndbuf: Address = "sndbuf",
        /// Its type.
        stype: Type = "stype",
        /// Elements.
        stypecount: usize = "stypecount",
        /// The result.
        rcvbuf: Address = "rcvbuf",
        /// Its type.
        rtype: Type = "rtype",
        /// Elements.
        rtypecount: usize = "rtypecount",
        /// The data function.
        op: DataFunction = "op",
        /// What it gets.
        data_cookie: *mut c_void = "data_cookie",
        /// Whether operands may change places.
        commutative: i32 = "commutative",
    }
    /// A block of the combination for each member.
    ReduceScatter = "pami_reduce_scatter_t" {
        /// What is combined.
        sndbuf: Address = "sndbuf",
        /// Its type.
        stype: Type = "stype",
        /// Elements.
        stypecount: usize = "stypecount",
        /// The own block.
        rcvbuf: Address = "rcvbuf",
        /// Its type.
        rtype: Type = "rtype",
        /// Elements of each member's block.
        rcounts: List<usize> = "rcounts",
        /// The data function.
        op: DataFunction = "op",
        /// What it gets.
        data_cookie: *mut c_void = "data_cookie",
        /// Whether operands may change places.
        commutative: i32 = "commutative",
    }
    /// The combination of the ranks up to each.
    Scan = "pami_scan_t" {
        /// What is combined.
        sndbuf: Address = "sndbuf",
        /// Its type.
        stype: Type = "stype",
        /// Elements.
        stypecount: usize = "stypecount",
        /// The result.
        rcvbuf: Address = "rcvbuf",
        /// Its type.
        rtype: Type = "rtype",
        /// Elements.
        rtypecount: usize = "rtypecount",
        /// The data function.
        op: DataFunction = "op",
        /// What it gets.
        data_cookie: *mut c_void = "data_cookie",
        /// The own data does not count.
        exclusive: i32 = "exclusive",
    }
    /// From one member to all.
    Broadcast = "pami_broadcast_t" {
        /// Which member.
        root: u32 = "root",
        /// The data, or where it goes.
        buf: Address = "buf",
        /// Its type.
        type_: Type = "type",
        /// Elements.
        typecount: usize = "typecount",
    }
    /// A block of each at one member, or for each from one.
    Gather = "pami_gather_t" {
        /// Which member.
        root: u32 = "root",
        /// What is sent.
        sndbuf: Address = "sndbuf",
        /// Its type.
        stype: Type = "stype",
        /// Elements of a block.
        stypecount: usize = "stypecount",
        /// Where it goes.
        rcvbuf: Address = "rcvbuf",
        /// Its type there.
        rtype: Type = "rtype",
        /// Elements of a block.
        rtypecount: usize = "rtypecount",
    }
    /// A block of each at one member, of any length.
    Gatherv = "pami_gatherv_t" {
        /// Which member.
        root: u32 = "root",
        /// What is sent.
        sndbuf: Address = "sndbuf",
        /// Its type.
        stype: Type = "stype",
        /// Elements; an `int` in the other form.
        stypecount: usize = "stypecount",
        /// Where it goes.
        rcvbuf: Address = "rcvbuf",
        /// Its type there.
        rtype: Type = "rtype",
        /// Elements from each member.
        rtypecounts: List<c_void> = "rtypecounts",
        /// Where they go, in elements.
        rdispls: List<c_void> = "rdispls",
    }
    /// A block of each at all members, of any length.
    Allgatherv = "pami_allgatherv_t" {
        /// What is sent.
        sndbuf: Address = "sndbuf",
        /// Its type.
        stype: Type = "stype",
        /// Elements; an `int` in the other form.
        stypecount: usize = "stypecount",
        /// Where it goes.
        rcvbuf: Address = "rcvbuf",
        /// Its type there.
        rtype: Type = "rtype",
        /// Elements from each member.
        rtypecounts: List<c_void> = "rtypecounts",
        /// Where they go, in elements.
        rdispls: List<c_void> = "rdispls",
    }
    /// A block for each from one member, of any length.
    Scatterv = "pami_scatterv_t" {
        /// Which member.
        root: u32 = "root",
        /// What is sent.
        sndbuf: Address = "sndbuf",
        /// Its type.
        stype: Type = "stype",
        /// Elements for each member.
        stypecounts: List<c_void> = "stypecounts",
        /// Where they begin, in elements.
        sdispls: List<c_void> = "sdispls",
        /// Where it goes.
        rcvbuf: Address = "rcvbuf",
        /// Its type there.
        rtype: Type = "rtype",
        /// Elements; an `int` in the other form.
        rtypecount: usize = "rtypecount",
    }
    /// A message to all, or to each of them one.
    ActiveSend = "pami_amscatter_t" {
        /// Who receives it.
        dispatch: usize = "dispatch",
        /// One header, or one for each member.
        headers: Address = "headers",
        /// Bytes of a header.
        headerlen: usize = "headerlen",
        /// The data, or that for each member.
        sndbuf: Address = "sndbuf",
        /// Its type.
        stype: Type = "stype",
        /// Elements of a message.
        stypecount: usize = "stypecount",
    }
    /// Answers of all, in the order of ranks.
    ActiveGather = "pami_amgather_t" {
        /// Who answers.
        dispatch: usize = "dispatch",
        /// A header for each member.
        headers: Address = "headers",
        /// Bytes of a header.
        headerlen: usize = "headerlen",
        /// Where the answers go.
        rcvbuf: Address = "rcvbuf",
        /// Their type.
        rtype: Type = "rtype",
        /// Elements of an answer.
        rtypecount: usize = "rtypecount",
    }
    /// Answers of all, combined.
    ActiveReduce = "pami_amreduce_t" {
        /// Who answers.
        dispatch: usize = "dispatch",
        /// The header.
        user_header: Address = "user_header",
        /// Its bytes.
        headerlen: usize = "headerlen",
        /// Where the result goes.
        rcvbuf: Address = "rcvbuf",
        /// Its type.
        rtype: Type = "rtype",
        /// Elements.
        rtypecount: usize = "rtypecount",
        /// What a data function of the program's gets.
        data_cookie: *mut c_void = "data_cookie",
        /// Whether operands may change places.
        commutative: i32 = "commutative",
    }
    /// `pami_xfer_t`.
    Transfer = "pami_xfer_t" {
        /// Called when the operation has ended.
        cb_done: EventFunction = "cb_done",
        /// What it gets.
        cookie: *mut c_void = "cookie",
        /// The algorithm.
        algorithm: usize = "algorithm",
        /// Hints, which may be ignored.
        options: u32 = "options",
        /// What is to be done.
        cmd: Parameters = "cmd",
    }
}

/// `pami_geometry_range_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Range {
    /// The first task.
    pub lo: u32,
    /// The last one.
    pub hi: u32,
}

/// Declares a union of C and how each of its members is read.
macro_rules! members {
    ($($(#[$about:meta])* $field:ident: $type:ty,)*) => {
        /// `pami_collective_t`: the member that the algorithm's kind names.
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub union Parameters {
            $($field: $type,)*
        }

        impl Parameters {
            $(
                $(#[$about])*
                pub fn $field(&self) -> $type {
                    // SAFETY: every member is numbers and pointers of C's, which any bits are; whoever calls
                    // with a kind vouches for its member.
                    unsafe { self.$field }
                }
            )*
        }
    };
}

members! {
    /// `xfer_allreduce`
    allreduce: Allreduce,
    /// `xfer_broadcast`
    broadcast: Broadcast,
    /// `xfer_reduce`
    reduce: Reduce,
    /// `xfer_allgather`, `xfer_alltoall`
    alltoall: Alltoall,
    /// `xfer_allgatherv`, `xfer_allgatherv_int`
    allgatherv: Allgatherv,
    /// `xfer_scatter`, `xfer_gather`
    gather: Gather,
    /// `xfer_scatterv`, `xfer_scatterv_int`
    scatterv: Scatterv,
    /// `xfer_gatherv`, `xfer_gatherv_int`
    gatherv: Gatherv,
    /// `xfer_alltoallv`, `xfer_alltoallv_int`
    alltoallv: Alltoallv,
    /// `xfer_ambroadcast`, `xfer_amscatter`
    active_send: ActiveSend,
    /// `xfer_amgather`
    active_gather: ActiveGather,
    /// `xfer_amreduce`
    active_reduce: ActiveReduce,
    /// `xfer_scan`
    scan: Scan,
    /// `xfer_reduce_scatter`
    reduce_scatter: ReduceScatter,
}

impl std::fmt::Debug for Parameters {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Parameters").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::collective::Range;
    use crate::structures::kind::TransferKind;
    use crate::structures::metadata::{Metadata, correct, lack};
    use crate::structures::tests::compile;
    use std::mem::offset_of;

    /// Structures that C has under several names.
    const SAME: [(&str, &str); 8] = [
        ("pami_allgather_t", "pami_alltoall_t"),
        ("pami_scatter_t", "pami_gather_t"),
        ("pami_ambroadcast_t", "pami_amscatter_t"),
        ("pami_alltoallv_int_t", "pami_alltoallv_t"),
        ("pami_gatherv_int_t", "pami_gatherv_t"),
        ("pami_allgatherv_int_t", "pami_allgatherv_t"),
        ("pami_scatterv_int_t", "pami_scatterv_t"),
        ("pami_geometry_range_t", "uint64_t"),
    ];

    #[test]
    fn the_header_has_these_layouts() {
        let mut text = String::from("#include \"pami.h\"\n#include <stddef.h>\n");
        text += &assertions();
        for (name, same) in SAME {
            text += &format!("_Static_assert(sizeof({name}) == sizeof({same}), \"{name}\");\n");
        }
        for kind in TransferKind::ALL {
            let (name, number) = (kind.name(), *kind as u8);
            text += &format!("_Static_assert(PAMI_XFER_{name} == {number}, \"{name}\");\n");
        }
        for (what, number) in [
            ("sizeof(pami_metadata_t)", size_of::<Metadata>()),
            (
                "offsetof(pami_metadata_t, range_hi)",
                offset_of!(Metadata, range_hi),
            ),
            (
                "offsetof(pami_metadata_t, check_correct)",
                offset_of!(Metadata, check_correct),
            ),
            (
                "offsetof(pami_metadata_t, range_lo_perf)",
                offset_of!(Metadata, range_lo_perf),
            ),
            (
                "offsetof(pami_metadata_t, min_align_perf)",
                offset_of!(Metadata, min_align_perf),
            ),
            ("offsetof(pami_geometry_range_t, hi)", offset_of!(Range, hi)),
            ("PAMI_XFER_COUNT", TransferKind::ALL.len()),
        ] {
            text += &format!("_Static_assert({what} == {number}, \"{what}\");\n");
        }
        compile(&text);
    }

    #[test]
    fn bits_stand_where_the_compiler_puts_them() {
        for (name, bit) in [
            ("checkrequired", correct::CHECK_REQUIRED),
            ("alldtop", correct::ALL_TYPES),
            ("inplace", correct::IN_PLACE),
            ("asyncflowctl", correct::RUNS_AHEAD),
        ] {
            compile(&format!(
                "#include \"pami.h\"\n\
                 int check(void) {{\n\
                     pami_metadata_t one = {{0}};\n\
                     one.check_correct.values.{name} = 1;\n\
                     if (one.check_correct.bitmask_correct != {bit}u) check_failed();\n\
                     return 0;\n\
                 }}\n"
            ));
        }
        for (name, bit) in [
            ("unspecified", lack::UNSPECIFIED),
            ("datatype_op", lack::OPERATION),
        ] {
            compile(&format!(
                "#include \"pami.h\"\n\
                 int check(void) {{\n\
                     metadata_result_t result = {{0}};\n\
                     result.check.{name} = 1;\n\
                     if (result.bitmask != {bit}u) check_failed();\n\
                     return 0;\n\
                 }}\n"
            ));
        }
    }
}
