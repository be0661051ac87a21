//! Layouts of data: what types stand for, and which handle names which.
//!
//! ```text
//!   PAMI_Type_create ─▶ building ─PAMI_Type_complete─▶ complete ─PAMI_Type_destroy─▶ (free)
//!                          └────────────PAMI_Type_destroy──────────────────────────▶ (free)
//! ```
//!
//! | state    | add_simple, add_typed | complete | query, serialize, transfers | destroy |
//! |----------|-----------------------|----------|-----------------------------|---------|
//! | building | building              | complete | refused                     | free    |
//! | complete | refused               | refused  | as it is                    | free    |
//!
//! ```text
//! pami_type_t   bit 63: 1    32..63: generation    0..32: index
//! ```
//!
//! A predefined type is a small number; any other is an index, with a generation that tells a
//! destroyed type from the one that has its place now. So no handle is ever followed.
//!
//! Before: a program's calls (`functions/layout.rs`). After: transfers take the [`Layout`], which stays
//! as long as one of them uses it, whatever becomes of the handle.
//!
//! Invariants: a layout never changes; its atom divides each of its blocks.

use std::sync::{Arc, OnceLock};

use pamir_transport::gather_scatter::{Builder, Program};
use parking_lot::{RwLock, RwLockWriteGuard};

use crate::layout::element::Element;
use crate::refusal::Refusal;
use crate::structures::variables::element_bytes;
use crate::structures::{MOST_ATOM_BYTES, Type};

pub mod element;
pub mod end;
pub mod function_memory;
pub mod handling;
pub mod reducer;
pub mod transform;

/// What a serialized type begins with: these, the atom, the elements, and then the program's code.
const MAGIC: &[u8; 4] = b"PTY2";

/// A type that is complete.
#[derive(Debug)]
pub struct Layout {
    /// One element: where its bytes stand, and how far the next one is.
    pub program: Program,
    /// What data functions take a multiple of.
    pub atom_bytes: usize,
    /// What its data is.
    pub element: Element,
    /// Made when it is first asked for.
    code: OnceLock<Box<[u8]>>,
}

impl Layout {
    /// # Errors
    ///
    /// [`Refusal::AtomSize`] where the atom does not divide every block.
    fn new(program: Program, atom_bytes: usize, element: Element) -> Result<Self, Refusal> {
        let unit = program.placed().node.unit();
        if !(1..=MOST_ATOM_BYTES).contains(&atom_bytes) || !unit.is_multiple_of(atom_bytes) {
            return Err(Refusal::AtomSize { atom_bytes, unit });
        }
        Ok(Self {
            program,
            atom_bytes,
            element: element.of(unit),
            code: OnceLock::new(),
        })
    }

    fn predefined(handle: Type, bytes: usize) -> Self {
        let mut builder = Builder::new();
        let added = builder.add_simple(bytes, 0, 1, bytes as i64);
        let program = added.and_then(|()| builder.complete());
        let program = program.expect("an element of a predefined type is a few bytes");
        let element = Element::Each(handle.addr() as u8);
        Self::new(program, bytes, element).expect("its only block is the atom")
    }

    /// The layout as bytes, which stay as long as it does.
    pub fn code(&self) -> &[u8] {
        self.code.get_or_init(|| {
            let facts = [self.atom_bytes as u8, self.element.code()];
            let program = self.program.serialize();
            [MAGIC.as_slice(), &facts, &program].concat().into()
        })
    }

    /// The layout that [`Self::code`] gave.
    ///
    /// # Errors
    ///
    /// Whatever does not hold of the bytes; they may be anyone's.
    pub fn from_code(code: &[u8]) -> Result<Self, Refusal> {
        let rest = code.strip_prefix(MAGIC).and_then(<[u8]>::split_first_chunk);
        let ([atom, element], program) = rest.ok_or(Refusal::NotSerialized)?;
        let element = Element::from_code(*element).ok_or(Refusal::NotSerialized)?;
        Self::new(Program::deserialize(program)?, (*atom).into(), element)
    }
}

enum State {
    Free,
    Building(Builder, Element),
    Complete(Arc<Layout>),
}

struct Slot {
    generation: u32,
    state: State,
}

