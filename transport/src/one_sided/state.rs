//! The state of a context's puts, gets and modifications, besides the operations under way.
//!
//! Before: a context is made. After: [`super`] looks up which protocol moves a transfer, and what memory it may reach.

use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use crate::one_sided::memory_region::MemoryRegions;
use crate::one_sided::node_engine::orders::Orders;
use crate::protocol::table::{GetProtocol, PutProtocol};
use crate::selection::{Choice, MOST_RANGES, Ranges, Situation};

/// The state of a context's one-sided transfers.
pub(crate) struct OneSided {
    pub(crate) put_table: &'static Ranges<PutProtocol, MOST_RANGES>,
    pub(crate) get_table: &'static Ranges<GetProtocol, MOST_RANGES>,
    /// What an engine of the node is to move, where this is the context that takes orders.
    pub(crate) orders: OnceCell<Orders>,
    /// Windows that this task is a member of.
    pub(crate) windows: Windows,
    /// What else this task looks at while it waits.
    pub(crate) attended: Attended,
    /// What the client's other endpoints may reach.
    pub(crate) regions: Arc<MemoryRegions>,
}

impl OneSided {
    /// By the tables in force for a situation.
    pub(crate) fn new(situation: Situation, regions: Arc<MemoryRegions>) -> Self {
        Self {
            put_table: table_of(situation),
            get_table: table_of(situation),
            orders: OnceCell::new(),
            windows: Windows::default(),
            attended: Attended::default(),
            regions,
        }
    }
}

/// The windows of a context, by the number that messages name them by. What a window is, the files above know.
#[derive(Debug, Default)]
pub(crate) struct Windows(RefCell<HashMap<u64, Weak<dyn Any>>>);

impl Windows {
    /// A window has a number from now on, until it ends.
    pub(crate) fn add(&self, number: u64, window: &Rc<dyn Any>) {
        let mut all = self.0.borrow_mut();
        all.retain(|_, window| window.strong_count() > 0);
        all.insert(number, Rc::downgrade(window));
    }

    /// The window of a number.
    pub(crate) fn get(&self, number: u64) -> Option<Rc<dyn Any>> {
        self.0.borrow().get(&number)?.upgrade()
    }
}

/// How many a task looks at in one go.
const MOST_LOOKS: usize = 8;

/// Looks at something; whether there was something to do.
type Look = Box<dyn Fn() -> bool>;

/// What a task looks at while it waits, by number: mailboxes of windows.
#[derive(Default)]
pub(crate) struct Attended {
    any: Cell<bool>,
    looks: RefCell<Vec<(u64, Look)>>,
    /// Where the next look begins.
    next: Cell<usize>,
}

impl Attended {
    /// Adds one, which is called by who waits, and says whether it had something to do. It neither waits nor adds others.
    pub(crate) fn add(&self, number: u64, look: impl Fn() -> bool + 'static) {
        self.looks.borrow_mut().push((number, Box::new(look)));
        self.any.set(true);
    }

    pub(crate) fn remove(&self, number: u64) {
        let mut looks = self.looks.borrow_mut();
        looks.retain(|(other, _)| *other != number);
        self.any.set(!looks.is_empty());
    }

    /// Whether there is any.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.any.get()
    }

    /// Looks at some of them, in turn; whether there was something to do.
    #[cold]
    #[inline(never)]
    pub(crate) fn look(&self) -> bool {
        let looks = self.looks.borrow();
        let first = self.next.get();
        self.next.set(first.wrapping_add(MOST_LOOKS));
        (0..looks.len().min(MOST_LOOKS)).fold(false, |found, turn| {
            let (_, look) = &looks[first.wrapping_add(turn) % looks.len()];
            look() || found
        })
    }
}

/// The table in force for transfers in a situation.
fn table_of<A: Choice>(situation: Situation) -> &'static Ranges<A, MOST_RANGES> {
    let ranges = A::table().ranges(situation);
    ranges.expect("the default rows serve every transfer")
}
