//! A writer that pushes with Git: new commits, forced pushes, several branches at once, and branches that go.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use tenon_testkit::ROOT_TOKEN;

use super::writers::Office;
use crate::process::program;
use crate::random::Random;

/// Branches that are pushed to.
const BRANCHES: usize = 5;

/// Pushes until the end. Fails if Git does on this machine, or at a server that runs.
pub(crate) fn pushes(office: &Office<'_>, mut random: Random, folder: &Path) -> Result<()> {
    let Some((_, name)) = office.project("pushes") else { return Ok(()) };
    let clone = Clone { folder: folder.join("pushes.git") };
    clone.git(&["init", "--quiet", "--bare"], "")?;
    // The newest commit of each branch that is there, and an older one.
    let mut tips: Vec<Option<(String, String)>> = vec![None; BRANCHES];
    for count in 0.. {
        if office.is_over() {
            break;
        }
        let mut words = vec!["push".to_owned(), "--quiet".to_owned()];
        let mut changes: Vec<(String, Option<String>)> = Vec::new();
        let first = random.below(BRANCHES);
        for at in [first, (first + 1) % BRANCHES].into_iter().take(random.between(1, 2)) {
            let Some(place) = tips.get_mut(at) else { continue };
            let thing = format!("branch/{name}/branch{at}");
            if place.is_some() && random.percent(8) {
                words.push(format!(":refs/heads/branch{at}"));
                changes.push((thing, None));
                *place = None;
                continue;
            }
            // A forced push: the newest commit is left out.
            let is_forced = random.percent(25);
            let parent = place.as_ref().map(|(tip, older)| if is_forced { older.clone() } else { tip.clone() });
            let size = random.between(1, 20_000);
            let tip = clone.commit(&format!("commit {count} of {at}\n"), size, parent.as_deref())?;
            words.push(format!("+{tip}:refs/heads/branch{at}"));
            changes.push((thing, Some(tip.clone())));
            *place = Some((tip.clone(), parent.unwrap_or(tip)));
        }
        push(office, &clone, &name, words, &changes);
    }
    Ok(())
}

fn push(office: &Office<'_>, clone: &Clone, name: &str, mut words: Vec<String>, changes: &[(String, Option<String>)]) {
    let Some((client, start)) = office.client() else { return };
    let address = client.base().replacen("http://", &format!("http://root:{ROOT_TOKEN}@"), 1);
    words.insert(2, format!("{address}/root/{name}.git"));
    let asked: Vec<(&str, Option<&str>)> = changes.iter().map(|(thing, tip)| (&**thing, tip.as_deref())).collect();
    let asked = office.record.ask(&asked);
    match clone.git(&words.iter().map(String::as_str).collect::<Vec<_>>(), "") {
        Ok(_) => office.record.acknowledge("pushes", asked),
        // Killed in the middle.
        Err(_) if !office.site.is_up(start) || office.is_over() => {}
        // A branch that a push that was not acknowledged has removed, or has not made.
        Err(error) if error.to_string().contains("remote ref does not exist") => {}
        Err(error) => office.record.fault(format!("a push failed: {error:#}")),
    }
}

/// A repository on this side.
struct Clone {
    folder: PathBuf,
}

impl Clone {
    /// Makes a commit with a file of so many bytes, and yields its id.
    fn commit(&self, text: &str, size: usize, parent: Option<&str>) -> Result<String> {
        let content: String = text.chars().cycle().take(size).collect();
        let parent = parent.map(|parent| format!("from {parent}\n")).unwrap_or_default();
        let who = "Rehearsal <rehearsal@example.org> 1795000000 +0000";
        let stream = format!(
            "reset refs/heads/made\ncommit refs/heads/made\ncommitter {who}\ndata {}\n{text}\n{parent}M 100644 inline file\ndata {size}\n{content}\n",
            text.len()
        );
        self.git(&["fast-import", "--quiet", "--force"], &stream)?;
        Ok(self.git(&["rev-parse", "refs/heads/made"], "")?.trim().to_owned())
    }

    /// Runs Git with this input. Fails with what it says.
    fn git(&self, words: &[&str], input: &str) -> Result<String> {
        let mut command = program("git");
        if words.first() == Some(&"init") {
            command.args(words).arg(&self.folder);
        } else {
            command.arg("--git-dir").arg(&self.folder).args(words);
        }
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("git did not start")?;
        let mut pipe = child.stdin.take().context("no pipe to git")?;
        pipe.write_all(input.as_bytes())?;
        drop(pipe);
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "git {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    }
}
