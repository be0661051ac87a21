//! Why calls are refused, and how that is told.
//!
//! Before: a function has refused, with a [`Refusal`]. After: [`answer`] returns its number and
//! keeps its sentence, which `PAMI_Error_text` gives out.
//!
//! `mod.rs` has the reasons with their sentences, `result.rs` their numbers and the last sentence of each
//! thread. A new reason is a variant here, and an arm of `code` there unless its number is `PAMI_INVAL`.

mod result;

use pamir_transport::active::ActiveError;
use pamir_transport::client::ClientError;
use pamir_transport::collective::CollectiveError;
use pamir_transport::gather_scatter::ProgramError;
use pamir_transport::operation::OperationError;
use pamir_transport::tagged::profile::traffic::ProfileError;

use crate::structures::{HIGHEST_DISPATCH, MOST_ATOM_BYTES};

pub use result::{answer, ended, ended_collective, last_sentence, refused};

/// Why a call was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A pointer is missing.
    #[error("{argument} is NULL: give an address")]
    Null {
        /// Which argument.
        argument: &'static str,
    },
    /// The handle is not one of a living object of this kind.
    #[error("{argument} is no {kind} that exists: it was never created, or is destroyed")]
    Handle {
        /// Which argument.
        argument: &'static str,
        /// What it should be.
        kind: &'static str,
    },
    /// This process was forked from the one whose objects these are.
    #[error(
        "this process was made by fork from one that uses PAMI, whose messages it would take: only that process may go on with PAMI, or programs that this one executes"
    )]
    Forked,
    /// The client's name is not text.
    #[error("the client's name is not UTF-8 text, or is empty")]
    Name,
    /// A client that is to be destroyed still has contexts.
    #[error("the client has {contexts} contexts: destroy them first (PAMI_Context_destroyv)")]
    ContextsLeft {
        /// How many.
        contexts: usize,
    },
    /// An attribute is not one of this kind of object.
    #[error("attribute {attribute} is none of a {object}: see pami_attribute_name_t in pami.h")]
    Attribute {
        /// Its number.
        attribute: u32,
        /// What was asked.
        object: &'static str,
    },
    /// An attribute cannot be changed.
    #[error("attribute {attribute} of a {object} can be read only")]
    ReadOnly {
        /// Its number.
        attribute: u32,
        /// What was asked.
        object: &'static str,
    },
    /// An endpoint does not exist, or is another client's.
    #[error(
        "endpoint {endpoint:#x} does not exist in this context's client: make endpoints with PAMI_Endpoint_create of the same client"
    )]
    Endpoint {
        /// The endpoint.
        endpoint: u32,
    },
    /// A dispatch id is out of range.
    #[error("dispatch id {dispatch} is out of range: it may be 0 to {HIGHEST_DISPATCH}")]
    DispatchRange {
        /// The id.
        dispatch: usize,
    },
    /// A dispatch id was not set.
    #[error(
        "dispatch id {dispatch} is not set: call PAMI_Dispatch_set in the sending and in the receiving task"
    )]
    DispatchNotSet {
        /// The id.
        dispatch: usize,
    },
    /// Hints that the library cannot follow.
    #[error("the dispatch hints cannot be followed: {reason}")]
    Hints {
        /// Why.
        reason: &'static str,
    },
    /// A header is longer than the hints of its dispatch id allow.
    #[error("a header of {bytes} bytes was given; with long_header disabled it may have {most}")]
    LongHeader {
        /// Its length.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// An immediate message found no room, and its dispatch id does not let it wait.
    #[error(
        "there is no room for the message, and queue_immediate is disabled: advance, and try again"
    )]
    NoRoom,
    /// A predefined data function is given for data of no one predefined type.
    #[error(
        "the data function combines elements, and the type is not made of elements of one predefined type: build it with PAMI_Type_add_typed of that, or give a function of the program's"
    )]
    MixedElements,
    /// A predefined data function is given where data is sent from.
    #[error(
        "the data function combines data with what is at the target: name it where the data is received, and PAMI_DATA_COPY where it is sent"
    )]
    CombinesNothing,
    /// A number that stands for no data function.
    #[error("{function} is no data function: give one of the PAMI_DATA_ variables or a function")]
    NoDataFunction {
        /// The number.
        function: usize,
    },
    /// A type is still being built.
    #[error("{argument} is not complete: call PAMI_Type_complete first")]
    Incomplete {
        /// Which argument.
        argument: &'static str,
    },
    /// A type is complete already.
    #[error("the type is complete, and a complete type is not changed: make another one")]
    Complete,
    /// A predefined type is to be destroyed.
    #[error("a predefined type cannot be destroyed")]
    PredefinedType,
    /// An atom does not divide the blocks of its type.
    #[error(
        "an atom of {atom_bytes} bytes was given: it may have 1 to {MOST_ATOM_BYTES}, and divides every block of the type, the lengths of which have the divisor {unit} in common"
    )]
    AtomSize {
        /// The atom.
        atom_bytes: usize,
        /// The greatest common divisor of the blocks.
        unit: usize,
    },
    /// A type does not have as much data as a transfer asks for.
    #[error(
        "{bytes} bytes cannot be taken of the type: it has no data, or they reach out of the address space"
    )]
    NoData {
        /// How much was asked for.
        bytes: usize,
    },
    /// A data function would get a part of an atom.
    #[error(
        "{bytes} bytes from byte {offset} on are not whole atoms of {atom_bytes} bytes, as a data function takes them"
    )]
    Atoms {
        /// Where the data begins.
        offset: usize,
        /// How much it is.
        bytes: usize,
        /// The type's atom.
        atom_bytes: usize,
    },
    /// The bytes are no serialized type.
    #[error(
        "the bytes are no serialized type of this version: send all that PAMI_Type_serialize gives"
    )]
    NotSerialized,
    /// A type's program could not be made or read.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Memory regions do not hold what a transfer names.
    #[error("{bytes} bytes at byte {offset} do not lie in the {which} memory region")]
    OutsideRegion {
        /// Which of the two.
        which: &'static str,
        /// Where.
        offset: usize,
        /// How much.
        bytes: usize,
    },
    /// Nothing is to be transferred.
    #[error("a transfer of 0 bytes was asked for")]
    NoBytes,
    /// An atomic operation is none.
    #[error("{operation:#x} is no atomic operation: see pami_atomic_t in pami.h")]
    Atomic {
        /// Its number.
        operation: u32,
    },
    /// The type of an atomic operation is no integer.
    #[error("an atomic operation works on int, long, long long and their unsigned kinds only")]
    AtomicType,
    /// Fences are asked for outside of a region, or regions are nested.
    #[error("{reason}")]
    FenceRegion {
        /// What is wrong.
        reason: &'static str,
    },
    /// A task may not do that to itself.
    #[error("endpoint {endpoint:#x} is the context's own")]
    OwnEndpoint {
        /// The endpoint.
        endpoint: u32,
    },
    /// There is no such extension.
    #[error("there is no extension {name:?}: this library has {known}")]
    Extension {
        /// The name asked for.
        name: String,
        /// The names of those there are.
        known: String,
    },
    /// There is no torus that the tasks fill.
    #[error(
        "PAMIR_TORUS is {value:?}, and there are {tasks} tasks: set it to sizes such as 3x3x3, whose product divides the number of tasks"
    )]
    Torus {
        /// What it is.
        value: String,
        /// Tasks that there are.
        tasks: usize,
    },
    /// A task or coordinates are outside of the torus.
    #[error(
        "there is no such place in the torus: coordinates are below the sizes of its dimensions"
    )]
    NoPlace,
    /// A lock that nobody has is given back.
    #[error("the context is not locked")]
    NotLocked,
    // Geometries and collective operations.
    /// A geometry's id cannot be had.
    #[error(
        "geometry id {id} is in use in this client, or is the world's (0): give each geometry an id of its own"
    )]
    GeometryId {
        /// The id.
        id: u32,
    },
    /// A range of tasks ends before it begins.
    #[error("the range of tasks {lo} to {hi} ends before it begins")]
    Range {
        /// The first task.
        lo: u32,
        /// The last one.
        hi: u32,
    },
    /// An endpoint is listed twice.
    #[error("endpoint {endpoint:#x} is listed twice: a geometry has each endpoint once")]
    MemberTwice {
        /// The endpoint.
        endpoint: u32,
    },
    /// This task makes a geometry that it has no part in.
    #[error(
        "task {task} has no endpoint in the geometry that it makes: give NULL as geometry, and the parent"
    )]
    NotAmongMembers {
        /// This task.
        task: usize,
    },
    /// An endpoint's task is not in the parent.
    #[error("the task of endpoint {endpoint:#x} is not in the parent geometry")]
    NotInParent {
        /// The endpoint.
        endpoint: u32,
    },
    /// The parent has several endpoints a task.
    #[error(
        "the parent geometry has several endpoints in a task: a parent has one in each; give PAMI_GEOMETRY_NULL"
    )]
    ParentOfMany,
    /// The context of an endpoint of this task does not exist.
    #[error("this task has no context with offset {offset}: make it with PAMI_Context_createv")]
    NoContext {
        /// The offset.
        offset: usize,
    },
    /// A handle is another client's.
    #[error("the context or the geometry belongs to another client")]
    OtherClient,
    /// The world stays.
    #[error("the world geometry cannot be destroyed: it goes with its client")]
    World,
    /// Operations are under way.
    #[error("{operations} collective operations are under way: advance until they have ended")]
    OperationsLeft {
        /// How many.
        operations: usize,
    },
    /// A context is no member.
    #[error("endpoint {endpoint:#x} of this context is not in the algorithm's geometry")]
    NotMember {
        /// The endpoint.
        endpoint: u32,
    },
    /// There is no such kind of operation.
    #[error("{number} is no kind of collective operation: see pami_xfer_type_t in pami.h")]
    TransferType {
        /// Its number.
        number: u32,
    },
    /// An algorithm is none, or of the wrong kind.
    #[error(
        "{algorithm:#x} is no algorithm for this: take one from PAMI_Geometry_algorithms_query"
    )]
    Algorithm {
        /// What was given.
        algorithm: usize,
    },
    /// More algorithms are asked for than there are.
    #[error(
        "{asked} algorithms are asked for where {listed} are listed: see PAMI_Geometry_algorithms_num"
    )]
    TooManyAlgorithms {
        /// How many.
        asked: usize,
        /// How many there are.
        listed: usize,
    },
    /// The root is no member.
    #[error("the root, endpoint {endpoint:#x}, is not in the algorithm's geometry")]
    Root {
        /// The endpoint.
        endpoint: u32,
    },
    /// A type has gaps in a geometry that takes none.
    #[error(
        "the type leaves gaps between its data, and the geometry was told that data lies together: set PAMI_GEOMETRY_NONCONTIG to 1 (PAMI_CLIENT_NONCONTIG for the world)"
    )]
    Gaps,
    /// A type is not a predefined one.
    #[error("the type is not a predefined one: give PAMI_TYPE_BYTE or another one of pami.h")]
    ElementType,
    /// The types of a reduction name different elements.
    #[error(
        "what is sent and the result have different elements: give both the same type, or the result PAMI_TYPE_BYTE, which stands for what is sent"
    )]
    Operands,
    /// A buffer of a reduction ends within an element.
    #[error("{bytes} bytes are no whole elements of {element_bytes} bytes: give another count")]
    CutElement {
        /// Its length.
        bytes: usize,
        /// An element's.
        element_bytes: usize,
    },
    /// A data function is not defined on a type.
    #[error("the data function cannot be used on this type: {reason}")]
    Operation {
        /// Why.
        reason: OperationError,
    },
    /// A count is negative, or too large.
    #[error("a count or displacement is negative, or more bytes than there can be")]
    Count,
    /// What is sent and where it goes differ.
    #[error(
        "{sent_bytes} bytes are sent to where {received_bytes} are received: give matching counts and types"
    )]
    Lengths {
        /// Bytes sent.
        sent_bytes: usize,
        /// Bytes received.
        received_bytes: usize,
    },
    /// A dispatch id was not set for active-message collectives.
    #[error(
        "dispatch id {dispatch} is not set for this algorithm: call PAMI_AMCollective_dispatch_set in every member"
    )]
    CollectiveDispatchNotSet {
        /// The id.
        dispatch: usize,
    },
    /// A member has not answered.
    #[error("member {rank} has given no data, or another length than was asked for")]
    NoAnswer {
        /// Its rank.
        rank: usize,
    },
    /// There is no such event of asynchronous progress.
    #[error(
        "{event} is no event of asynchronous progress: 0 stands for all, 1 for arrivals, 2 for a timer"
    )]
    AsynchronousEvent {
        /// The number.
        event: i32,
    },
    /// A thread cannot be had.
    #[error("the thread that advances contexts cannot begin: {source}")]
    Thread {
        /// What the kernel says.
        source: std::io::Error,
    },
    /// What the extension that measures collective operations refuses.
    #[error("EXT_collsel: {reason}")]
    Advisor {
        /// Why.
        reason: String,
    },
    /// The context that an operation of the library's own goes on in cannot be advanced.
    #[error("the context cannot be advanced: what it says comes from PAMI_Context_advance")]
    NotAdvanced,
    /// A collective operation has failed.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// What was counted is lost.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The client refused.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The context refused.
    #[error(transparent)]
    Active(#[from] ActiveError),
}
