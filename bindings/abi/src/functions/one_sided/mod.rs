//! Windows: remote memory access and its synchronisation (MPI-5.0 chapter 12).
//!
//! Before: the C call. After: `pamir_mpi::window` for what a window is, and `pamir_transport::one_sided::window`, which moves and
//! combines bytes.
//!
//! | file | functions |
//! |---|---|
//! | [`construct`] | windows made and freed, memory attached, the parts of others |
//! | [`inquire`], [`attribute`], [`handler`] | names, hints, groups; attributes; error handlers |
//! | [`transfer`] | put and get, with and without requests |
//! | [`mod@accumulate`] | accumulates of all kinds |
//! | [`active_target`], [`passive_target`] | synchronisation |
//! | `target`, `request` | where an access goes, checked; what a request waits for |

pub mod accumulate;
pub mod active_target;
pub mod attribute;
pub mod construct;
pub mod handler;
pub mod inquire;
pub mod passive_target;
mod request;
mod target;
pub mod transfer;

pub use accumulate::{
    accumulate, compare_and_swap, fetch_and_op, get_accumulate, raccumulate, rget_accumulate,
};
pub use active_target::{win_complete, win_fence, win_post, win_start, win_test, win_wait};
pub use attribute::{
    win_create_keyval, win_delete_attr, win_free_keyval, win_get_attr, win_set_attr,
};
pub use construct::{
    win_allocate, win_allocate_shared, win_attach, win_create, win_create_dynamic, win_detach,
    win_free, win_shared_query,
};
pub use handler::{
    win_call_errhandler, win_create_errhandler, win_get_errhandler, win_set_errhandler,
};
pub use inquire::{win_get_group, win_get_info, win_get_name, win_set_info, win_set_name};
pub use passive_target::{
    win_flush, win_flush_all, win_flush_local, win_flush_local_all, win_lock, win_lock_all,
    win_sync, win_unlock, win_unlock_all,
};
pub use transfer::{get, put, rget, rput};
