//! The notes about tasks of a description that were ticked.

use tenon_markdown::task_lines;

/// The most ticks that have a note each.
const MOST_TICKS: usize = 10;

/// The notes about a text that differs in the ticks of a few tasks only; none if it differs otherwise. Boxes in code or within
/// a sentence are no tasks. By lines and without parsing, because the write turn is held.
pub(crate) fn tick_notes(old: &str, new: &str) -> Option<Vec<String>> {
    if old.len() != new.len() {
        return None;
    }
    let changed = old.lines().zip(new.lines()).filter(|(before, after)| before != after).take(MOST_TICKS + 1).count();
    if !(1..=MOST_TICKS).contains(&changed) {
        return None;
    }
    let (before, after) = (task_lines(old), task_lines(new));
    let ticked = before.iter().zip(&after).filter(|(before, after)| before != after);
    let notes = ticked.map(|(before, after)| tick_note(before, after)).collect::<Option<Vec<String>>>()?;
    (before.len() == after.len() && notes.len() == changed).then_some(notes)
}

/// The note about one line.
fn tick_note(before: &str, after: &str) -> Option<String> {
    let (bullet, task) = after.split_once("] ")?;
    let (left, sign) = bullet.split_at_checked(bullet.len().checked_sub(1)?)?;
    let is_ticked = match sign {
        "x" | "X" => true,
        " " => false,
        _ => return None,
    };
    let expected = before.strip_prefix(left)?.strip_suffix(task)?.strip_suffix("] ")?;
    let is_tick = left.ends_with('[') && matches!((expected, is_ticked), (" ", true) | ("x" | "X", false));
    let task: String = task.trim().chars().take(100).collect();
    let word = if is_ticked { "completed" } else { "incomplete" };
    is_tick.then(|| format!("marked the task **{task}** as {word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_have_notes_of_their_own() {
        let old = "Do:\n- [ ] oil it\n- [x] test";
        let marked = |task: &str, word: &str| format!("marked the task **{task}** as {word}");
        for (new, want) in [
            ("Do:\n- [x] oil it\n- [x] test", Some(vec![marked("oil it", "completed")])),
            ("Do:\n- [x] oil it\n- [ ] test", Some(vec![marked("oil it", "completed"), marked("test", "incomplete")])),
            ("Do:\n- [x] oil at\n- [x] test", None),
            ("Xo:\n- [ ] oil it\n- [x] test", None),
            ("Do:\n- [ ] oil it", None),
            (old, None),
        ] {
            assert_eq!(tick_notes(old, new), want, "{new}");
        }
    }

    #[test]
    fn boxes_that_are_no_tasks_have_no_notes() {
        for old in [
            "see [ ] here",
            "a [ ] b\n- [x] c",
            "```\n- [ ] code\n```\n- [x] c",
            "    - [ ] code",
            "-[ ] near",
            "- [ ]near",
            "[ ] alone",
            "- a [ ] b",
        ] {
            assert_eq!(tick_notes(old, &old.replacen("[ ]", "[x]", 1)), None, "{old}");
            // A task beside it makes no difference.
            let both = format!("{old}\n\n- [ ] task");
            assert_eq!(tick_notes(&both, &both.replace("[ ]", "[x]")), None, "{both}");
        }
        let quoted = "> 1. [ ] quoted\n>\n> - x\n>   - [ ] deep";
        let notes = tick_notes(quoted, &quoted.replace("[ ]", "[x]")).unwrap();
        assert_eq!(notes, ["marked the task **quoted** as completed", "marked the task **deep** as completed"]);
    }
}
