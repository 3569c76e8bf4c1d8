//! Segments of paths, decoded exactly once.

use percent_encoding::percent_decode_str;
use tenon_domain::file_path::{bytes_of, kept_from_outside};

/// The segments before the last one of a path whose last segment is `last`, without the `-` that may stand between
/// them. They name a project, if it exists.
pub(crate) fn project_before(path: &str, last: &str) -> Option<Vec<String>> {
    let (raw, is_folder) = raw_segments(path);
    let (end, project) = raw.split_last().filter(|_| !is_folder)?;
    let project = project.strip_suffix(&["-".to_owned()]).unwrap_or(project);
    decoded(project).filter(|_| decode(end).as_deref() == Some(last))
}

/// The segments of a path as they were sent. True if a slash ends it.
pub(crate) fn raw_segments(path: &str) -> (Vec<String>, bool) {
    let path = path.strip_prefix('/').unwrap_or(path);
    let (path, is_folder) = path.strip_suffix('/').map_or((path, false), |path| (path, true));
    (path.split('/').map(str::to_owned).collect(), is_folder)
}

/// Decodes segments, exactly once. `None` if one of them is not exactly one name.
pub(crate) fn decoded(raw: &[String]) -> Option<Vec<String>> {
    raw.iter().map(|segment| decode(segment)).collect()
}

/// A segment, decoded once. `None` if it could not be a name.
pub(crate) fn decode(segment: &str) -> Option<String> {
    decode_path(segment).filter(|text| !text.contains('\0'))
}

/// A segment of the path of a file, decoded once to its kept form ([`tenon_domain::file_path`]). `None` if it could not
/// be a name.
pub(crate) fn decode_path(segment: &str) -> Option<String> {
    let bytes: Vec<u8> = percent_decode_str(segment).collect();
    let text = kept_from_outside(&bytes);
    let is_plain = bytes_of(&text).is_some() && text.split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_plain.then_some(text)
}

/// A segment as a number, in the one way that numbers are written.
pub(crate) fn number(text: &str) -> Option<i64> {
    text.parse::<i64>().ok().filter(|number| *number > 0 && number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_the_last_segment_may_be_a_project() {
        for (path, want) in [
            ("/a/b/uploads", Some(vec!["a", "b"])),
            ("/a/b/-/uploads", Some(vec!["a", "b"])),
            ("/a/b%20c/uploads", Some(vec!["a", "b c"])),
            ("/a/b/uploads/", None),
            ("/a/b/uploads/new", None),
            ("/a/../uploads", None),
        ] {
            let want = want.map(|want| want.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(project_before(path, "uploads"), want, "{path}");
        }
    }

    #[test]
    fn each_segment_is_decoded_once() {
        for (path, want) in [
            ("/a/b", Some(vec!["a", "b"])),
            ("/a/b/", Some(vec!["a", "b"])),
            ("/a/b/tree/x%2Fy/%25", Some(vec!["a", "b", "tree", "x/y", "%"])),
            ("/a/b/blob/main/%0A%22", Some(vec!["a", "b", "blob", "main", "\n\""])),
            ("/a//b", None),
            ("/a/../b", None),
            ("/a/%2e%2e/b", None),
            ("/a/x%2F..%2Fy", None),
            ("/a/%00", None),
            ("/a/%ff", None),
        ] {
            let (raw, _) = raw_segments(path);
            let want = want.map(|want| want.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(decoded(&raw), want, "{path}");
        }
    }
}
