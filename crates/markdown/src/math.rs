//! Mathematics: formulas in LaTeX, as MathML.

use std::panic::{AssertUnwindSafe, catch_unwind};

use comrak::Arena;
use comrak::html::escape;
use comrak::nodes::{Ast, Node, NodeValue};
use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

use crate::{Ended, Ends};

/// The longest formula that is shown as such, in bytes. A longer one is shown as code.
const LONGEST: usize = 4_000;
/// The bytes of all formulas of a text that are shown as such.
const ALL: usize = 40_000;
/// How deep a formula may nest.
const DEEPEST: usize = 30;
/// The most steps that one formula takes.
const MOST_STEPS: usize = 8_000;
/// With so many commands a formula is read on the stack of the caller. The library calls itself for each command that
/// is the argument of another one, and takes up to 16 KiB for it.
const FEW_COMMANDS: usize = 20;
/// The stack on which formulas of more commands are read, in bytes: enough for the longest.
const STACK: usize = 64 << 20;
/// The largest space, in the units in which it is written.
const LARGEST_SPACE: f32 = 10.0;
/// Commands that define others: a short formula could become a very long one.
const DEFINING: [&str; 10] = [
    "def",
    "gdef",
    "edef",
    "xdef",
    "let",
    "futurelet",
    "newcommand",
    "renewcommand",
    "providecommand",
    "newenvironment",
];

/// The elements of formulas.
pub(crate) const ELEMENTS: [&str; 26] = [
    "math",
    "merror",
    "mfrac",
    "mi",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "ms",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
];

/// The attributes that they may have.
pub(crate) const ATTRIBUTES: [&str; 16] = [
    "accent",
    "columnalign",
    "columnspan",
    "display",
    "displaystyle",
    "fence",
    "form",
    "largeop",
    "linethickness",
    "mathvariant",
    "movablelimits",
    "scriptlevel",
    "separator",
    "stretchy",
    "symmetric",
    "width",
];

/// True if an attribute of a formula may have this value: words and small numbers.
pub(crate) fn may_have(name: &str, value: &str) -> bool {
    let is_short =
        value.len() <= 40 && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '.' | '-' | '%'));
    let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    let is_small = number.parse().is_ok_and(|size: f32| size.abs() <= LARGEST_SPACE);
    is_short && (is_small || !matches!(name, "width" | "linethickness"))
}

/// Replaces formulas by their form on the page: `$a$`, `$$a$$`, `` $`a`$ `` and blocks of code with the language
/// `math`.
pub(crate) fn show<'a>(arena: &'a Arena<'a>, root: Node<'a>, ends: Ends<'_>) -> Result<(), Ended> {
    let mut left = ALL;
    let mut shown = |formula: &str, is_block: bool| {
        let formula = formula.trim();
        let may_be_read = !formula.is_empty() && formula.len() <= LONGEST.min(left) && is_harmless(formula);
        if !may_be_read {
            return Ok(code(formula, is_block));
        }
        ends.check(0)?;
        left -= formula.len();
        Ok(mathml(formula, is_block).unwrap_or_else(|| code(formula, is_block)))
    };
    let nodes: Vec<Node<'a>> = root.descendants().collect();
    for node in nodes {
        let html = match &node.data().value {
            NodeValue::Math(math) => {
                let literal = math.literal.as_str();
                let quoted = literal.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
                shown(quoted.unwrap_or(literal), math.display_math)?
            }
            NodeValue::CodeBlock(block) if block.info.trim() == "math" => shown(&block.literal, true)? + "\n",
            _ => continue,
        };
        node.insert_before(arena.alloc(Ast::new(NodeValue::Raw(html), node.data().sourcepos.start).into()));
        node.detach();
    }
    Ok(())
}

fn code(formula: &str, is_block: bool) -> String {
    let mut html =
        String::from(if is_block { "<pre><code class=\"language-math\">" } else { "<code class=\"language-math\">" });
    // Writing into a string does not fail.
    escape(&mut html, formula).unwrap_or_default();
    html.push_str(if is_block { "</code></pre>" } else { "</code>" });
    html
}

/// A formula as MathML; nothing if it cannot be understood.
fn mathml(formula: &str, is_block: bool) -> Option<String> {
    if formula.matches('\\').count() <= FEW_COMMANDS {
        return written(formula, is_block);
    }
    // On this thread, whose processor time is counted.
    stacker::grow(STACK, || written(formula, is_block))
}

fn written(formula: &str, is_block: bool) -> Option<String> {
    // A formula that the library stumbles over is shown as code.
    catch_unwind(AssertUnwindSafe(|| {
        let storage = Storage::new();
        let events = Parser::new(formula, &storage).take(MOST_STEPS).collect::<Result<Vec<_>, _>>().ok()?;
        let display_mode = if is_block { DisplayMode::Block } else { DisplayMode::Inline };
        let config = RenderConfig { display_mode, ..RenderConfig::default() };
        let mut html = String::new();
        let whole = events.len() < MOST_STEPS;
        let events = events.into_iter().map(Ok::<_, std::convert::Infallible>);
        (whole && push_mathml(&mut html, events, config).is_ok() && depth(&html) <= DEEPEST).then_some(html)
    }))
    .ok()
    .flatten()
}

/// True if a formula neither defines commands nor nests too deep.
fn is_harmless(formula: &str) -> bool {
    let (mut depth, mut is_escaped) = (0_usize, false);
    for c in formula.chars() {
        match c {
            '{' if !is_escaped => depth += 1,
            '}' if !is_escaped => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return false;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    let mut commands = formula
        .split('\\')
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default());
    !commands.any(|command| DEFINING.contains(&command))
}

fn depth(html: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for (at, _) in html.match_indices('<') {
        if html.get(at + 1..).is_some_and(|rest| rest.starts_with('/')) {
            depth = depth.saturating_sub(1);
        } else {
            depth += 1;
            deepest = deepest.max(depth);
        }
    }
    deepest
}
