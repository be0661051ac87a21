//! What a rank tells of its synchronisation calls: the last four, for everybody to read.
//!
//! Before: a rank calls a barrier, or whatever else was chosen. After: the controllers of all
//! ranks, and the launcher, read who has called which synchronisation, when, and after how much
//! work ("Load balancing at synchronization points": a history structure of task ids and
//! timestamps).
//!
//! ```text
//! byte 0       32      64      96      128
//!      │ call 4 │ call 5 │ call 6 │ call 3 │     one record a rank, written by the rank alone
//!      └▶ [group and cycle][started][arrived][load]
//! ```
//!
//! | a slot's first word | by        | becomes |
//! |---------------------|-----------|---------|
//! | a call, or 0        | [`CallRecord::publish`] begins  | 0: being written |
//! | 0: being written    | [`CallRecord::publish`] ends    | the new call |
//! | a call              | [`CallRecord::forget`]          | 0 |
//!
//! Invariants: one writer; who reads the same call in the first word before and after the other
//! words has read that call's words, since a slot never gets the same call twice in a row; 0 is
//! no call, since cycles count from 1.

use crate::atomic::{AtomicU64, Ordering, fence};

/// How many calls are kept.
pub const CALLS: usize = 4;

/// Which synchronisation of which group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId {
    /// The group, by the context id of its communicator.
    pub group: u32,
    /// The number of the group's synchronisation, from 1 on.
    pub cycle: u32,
}

impl CallId {
    fn to_word(self) -> u64 {
        u64::from(self.group) << 32 | u64::from(self.cycle)
    }

    fn from_word(word: u64) -> Option<Self> {
        let (group, cycle) = ((word >> 32) as u32, word as u32);
        (cycle != 0).then_some(Self { group, cycle })
    }
}

/// One synchronisation call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which.
    pub id: CallId,
    /// When the computation before it began, in nanoseconds of the system's monotonic clock.
    pub started_ns: u64,
    /// When it was made, on the same clock.
    pub arrived_ns: u64,
    /// What the caller had to do: items or the sum of their weights; for a call that nobody
    /// gives a load for, the nanoseconds for which it was busy.
    pub load: u64,
}

/// One call as it lies in shared memory.
#[repr(C)]
#[derive(Debug)]
struct Slot {
    id: AtomicU64,
    started_ns: AtomicU64,
    arrived_ns: AtomicU64,
    load: AtomicU64,
}

impl Slot {
    /// A slot that holds nothing. (Those in a segment are zeros from the start.)
    #[cfg(test)]
    fn empty() -> Self {
        Self {
            id: AtomicU64::new(0),
            started_ns: AtomicU64::new(0),
            arrived_ns: AtomicU64::new(0),
            load: AtomicU64::new(0),
        }
    }

    fn write(&self, call: Call) {
        self.id.store(0, Ordering::Relaxed);
        // Release: who reads a word stored below, and then fences, sees the 0 or what comes later.
        fence(Ordering::Release);
        self.started_ns.store(call.started_ns, Ordering::Relaxed);
        self.arrived_ns.store(call.arrived_ns, Ordering::Relaxed);
        self.load.store(call.load, Ordering::Relaxed);
        // Release: who sees the call sees its words.
        self.id.store(call.id.to_word(), Ordering::Release);
    }

    fn read(&self) -> Option<Call> {
        // Acquire: pairs with the last store of `write`.
        let word = self.id.load(Ordering::Acquire);
        let id = CallId::from_word(word)?;
        let call = Call {
            id,
            started_ns: self.started_ns.load(Ordering::Relaxed),
            arrived_ns: self.arrived_ns.load(Ordering::Relaxed),
            load: self.load.load(Ordering::Relaxed),
        };
        // Acquire: pairs with the fence of a `write` whose words were read above.
        fence(Ordering::Acquire);
        (self.id.load(Ordering::Relaxed) == word).then_some(call)
    }
}

/// A rank's last calls.
#[repr(C)]
#[derive(Debug)]
pub struct CallRecord {
    slots: [Slot; CALLS],
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<CallRecord>() == 128);

