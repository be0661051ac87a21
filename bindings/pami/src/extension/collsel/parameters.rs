//! C's structures of the extension.
//!
//! Before: a program fills them, by declarations of its own: neither library has them in `pami.h`. After:
//! [`super::functions`] reads and writes them.

use std::ffi::{c_int, c_void};

use crate::structures::metadata::Metadata;
use crate::structures::pointer::List;

/// `advisor_params_t`: what is to be measured.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Parameters {
    /// Kinds of operations.
    pub collectives: List<u32>,
    /// How many; 0 for all.
    pub collective_count: usize,
    /// Processes of each node, which decide nothing here: tasks share memory.
    pub processes_per_node: List<usize>,
    /// How many.
    pub processes_per_node_count: usize,
    /// Numbers of members.
    pub geometry_sizes: List<usize>,
    /// How many; 0 for a choice of the library's.
    pub geometry_size_count: usize,
    /// Bytes of messages.
    pub message_sizes: List<usize>,
    /// How many; 0 for a choice of the library's.
    pub message_size_count: usize,
    /// Operations of each algorithm.
    pub operations: c_int,
    /// Results are always looked at.
    pub verify: c_int,
    /// Each figure is printed.
    pub verbose: c_int,
    /// The file is written after each number of members.
    pub checkpoint: c_int,
}

/// `advisor_algorithm_t` of IBM's library.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Advised {
    /// The algorithm; 0 behind the last one.
    pub algorithm: usize,
    /// What is said of it.
    pub metadata: Metadata,
    /// It has to be asked before each operation.
    pub must_query: c_int,
}

/// `advisor_algorithm_t` of MPICH's device.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AdvisedBeside {
    /// The algorithm.
    pub algorithm: usize,
    /// Room for a function of the program's, which is none of this table.
    pub cookie: *mut c_void,
    /// What is said of it, as long as the fast query is there.
    pub metadata: *const Metadata,
    /// 0: it always works; 1: it has to be asked.
    pub kind: c_int,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::tests::compile;

    #[test]
    fn the_structures_have_the_layouts_that_programs_declare() {
        let mut text = String::from("#include <stddef.h>\n#include \"pami.h\"\n");
        text += "typedef struct { pami_xfer_type_t *collectives; size_t num_collectives;\n\
            size_t *procs_per_node; size_t num_procs_per_node; size_t *geometry_sizes; size_t num_geometry_sizes;\n\
            size_t *message_sizes; size_t num_message_sizes; int iter; int verify; int verbose; int checkpoint;\n\
            } params;\n\
            typedef struct { pami_algorithm_t algo; pami_metadata_t md; int must_query; } advised;\n\
            typedef struct { union { pami_algorithm_t internal; struct { void (*callback)(void); void *cookie; } external; } a;\n\
            pami_metadata_t *metadata; int type; } beside;\n";
        for (what, number) in [
            ("sizeof(params)", size_of::<Parameters>()),
            (
                "offsetof(params, message_sizes)",
                std::mem::offset_of!(Parameters, message_sizes),
            ),
            (
                "offsetof(params, iter)",
                std::mem::offset_of!(Parameters, operations),
            ),
            ("sizeof(advised)", size_of::<Advised>()),
            (
                "offsetof(advised, must_query)",
                std::mem::offset_of!(Advised, must_query),
            ),
            ("sizeof(beside)", size_of::<AdvisedBeside>()),
            (
                "offsetof(beside, metadata)",
                std::mem::offset_of!(AdvisedBeside, metadata),
            ),
            ("sizeof(pami_xfer_type_t)", 4),
        ] {
            text += &format!("_Static_assert({what} == {number}, \"{what}\");\n");
        }
        compile(&text);
    }
}