/// The types of this process: any thread may use them.
struct Table {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

static TABLE: RwLock<Table> = RwLock::new(Table {
    slots: Vec::new(),
    free: Vec::new(),
});

/// Set in every handle that is no predefined type's.
const MARK: u64 = 1 << 63;

/// One more than the greatest number of a predefined type.
const PREDEFINED: usize = 32;

static PREDEFINED_LAYOUTS: [OnceLock<Arc<Layout>>; PREDEFINED] = [const { OnceLock::new() }; 32];

impl Table {
    fn insert(&mut self, state: State) -> Type {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot {
                generation: 0,
                state: State::Free,
            });
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        slot.generation = (slot.generation + 1) & 0x7FFF_FFFF;
        slot.state = state;
        let handle = MARK | u64::from(slot.generation) << 32 | u64::from(index);
        std::ptr::without_provenance_mut(handle as usize)
    }

    /// The place of a type that exists.
    fn find(&self, handle: Type) -> Option<usize> {
        let word = handle.addr() as u64;
        let index = word as u32 as usize;
        let slot = self.slots.get(index)?;
        let current = MARK | u64::from(slot.generation) << 32 | u64::from(word as u32);
        (word == current && !matches!(slot.state, State::Free)).then_some(index)
    }
}

fn missing(argument: &'static str) -> Refusal {
    let kind = "type";
    Refusal::Handle { argument, kind }
}

/// The layout of a predefined type.
fn predefined(handle: Type) -> Option<&'static Arc<Layout>> {
    let bytes = element_bytes(handle)?;
    let place = PREDEFINED_LAYOUTS.get(handle.addr())?;
    Some(place.get_or_init(|| Arc::new(Layout::predefined(handle, bytes))))
}

/// The layout of a type that is complete.
///
/// # Errors
///
/// [`Refusal::Handle`] and [`Refusal::Incomplete`], which name `argument`.
pub fn layout_of(handle: Type, argument: &'static str) -> Result<Arc<Layout>, Refusal> {
    if let Some(layout) = predefined(handle) {
        return Ok(Arc::clone(layout));
    }
    let table = TABLE.read();
    let index = table.find(handle).ok_or_else(|| missing(argument))?;
    match &table.slots[index].state {
        State::Complete(layout) => Ok(Arc::clone(layout)),
        _ => Err(Refusal::Incomplete { argument }),
    }
}

/// A new type without data, to be built.
pub fn create() -> Type {
    let state = State::Building(Builder::new(), Element::Nothing);
    TABLE.write().insert(state)
}

/// A new type that is complete.
pub fn insert(layout: Layout) -> Type {
    TABLE.write().insert(State::Complete(Arc::new(layout)))
}

/// Adds data of an element to a type that is being built.
///
/// # Errors
///
/// [`Refusal::Handle`], [`Refusal::Complete`], and what `change` refuses.
pub fn build(
    handle: Type,
    element: Element,
    change: impl FnOnce(&mut Builder) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let (mut table, index) = building(handle)?;
    match &mut table.slots[index].state {
        State::Building(builder, elements) => {
            change(builder)?;
            *elements = elements.and(element);
            Ok(())
        }
        _ => Err(Refusal::Complete),
    }
}

/// Completes a type; after a refusal it is being built as before.
///
/// # Errors
///
/// As for [`build`], [`Refusal::AtomSize`] and [`Refusal::Program`].
pub fn complete(handle: Type, atom_bytes: usize) -> Result<(), Refusal> {
    let (mut table, index) = building(handle)?;
    let State::Building(builder, element) = &table.slots[index].state else {
        return Err(Refusal::Complete);
    };
    let layout = Layout::new(builder.clone().complete()?, atom_bytes, *element)?;
    table.slots[index].state = State::Complete(Arc::new(layout));
    Ok(())
}

fn building(handle: Type) -> Result<(RwLockWriteGuard<'static, Table>, usize), Refusal> {
    if element_bytes(handle).is_some() {
        return Err(Refusal::Complete);
    }
    let table = TABLE.write();
    let index = table.find(handle).ok_or_else(|| missing("type"))?;
    Ok((table, index))
}

