//! The functions of a C++ library.
//!
//! What: for each line of `methods.txt` a Rust function that calls C. Where methods throw, the exported symbol is a few
//! instructions in front of it, for no exception may pass a frame of Rust's:
//!
//! ```text
//! program --_ZNK3MPI4Comm4SendE...--> entry_7 (assembly) --call--> method_7 (Rust) --> MPI_Send, error handler
//!                                        |   <------ returns, with an exception noted
//!                                        +--jmp--> throw::noted (assembly) --> __cxa_throw
//! ```
//!
//! Step before: the tables. Step after: `layout` puts the functions into the tables of classes.
//! Invariant: a register or word of the stack is passed on as it came, at its full width.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::table::{Body, Method};
use crate::description::Description;

/// Registers that integers and addresses are passed in; the further ones are on the stack.
const REGISTERS: usize = 6;

/// What every function written here rests on.
const SAFETY: &str =
    "// SAFETY: the program calls with what the symbol says, in registers and on the stack.";

/// The text of `methods.rs`.
pub fn write(methods: &[Method], constants: &Description, throws: bool) -> Result<String, String> {
    let mut text = String::new();
    let mut functions: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, method) in methods.iter().enumerate() {
        let symbol = &method.symbol;
        let count = match &method.body {
            Body::Jump(function) => {
                text += &format!(
                    "#[unsafe(naked)]\n#[unsafe(export_name = \"{symbol}\")]\npub unsafe extern \"C\" fn \
                     entry_{index}() {{\n    std::arch::naked_asm!(\"jmp qword ptr [rip + {function}@GOTPCREL]\")\n}}\n"
                );
                continue;
            }
            Body::Nothing | Body::Delete => {
                let (parameter, act) = match method.body {
                    Body::Delete => (
                        "object",
                        format!("{SAFETY}\n    unsafe {{ crate::object::delete(object) }};"),
                    ),
                    _ => ("_", String::new()),
                };
                text += &format!(
                    "#[unsafe(export_name = \"{symbol}\")]\npub unsafe extern \"C\" fn \
                     entry_{index}({parameter}: usize) {{\n    {act}\n}}\n"
                );
                continue;
            }
            Body::Special { count, .. } => *count,
            Body::Call {
                function,
                arguments,
                ..
            } => {
                let known = functions.entry(function).or_insert(arguments.len());
                if *known != arguments.len() {
                    return Err(format!(
                        "{symbol}: {function} has another number of arguments elsewhere"
                    ));
                }
                registers(&method.body)
            }
        };
        text += &format!("/// `{symbol}`.\n");
        if !throws {
            text += &format!("#[unsafe(export_name = \"{symbol}\")]\n");
        }
        let name = if throws { "method" } else { "entry" };
        let parameters: Vec<String> = (0..count).map(|at| format!("a{at}: usize")).collect();
        // A register that stands before one that is passed on may be nobody's.
        text += &format!(
            "#[allow(unused_variables)]\npub unsafe extern \"C\" fn {name}_{index}({}) -> usize {{\n    {SAFETY}\n    unsafe {{\n{}    }}\n}}\n",
            parameters.join(", "),
            inside(method, constants)?
        );
        if throws {
            text += &entry(symbol, index, count);
        }
    }
    let mut declared =
        String::from("#[allow(clashing_extern_declarations)]\nunsafe extern \"C\" {\n");
    for (function, count) in functions {
        let parameters = vec!["_: usize"; count].join(", ");
        declared += &format!("    fn {function}({parameters}) -> std::ffi::c_int;\n");
    }
    Ok(declared + "}\n\n" + &text)
}

/// How many registers and words of the stack a call of C is given.
fn registers(body: &Body) -> usize {
    let Body::Call {
        arguments, object, ..
    } = body
    else {
        return 0;
    };
    let first = first(body);
    let number = |text: &String| text.trim_start_matches(['=', '@', '%', '?']).parse().ok();
    let last = arguments.iter().chain(object).filter_map(number).max();
    first + last.unwrap_or(0)
}

/// How many registers stand before the parameters.
fn first(body: &Body) -> usize {
    match body {
        Body::Call {
            has_object, result, ..
        } => usize::from(*has_object) + usize::from(is_class(result)),
        _ => 0,
    }
}

fn is_class(result: &str) -> bool {
    !matches!(
        result,
        "void" | "int" | "bool" | "pointer" | "Aint" | "Offset"
    )
}

