//! The problems of the fields of a request.

/// Messages by field, in the order in which they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldErrors(Vec<(String, Vec<String>)>);

impl FieldErrors {
    /// One message about one field.
    #[must_use]
    pub fn of(field: &str, message: impl Into<String>) -> Self {
        let mut errors = Self::default();
        errors.add(field, message);
        errors
    }

    /// Notes `message` about `field`; a message that stands there already is not repeated.
    pub fn add(&mut self, field: &str, message: impl Into<String>) {
        let message = message.into();
        match self.0.iter_mut().find(|(name, _)| name == field) {
            Some((_, messages)) if messages.contains(&message) => {}
            Some((_, messages)) => messages.push(message),
            None => self.0.push((field.to_owned(), vec![message])),
        }
    }

    /// Notes `message` about `field` unless `holds`.
    pub fn require(&mut self, holds: bool, field: &str, message: &str) {
        if !holds {
            self.add(field, message);
        }
    }

    /// Refuses a text of more than `max` characters.
    pub fn at_most(&mut self, max: usize, field: &str, text: &str) {
        if text.chars().count() > max {
            self.add(field, format!("is too long (maximum is {max} characters)"));
        }
    }

    /// Refuses a text that is empty or only white space.
    pub fn present(&mut self, field: &str, text: &str) {
        self.require(!text.trim().is_empty(), field, BLANK);
    }

    /// `Ok` while nothing was noted.
    ///
    /// # Errors
    /// The problems themselves, if there are any.
    pub fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }

    /// True if nothing was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All problems in one line: `Invite email is invalid, Name can't be blank`. What is about no field (`base`) stands by itself.
    #[must_use]
    pub fn sentences(&self) -> String {
        let worded = |(field, messages): (&str, &[String])| -> Vec<String> {
            let mut letters = field.chars();
            let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            let about = match field {
                "base" => String::new(),
                _ => format!("{first}{} ", letters.as_str().replace('_', " ")),
            };
            messages.iter().map(|message| format!("{about}{message}")).collect()
        };
        self.iter().flat_map(worded).collect::<Vec<_>>().join(", ")
    }

    /// Field and messages, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0.iter().map(|(field, messages)| (field.as_str(), messages.as_slice()))
    }
}

/// The message for a value that must be there.
pub const BLANK: &str = "can't be blank";
/// The message for a value that is taken.
pub const TAKEN: &str = "has already been taken";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_stand_in_one_line() {
        let mut errors = FieldErrors::of("invite_email", "is invalid");
        errors.add("name", BLANK);
        errors.add("name", TAKEN);
        errors.add("base", "There are too many");
        let want = "Invite email is invalid, Name can't be blank, Name has already been taken, There are too many";
        assert_eq!(errors.sentences(), want);
    }
}
