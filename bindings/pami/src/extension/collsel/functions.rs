//! C's functions of the extension.
//!
//! Before: a program has looked a function up. After: [`super::measure`] has measured, [`super::objects`] has the object, or
//! the call is refused with a sentence.

use std::ffi::{OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use crate::client::ClientObject;
use crate::collective::elements::Elements;
use crate::context::HeldHandle;
use crate::edge::handle::Handle;
use crate::extension::collsel::measure;
use crate::extension::collsel::objects::{Advisor, Key, Loaded, Object, Query, advisor_of};
use crate::extension::collsel::parameters::{Advised, AdvisedBeside, Parameters};
use crate::extension::collsel::plan::is_sized;
use crate::geometry::GeometryObject;
use crate::geometry::algorithms::kind_of;
use crate::refusal::{Refusal, answer};
use crate::structures::Code;
use crate::structures::Type;
use crate::structures::collective::Transfer;
use crate::structures::kind::TransferKind;
use crate::structures::metadata::Metadata;
use crate::structures::pointer::{In, InOut, List, Out, Text};

fn null(argument: &'static str) -> Refusal {
    Refusal::Null { argument }
}

/// Makes an advisor of a client and its contexts, of which the first one is used. There are no attributes.
pub(super) extern "C" fn init(
    client: Handle<ClientObject>,
    _configuration: *mut c_void,
    _num_configs: usize,
    contexts: List<HeldHandle>,
    num_contexts: usize,
    advisor: Out<Key>,
) -> Code {
    let make = || {
        let client = client.get()?;
        let first = contexts.get(num_contexts).and_then(<[_]>::first);
        let context = first.ok_or_else(|| null("contexts"))?.get()?.object();
        if !std::ptr::eq(context.client(), client) {
            return Err(Refusal::OtherClient);
        }
        if advisor.is_null() {
            return Err(null("advisor"));
        }
        let made = Advisor { client, context };
        advisor.put(Key::of(Object::Advisor(Arc::new(made))));
        Ok(())
    };
    answer(make())
}

/// Whether a client has an advisor, which is written down.
pub(super) extern "C" fn initialized(client: Handle<ClientObject>, advisor: Out<Key>) -> c_int {
    let found = client.living().and_then(advisor_of);
    if let Some(key) = found {
        advisor.put(key);
    }
    c_int::from(found.is_some())
}

/// Ends an advisor. Its tables stay.
pub(super) extern "C" fn destroy(mut advisor: InOut<Key>) -> Code {
    let mut end = || {
        // IBM's own test hands the advisor in itself, in the place of its address.
        let itself = Key::of_address(advisor.address());
        if itself.advisor().is_ok() {
            itself.end();
            return Ok(());
        }
        let key = advisor.get().ok_or_else(|| null("advisor"))?;
        key.advisor()?;
        key.end();
        *key = Key::NULL;
        Ok(())
    };
    answer(end())
}

fn path_of(name: &Text) -> Option<&Path> {
    let name = name.get()?;
    Some(Path::new(OsStr::from_bytes(name.to_bytes())))
}

/// Measures, and writes the table; all tasks of the client call, and file and parameters are task 0's.
pub(super) extern "C" fn table_generate(
    advisor: Key,
    filename: Text,
    parameters: In<Parameters>,
    mode: c_int,
) -> Code {
    let generate = || {
        let advisor = advisor.advisor()?;
        measure::generate(&advisor, path_of(&filename), parameters.get(), mode)
    };
    answer(generate())
}

/// The same, with functions of the program's that would make algorithms of its own, which no table has.
pub(super) extern "C" fn table_generate_beside(
    advisor: Key,
    filename: Text,
    parameters: In<Parameters>,
    _operations: *mut c_void,
    mode: c_int,
) -> Code {
    table_generate(advisor, filename, parameters, mode)
}

/// Reads a table.
pub(super) extern "C" fn table_load(advisor: Key, filename: Text, table: Out<Key>) -> Code {
    let load = || {
        advisor.advisor()?;
        if table.is_null() {
            return Err(null("advisor_table"));
        }
        let loaded = measure::load(path_of(&filename).ok_or_else(|| null("filename"))?)?;
        let kinds = loaded.kinds().map(|kind| kind as u32).collect();
        let table_of = Loaded {
            table: loaded,
            kinds,
        };
        table.put(Key::of(Object::Table(Arc::new(table_of))));
        Ok(())
    };
    answer(load())
}

/// The kinds that a table has, in memory of the table's.
pub(super) extern "C" fn collectives(table: Key, kinds: Out<*const u32>, count: Out<u32>) -> Code {
    let tell = || {
        let table = table.table()?;
        kinds.put(table.kinds.as_ptr());
        count.put(table.kinds.len() as u32);
        Ok(())
    };
    answer(tell())
}

/// Forgets a table. Fast queries of it stay.
pub(super) extern "C" fn table_unload(mut table: InOut<Key>) -> Code {
    let mut end = || {
        let key = table.get().ok_or_else(|| null("advisor_table"))?;
        key.table()?;
        key.end();
        *key = Key::NULL;
        Ok(())
    };
    answer(end())
}

/// What a table says of a geometry.
pub(super) extern "C" fn query_create(
    table: Key,
    geometry: Handle<GeometryObject>,
    query: Out<Key>,
) -> Code {
    let create = || {
        let (table, geometry) = (table.table()?, geometry.get()?);
        if query.is_null() {
            return Err(null("fast_query"));
        }
        let made = Query::new(&table.table, geometry)?;
        query.put(Key::of(Object::Query(Arc::new(made))));
        Ok(())
    };
    answer(create())
}

/// The same, by the table's address.
pub(super) extern "C" fn query(
    mut table: InOut<Key>,
    geometry: Handle<GeometryObject>,
    query: Out<Key>,
) -> Code {
    match table.get() {
        Some(table) => query_create(*table, geometry, query),
        None => answer(Err(null("advisor_table"))),
    }
}

/// Forgets a fast query.
pub(super) extern "C" fn query_destroy(mut query: InOut<Key>) -> Code {
    let mut end = || {
        let key = query.get().ok_or_else(|| null("fast_query"))?;
        key.query()?;
        key.end();
        *key = Key::NULL;
        Ok(())
    };
    answer(end())
}

/// Bytes of an operation, as all its members know them.
fn bytes_of(kind: TransferKind, transfer: &Transfer) -> Result<usize, Refusal> {
    use TransferKind::*;
    let (cmd, bytes) = (&transfer.cmd, |type_: Type, count: usize| {
        Elements::of(type_)?.times(count)
    });
    if !is_sized(kind) {
        return Ok(0);
    }
    match kind {
        Broadcast => bytes(cmd.broadcast().type_, cmd.broadcast().typecount),
        Allreduce => bytes(cmd.allreduce().stype, cmd.allreduce().stypecount),
        Reduce => bytes(cmd.reduce().stype, cmd.reduce().stypecount),
        Scan => bytes(cmd.scan().stype, cmd.scan().stypecount),
        ReduceScatter => bytes(cmd.reduce_scatter().stype, cmd.reduce_scatter().stypecount),
        Scatter => bytes(cmd.gather().rtype, cmd.gather().rtypecount),
        Gather => bytes(cmd.gather().stype, cmd.gather().stypecount),
        Allgatherv => bytes(cmd.allgatherv().stype, cmd.allgatherv().stypecount),
        // An `int` stands in the lower half.
        AllgathervInt => bytes(
            cmd.allgatherv().stype,
            cmd.allgatherv().stypecount as u32 as usize,
        ),
        _ => bytes(cmd.alltoall().rtype, cmd.alltoall().rtypecount),
    }
}

/// The algorithms for an operation, the fastest first; where there are fewer than asked for, the next one is 0.
pub(super) extern "C" fn advise(
    query: Key,
    number: u32,
    transfer: In<Transfer>,
    algorithms: Out<Advised>,
    most: usize,
) -> Code {
    let advise = || {
        let (query, kind) = (query.query()?, kind_of(number)?);
        if algorithms.is_null() {
            return Err(null("algorithms_optimized"));
        }
        let bytes = match transfer.get() {
            Some(transfer) => bytes_of(kind, transfer)?,
            None if is_sized(kind) => return Err(null("xfer")),
            None => 0,
        };
        let advice = query.advice(kind, bytes);
        for (index, one) in advice.iter().take(most).enumerate() {
            let advised = Advised {
                algorithm: one.algorithm,
                metadata: one.metadata.0,
                must_query: one.must_query.into(),
            };
            algorithms.put_at(index, advised);
        }
        if advice.len() < most {
            let nothing = Advised {
                algorithm: 0,
                metadata: Metadata::NOTHING,
                must_query: 0,
            };
            algorithms.put_at(advice.len(), nothing);
        }
        Ok(())
    };
    answer(advise())
}

/// The algorithms for so many bytes; how many they are.
pub(super) extern "C" fn advise_size(
    query: Key,
    number: u32,
    bytes: usize,
    algorithms: Out<AdvisedBeside>,
    most: usize,
) -> c_int {
    let (Ok(query), Ok(kind), false) = (query.query(), kind_of(number), algorithms.is_null())
    else {
        return 0;
    };
    let bytes = if is_sized(kind) { bytes } else { 0 };
    let advice = query.advice(kind, bytes);
    for (index, one) in advice.iter().take(most).enumerate() {
        let advised = AdvisedBeside {
            algorithm: one.algorithm,
            cookie: std::ptr::null_mut(),
            metadata: &raw const one.metadata.0,
            kind: one.must_query.into(),
        };
        algorithms.put_at(index, advised);
    }
    advice.len().min(most) as c_int
}
