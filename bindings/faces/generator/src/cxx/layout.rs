//! The data of a C++ library, in the layout of the C++ ABI (Itanium, sections 2.5 and 2.9).
//!
//! ```text
//! _ZTV  table of virtual functions: 0, type information, functions...; objects point behind the first two words
//! _ZTI  type information: what kind it is, name, and the base's if there is one
//! _ZTS  the name
//! ```
//!
//! What: these three of each class, the variables of the namespace, and a module `class` with what makes objects.
//! Step before: `method` has numbered the functions. Step after: the loader fills in the addresses, and copies the
//! variables into executables. Invariant: no code runs to make any of it.

use std::collections::HashMap;

use super::table::{Class, Method, Object};
use crate::description::{Description, Value};

/// The text of `layout.rs`.
pub fn write(
    methods: &[Method],
    classes: &[Class],
    objects: &[Object],
    constants: &Description,
) -> Result<String, String> {
    let numbers: HashMap<&str, usize> = methods
        .iter()
        .enumerate()
        .map(|(index, method)| (method.symbol.as_str(), index))
        .collect();
    let mut text = String::new();
    // Every class can be made, of which a library makes some.
    let mut makers = String::from(
        "/// What objects of a class begin with, and the handle of a new one.\n#[allow(dead_code)]\npub mod class {\n    use super::*;\n\n",
    );
    for class in classes {
        text += &information(class);
        text += &functions(class, &numbers)?;
        makers += &maker(class, constants)?;
    }
    for object in objects {
        text += &variable(object, constants)?;
    }
    let mut symbols: Vec<&str> = text
        .split("address!(")
        .chain(makers.split("address!("))
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|name| name.starts_with("ompi_"))
        .collect();
    symbols.sort_unstable();
    symbols.dedup();
    let declared: Vec<String> = symbols
        .iter()
        .map(|name| format!("    pub static {name}: [u8; 0];\n"))
        .collect();
    Ok(format!(
        "unsafe extern \"C\" {{\n{}}}\n\n{text}\n{makers}}}\n",
        declared.concat()
    ))
}

/// A name as C++ writes it into symbols of the namespace.
fn mangled(name: &str) -> String {
    format!("N3MPI{}{name}E", name.len())
}

fn information(class: &Class) -> String {
    let name = &class.name;
    let (symbol, bytes) = (mangled(name), mangled(name).len() + 1);
    let (kind, words, base) = match &class.base {
        Some(base) => ("_ZTVN10__cxxabiv120__si_class_type_infoE", 3, {
            format!(", address!(TYPE_{base})")
        }),
        None => ("_ZTVN10__cxxabiv117__class_type_infoE", 2, String::new()),
    };
    format!(
        "#[unsafe(export_name = \"_ZTS{symbol}\")]\npub static NAME_{name}: [u8; {bytes}] = *b\"{symbol}\\0\";\n\
         #[unsafe(export_name = \"_ZTI{symbol}\")]\npub static TYPE_{name}: Words<{words}> = Words([\n    \
         behind!({kind}), address!(NAME_{name}){base},\n]);\n"
    )
}

fn functions(class: &Class, numbers: &HashMap<&str, usize>) -> Result<String, String> {
    let name = &class.name;
    let mut text = format!(
        "#[unsafe(export_name = \"_ZTV{}\")]\npub static TABLE_{name}: Words<{}> = Words([\n    NONE,\n    \
         address!(TYPE_{name}),\n",
        mangled(name),
        class.slots.len() + 2
    );
    for slot in &class.slots {
        text += &match slot.as_str() {
            "none" => "    NONE,\n".to_string(),
            "pure" => "    __cxa_pure_virtual as *const c_void,\n".to_string(),
            symbol => {
                let number = numbers
                    .get(symbol)
                    .ok_or(format!("{name}: no method {symbol}"))?;
                format!("    entry_{number} as *const c_void,\n")
            }
        };
    }
    Ok(text + "]);\n")
}

fn maker(class: &Class, constants: &Description) -> Result<String, String> {
    let name = &class.name;
    let handle = match &class.handle {
        Some(constant) => pointer(constants, constant)?,
        None => "NONE".to_string(),
    };
    Ok(format!(
        "    pub fn {name}() -> Maker {{\n        Maker {{ table: behind!(TABLE_{name}), handle: {handle} }}\n    }}\n"
    ))
}

/// A handle as a word of an object.
fn pointer(constants: &Description, constant: &str) -> Result<String, String> {
    Ok(match constants.value(constant) {
        Some(Value::Number(number)) => {
            format!("std::ptr::without_provenance({number}_i64 as usize)")
        }
        Some(Value::Symbol { name, .. }) => format!("address!({name})"),
        None => return Err(format!("the table of constants has no {constant}")),
    })
}

fn variable(object: &Object, constants: &Description) -> Result<String, String> {
    let Object {
        name,
        class,
        constant,
    } = object;
    let symbol = mangled(name);
    let head = format!("#[unsafe(export_name = \"_Z{symbol}\")]\npub static OBJECT_{name}:");
    let number = || {
        constants
            .number(constant)
            .ok_or(format!("{constant} is no number"))
    };
    Ok(match class.as_str() {
        "int" => format!("{head} i32 = {};\n", number()?),
        "MPI_Offset" => format!("{head} i64 = {};\n", number()?),
        "void*" | "char**" | "char***" => format!("{head} usize = {}_i64 as usize;\n", number()?),
        _ => {
            let handle = pointer(constants, constant)?;
            format!("{head} Variable = Variable::new(behind!(TABLE_{class}), {handle});\n")
        }
    })
}
