//! Error handlers, classes, codes and strings.

pub mod code;
pub mod handler;

pub use code::{
    add_error_class, add_error_code, add_error_string, error_class, error_string,
    remove_error_class, remove_error_code, remove_error_string,
};
pub use handler::{
    comm_call_errhandler, comm_create_errhandler, comm_get_errhandler, comm_set_errhandler,
    errhandler_free,
};