#[cfg(not(loom))]
// SAFETY: repr(C), nothing but 64-bit atomics.
unsafe impl crate::shareable::Shareable for CallRecord {}

impl CallRecord {
    /// Writes the owner's call number `position` of all that it has published; only the owner
    /// calls this, from one thread at a time, and no call twice.
    pub fn publish(&self, position: usize, call: Call) {
        self.slots[position % CALLS].write(call);
    }

    /// Takes back the owner's calls in `group`, whose number another group may get.
    pub fn forget(&self, group: u32) {
        for slot in &self.slots {
            let id = CallId::from_word(slot.id.load(Ordering::Relaxed));
            if id.is_some_and(|id| id.group == group) {
                slot.id.store(0, Ordering::Release);
            }
        }
    }

    /// The owner's call in `id`, if it has been made and is still there.
    pub fn find(&self, id: CallId) -> Option<Call> {
        // Another slot is passed by with one look.
        let has = |slot: &&Slot| slot.id.load(Ordering::Relaxed) == id.to_word();
        self.slots.iter().find(has).and_then(Slot::read)
    }

    /// All calls that can be read now, in no order.
    pub fn calls(&self) -> impl Iterator<Item = Call> + '_ {
        self.slots.iter().filter_map(Slot::read)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn call(group: u32, cycle: u32) -> Call {
        let at = u64::from(cycle) * 100;
        Call {
            id: CallId { group, cycle },
            started_ns: at,
            arrived_ns: at + 50,
            load: at + 7,
        }
    }

    fn record() -> CallRecord {
        let slots = std::array::from_fn(|_| Slot::empty());
        CallRecord { slots }
    }

    #[test]
    fn the_last_four_calls_are_found_and_older_ones_are_gone() {
        let record = record();
        assert_eq!(record.calls().count(), 0);
        for cycle in 1..=6 {
            record.publish(cycle as usize, call(3, cycle));
        }
        let found = |cycle| record.find(CallId { group: 3, cycle });
        assert_eq!([1, 2].map(found), [None, None]);
        assert_eq!(
            [3, 4, 5, 6].map(found),
            [3, 4, 5, 6].map(|c| Some(call(3, c)))
        );
        assert_eq!(record.find(CallId { group: 2, cycle: 6 }), None);
        assert_eq!(record.calls().count(), CALLS);
    }

    #[test]
    fn a_group_that_ends_takes_its_calls_with_it() {
        let record = record();
        for (position, group) in [4, 6, 4, 8].into_iter().enumerate() {
            record.publish(position, call(group, 1 + position as u32));
        }
        record.forget(4);
        let mut left: Vec<u32> = record.calls().map(|call| call.id.group).collect();
        left.sort_unstable();
        assert_eq!(left, [6, 8]);
    }

    /// A reader in another thread, while the owner writes without end: no words of two calls.
    #[test]
    fn no_call_is_read_in_parts() {
        let record = record();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (1..200_000).for_each(|cycle| record.publish(cycle as usize, call(1, cycle)))
            });
            for _ in 0..20_000 {
                for read in record.calls() {
                    assert_eq!(read, call(1, read.id.cycle));
                }
            }
        });
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use loom::sync::Arc;

    fn call(cycle: u32) -> Call {
        let word = u64::from(cycle);
        Call {
            id: CallId { group: 2, cycle },
            started_ns: word,
            arrived_ns: word,
            load: word,
        }
    }

    /// A slot that is written anew while it is read gives one of both calls, or none.
    #[test]
    fn loom_a_call_is_read_whole_or_not_at_all() {
        loom::model(|| {
            let slot = Arc::new(Slot::empty());
            let writer = {
                let slot = slot.clone();
                loom::thread::spawn(move || {
                    slot.write(call(1));
                    slot.write(call(5));
                })
            };
            if let Some(read) = slot.read() {
                assert_eq!(read, call(read.id.cycle));
            }
            writer.join().unwrap();
            assert_eq!(slot.read(), Some(call(5)));
        });
    }
}
