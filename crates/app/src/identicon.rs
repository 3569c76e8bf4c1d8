//! Pictures for users who have uploaded none, drawn from the number of the account and from nothing else: they reveal
//! nothing of an e-mail address, and nothing that is not in their own address.

use tenon_auth::digest;
use tenon_domain::id::UserId;

/// Cells on each side.
const CELLS: usize = 5;
/// How wide a cell is.
const CELL: usize = 20;
/// The margin. With it the cells fit into the circle that pages cut out.
const MARGIN: usize = 30;
/// How wide a picture is, without a request for another size: it has no resolution.
const SIDE: usize = CELLS * CELL + 2 * MARGIN;

/// The picture of a user, as SVG. The same for the same number on every server.
pub fn identicon(user: UserId) -> String {
    let drawn = digest(&format!("identicon of user {user}"));
    let numbers: Vec<usize> =
        drawn.chars().filter_map(|c| c.to_digit(16)).filter_map(|c| usize::try_from(c).ok()).collect();
    let number = |at: usize| numbers.get(at).copied().unwrap_or_default();
    let hue = (number(0) * 16 + number(1)) * 360 / 256;
    let mut path = String::new();
    for row in 0..CELLS {
        for column in 0..CELLS {
            // Mirrored: symmetrical pictures are distinguished more easily.
            let half = column.min(CELLS - 1 - column);
            if number(2 + row * CELLS.div_ceil(2) + half) % 2 == 0 {
                let (x, y) = (MARGIN + column * CELL, MARGIN + row * CELL);
                path.push_str(&format!("M{x} {y}h{CELL}v{CELL}h-{CELL}z"));
            }
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{SIDE}\" height=\"{SIDE}\" viewBox=\"0 0 {SIDE} {SIDE}\">\
         <rect width=\"{SIDE}\" height=\"{SIDE}\" fill=\"hsl({hue},50%,42%)\"/>\
         <path fill=\"#fff\" d=\"{path}\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_the_same_for_the_same_user_and_another_for_another() {
        let pictures: Vec<String> = (1..=50).map(|id| identicon(UserId::new(id))).collect();
        assert_eq!(pictures.first(), Some(&identicon(UserId::new(1))));
        let mut different = pictures.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), pictures.len());
        assert!(pictures.iter().all(|picture| picture.starts_with("<svg ") && picture.len() < 1000));
    }
}
