//! Placing a range of memory on a NUMA node.
//!
//! What: pages of the range that are touched from now on come from the node, and those that are
//! there already are moved if this process alone uses them. The node is preferred, not demanded: a
//! full node must make a job slower, not kill it.
//!
//! Step before: [`super::plan`] says the node of each rank. Step after: the process that mapped the range
//! touches it. This file is one of the few with `unsafe`: it calls `mbind`.

use std::io;
use std::sync::LazyLock;

use pamir_shm::segment::PAGE_BYTES;

use super::BindingError;
use crate::topology::Machine;

/// The kernel's MPOL_MF_MOVE (`linux/mempolicy.h`): move pages that this process alone uses.
const MOVE_OWN_PAGES: libc::c_long = 1 << 1;

/// What became of a request to place memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryBinding {
    /// The kernel prefers the node for the range.
    Placed,
    /// The machine has one node: nothing to choose.
    OneNode,
    /// The kernel or the container does not offer it, or the machine is only described; pages come from the node of the thread that
    /// touches them first.
    NotOffered,
}

/// Makes the pages of a range come from a NUMA node (the operating system's number). The address
/// is a multiple of the page size; the length is rounded up to pages by the kernel. The range's
/// contents do not change, so any address may be given: one that is not mapped is an error.
pub fn bind_memory(
    machine: &Machine,
    address: *const u8,
    length_bytes: usize,
    numa_node: u32,
) -> Result<MemoryBinding, BindingError> {
    if machine.numa_nodes().len() < 2 {
        return Ok(MemoryBinding::OneNode);
    }
    if !machine.is_this_system() {
        return Ok(MemoryBinding::NotOffered);
    }
    prefer_node(address, length_bytes, numa_node)
}

/// Whether this machine has several nodes, as the kernel says.
static SEVERAL_NODES: LazyLock<bool> = LazyLock::new(|| {
    let nodes = std::fs::read_to_string("/sys/devices/system/node/online");
    nodes.is_ok_and(|nodes| nodes.trim() != "0")
});

/// Makes the whole pages of a range come from the node of the processor that the calling thread runs on, where the machine has
/// several: those of a window's part belong to its owner, whoever touches them first. A wish: what the kernel refuses is not done.
pub fn prefer_own_node(address: *const u8, length_bytes: usize) {
    if !*SEVERAL_NODES {
        return;
    }
    let start = address.addr().next_multiple_of(PAGE_BYTES);
    let end = address.addr().saturating_add(length_bytes) / PAGE_BYTES * PAGE_BYTES;
    if let Some(node) = own_node().filter(|_| start < end) {
        // What is not there is not preferred.
        let _ = prefer_node(address.with_addr(start), end - start, node);
    }
}

/// The node of the processor that this thread runs on, by the operating system's number.
fn own_node() -> Option<u32> {
    let processor = nix::sched::sched_getcpu().ok()?;
    let folder = format!("/sys/devices/system/cpu/cpu{processor}");
    let names = std::fs::read_dir(folder).ok()?.flatten();
    let numbers = names.filter_map(|entry| {
        let name = entry.file_name();
        name.to_str()?.strip_prefix("node")?.parse().ok()
    });
    numbers.min()
}

fn prefer_node(
    address: *const u8,
    length_bytes: usize,
    numa_node: u32,
) -> Result<MemoryBinding, BindingError> {
    const BITS: usize = u64::BITS as usize;
    let node = numa_node as usize;
    let mut nodes = vec![0u64; node / BITS + 1];
    nodes[node / BITS] = 1 << (node % BITS);
    // The kernel reads one bit less than it is told.
    let bit_count = nodes.len() * BITS + 1;
    // SAFETY: `nodes` holds at least `bit_count - 1` bits and is only read. The range itself is
    // not read or written through the pointer: mbind changes where its pages lie, never what they
    // hold, and answers EFAULT for addresses that are not mapped.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mbind,
            address,
            length_bytes,
            libc::MPOL_PREFERRED,
            nodes.as_ptr(),
            bit_count,
            MOVE_OWN_PAGES,
        )
    };
    if result == 0 {
        return Ok(MemoryBinding::Placed);
    }
    let source = io::Error::last_os_error();
    match source.raw_os_error() {
        // A kernel without NUMA, or a container whose filter forbids the call.
        Some(libc::ENOSYS | libc::EPERM) => Ok(MemoryBinding::NotOffered),
        _ => Err(BindingError::MemoryRefused {
            length_bytes,
            numa_node,
            source,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_node_leaves_nothing_to_choose() {
        let machine = Machine::from_description("core:2 pu:1").unwrap();
        let nowhere = std::ptr::null();
        assert_eq!(
            bind_memory(&machine, nowhere, 4096, 0).unwrap(),
            MemoryBinding::OneNode
        );
    }

    #[test]
    fn the_kernel_places_a_mapping_and_refuses_what_is_none() {
        let mapping = aligned_page();
        let node = Machine::from_sysfs().unwrap().numa_nodes()[0];
        let placed = prefer_node(mapping.as_ptr(), mapping.len(), node).unwrap();
        assert!(matches!(
            placed,
            MemoryBinding::Placed | MemoryBinding::NotOffered
        ));
        if placed == MemoryBinding::Placed {
            let message = prefer_node(mapping.as_ptr(), mapping.len(), 900)
                .unwrap_err()
                .to_string();
            assert!(message.contains("NUMA node 900"), "{message}");
        }
    }

    /// A page-aligned piece of a larger buffer.
    fn aligned_page() -> &'static [u8] {
        let buffer: &'static [u8] = Box::leak(vec![0u8; 3 * 4096].into_boxed_slice());
        let start = buffer.as_ptr().align_offset(4096);
        &buffer[start..start + 4096]
    }
}
