//! Memory beyond a rank's own: how it is copied between processes, and of what pages and cache ways it is made.
//!
//! Before: an operation knows both addresses of its data. After: the bytes are copied, by the kernel or in memory that is
//! mapped here; or a refusal that another protocol answers.

pub mod c_heap;
pub mod cache_portion;
pub mod huge_pages;
pub mod kernel_copy;
pub mod mapped_file;
pub mod own_heap;
pub mod peer_heap;
pub mod reserved_memory;
pub mod sweep;
