//! Some lines of a difference, such as those that a discussion is about. Their colours follow from these lines alone.

use tenon_app::App;
use tenon_app::highlighter::{Fence, Origin};

use super::diff::DiffLine;

/// Lines of a difference without the rest of their file.
#[derive(Debug, Default)]
pub(crate) struct LooseLines {
    /// The language, as the ending of the name of the file. Empty if it has none.
    pub(crate) language: String,
    pub(crate) lines: Vec<DiffLine>,
}

/// Gives each of these groups of lines the colours that its lines have by themselves, as far as they are found in time. The groups
/// have the same bounds as the blocks of code of a page (`PageLimits`).
pub(crate) async fn colour_loose(app: &App, origin: Origin, groups: Vec<&mut LooseLines>) {
    let limits = &app.limits().pages;
    let mut bytes_left = usize::try_from(limits.fence_bytes).unwrap_or(usize::MAX);
    let (mut fences, mut coloured) = (Vec::new(), Vec::new());
    for group in groups.into_iter().take(limits.fences) {
        let code = group.lines.iter().map(|line| format!("{}\n", line.text)).collect::<String>();
        if code.len() > bytes_left {
            continue;
        }
        bytes_left -= code.len();
        fences.push(Fence { language: group.language.clone(), code });
        coloured.push(group);
    }
    if fences.is_empty() {
        return;
    }
    let colours = app.colours_of_fences(origin, fences).await;
    for (group, colours) in coloured.into_iter().zip(colours) {
        for (at, line) in group.lines.iter_mut().enumerate() {
            line.colour(colours.line(at));
        }
    }
}
