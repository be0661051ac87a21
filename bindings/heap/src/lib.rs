//! `libpamir-heap.so`: large allocations from memory that the other ranks can map.
//!
//! A message between two private buffers is copied twice, or by the kernel. Where the buffers lie
//! in memory that the peer can map, both ends copy at once and once only. `mpiexec --shared-heap`
//! preloads this library into unmodified programs:
//!
//! ```text
//! malloc, calloc, realloc, ... ─▶ interposition ─┬─ small ─▶ next: the C library's own
//!                                                └─ large ─▶ heap ─▶ runs of pages in a segment
//! MPI_Init ─▶ pamir_shared_heap ─▶ the rank's block in the job ─▶ peers map the segment on demand
//! fork     ─▶ fork.rs: the child gets a private copy before either goes on
//! ```
//!
//! | file | what |
//! |---|---|
//! | `runs.rs` | which pages are in use: boundary tags and lists by size |
//! | `heap.rs` | blocks of memory in the segment, by runs of pages |
//! | `dumped.rs` | which of it goes into a core |
//! | `request.rs` | what the environment says about the heap |
//! | `global.rs` | the process's one heap: its lock, its bounds |
//! | `demand.rs` | when it is made |
//! | `fork.rs` | a child's private copy |
//! | `next.rs` | the allocator behind this one, which is the C library's where the heap is on |
//! | `interposition.rs` | the C library's functions, and what MPI asks |
//!
//! Invariants: an address belongs to the heap exactly if it lies within the heap's bounds, which
//! never change; nothing here allocates through the functions that it replaces while the lock is
//! held.

// A test program keeps the C library's own functions; tests/tests/shared_heap.rs preloads these.
#[cfg(not(test))]
mod demand;
mod dumped;
#[cfg(not(test))]
mod fork;
#[cfg(not(test))]
mod global;
mod heap;
#[cfg(not(test))]
mod interposition;
#[cfg(not(test))]
mod next;
#[cfg(not(test))]
mod request;
mod runs;
