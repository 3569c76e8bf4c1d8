//! Behaviour that takes all of the crate.

mod agreement;
mod closing;
mod corpus;
mod diagrams;
mod files;
mod growth;
mod outside;
mod references;
mod rendering;
mod safety;
mod speed;

use std::collections::HashMap;

use crate::{Options, Reference, Target};

/// The server of all tests.
const HERE: Options<'_> = Options::of("https://git.example");

fn issue(project: &str, iid: i64) -> Reference {
    Reference::Issue { project: (!project.is_empty()).then(|| project.to_owned()), iid }
}

fn merge_request(project: &str, iid: i64) -> Reference {
    Reference::MergeRequest { project: (!project.is_empty()).then(|| project.to_owned()), iid }
}

fn user(name: &str) -> Reference {
    Reference::User(name.to_owned())
}

fn label(name: &str) -> Reference {
    Reference::Label(name.to_owned())
}

fn milestone(name: &str) -> Reference {
    Reference::Milestone(name.to_owned())
}

/// Lets every reference lead to `/to`, shown as `text`.
fn targets(references: &[Reference], text: &str) -> HashMap<Reference, Target> {
    let target = |reference: &Reference| {
        let target = Target { href: "/to".to_owned(), text: text.to_owned(), ..Target::default() };
        (reference.clone(), target)
    };
    references.iter().map(target).collect()
}
