//! Why a wrapper cannot serve.
//!
//! Before: an argument that only wrappers know, or the compiler's start. After: one sentence on standard error.

/// An argument no wrapper knows, of a form that only wrappers use.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrapperError {
    /// `-showme:` with an unknown word.
    #[error("`{argument}` asks for nothing known; see -showme:help")]
    UnknownQuestion {
        /// The argument.
        argument: String,
    },
    /// An option of another MPI's wrapper that would change the program.
    #[error("`{argument}` is not there: {instead}")]
    NotThere {
        /// The argument.
        argument: String,
        /// What serves instead.
        instead: &'static str,
    },
    /// Linking without shared libraries.
    #[error(
        "`{argument}` cannot link: MPI's standard ABI is a shared library, and there is no other; \
         leave it out (-static-libgcc, -static-libstdc++ and -Wl,-Bstatic before other libraries serve \
         as ever)"
    )]
    Static {
        /// The argument.
        argument: String,
    },
    /// Integers that are longer than MPI's.
    #[error(
        "`{argument}` is refused: it makes INTEGER 8 bytes long, and MPI's INTEGER has 4 bytes here; leave it \
         out, and declare the integers that need 8 bytes with a kind, such as INTEGER(8)"
    )]
    LongIntegers {
        /// The argument.
        argument: String,
    },
    /// A Fortran compiler that nothing has been made for.
    #[error(
        "no modules for {compiler}: run `pamir fortran --compiler '{compiler}'`, which makes them \
         (`pamir fortran --list` shows those that are there)"
    )]
    NoModules {
        /// The compiler.
        compiler: String,
    },
    /// A set of Fortran modules that is not to be read.
    #[error("{reason}")]
    Modules {
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The compiler could not be executed.
    #[error("cannot execute the compiler `{compiler}`: {reason}; set {variable} to another")]
    Compiler {
        /// Its name.
        compiler: String,
        /// Why not.
        reason: String,
        /// The variable that names another.
        variable: &'static str,
    },
}
