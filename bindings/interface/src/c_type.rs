//! A C type as the tables write it, and its Rust counterpart.
//!
//! Parameters are `const`-or-not, a base type, levels of pointer, a name and
//! array brackets; nothing else occurs in the standard's prototypes. A word before a
//! pointer says whether it may be null, where its type does not tell.

/// The type words that differ between a function and its large-count twin:
/// the word, its meaning in `MPI_X`, its meaning in `MPI_X_c`.
pub const POLYMORPHIC: [(&str, &str, &str); 3] = [
    ("COUNT", "int", "MPI_Count"),
    ("DISPLACEMENT", "int", "MPI_Aint"),
    ("EXTENT", "MPI_Aint", "MPI_Count"),
];

/// Whether the program may give a null pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Null {
    /// The type tells: see [`Parameter::must_exist`].
    ByType,
    /// `OPTIONAL`: yes, although the type says no.
    Allowed,
    /// `REQUIRED`: no, although the type leaves it open.
    Refused,
}

/// One parameter of a function or callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Whether what is pointed at (or the value) is const.
    pub is_const: bool,
    /// Whether it may be a null pointer.
    pub null: Null,
    /// The base type: `int`, `void`, `MPI_Comm`, `COUNT`, or `...` for variadic parameters.
    pub base: String,
    /// Levels of `*`.
    pub pointers: usize,
    /// The parameter's name; empty for `...`.
    pub name: String,
    /// The brackets after the name, such as `[]` or `[][3]`.
    pub brackets: String,
}

impl Parameter {
    /// Reads `const int counts[]` and the like; `None` when it is not a parameter.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "..." {
            return Some(Self {
                is_const: false,
                null: Null::ByType,
                base: text.to_string(),
                pointers: 0,
                name: String::new(),
                brackets: String::new(),
            });
        }
        let (null, text) = match text.split_once(' ') {
            Some(("OPTIONAL", rest)) => (Null::Allowed, rest),
            Some(("REQUIRED", rest)) => (Null::Refused, rest),
            _ => (Null::ByType, text),
        };
        let (text, brackets) = match text.find('[') {
            Some(at) => (&text[..at], &text[at..]),
            None => (text, ""),
        };
        let (is_const, text) = match text.strip_prefix("const ") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let name_start = text.rfind([' ', '*'])? + 1;
        let (type_text, name) = (text[..name_start].trim(), &text[name_start..]);
        let base = type_text.trim_end_matches(['*', ' ']);
        if base.is_empty() || name.is_empty() || base.contains([' ', '*']) {
            return None;
        }
        Some(Self {
            is_const,
            null,
            base: base.to_string(),
            pointers: type_text.matches('*').count(),
            name: name.to_string(),
            brackets: brackets.to_string(),
        })
    }

    /// The parameter in `MPI_X` (`large` false) or in `MPI_X_c` (`large` true).
    pub fn resolved(&self, large: bool) -> Self {
        let mut resolved = self.clone();
        if let Some((_, small, big)) = POLYMORPHIC.iter().find(|(word, ..)| *word == self.base) {
            resolved.base = if large { big } else { small }.to_string();
        }
        resolved
    }

    /// Whether the type depends on the function being a large-count twin.
    pub fn is_polymorphic(&self) -> bool {
        POLYMORPHIC.iter().any(|(word, ..)| *word == self.base)
    }

    /// Whether a null pointer is an error whatever the other arguments are: the address of
    /// one value that the call writes, or of a status that it reads. Not so the address of a
    /// status to be written, where null is `MPI_STATUS_IGNORE`; nor buffers, arrays and strings,
    /// of which the function itself knows whether they may be empty.
    pub fn must_exist(&self, is_callback: impl Fn(&str) -> bool) -> bool {
        match self.null {
            Null::Allowed => false,
            Null::Refused => true,
            Null::ByType => {
                let one_value = self.pointers == 1 && self.brackets.is_empty();
                let is_data = self.base != "void" && !is_callback(&self.base);
                one_value && is_data && self.is_const == (self.base == "MPI_Status")
            }
        }
    }

    /// The parameter as C writes it.
    pub fn to_c(&self) -> String {
        if self.base == "..." {
            return "...".to_string();
        }
        let qualifier = if self.is_const { "const " } else { "" };
        let stars = "*".repeat(self.pointers);
        format!(
            "{qualifier}{} {stars}{}{}",
            self.base, self.name, self.brackets
        )
    }

    /// The parameter's type in Rust. `is_callback` says whether a base type is
    /// one of the callback types, whose Rust form already is a pointer.
    pub fn to_rust(&self, is_callback: impl Fn(&str) -> bool) -> String {
        if is_callback(&self.base) {
            return self.base.clone();
        }
        let mut rust = rust_base(&self.base).to_string();
        let dimensions = self.brackets.matches('[').count();
        if dimensions == 2 {
            // `int ranges[][3]` is a pointer to arrays of three.
            let length = self
                .brackets
                .trim_start_matches("[]")
                .trim_matches(['[', ']']);
            rust = format!("[{rust}; {length}]");
        }
        let levels = self.pointers + dimensions.min(1);
        for level in 0..levels {
            let qualifier = if level == 0 && self.is_const {
                "const"
            } else {
                "mut"
            };
            rust = format!("*{qualifier} {rust}");
        }
        rust
    }

    /// The name, made usable in Rust.
    pub fn rust_name(&self) -> String {
        match self.name.as_str() {
            "type" | "fn" | "in" | "ref" => format!("{}_", self.name),
            name => name.to_string(),
        }
    }
}

/// The Rust name of a C base type; the MPI types keep their names.
pub fn rust_base(base: &str) -> &str {
    match base {
        "void" => "c_void",
        "int" => "c_int",
        "char" => "c_char",
        "double" => "f64",
        other => other,
    }
}
