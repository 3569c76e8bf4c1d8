//! Compiles this crate again when a migration is added: the macro that embeds the migrations does not tell Cargo which folders it
//! has read.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
