//! Notebooks (`.ipynb`, nbformat 4) as Markdown. The texts of outputs are shown. Pictures and programs in outputs are not.

use serde_json::Value;

/// True for the name of a notebook.
pub(crate) fn is_notebook(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("ipynb"))
}

/// The cells of a notebook as Markdown. `None` if the text is no notebook.
pub(crate) fn as_markdown(text: &str) -> Option<String> {
    let notebook: Value = serde_json::from_str(text).ok()?;
    let cells = notebook.get("cells")?.as_array()?;
    let language = language(&notebook);
    let mut markdown = String::with_capacity(text.len());
    for cell in cells {
        let source = lines(cell.get("source"));
        match cell.get("cell_type").and_then(Value::as_str) {
            Some("markdown") => {
                markdown.push_str(&source);
                markdown.push_str("\n\n");
            }
            Some("code") => {
                block(&mut markdown, &language, &source);
                let outputs = cell.get("outputs").and_then(Value::as_array);
                outputs.into_iter().flatten().for_each(|output| block(&mut markdown, "", &shown(output)));
            }
            _ => block(&mut markdown, "", &source),
        }
    }
    Some(markdown)
}

/// The name of the language of the code.
fn language(notebook: &Value) -> String {
    let known = ["/metadata/language_info/name", "/metadata/kernelspec/language"];
    let name = known.iter().find_map(|place| notebook.pointer(place).and_then(Value::as_str)).unwrap_or_default();
    name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-')).take(32).collect()
}

/// A text, which may be written as a list of lines.
fn lines(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// The text of an output.
fn shown(output: &Value) -> String {
    match output.get("output_type").and_then(Value::as_str) {
        Some("stream") => lines(output.get("text")),
        Some("error") => {
            let part = |name: &str| output.get(name).and_then(Value::as_str).unwrap_or_default();
            format!("{}: {}", part("ename"), part("evalue"))
        }
        _ => lines(output.pointer("/data/text~1plain")),
    }
}

/// Appends a block of code, whose marks are longer than all marks in it.
fn block(markdown: &mut String, language: &str, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let marks = "`".repeat(longest.max(2) + 1);
    markdown.push_str(&format!("{marks}{language}\n{}\n{marks}\n\n", text.trim_end_matches('\n')));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_become_markdown() {
        let notebook = serde_json::json!({
            "metadata": {"kernelspec": {"language": "python`x"}},
            "cells": [
                {"cell_type": "markdown", "source": ["# One\n", "two"]},
                {"cell_type": "code", "source": "print(1)\n", "outputs": [
                    {"output_type": "stream", "text": ["1\n"]},
                    {"output_type": "display_data", "data": {"text/html": "<script>a()</script>"}},
                    {"output_type": "execute_result", "data": {"text/plain": "```\nx"}},
                    {"output_type": "error", "ename": "E", "evalue": "v"},
                ]},
                {"cell_type": "raw", "source": ""},
            ]
        });
        let want = "# One\ntwo\n\n```pythonx\nprint(1)\n```\n\n```\n1\n```\n\n````\n```\nx\n````\n\n```\nE: v\n```\n\n";
        assert_eq!(as_markdown(&notebook.to_string()).as_deref(), Some(want));
        assert_eq!((as_markdown("{}"), as_markdown("x"), as_markdown("{\"cells\": 1}")), (None, None, None));
        assert!(is_notebook("a.ipynb") && !is_notebook("ipynb"));
    }
}
