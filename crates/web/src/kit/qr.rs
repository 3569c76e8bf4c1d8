//! Texts as pictures that cameras read (QR codes).

use qrcode::{Color, EcLevel, QrCode};

/// Modules of white around a code, so that a camera finds it on any page (ISO 18004).
const MARGIN: usize = 4;

/// A picture of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QrPicture {
    /// Modules of each side, with the margin.
    pub(crate) side: usize,
    /// The dark modules, as the path of an SVG.
    pub(crate) path: String,
}

impl QrPicture {
    /// The picture of a text. `None` if the text is too long for one.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
        let (width, colors) = (code.width(), code.to_colors());
        let mut path = String::new();
        for (y, row) in colors.chunks(width).enumerate() {
            let mut x = 0;
            for run in row.chunk_by(|one, next| one == next) {
                if run.first() == Some(&Color::Dark) {
                    path.push_str(&format!("M{} {}h{}v1h-{}z", x + MARGIN, y + MARGIN, run.len(), run.len()));
                }
                x += run.len();
            }
        }
        Some(Self { side: width + 2 * MARGIN, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_a_margin_and_the_marks_of_three_corners() {
        let picture = QrPicture::of("otpauth://totp/a:b?secret=GEZDGNBV").unwrap();
        // The version follows from the length of the text: 17 modules and four for each version.
        assert_eq!((picture.side - 2 * MARGIN - 17) % 4, 0);
        let far = picture.side - MARGIN - 7;
        for mark in ["M4 4h7v1h-7z".to_owned(), format!("M{far} 4h7v1h-7z"), format!("M4 {far}h7v1h-7z")] {
            assert!(picture.path.contains(&mark), "{mark} in {}", picture.path);
        }
    }

    #[test]
    fn what_is_too_long_has_no_picture() {
        assert_eq!(QrPicture::of(&"x".repeat(3000)), None);
    }
}
