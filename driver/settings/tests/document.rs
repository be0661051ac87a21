//! `docs/user/variables.md` is what the table says.

use std::path::Path;

#[test]
fn the_page_of_variables_is_what_the_table_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("../../docs/user/variables.md");
    let page = pamir_settings::document::markdown();
    if std::env::var_os(pamir_settings::BLESS.name()).is_some() {
        std::fs::write(&path, &page).expect("the page is writable");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/user/variables.md is not what driver/settings/src/table.rs says: run \
         `PAMIR_BLESS=1 cargo test -p pamir-settings --test document`"
    );
}