/// The statements of a function.
fn inside(method: &Method, constants: &Description) -> Result<String, String> {
    let (result, function, arguments, object) = match &method.body {
        Body::Call {
            result,
            function,
            arguments,
            object,
            ..
        } => (result, function, arguments, object),
        Body::Special { name, count, class } => {
            let mut given: Vec<String> = (0..*count).map(|at| format!("a{at}")).collect();
            if let Some(class) = class {
                given.push(format!("crate::class::{class}()"));
            }
            let given = given.join(", ");
            return Ok(format!("    crate::special::{name}({given})\n"));
        }
        _ => return Ok(String::new()),
    };
    let mut text = String::new();
    let class = is_class(result);
    let this = usize::from(class);
    if class {
        let _ = writeln!(
            text,
            "    let out = crate::object::place(a0, crate::class::{result}());"
        );
    } else if result != "void" {
        text += "    let mut value = 0_usize;\n    let out = &raw mut value as usize;\n";
    }
    let first = first(&method.body);
    let mut given = Vec::new();
    for argument in arguments {
        given.push(
            value(argument, this, first, constants)
                .ok_or(format!("{}: {argument} is no argument", method.symbol))?,
        );
    }
    let _ = writeln!(text, "    let code = {function}({});", given.join(", "));
    if let Some(object) = object {
        let (kind, handle) = match object.as_str() {
            "world" => ("world", "0".to_string()),
            "this" => (
                kind(&method.class),
                format!("crate::object::handle(a{this})"),
            ),
            number => {
                let at = number.parse::<usize>().map_err(|_| method.symbol.clone())?;
                let at = first + at - 1;
                ("comm", format!("crate::object::handle(a{at})"))
            }
        };
        let _ = writeln!(
            text,
            "    if code != 0 {{\n        crate::error::{kind}({handle}, code);\n    }}"
        );
    }
    text += match result.as_str() {
        "void" => "    let _ = code;\n    0\n",
        "bool" => "    usize::from(value as u32 != 0)\n",
        _ if class => "    a0\n",
        _ => "    value\n",
    };
    Ok(text)
}

/// The kind of object that a class's error handlers are for.
fn kind(class: &str) -> &'static str {
    match class {
        "Win" => "win",
        "File" => "file",
        _ => "comm",
    }
}

/// An argument of a C function.
fn value(argument: &str, this: usize, first: usize, constants: &Description) -> Option<String> {
    let place = |number: &str| number.parse::<usize>().ok().map(|at| first + at - 1);
    Some(match argument {
        "this" => format!("crate::object::handle(a{this})"),
        "@this" => format!("crate::object::address(a{this})"),
        "out" => "out".to_string(),
        "zero" => "0".to_string(),
        "ignore" => format!("{}_i64 as usize", constants.number("MPI_STATUS_IGNORE")?),
        "nocodes" => format!("{}_i64 as usize", constants.number("MPI_ERRCODES_IGNORE")?),
        _ => match argument.split_at(1) {
            ("=", number) => format!("crate::object::handle(a{})", place(number)?),
            ("@" | "%", number) => format!("crate::object::address(a{})", place(number)?),
            ("?", number) => format!("usize::from(a{} as u8 != 0)", place(number)?),
            _ => format!("a{}", place(argument)?),
        },
    })
}

/// The instructions in front of a function: they pass on what is on the stack, and look whether an exception was noted.
fn entry(symbol: &str, index: usize, count: usize) -> String {
    let words = count.saturating_sub(REGISTERS);
    // A call finds the stack at a multiple of 16 bytes; the return address of this one is on it already.
    let padding = 1 - words % 2;
    let bytes = 8 * (words + padding);
    let mut lines = Vec::new();
    if padding > 0 {
        lines.push("sub rsp, 8".to_string());
        lines.push(".cfi_adjust_cfa_offset 8".to_string());
    }
    for _ in 0..words {
        lines.push(format!("push qword ptr [rsp + {bytes}]"));
        lines.push(".cfi_adjust_cfa_offset 8".to_string());
    }
    lines.push("call {method}".to_string());
    lines.push(format!("add rsp, {bytes}"));
    lines.push(format!(".cfi_adjust_cfa_offset -{bytes}"));
    lines.push("cmp dword ptr [rip + {noted}], 0".to_string());
    lines.push("jne {throw}".to_string());
    lines.push("ret".to_string());
    let lines: Vec<String> = lines
        .iter()
        .map(|line| format!("        \"{line}\",\n"))
        .collect();
    format!(
        "#[unsafe(naked)]\n#[unsafe(export_name = \"{symbol}\")]\npub unsafe extern \"C\" fn entry_{index}() {{\n    \
         std::arch::naked_asm!(\n        \".cfi_startproc\",\n{}        \".cfi_endproc\",\n        method = sym method_{index},\n        noted = sym \
         crate::throw::NOTED,\n        throw = sym crate::throw::noted,\n    )\n}}\n",
        lines.concat()
    )
}
