//! Diagrams: blocks of code whose language a server draws, with the picture above the text.

use comrak::Arena;
use comrak::nodes::{Ast, Node, NodeValue};

use crate::outside::escaped;
use crate::{Ended, Ends, OutsidePictures};

/// The most diagrams of a text that are drawn. The others stay text.
const MOST: usize = 50;

/// Puts the picture of each diagram above its text, which can be unfolded. A block that no server draws stays as it is.
pub(crate) fn show<'a>(
    arena: &'a Arena<'a>,
    root: Node<'a>,
    outside: Option<&OutsidePictures>,
    ends: Ends<'_>,
) -> Result<(), Ended> {
    let Some(outside) = outside.filter(|outside| outside.draws()) else { return Ok(()) };
    let nodes: Vec<Node<'a>> = root.descendants().collect();
    let mut left = MOST;
    for node in nodes {
        let drawn = match &node.data().value {
            NodeValue::CodeBlock(block) if left > 0 => {
                ends.check(0)?;
                let language = block.info.split_whitespace().next().unwrap_or_default();
                outside.diagram(language, &block.literal).map(|address| (address, language.to_owned()))
            }
            _ => continue,
        };
        let Some((address, language)) = drawn else { continue };
        left -= 1;
        let raw = |html: String| arena.alloc(Ast::new(NodeValue::Raw(html), node.data().sourcepos.start).into());
        node.insert_before(raw(format!(
            "<p><img src=\"{}\" alt=\"Diagram ({})\"></p>\n<details>\n<summary>Source</summary>\n",
            escaped(&address),
            escaped(&language)
        )));
        node.insert_after(raw("</details>\n".to_owned()));
    }
    Ok(())
}
