//! The C functions on types.
//!
//! Before: a program's calls. After: the table of types ([`crate::layout`]) has what they made.
//!
//! Sizes of C that move a cursor, offset and stride, may be negative: they wrap around, as C's
//! own arithmetic with them does.

use std::ffi::c_void;

use crate::edge::attributes::query;
use crate::layout::element::Element;
use crate::layout::transform::{Place, transform};
use crate::layout::{self, Layout, layout_of};
use crate::refusal::{Refusal, answer};
use crate::structures::configuration::attribute;
use crate::structures::pointer::{Address, InOut, List, Out};
use crate::structures::{Code, Configuration, DataFunction, Type, Value};

fn null(argument: &'static str) -> Refusal {
    Refusal::Null { argument }
}

/// Makes a type without data.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_create(type_: Out<Type>) -> Code {
    if type_.is_null() {
        return answer(Err(null("type")));
    }
    type_.put(layout::create());
    Code::Success
}

/// Adds blocks to a type that is being built.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_add_simple(
    type_: Type,
    bytes: usize,
    offset: usize,
    count: usize,
    stride: usize,
) -> Code {
    answer(layout::build(type_, Element::Mixed, |builder| {
        Ok(builder.add_simple(bytes, offset as i64, count, stride as i64)?)
    }))
}

/// Adds elements of a complete type to one that is being built.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_add_typed(
    type_: Type,
    subtype: Type,
    offset: usize,
    count: usize,
    stride: usize,
) -> Code {
    let add = || {
        let subtype = layout_of(subtype, "subtype")?;
        layout::build(type_, subtype.element, |builder| {
            Ok(builder.add_typed(&subtype.program, offset as i64, count, stride as i64)?)
        })
    };
    answer(add())
}

/// Completes a type.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_complete(type_: Type, atom_size: usize) -> Code {
    answer(layout::complete(type_, atom_size))
}

/// Forgets a type.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_destroy(mut type_: InOut<Type>) -> Code {
    let mut destroy = || {
        let handle = type_.get().ok_or_else(|| null("type"))?;
        layout::destroy(*handle)?;
        *handle = std::ptr::null_mut();
        Ok(())
    };
    answer(destroy())
}

/// Asks a type for attributes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_query(
    type_: Type,
    mut configuration: InOut<Configuration>,
    num_configs: usize,
) -> Code {
    let mut ask = || {
        let layout = layout_of(type_, "type")?;
        let known = |name| {
            let number = match name {
                attribute::TYPE_DATA_SIZE => layout.program.bytes(),
                attribute::TYPE_DATA_EXTENT => layout.program.extent() as usize,
                attribute::TYPE_ATOM_SIZE => layout.atom_bytes,
                _ => return None,
            };
            Some(Value::number(number))
        };
        query("type", &mut configuration, num_configs, known)
    };
    answer(ask())
}

/// Gives the bytes of a type, which are read only, until it is destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_serialize(
    type_: Type,
    address: Out<*const u8>,
    size: Out<usize>,
) -> Code {
    let serialize = || {
        let layout = layout_of(type_, "type")?;
        if address.is_null() || size.is_null() {
            return Err(null("address or size"));
        }
        let code = layout.code();
        // The table keeps the layout, and with it the bytes, until the type is destroyed.
        address.put(code.as_ptr());
        size.put(code.len());
        Ok(())
    };
    answer(serialize())
}

/// Makes a type of such bytes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_deserialize(type_: Out<Type>, address: List<u8>, size: usize) -> Code {
    let deserialize = || {
        let (Some(code), false) = (address.get(size), type_.is_null()) else {
            return Err(null("type or address"));
        };
        type_.put(layout::insert(Layout::from_code(code)?));
        Ok(())
    };
    answer(deserialize())
}

/// Moves data from one layout to another, which do not overlap; the function takes what it is given.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_transform_data(
    source: Address,
    source_type: Type,
    source_offset: usize,
    target: Address,
    target_type: Type,
    target_offset: usize,
    size: usize,
    function: DataFunction,
    cookie: *mut c_void,
) -> Code {
    let from = Place {
        type_: source_type,
        address: source,
        offset: source_offset,
    };
    let to = Place {
        type_: target_type,
        address: target,
        offset: target_offset,
    };
    answer(transform(&from, &to, size, (function, cookie)))
}
