//! The exported functions of `pamir.h`.

use std::ffi::{c_char, c_int, c_longlong, c_void};

use super::housekeeping::{self, Function};
use super::partition::{self, Direct, Prepare, Statistics};
use super::synchronization::{self, KnownCall};
use super::tasks::{self, Task, Work};
use crate::error::Object;
use crate::state::numbered::Handle;
use crate::types::MPI_Comm;

super::export! {
    /// `pamir_balance_sync`: a barrier that announces itself.
    fn pamir_balance_sync(comm: MPI_Comm) on Object::Communicator(comm),
        synchronization::balance_sync;

    /// `pamir_balance_history`: who called a synchronisation, and when.
    fn pamir_balance_history(
        comm: MPI_Comm, back: c_int, calls: *mut KnownCall, known: *mut c_int,
    ) on Object::Communicator(comm), synchronization::balance_history;

    /// `pamir_partition_create`: divides items among a communicator's ranks.
    fn pamir_partition_create(
        comm: MPI_Comm, items: c_longlong, weights: *const c_longlong, block: c_longlong,
        policy: *const c_char, partition: *mut Handle,
    ) on Object::Communicator(comm), partition::create;

    /// `pamir_partition_free`: ends a partition and its arrays.
    fn pamir_partition_free(partition: *mut Handle) on Object::Process, partition::free;

    /// `pamir_partition_range`: the items of a rank.
    fn pamir_partition_range(
        partition: Handle, rank: c_int, begin: *mut c_longlong, end: *mut c_longlong,
    ) on Object::Process, partition::range;

    /// `pamir_partition_weigh`: what items cost from now on.
    fn pamir_partition_weigh(
        partition: Handle, weights: *const c_longlong, changed: *mut c_int,
    ) on Object::Process, partition::weigh;

    /// `pamir_partition_array`: data that moves with its items.
    fn pamir_partition_array(
        partition: Handle, item_bytes: usize, border: c_longlong, given: *mut c_void,
        base: *mut *mut c_void,
    ) on Object::Process, partition::array;

    /// `pamir_partition_read`: a file of which each rank reads its items.
    fn pamir_partition_read(
        partition: Handle, path: *const c_char, offset: c_longlong, item_bytes: usize,
        border: c_longlong, base: *mut *const c_void,
    ) on Object::Process, partition::read;

    /// `pamir_partition_prepare`: a set-up operation of the program's.
    fn pamir_partition_prepare(
        partition: Handle, prepare: Option<Prepare>, argument: *mut c_void,
    ) on Object::Process, partition::prepare;

    /// `pamir_partition_direct`: what is told what its rank does next.
    fn pamir_partition_direct(
        partition: Handle, direct: Option<Direct>, argument: *mut c_void,
    ) on Object::Process, partition::direct;

    /// `pamir_partition_directive`: what the history told a rank to do next.
    fn pamir_partition_directive(
        partition: Handle, rank: c_int, back: c_int, direction: *mut c_int,
    ) on Object::Process, partition::directive;

    /// `pamir_cycle_begin`: the computation of a cycle starts.
    fn pamir_cycle_begin(partition: Handle) on Object::Process, partition::begin;

    /// `pamir_cycle_test`: evaluates what others have announced.
    fn pamir_cycle_test(partition: Handle, slowest: *mut c_int) on Object::Process, partition::test;

    /// `pamir_cycle_end`: waits for all, and moves ranges and data.
    fn pamir_cycle_end(partition: Handle, changed: *mut c_int) on Object::Process, partition::end;

    /// `pamir_partition_statistics`: what balancing has done.
    fn pamir_partition_statistics(
        partition: Handle, statistics: *mut Statistics,
    ) on Object::Process, partition::statistics;

    /// `pamir_housekeeping_add`: a function for the time in which the rank waits.
    fn pamir_housekeeping_add(
        function: Option<Function>, argument: *mut c_void, number: *mut c_longlong,
    ) on Object::Process, housekeeping::add;

    /// `pamir_housekeeping_remove`: the function is not called any more.
    fn pamir_housekeeping_remove(number: c_longlong) on Object::Process, housekeeping::remove;

    /// `pamir_tasks_create`: a task a rank, for data that must stay.
    fn pamir_tasks_create(
        comm: MPI_Comm, law: *const c_char, period: c_int, tasks: *mut Handle,
    ) on Object::Communicator(comm), tasks::create;

    /// `pamir_tasks_run`: does the rank's parts, and levels the queues.
    fn pamir_tasks_run(
        tasks: Handle, work: Option<Work>, argument: *mut c_void, changed: *mut c_int,
    ) on Object::Process, tasks::run;

    /// `pamir_tasks_run_list`: does the rank's tasks of a list, and levels who does which.
    fn pamir_tasks_run_list(
        tasks: Handle, list: *const Task, count: c_int, changed: *mut c_int,
    ) on Object::Process, tasks::run_list;

    /// `pamir_tasks_owner`: who does a task of the last list.
    fn pamir_tasks_owner(tasks: Handle, task: c_int, rank: *mut c_int) on Object::Process,
        tasks::owner;

    /// `pamir_tasks_queue`: how many parts a rank has.
    fn pamir_tasks_queue(tasks: Handle, rank: c_int, parts: *mut c_longlong) on Object::Process,
        tasks::queue;

    /// `pamir_tasks_request`: asks for levelling after the next cycle.
    fn pamir_tasks_request(tasks: Handle) on Object::Process, tasks::request;

    /// `pamir_tasks_free`: ends tasks.
    fn pamir_tasks_free(tasks: *mut Handle) on Object::Process, tasks::free;
}