/// Forgets a type; transfers that use it go on.
///
/// # Errors
///
/// [`Refusal::Handle`], and [`Refusal::PredefinedType`].
pub fn destroy(handle: Type) -> Result<(), Refusal> {
    if element_bytes(handle).is_some() {
        return Err(Refusal::PredefinedType);
    }
    let mut table = TABLE.write();
    let index = table.find(handle).ok_or_else(|| missing("type"))?;
    let state = std::mem::replace(&mut table.slots[index].state, State::Free);
    table.free.push(index as u32);
    drop(table);
    // Outside of the lock: a large program takes its time.
    drop(state);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::variables::{PAMI_TYPE_BYTE, PAMI_TYPE_DOUBLE};

    fn add(handle: Type, bytes: usize, count: usize, stride: i64) {
        build(handle, Element::Mixed, |builder| {
            Ok(builder.add_simple(bytes, 0, count, stride)?)
        })
        .unwrap();
    }

    #[test]
    fn a_type_is_built_completed_and_destroyed() {
        let handle = create();
        assert!(matches!(
            layout_of(handle, "type"),
            Err(Refusal::Incomplete { .. })
        ));
        add(handle, 8, 3, 24);
        assert!(matches!(
            complete(handle, 3),
            Err(Refusal::AtomSize { unit: 8, .. })
        ));
        for atom_bytes in [0, 129, 256] {
            assert!(complete(handle, atom_bytes).is_err());
        }
        complete(handle, 4).unwrap();
        assert!(matches!(complete(handle, 4), Err(Refusal::Complete)));
        assert!(matches!(
            build(handle, Element::Nothing, |_| Ok(())),
            Err(Refusal::Complete)
        ));
        let layout = layout_of(handle, "type").unwrap();
        assert_eq!(
            (
                layout.program.bytes(),
                layout.program.extent(),
                layout.atom_bytes
            ),
            (24, 72, 4)
        );
        destroy(handle).unwrap();
        assert!(matches!(destroy(handle), Err(Refusal::Handle { .. })));
        assert!(matches!(
            layout_of(handle, "type"),
            Err(Refusal::Handle { .. })
        ));
        // Its place is taken by another, and the layout is still there for who has it.
        let other = create();
        assert!(other != handle && layout_of(handle, "type").is_err());
        assert_eq!(layout.program.blocks(), 3);
        destroy(other).unwrap();
    }

    #[test]
    fn what_is_no_type_is_refused() {
        for word in [0, 29, 31, 32, 4096, 1 << 63, usize::MAX] {
            let handle = std::ptr::without_provenance_mut(word);
            assert!(layout_of(handle, "type").is_err(), "{word:#x}");
            assert!(build(handle, Element::Nothing, |_| Ok(())).is_err());
            assert!(complete(handle, 1).is_err() && destroy(handle).is_err());
        }
        assert!(matches!(
            destroy(PAMI_TYPE_BYTE.0),
            Err(Refusal::PredefinedType)
        ));
        assert!(matches!(
            complete(PAMI_TYPE_BYTE.0, 1),
            Err(Refusal::Complete)
        ));
        let double = layout_of(PAMI_TYPE_DOUBLE.0, "type").unwrap();
        assert_eq!(
            (
                double.program.bytes(),
                double.program.extent(),
                double.atom_bytes
            ),
            (8, 8, 8)
        );
    }

    #[test]
    fn serialized_types_come_back() {
        let handle = create();
        add(handle, 6, 4, 10);
        complete(handle, 2).unwrap();
        let layout = layout_of(handle, "type").unwrap();
        let again = Layout::from_code(layout.code()).unwrap();
        assert_eq!(again.code(), layout.code());
        assert_eq!((again.atom_bytes, again.program.extent()), (2, 40));
        assert_eq!(again.program.blocks(), 4);
        destroy(handle).unwrap();
        let mut code = layout.code().to_vec();
        for length in 0..code.len() {
            assert!(Layout::from_code(&code[..length]).is_err(), "{length}");
        }
        for (at, wrong) in [(5, 200), (4, 5)] {
            code[at] = wrong;
            assert!(Layout::from_code(&code).is_err(), "byte {at}");
        }
        code[0] = b'X';
        assert!(matches!(
            Layout::from_code(&code),
            Err(Refusal::NotSerialized)
        ));
    }

    #[test]
    fn threads_share_the_table() {
        let threads: Vec<_> = (0..4_usize)
            .map(|number| {
                std::thread::spawn(move || {
                    for round in 1..200 {
                        let handle = create();
                        add(handle, round, 1 + number, 1000);
                        complete(handle, 1).unwrap();
                        let layout = layout_of(handle, "type").unwrap();
                        assert_eq!(layout.program.bytes(), round * (1 + number));
                        destroy(handle).unwrap();
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
    }
}
