//! The visibilities that a form offers.

use tenon_domain::visibility::Visibility;

use crate::kit::choice::Choice;

/// The visibility that a form names by its number.
pub(crate) fn visibility(level: &str) -> Option<Visibility> {
    Visibility::ALL.into_iter().find(|visibility| visibility.level().to_string() == level)
}

/// The visibilities that a form offers. If none of them was chosen, it is the usual one. If that is not offered, it is
/// the most open one below it.
pub(crate) fn visibility_choices(offered: &[Visibility], chosen: &str, usual: Visibility) -> Vec<Choice> {
    let sent = visibility(chosen).filter(|sent| offered.contains(sent));
    let below = offered.iter().copied().filter(|known| *known <= usual).max();
    let chosen = sent.or(below).or(offered.first().copied());
    let choice = |known: &Visibility| {
        let words = match known {
            Visibility::Private => "Private: members only",
            Visibility::Internal => "Internal: all signed-in users",
            Visibility::Public => "Public: everyone",
        };
        Choice::new(&known.level().to_string(), words, Some(*known) == chosen)
    };
    offered.iter().map(choice).collect()
}
