//! The pictures of files that differ, as they were before and as they are after.

use tenon_app::App;
use tenon_app::repository::{FileDifference, SideFile, Sides};

use crate::kit::address::in_path;
use crate::kit::text;

/// Files of one page whose pictures are shown.
const MOST: usize = 50;

/// A picture on one side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiffPicture {
    /// The address of its bytes below the project.
    pub(crate) below: String,
    pub(crate) alt: String,
    /// The side that it is on, and its size.
    pub(crate) caption: String,
}

impl DiffPicture {
    /// None if browsers do not show the file as a picture.
    fn of(file: SideFile, side: &str) -> Option<Self> {
        let SideFile { commit, path, size } = file;
        text::picture(&path.to_string())?;
        let unit = if size == 1 { "byte" } else { "bytes" };
        Some(Self {
            below: format!("/raw/{commit}/{}", in_path(path.as_kept())),
            alt: format!("{} {}", path.legible(), side.to_lowercase()),
            caption: format!("{side}: {size} {unit}"),
        })
    }
}

/// The pictures of each of these files, in their order. The first 50 files with pictures have them.
pub(crate) async fn pictures(app: &App, sides: &Sides, files: &[FileDifference]) -> Vec<Vec<DiffPicture>> {
    let wanted = files.iter().filter(|file| has_pictures(file)).take(MOST);
    let paths = wanted.map(|file| (file.old_path.clone(), file.new_path.clone())).collect();
    // A difference that was read is shown, with pictures or without.
    let mut found = sides.files_of(app, paths).await.unwrap_or_default().into_iter();
    let of_file = |file: &FileDifference| {
        let both = if has_pictures(file) { found.next() } else { None };
        let both = both.into_iter().flatten().zip(["Before", "After"]);
        both.filter_map(|(file, side)| DiffPicture::of(file?, side)).collect()
    };
    files.iter().map(of_file).collect()
}

/// True if the content of a picture differs. Pictures that are texts show their lines, too.
fn has_pictures(file: &FileDifference) -> bool {
    let kinds = [&file.old_path, &file.new_path].map(|path| text::picture(&path.to_string()));
    let is_binary = file.diff.starts_with("Binary files ");
    let is_text = file.too_large || !file.diff.is_empty();
    kinds.into_iter().flatten().any(|kind| is_binary || (is_text && kind == text::SVG))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_shown_of_files_whose_content_differs() {
        let file = |path: &str, diff: &str| FileDifference {
            old_path: path.into(),
            new_path: path.into(),
            diff: diff.to_owned(),
            ..FileDifference::default()
        };
        for (path, diff, want) in [
            ("a.png", "Binary files a/a.png and b/a.png differ", true),
            ("a.PNG", "Binary files a/a.PNG and b/a.PNG differ", true),
            ("a.svg", "@@ -1 +1 @@\n-<svg/>\n+<svg></svg>\n", true),
            // A file that stands for a picture and is none, such as a pointer to it.
            ("a.png", "@@ -1 +1 @@\n-oid 1\n+oid 2\n", false),
            ("a.bin", "Binary files a/a.bin and b/a.bin differ", false),
            ("a.png", "", false),
            ("a.svg", "", false),
        ] {
            assert_eq!(has_pictures(&file(path, diff)), want, "{path} {diff}");
        }
    }
}
