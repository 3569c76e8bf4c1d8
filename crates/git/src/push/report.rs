//! The report of a refused push, in the form that receive-pack uses (`report-status`).

/// The most bytes in one packet of a side band.
const SIDE_BAND: usize = 65_515;
/// The side band of the report itself.
const REPORT: u8 = 1;
/// The side band of messages for the user.
const MESSAGE: u8 = 2;

/// A report that nothing was unpacked because of `reason`, and no ref moved. With side bands it also carries `reason`
/// as a message, which Git shows behind `remote: `.
pub(super) fn report(side_band: bool, names: &[Vec<u8>], reason: &str) -> Vec<u8> {
    let mut report = Vec::new();
    packet(&mut report, &[b"unpack ", reason.as_bytes(), b"\n"]);
    for name in names {
        packet(&mut report, &[b"ng ", name, b" push refused\n"]);
    }
    report.extend(b"0000");
    if !side_band {
        return report;
    }
    let mut answer = Vec::new();
    packet(&mut answer, &[&[MESSAGE], reason.as_bytes(), b"\n"]);
    for part in report.chunks(SIDE_BAND) {
        packet(&mut answer, &[&[REPORT], part]);
    }
    answer.extend(b"0000");
    answer
}

fn packet(to: &mut Vec<u8>, parts: &[&[u8]]) {
    let length: usize = 4 + parts.iter().map(|part| part.len()).sum::<usize>();
    to.extend(format!("{length:04x}").into_bytes());
    for part in parts {
        to.extend(*part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_the_reason_and_every_ref() {
        let names = [b"refs/heads/a".to_vec()];
        let plain = report(false, &names, "No.");
        assert_eq!(plain, b"000funpack No.\n0021ng refs/heads/a push refused\n0000");
        let banded = report(true, &names, "No.");
        let want = [b"0009\x02No.\n0039\x01".as_slice(), &plain, b"0000"].concat();
        assert_eq!(String::from_utf8_lossy(&banded), String::from_utf8_lossy(&want));
    }
}
