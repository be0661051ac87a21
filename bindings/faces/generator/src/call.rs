//! The table of `libmpi_abi.so.1`'s functions, as a face sees it.
//!
//! What: `struct Functions`, whose fields are the functions with the types that cross the border: a handle is a number
//! as wide as an address, a callback an address, a status the standard's. Step before: the interface's table. Step
//! after: `function` calls through it. Invariant: the order is that of `pamir_functions`.

use pamir_interface::c_type::{Parameter, rust_base};
use pamir_interface::table::Table;

/// The kinds of handle, and what their functions are called.
pub const KINDS: [(&str, &str); 11] = [
    ("MPI_Comm", "comm"),
    ("MPI_Group", "group"),
    ("MPI_Datatype", "datatype"),
    ("MPI_Op", "op"),
    ("MPI_Request", "request"),
    ("MPI_Message", "message"),
    ("MPI_Errhandler", "errhandler"),
    ("MPI_Info", "info"),
    ("MPI_Win", "win"),
    ("MPI_File", "file"),
    ("MPI_Session", "session"),
];

/// What the functions of a kind are called, if a type is a kind of handle.
pub fn kind(base: &str) -> Option<&'static str> {
    let found = KINDS.iter().find(|(name, _)| *name == base);
    found.map(|(_, short)| *short)
}

/// A type in Rust; `own` is what handles and statuses are.
pub fn to_rust(parameter: &Parameter, table: &Table, own: impl Fn(&str) -> String) -> String {
    if table.is_callback(&parameter.base) {
        return "*const c_void".to_string();
    }
    let mut plain = parameter.clone();
    plain.base = base(&parameter.base, own);
    plain.to_rust(|_| false)
}

fn base(base: &str, own: impl Fn(&str) -> String) -> String {
    match base {
        "MPI_Aint" => "isize".to_string(),
        "MPI_Count" | "MPI_Offset" => "i64".to_string(),
        "MPI_Fint" | "MPI_F08_status" | "MPI_T_cb_safety" | "MPI_T_source_order" => {
            "c_int".to_string()
        }
        base if base.starts_with("MPI_T_") => "usize".to_string(),
        base if base.starts_with("MPI_") => own(base),
        base => rust_base(base).to_string(),
    }
}

/// A type behind the border.
pub fn standard(parameter: &Parameter, table: &Table) -> String {
    to_rust(parameter, table, |base| match base {
        "MPI_Status" => "crate::status::Standard".to_string(),
        _ => "usize".to_string(),
    })
}

/// What a function gives, behind the border or before it.
pub fn returned(returns: &str, own: impl Fn(&str) -> String) -> String {
    base(returns, own)
}

/// Writes the table.
pub fn write(table: &Table) -> String {
    let mut out = String::from(
        "/// `pamir_functions`.\n#[repr(C)]\npub struct Functions {\n    pub header: pamir_interface::face::Header,\n",
    );
    for function in table.chapters.iter().flat_map(|c| &c.functions) {
        let fixed = function.parameters.iter().filter(|p| p.base != "...");
        let types: Vec<_> = fixed.map(|p| standard(p, table)).collect();
        let returns = returned(&function.returns, |_| "usize".to_string());
        out.push_str(&format!(
            "    pub {}: unsafe extern \"C\" fn({}) -> {returns},\n",
            function.name,
            types.join(", ")
        ));
    }
    out.push_str("}\n");
    out
}
