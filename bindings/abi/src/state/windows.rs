//! Windows by handle.
//!
//! Before: `MPI_Win_create`, or one of its kind, has made a window. After: calls find it, and what its predefined attributes point at.

use std::cell::Cell;
use std::ffi::c_int;
use std::ops::Deref;
use std::rc::Rc;

use pamir_mpi::window::{Flavor, Window};
use pamir_transport::context::Context;

use super::handles::{Kind, Table, names_nothing};
use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::types::{MPI_Aint, MPI_Comm, MPI_Win};

/// What `MPI_Win_get_attr` gives addresses of (MPI-5.0 section 12.2.6).
#[derive(Debug)]
pub struct Facts {
    /// `MPI_WIN_SIZE`.
    pub size: MPI_Aint,
    /// `MPI_WIN_DISP_UNIT`.
    pub unit: c_int,
    /// `MPI_WIN_CREATE_FLAVOR`.
    pub flavor: c_int,
    /// `MPI_WIN_MODEL`.
    pub model: c_int,
}

/// A window that the program has a handle of.
#[derive(Debug)]
pub struct Entry {
    window: Rc<Window>,
    /// What its attributes point at.
    pub facts: Facts,
    /// A handle of its communicator, which the program does not know.
    pub comm: MPI_Comm,
}

impl Deref for Entry {
    type Target = Window;

    #[inline(always)]
    fn deref(&self) -> &Window {
        &self.window
    }
}

impl Entry {
    /// The window, with what its attributes point at.
    pub fn new(window: Rc<Window>, comm: MPI_Comm) -> Self {
        let own = window.own();
        let (size, flavor) = match window.flavor() {
            Flavor::Create => (own.region.bytes(), MPI_WIN_FLAVOR_CREATE),
            Flavor::Allocate => (own.region.bytes(), MPI_WIN_FLAVOR_ALLOCATE),
            Flavor::Dynamic => (0, MPI_WIN_FLAVOR_DYNAMIC),
            Flavor::Shared => (own.region.bytes(), MPI_WIN_FLAVOR_SHARED),
        };
        let facts = Facts {
            size: size as MPI_Aint,
            unit: c_int::try_from(own.unit).unwrap_or(c_int::MAX),
            flavor,
            model: MPI_WIN_UNIFIED,
        };
        Self {
            window,
            facts,
            comm,
        }
    }
}

/// Windows that the program made.
#[derive(Debug)]
pub struct Windows {
    table: Table<Entry>,
    /// Synchronisation calls since the last that advanced.
    calls: Cell<u32>,
}

impl Default for Windows {
    fn default() -> Self {
        Self {
            table: Table::new(Kind::Window),
            calls: Cell::new(0),
        }
    }
}

/// Synchronisation calls of which one advances the context.
const TURN: u32 = 32;

impl Windows {
    /// A call that synchronises: now and then one advances, since a program may call nothing else while others wait for it
    /// (MPI-5.0 section 12.7.3).
    #[inline(always)]
    pub fn take_turn(&self, context: &Context) -> Result {
        let calls = self.calls.get() + 1;
        if calls < TURN {
            self.calls.set(calls);
            return Ok(());
        }
        self.advance(context)
    }

    #[cold]
    fn advance(&self, context: &Context) -> Result {
        self.calls.set(0);
        context.advance()?;
        Ok(())
    }

    /// Takes a window that was just made, and gives its handle.
    pub fn insert(&self, entry: Entry) -> MPI_Win {
        MPI_Win(self.table.insert(Rc::new(entry)))
    }

    /// The window that a handle names.
    ///
    /// # Errors
    ///
    /// `MPI_ERR_WIN` for a handle that names none.
    pub fn named(&self, win: MPI_Win) -> Result<Rc<Entry>> {
        self.table.get(win.0).ok_or_else(|| {
            let null = (win == MPI_WIN_NULL).then_some("MPI_WIN_NULL");
            names_nothing(ErrorClass::Win, win.0, null, "window")
        })
    }

    /// Lets `look` see a window, if the handle names one; it must neither wait nor call back.
    #[inline(always)]
    pub fn with<R>(&self, win: MPI_Win, look: impl FnOnce(&Entry) -> R) -> Option<R> {
        self.table.with(win.0, look)
    }

    /// Lets the handle name nothing any more.
    pub fn remove(&self, win: MPI_Win) {
        self.table.remove(win.0);
    }
}
