//! Whose Fortran library is written: the standard ABI's, or that of a library whose programs run here too.
//!
//! What: [`Face`] says how a library differs: its C library, its numbers, how it names procedures and
//! how its compiler's procedures get arrays. Why: the conversions are the same for all of them.
//!
//! ```text
//!           mpif.h, mpi          mpi_f08                        a choice buffer there
//! STANDARD  mpi_send_ ...        mpi_barrier_f08_ ...           mpi_send_f08ts: C's descriptor
//! MPICH     the same spellings   mpi_barrier_f08_, ..._large_   mpi_send_f08ts_: gfortran's descriptor
//! OPENMPI   the same spellings   mpi_barrier_f08_               mpi_send_f08_: its address
//! ```
//!
//! Step before: the `build.rs` of a library. Step after: `entry`, `library`.
//! Invariant: what differs stands here, or behind `cfg(face = ...)` in `bindings/fortran/src`.

pub mod number;
pub mod object;
pub mod procedure;

/// How procedures of `mpi_f08` get a choice buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffers {
    /// As `CFI_cdesc_t`, by procedures that are bound to C, where strings are descriptors too.
    Described,
    /// As gfortran's own descriptor.
    Gfortran,
    /// As addresses: sections are the compiler's to copy.
    Addresses,
}

/// A Fortran library.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// What `cfg(face = ...)` is.
    pub name: &'static str,
    /// The library's own name.
    pub soname: &'static str,
    /// The C library's name.
    pub c_library: &'static str,
    /// The table of its constants.
    pub constants: &'static str,
    /// The table of its functions beyond the standard's.
    pub functions: &'static str,
    /// How `mpi_f08` passes buffers.
    pub buffers: Buffers,
    /// Whether `mpi_f08` has forms for large counts.
    pub has_large_counts: bool,
}

/// The standard ABI.
pub const STANDARD: Face = Face {
    name: "standard",
    soname: "libmpi_abi_fortran.so.1",
    c_library: "libmpi_abi.so.1",
    constants: pamir_interface::CONSTANTS,
    functions: "",
    buffers: Buffers::Described,
    has_large_counts: true,
};

/// MPICH.
pub const MPICH: Face = Face {
    name: "mpich",
    soname: "libmpifort.so.12",
    c_library: "libmpi.so.12",
    constants: include_str!("../../../../faces/mpich/table/constants.txt"),
    functions: include_str!("../../../../faces/mpich/table/functions.txt"),
    buffers: Buffers::Gfortran,
    has_large_counts: true,
};

/// Open MPI.
pub const OPENMPI: Face = Face {
    name: "openmpi",
    soname: "libmpi_mpifh.so.40",
    c_library: "libmpi.so.40",
    constants: include_str!("../../../../faces/openmpi/table/constants.txt"),
    functions: include_str!("../../../../faces/openmpi/table/functions.txt"),
    buffers: Buffers::Addresses,
    has_large_counts: false,
};

/// All of them.
pub const ALL: [Face; 3] = [STANDARD, MPICH, OPENMPI];

impl Face {
    /// Whether it is the standard's own.
    pub fn is_standard(&self) -> bool {
        self.name == STANDARD.name
    }

    /// The names of a procedure of `mpi_f08`; `lower` is the C name in lower case, `prefix` is empty or `P`.
    pub fn f08_names(&self, prefix: &str, lower: &str, is_choice: bool) -> Vec<String> {
        let prefix = prefix.to_lowercase();
        match self.buffers {
            Buffers::Described if is_choice => vec![format!("{prefix}{lower}_f08ts")],
            Buffers::Described => spellings(&format!("{prefix}{lower}_f08")),
            // It is bound to C, since it gives a C_PTR.
            Buffers::Addresses if lower == "mpi_buffer_detach" => vec![
                format!("{prefix}ompi_buffer_detach_f08"),
                format!("{prefix}{lower}_f08_"),
            ],
            Buffers::Addresses => vec![format!("{prefix}{lower}_f08_")],
            Buffers::Gfortran => {
                let (stem, large) = match lower.strip_suffix("_c") {
                    Some(stem) => (stem, "large_"),
                    None => (lower, ""),
                };
                // Its profiling names have one letter more.
                let stem = match prefix.is_empty() {
                    true => stem.to_string(),
                    false => stem.replacen("mpi", "pmpi", 1).replacen('_', "r_", 1),
                };
                let kind = if is_choice { "f08ts" } else { "f08" };
                vec![format!("{stem}_{kind}_{large}")]
            }
        }
    }
}

/// The names that compilers give an external procedure.
pub fn spellings(lower: &str) -> Vec<String> {
    vec![
        format!("{lower}_"),
        format!("{lower}__"),
        lower.to_uppercase(),
        lower.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::{MPICH, OPENMPI, STANDARD};

    #[test]
    fn procedures_have_the_names_that_each_library_gives_them() {
        assert_eq!(
            STANDARD.f08_names("P", "mpi_send", true),
            ["pmpi_send_f08ts"]
        );
        assert_eq!(
            MPICH.f08_names("", "mpi_send_c", true),
            ["mpi_send_f08ts_large_"]
        );
        assert_eq!(
            MPICH.f08_names("P", "mpi_barrier", false),
            ["pmpir_barrier_f08_"]
        );
        assert_eq!(OPENMPI.f08_names("P", "mpi_send", true), ["pmpi_send_f08_"]);
    }
}
