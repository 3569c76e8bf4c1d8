//! How deep a rendered text may nest.

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{Node, NodeValue};

/// The deepest nesting of quotes, lists and emphasis that is shown. Browsers, and the sanitiser, search all open
/// elements at every tag: deep nesting makes a small text expensive.
const MAX_NESTING: usize = 50;

/// Takes the elements out of the tree that nest deeper; their content stays.
pub(crate) fn flatten(root: Node<'_>) {
    let mut depth = 0_usize;
    let mut too_deep = Vec::new();
    for edge in root.traverse() {
        match edge {
            NodeEdge::Start(node) if nests(node) => {
                depth += 1;
                if depth > MAX_NESTING {
                    too_deep.push(node);
                }
            }
            NodeEdge::End(node) if nests(node) => depth = depth.saturating_sub(1),
            // An item goes with its list.
            NodeEdge::Start(node) if depth > MAX_NESTING && is_item(node) => too_deep.push(node),
            NodeEdge::Start(_) | NodeEdge::End(_) => {}
        }
    }
    // From the outside inwards: then each node moves once.
    for node in too_deep {
        while let Some(child) = node.first_child() {
            node.insert_before(child);
        }
        node.detach();
    }
}

fn nests(node: Node<'_>) -> bool {
    matches!(
        node.data().value,
        NodeValue::BlockQuote | NodeValue::List(_) | NodeValue::Emph | NodeValue::Strong | NodeValue::Strikethrough
    )
}

fn is_item(node: Node<'_>) -> bool {
    matches!(node.data().value, NodeValue::Item(_) | NodeValue::TaskItem(_))
}
