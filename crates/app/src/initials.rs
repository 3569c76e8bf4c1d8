//! Pictures of names: their initials on a coloured ground. A picture shows nothing that is not in its own address.

/// The colours of grounds. The style sheet of pages has the same ones (`g1` to `g6`). White letters can be read on each.
pub const GROUNDS: [&str; 6] = ["#0b5cad", "#1a7f43", "#7a3ec8", "#b3261e", "#8a5b00", "#0e7490"];

/// How wide a picture is, without a request for another size: it has no resolution.
const SIDE: usize = 160;

/// The initials of a name, and the ground below them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Initials {
    letters: String,
    ground: usize,
}

impl Initials {
    /// Those of a name: the first letters of its first and its last word. The ground is always the same for one name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let mut letters = name.split(|c: char| !c.is_alphanumeric()).filter_map(|word| word.chars().next());
        let first = letters.next();
        let letters = first.into_iter().chain(letters.next_back()).flat_map(char::to_uppercase).take(2).collect();
        let sum = name.chars().fold(0_u32, |sum, c| sum.wrapping_mul(31).wrapping_add(u32::from(c)));
        Self { letters, ground: usize::try_from(sum % 6).unwrap_or(0) }
    }

    /// Two letters or digits at most. None if the name has none.
    #[must_use]
    pub fn letters(&self) -> &str {
        &self.letters
    }

    /// The number of the ground, from 1 to 6.
    #[must_use]
    pub const fn ground(&self) -> usize {
        self.ground + 1
    }

    /// The name of the file with the picture, such as `3-AL.svg`; `None` if there are no letters.
    #[must_use]
    pub fn file_name(&self) -> Option<String> {
        (!self.letters.is_empty()).then(|| format!("{}-{}.svg", self.ground(), self.letters))
    }

    /// Reads what [`Self::file_name`] makes; `None` if it is something else.
    #[must_use]
    pub fn parse(file_name: &str) -> Option<Self> {
        let (ground, letters) = file_name.strip_suffix(".svg")?.split_once('-')?;
        let ground = (1..=GROUNDS.len()).find(|known| known.to_string() == ground)? - 1;
        let is_letters = (1..=2).contains(&letters.chars().count()) && letters.chars().all(char::is_alphanumeric);
        is_letters.then(|| Self { letters: letters.to_owned(), ground })
    }

    /// The picture, as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let fill = GROUNDS.get(self.ground).copied().unwrap_or_default();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{SIDE}\" height=\"{SIDE}\" viewBox=\"0 0 {SIDE} {SIDE}\">\
             <rect width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{fill}\"/>\
             <text x=\"50%\" y=\"50%\" dy=\".35em\" fill=\"#fff\" font-family=\"sans-serif\" font-size=\"68\" font-weight=\"600\" \
             text-anchor=\"middle\">{}</text></svg>",
            self.letters
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_are_those_of_the_first_and_the_last_word() {
        for (name, letters) in
            [("Ada Lovelace", "AL"), ("ada", "A"), ("J. F. Kennedy", "JK"), ("élan vital", "ÉV"), ("--", "")]
        {
            let found = Initials::of(name);
            assert_eq!(found.letters(), letters, "{name}");
            assert!((1..=6).contains(&found.ground()), "{name}");
            assert_eq!(
                found.file_name().and_then(|file| Initials::parse(&file)),
                (!letters.is_empty()).then_some(found)
            );
        }
    }

    #[test]
    fn other_files_have_no_picture() {
        for name in
            ["", "1-.svg", "1-ABC.svg", "7-AB.svg", "0-AB.svg", "01-AB.svg", "1-<b.svg", "1-A&.svg", "1-AB", "AB.svg"]
        {
            assert_eq!(Initials::parse(name), None, "{name}");
        }
    }
}
