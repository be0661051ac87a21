//! The state of a context's puts, gets and modifications, besides the operations under way.
//!
//! Before: a context is made. After: [`super`] looks up which protocol moves a transfer, and what memory it may reach.

use std::any::Any;
use std::cell::{OnceCell, RefCell};
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

/// The table in force for transfers in a situation.
fn table_of<A: Choice>(situation: Situation) -> &'static Ranges<A, MOST_RANGES> {
    let ranges = A::table().ranges(situation);
    ranges.expect("the default rows serve every transfer")
}
