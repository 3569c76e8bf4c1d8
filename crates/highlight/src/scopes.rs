//! From the scopes of Sublime Text, by which syntaxes name parts of a text, to classes.

use std::collections::HashMap;

use syntect::parsing::Scope;

use crate::class::Class;

/// The statement of a scope about the class of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// This class.
    Is(Class),
    /// This class if the text has letters, nothing otherwise: `and`, but not `&&`.
    IsWord(Class),
    /// No class, whatever is around it: code within a string is no string.
    Plain,
    /// Nothing: the scope around it decides.
    Open,
}

/// Scopes by their beginning. Of all that fit, the longest decides.
const RULES: &[(&str, Verdict)] = {
    use Class::{
        Attribute, Comment, Constant, Deleted, Function, Heading, Inserted, Keyword, Number, String, Tag, Type,
    };
    use Verdict::{Is, IsWord, Open, Plain};
    &[
        ("constant", Is(Constant)),
        ("constant.numeric", Is(Number)),
        ("constant.other.color", Is(Number)),
        ("entity.name", Is(Type)),
        ("entity.name.attribute-name", Is(Attribute)),
        ("entity.name.constant", Is(Constant)),
        ("entity.name.decorator", Is(Attribute)),
        ("entity.name.filename", Is(String)),
        ("entity.name.function", Is(Function)),
        ("entity.name.key", Is(Attribute)),
        ("entity.name.label", Is(Constant)),
        ("entity.name.macro", Is(Function)),
        ("entity.name.section", Is(Heading)),
        ("entity.name.tag", Is(Tag)),
        ("entity.name.tag.toml", Is(Attribute)),
        ("entity.name.tag.yaml", Is(Attribute)),
        ("entity.name.val", Open),
        ("entity.name.variable", Open),
        ("entity.other.attribute-name", Is(Attribute)),
        ("entity.other.inherited-class", Is(Type)),
        ("entity.other.pseudo-class", Is(Attribute)),
        ("entity.other.pseudo-element", Is(Attribute)),
        ("keyword", Is(Keyword)),
        ("keyword.operator", IsWord(Keyword)),
        ("keyword.other.unit", Is(Number)),
        ("markup.deleted", Is(Deleted)),
        ("markup.heading", Is(Heading)),
        ("markup.inserted", Is(Inserted)),
        ("markup.quote", Is(Comment)),
        ("markup.raw", Is(String)),
        ("markup.underline.link", Is(String)),
        ("meta.annotation.rust", Is(Attribute)),
        ("meta.diff.header", Is(Heading)),
        ("meta.diff.range", Is(Heading)),
        ("meta.embedded", Plain),
        ("meta.interpolation", Plain),
        ("meta.template.expression", Plain),
        ("punctuation.decorator", Is(Attribute)),
        ("punctuation.definition.annotation", Is(Attribute)),
        ("punctuation.definition.generic", Plain),
        ("punctuation.definition.tag", Is(Tag)),
        ("source", Plain),
        ("storage", IsWord(Keyword)),
        ("string", Is(String)),
        ("support.class", Is(Type)),
        ("support.constant", Is(Constant)),
        ("support.function", Is(Function)),
        ("support.macro", Is(Function)),
        ("support.module", Is(Type)),
        ("support.type", Is(Type)),
        ("support.type.custom-property-name", Is(Attribute)),
        ("support.type.property-name", Is(Attribute)),
        ("variable", Plain),
        ("variable.annotation", Is(Attribute)),
        ("variable.function", Is(Function)),
        ("variable.language", IsWord(Keyword)),
    ]
};

/// The classes of scopes, and those that were found already.
#[derive(Debug)]
pub(crate) struct Classifier {
    rules: Vec<(Scope, Verdict)>,
    known: HashMap<Scope, Verdict>,
    comment: Scope,
    key: Scope,
}

impl Classifier {
    /// A classifier that knows no scope yet.
    pub(crate) fn new() -> Self {
        let scope = |name: &str| Scope::new(name).unwrap_or_default();
        let mut rules: Vec<(Scope, Verdict)> = RULES.iter().map(|(name, verdict)| (scope(name), *verdict)).collect();
        // The longest that fits is found first.
        rules.sort_by_key(|(scope, _)| std::cmp::Reverse(scope.len()));
        Self { rules, known: HashMap::new(), comment: scope("comment"), key: scope("meta.mapping.key") }
    }

    /// The class of a text with these scopes, the outermost first.
    pub(crate) fn class(&mut self, stack: &[Scope], text: &str) -> Option<Class> {
        if text.trim().is_empty() {
            return None;
        }
        // Text in a comment is a comment, also if a syntax finds keywords in it.
        if stack.iter().any(|scope| self.comment.is_prefix_of(*scope)) {
            return Some(Class::Comment);
        }
        for scope in stack.iter().rev() {
            match self.verdict(*scope) {
                Verdict::Is(Class::String) if stack.iter().any(|scope| self.key.is_prefix_of(*scope)) => {
                    return Some(Class::Attribute);
                }
                Verdict::Is(class) => return Some(class),
                Verdict::IsWord(class) if text.contains(char::is_alphabetic) => return Some(class),
                Verdict::Plain => return None,
                Verdict::IsWord(_) | Verdict::Open => {}
            }
        }
        None
    }

    fn verdict(&mut self, scope: Scope) -> Verdict {
        let Self { rules, known, .. } = self;
        *known.entry(scope).or_insert_with(|| {
            let rule = rules.iter().find(|(start, _)| start.is_prefix_of(scope));
            rule.map_or(Verdict::Open, |(_, verdict)| *verdict)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(scopes: &str, text: &str) -> Option<Class> {
        let stack: Vec<Scope> = scopes.split(' ').map(|scope| Scope::new(scope).unwrap()).collect();
        Classifier::new().class(&stack, text)
    }

    #[test]
    fn the_innermost_scope_that_says_something_decides() {
        for (scopes, text, want) in [
            ("source.rust keyword.control.rust", "if", Some(Class::Keyword)),
            ("source.rust keyword.operator.rust", "&&", None),
            ("source.python keyword.operator.logical.python", "and", Some(Class::Keyword)),
            ("source.c constant.numeric.c keyword.other.unit.c", "u", Some(Class::Number)),
            ("source.c string.quoted.c punctuation.definition.string.begin.c", "\"", Some(Class::String)),
            ("source.c string.quoted.c constant.character.escape.c", "\\n", Some(Class::Constant)),
            ("source.js string.quoted.js meta.interpolation.js", "${", None),
            ("source.js string.quoted.js source.js variable.other.js", "x", None),
            ("source.css support.type.property-name.css", "color", Some(Class::Attribute)),
            ("source.c support.type.c", "size_t", Some(Class::Type)),
            ("source.json meta.mapping.key.json string.quoted.double.json", "\"a\"", Some(Class::Attribute)),
            ("source.json meta.mapping.value.json string.quoted.double.json", "\"a\"", Some(Class::String)),
            ("source.java comment.block.java keyword.other.documentation.java", "@param", Some(Class::Comment)),
            ("source.c comment.block.c", "  ", None),
            ("text.html.basic", "words", None),
        ] {
            assert_eq!(class(scopes, text), want, "{scopes} {text}");
        }
    }

    #[test]
    fn every_rule_is_a_scope_of_its_own() {
        for (place, (name, _)) in RULES.iter().enumerate() {
            let scope = Scope::new(name).unwrap();
            assert_eq!(scope.build_string(), *name);
            assert!(RULES[place + 1..].iter().all(|(other, _)| other != name), "{name}");
        }
    }
}
