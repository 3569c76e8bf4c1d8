//! The classes of coloured code.

/// The class of a piece of code, as far as a style sheet distinguishes it. Code of no class has the colour of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// `fn`, `return`, `int`, `and`; `self` and `this`.
    Keyword,
    /// The text of a string, with its quotes; code and addresses in prose.
    String,
    /// A comment; a quotation in prose.
    Comment,
    /// A number, with its unit; a colour in CSS.
    Number,
    /// `true`, `null`, names of constants, escapes within strings.
    Constant,
    /// The name of a type, a class or a module.
    Type,
    /// The name of a function or macro, at its definition and at its calls.
    Function,
    /// The name of an attribute, a property or a key; an annotation.
    Attribute,
    /// The name of an element of HTML or XML, with its brackets.
    Tag,
    /// A heading in prose, of a section in a configuration, or of a difference.
    Heading,
    /// An added line of a difference.
    Inserted,
    /// A removed line of a difference.
    Deleted,
}

impl Class {
    /// All classes, each at the place of its [number](Self::number).
    pub const ALL: [Self; 12] = [
        Self::Keyword,
        Self::String,
        Self::Comment,
        Self::Number,
        Self::Constant,
        Self::Type,
        Self::Function,
        Self::Attribute,
        Self::Tag,
        Self::Heading,
        Self::Inserted,
        Self::Deleted,
    ];

    /// A short name for attributes of HTML and for selectors of CSS, at most two letters, since a page repeats it for each
    /// piece.
    #[must_use]
    pub const fn short_name(self) -> &'static str {
        match self {
            Self::Keyword => "k",
            Self::String => "s",
            Self::Comment => "c",
            Self::Number => "n",
            Self::Constant => "l",
            Self::Type => "t",
            Self::Function => "f",
            Self::Attribute => "a",
            Self::Tag => "g",
            Self::Heading => "h",
            Self::Inserted => "i",
            Self::Deleted => "d",
        }
    }

    /// The number that stands for it between processes.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Keyword => 0,
            Self::String => 1,
            Self::Comment => 2,
            Self::Number => 3,
            Self::Constant => 4,
            Self::Type => 5,
            Self::Function => 6,
            Self::Attribute => 7,
            Self::Tag => 8,
            Self::Heading => 9,
            Self::Inserted => 10,
            Self::Deleted => 11,
        }
    }

    /// The class with this number; `None` if there is none.
    #[must_use]
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_class_has_a_number_and_a_name_of_its_own() {
        for (place, class) in (0..).zip(Class::ALL) {
            assert_eq!((class.number(), Class::of_number(place)), (place, Some(class)));
        }
        assert_eq!(Class::of_number(12), None);
        assert_eq!(Class::ALL.map(Class::short_name).into_iter().collect::<HashSet<_>>().len(), 12);
    }
}
