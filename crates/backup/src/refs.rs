//! The file that has the refs of a repository.

use std::collections::{BTreeMap, BTreeSet};

use tenon_git::backup::RefList;
use tenon_git::{Oid, RefName};

use crate::error::BackupError;
use crate::folder::{Folder, Part};

/// The refs and all other packed commits as lines: `ref: NAME` of `HEAD`, then `OID NAME`, then `OID`.
pub(crate) fn write(list: &RefList, wanted: &[Oid]) -> String {
    let refs = list.refs.iter().map(|(name, oid)| format!("{oid} {name}\n"));
    let named: BTreeSet<&Oid> = list.refs.values().collect();
    let rest = wanted.iter().filter(|oid| !named.contains(oid)).map(|oid| format!("{oid}\n"));
    std::iter::once(format!("ref: {}\n", list.head)).chain(refs).chain(rest).collect()
}

/// Reads what [`write`] writes: the refs, and all objects that were packed.
pub(crate) fn read(folder: &Folder, part: &Part) -> Result<(RefList, Vec<Oid>), BackupError> {
    let text = String::from_utf8(folder.read(part)?);
    let text = text.map_err(|error| BackupError::damaged(&part.path, error.to_string()))?;
    let damaged = || BackupError::damaged(&part.path, "it is no list of refs");
    let mut lines = text.lines();
    let head = lines.next().and_then(|line| RefName::parse(line.strip_prefix("ref: ")?).ok()).ok_or_else(damaged)?;
    let (mut refs, mut oids) = (BTreeMap::new(), BTreeSet::new());
    for line in lines {
        let (oid, name) = line.split_once(' ').map_or((line, None), |(oid, name)| (oid, Some(name)));
        let oid: Oid = oid.parse().map_err(|_malformed| damaged())?;
        oids.insert(oid);
        if let Some(name) = name {
            refs.insert(RefName::parse(name).map_err(|_malformed| damaged())?, oid);
        }
    }
    Ok((RefList { head, refs }, oids.into_iter().collect()))
}
