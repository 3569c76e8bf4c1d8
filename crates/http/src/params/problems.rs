//! Problems with single parameters, and their texts.

/// Problems with single parameters, each with its position in the declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Problems(Vec<(usize, String)>);

impl Problems {
    /// Adds a problem with the parameter declared at `position`.
    pub(crate) fn add(&mut self, position: usize, text: String) {
        self.0.push((position, text));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All texts in the order of declaration, without duplicates, as one sentence.
    pub(crate) fn into_text(mut self) -> String {
        self.0.sort_by_key(|(position, _)| *position);
        let mut texts: Vec<String> = Vec::with_capacity(self.0.len());
        for (_, text) in self.0 {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.join(", ")
    }
}
