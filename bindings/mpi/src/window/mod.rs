//! Windows: memory that the ranks of a communicator let each other reach (MPI-5.0 chapter 12).
//!
//! ```text
//! allocation ─ memory that others can map
//! construct ── all ranks agree where each one's memory lies ──▶ Window
//! epoch     ── what may be accessed now                          │
//!                                                                ▼
//!                                      pamir_transport::one_sided::window
//! ```
//!
//! Step before: the C layer has a handle and arguments. Step after: the transport moves and combines bytes, and synchronises.
//!
//! Invariants: a window has a communicator of its own, so that its barriers and agreements are apart from the program's; its memory
//! stays until no member uses it.

pub mod allocation;
pub mod construct;
pub mod epoch;
pub mod error;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use pamir_driver::job::FileRange;
use pamir_shm::segment::Segment;
pub use pamir_shm::window::attached::AttachedTable;
use pamir_transport::context::Context;
use pamir_transport::one_sided::memory_region::MemoryRegion;
use pamir_transport::one_sided::window::{Part, Window as Memory};

use crate::attribute::{AttributeTable, ObjectKind};
use crate::communicator::Communicator;
use crate::error_handler::ErrorHandler;
use crate::info::Info;
use epoch::Epochs;

/// How a window was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// Over memory of the program's.
    Create,
    /// With memory of its own.
    Allocate,
    /// Over memory that the program attaches later.
    Dynamic,
    /// With memory that all ranks may address.
    Shared,
}

impl Flavor {
    /// The function that makes such windows.
    pub fn function(self) -> &'static str {
        match self {
            Self::Create => "MPI_Win_create",
            Self::Allocate => "MPI_Win_allocate",
            Self::Dynamic => "MPI_Win_create_dynamic",
            Self::Shared => "MPI_Win_allocate_shared",
        }
    }
}

/// A window at one of its ranks.
#[derive(Debug)]
pub struct Window {
    memory: Rc<Memory>,
    communicator: Rc<Communicator>,
    flavor: Flavor,
    /// The window's range of the job's file.
    range: FileRange,
    /// This rank's part, as the transport knows it.
    region: Option<MemoryRegion>,
    /// Keeps the chunks mapped in which parts of others lie.
    _homes: Vec<Arc<Segment>>,
    epochs: Epochs,
    name: RefCell<Box<[u8]>>,
    attributes: AttributeTable,
    hints: RefCell<Info>,
    error_handler: RefCell<ErrorHandler>,
}

impl Window {
    /// The transport's window.
    #[inline(always)]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The communicator of its ranks, which is its own.
    #[inline(always)]
    pub fn communicator(&self) -> &Rc<Communicator> {
        &self.communicator
    }

    /// How it was made.
    pub fn flavor(&self) -> Flavor {
        self.flavor
    }

    /// Whether a target's part says by itself what may be accessed: nothing has to be attached.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.flavor != Flavor::Dynamic
    }

    /// What is open.
    #[inline(always)]
    pub fn epochs(&self) -> &Epochs {
        &self.epochs
    }

    /// This rank's part.
    pub fn own(&self) -> &Part {
        self.memory.part(self.memory.rank())
    }

    /// What this rank has attached, if the window is a dynamic one.
    pub fn own_attached(&self) -> Option<&AttachedTable> {
        self.memory.attached(self.memory.rank())
    }

    /// The name that the program gave it; empty at first.
    pub fn name(&self) -> Box<[u8]> {
        self.name.borrow().clone()
    }

    /// Gives it a name.
    pub fn set_name(&self, name: &[u8]) {
        self.name.replace(name.into());
    }

    /// The attributes that the program attached.
    pub fn attributes(&self) -> &AttributeTable {
        &self.attributes
    }

    /// The hints in force.
    pub fn hints(&self) -> Info {
        self.hints.borrow().clone()
    }

    /// Adds hints to those it has; a key that it has gets the new value.
    pub fn add_hints(&self, hints: &Info) {
        let mut own = self.hints.borrow_mut();
        for (key, value) in hints.iter() {
            own.set(key, value)
                .expect("an info object's keys and values keep its limits");
        }
    }

    /// What becomes of errors that are raised on it.
    pub fn error_handler(&self) -> ErrorHandler {
        self.error_handler.borrow().clone()
    }

    /// Says what becomes of errors.
    pub fn set_error_handler(&self, handler: ErrorHandler) {
        // The old one may be the program's: it ends when nothing is borrowed any more.
        let _old = self.error_handler.replace(handler);
    }

    /// Forgets its memory at this rank: nobody reaches it any more.
    fn forget(&self, context: &Context) {
        if let Some(region) = &self.region {
            context.deregister(region);
        }
    }
}

/// The empty state of a window that was just made.
struct Fresh {
    memory: Rc<Memory>,
    communicator: Rc<Communicator>,
    range: FileRange,
    region: Option<MemoryRegion>,
    homes: Vec<Arc<Segment>>,
}

impl Fresh {
    fn into_window(self, flavor: Flavor, hints: Info) -> Window {
        let members = self.memory.size();
        Window {
            memory: self.memory,
            communicator: self.communicator,
            flavor,
            range: self.range,
            region: self.region,
            _homes: self.homes,
            epochs: Epochs::new(members),
            name: RefCell::default(),
            attributes: AttributeTable::new(ObjectKind::Window),
            hints: RefCell::new(hints),
            error_handler: RefCell::default(),
        }
    }
}
