//! The errors of a form.

use tenon_app::error::AppError;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::member::MemberRefusal;
use tenon_domain::refusal::{AccessRefusal, IssueRefusal, PipelineRefusal, Refusal, RepositoryRefusal, UserRefusal};

use super::error::PageError;

const LAST_OWNER: &str = "A group must have at least one owner. Make someone else an owner first.";
const NAMESPACE_OWNER: &str = "The owner of a personal project can't be changed or removed.";
const SOLE_OWNER: &str = "This user is the only owner of a group. Transfer ownership or delete the group first.";

/// The errors of a form, in sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Problems {
    all: Vec<Problem>,
    /// The action that failed. If it is empty, the form could not be saved.
    heading: &'static str,
}

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The field that refers to this sentence. Set only for the first sentence about a field.
    pub(crate) field: Option<String>,
    pub(crate) text: String,
}

impl Problems {
    /// The errors of the fields of a form. Another failure is passed on.
    pub(crate) fn of(error: AppError) -> Result<Self, PageError> {
        match error {
            AppError::Invalid(fields) | AppError::Rejected(_, fields) => Ok(Self::of_fields(&fields)),
            AppError::Refused(refusal) => Self::of_refusal(refusal),
            error => Err(error.into()),
        }
    }

    fn of_refusal(refusal: Refusal) -> Result<Self, PageError> {
        Ok(match refusal {
            Refusal::AccountState(refusal) => Self::plain(&capitalised(&refusal.to_string())),
            Refusal::Membership(MemberRefusal::LastOwner) => Self::plain(LAST_OWNER),
            Refusal::Membership(MemberRefusal::NamespaceOwner) => Self::plain(NAMESPACE_OWNER),
            Refusal::User(UserRefusal::SoleOwner) => Self::plain(SOLE_OWNER),
            // No form can cause these refusals: they are pages of their own.
            Refusal::Access(AccessRefusal::NotAPersonalToken)
            | Refusal::Accept(_)
            | Refusal::Approval(_)
            | Refusal::Cancel(_)
            | Refusal::Contribution(_)
            | Refusal::Issue(IssueRefusal::InvalidIid)
            | Refusal::List(_)
            | Refusal::Pipeline(PipelineRefusal::InvalidRef)
            | Refusal::Repository(
                RepositoryRefusal::BranchMoved
                | RepositoryRefusal::BranchProtected
                | RepositoryRefusal::FileChanged(_)
                | RepositoryRefusal::InvalidLevel(_)
                | RepositoryRefusal::InvalidPattern
                | RepositoryRefusal::PatternTooLong,
            ) => return Err(AppError::Refused(refusal).into()),
            Refusal::Access(_)
            | Refusal::Admission(_)
            | Refusal::Badge(_)
            | Refusal::Board(_)
            | Refusal::Deployment(_)
            | Refusal::FeatureFlag(_)
            | Refusal::Group(_)
            | Refusal::Hook(_)
            | Refusal::Impersonation(_)
            | Refusal::Issue(_)
            | Refusal::Label(_)
            | Refusal::MergeRequest(_)
            | Refusal::Milestone(_)
            | Refusal::Note(_)
            | Refusal::Notification(_)
            | Refusal::Pipeline(_)
            | Refusal::Project(_)
            | Refusal::Release(_)
            | Refusal::Repository(_)
            | Refusal::Snippet(_)
            | Refusal::SshKey(_)
            | Refusal::Suggestion(_)
            | Refusal::TwoFactor(_)
            | Refusal::User(_)
            | Refusal::Variable(_)
            | Refusal::Wiki(_) => Self::plain(&refusal.to_string()),
        })
    }

    /// One sentence about one field.
    pub(crate) fn with(field: &str, text: &str) -> Self {
        Self::all(vec![Problem { field: Some(field.to_owned()), text: text.to_owned() }])
    }

    /// Errors that all concern one field of the form, and whose texts are sentences.
    pub(crate) fn about(field: &str, fields: &FieldErrors) -> Self {
        let texts = fields.iter().flat_map(|(_, texts)| texts);
        texts.fold(Self::default(), |mut problems, text| {
            problems.add(field, text);
            problems
        })
    }

    /// Adds a sentence about a field.
    pub(crate) fn add(&mut self, field: &str, text: &str) {
        let field = Some(field.to_owned()).filter(|field| !self.has(field));
        self.all.push(Problem { field, text: text.to_owned() });
    }

    /// Errors in the form that the API gives them by field: `Name can't be blank`.
    fn of_fields(fields: &FieldErrors) -> Self {
        let of_field = |(field, texts): (&str, &[String])| {
            let named = |at: usize| (at == 0 && field != "base").then(|| field.to_owned());
            let problem = |(at, text): (usize, &String)| Problem { field: named(at), text: sentence(field, text) };
            texts.iter().enumerate().map(problem).collect::<Vec<_>>()
        };
        Self::all(fields.iter().flat_map(of_field).collect())
    }

    /// One sentence that is about no field.
    pub(crate) fn plain(text: &str) -> Self {
        Self::all(vec![Problem { field: None, text: text.to_owned() }])
    }

    fn all(all: Vec<Problem>) -> Self {
        Self { all, heading: "" }
    }

    /// The same under another heading than that the form could not be saved.
    pub(crate) fn under(self, heading: &'static str) -> Self {
        Self { heading, ..self }
    }

    pub(crate) fn heading(&self) -> &'static str {
        if self.heading.is_empty() { "Changes could not be saved" } else { self.heading }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// True if a sentence is about this field.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.all.iter().any(|problem| problem.field.as_deref() == Some(field))
    }

    /// True if this field gets the focus: it is the first one about which there is a sentence.
    pub(crate) fn focuses(&self, field: &str) -> bool {
        self.all.iter().find_map(|problem| problem.field.as_deref()) == Some(field)
    }

    /// The same for the first field of a form, which also gets the focus if there is no sentence about a field.
    pub(crate) fn begins_at(&self, field: &str) -> bool {
        self.focuses(field) || self.all.iter().all(|problem| problem.field.is_none())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.all.iter()
    }
}

fn sentence(field: &str, text: &str) -> String {
    if field == "base" {
        return text.to_owned();
    }
    let name = match field {
        "user_ids" => "Usernames".to_owned(),
        "expires_at" => "Expiration date".to_owned(),
        "tag_list" => "Topics".to_owned(),
        field => capitalised(&field.replace('_', " ")),
    };
    format!("{name} {text}")
}

/// The same with a capital first letter.
fn capitalised(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_sentences() {
        let mut fields = FieldErrors::of("email_confirmation", "doesn't match");
        fields.add("base", "Too many.");
        fields.add("email_confirmation", "is too long");
        let problems = Problems::of_fields(&fields);
        let texts: Vec<&str> = problems.iter().map(|problem| problem.text.as_str()).collect();
        assert_eq!(texts, ["Email confirmation doesn't match", "Email confirmation is too long", "Too many."]);
        assert_eq!(problems.iter().filter(|problem| problem.field.is_some()).count(), 1, "ids are unique");
        assert!(problems.has("email_confirmation") && !problems.has("base") && !problems.is_empty());
    }
}
