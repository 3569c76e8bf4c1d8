//! The checks of passkeys, on those that a program makes and on the example of the standard.

use tenon_testkit::SoftPasskey;

use super::*;
use crate::SystemEntropy;

const ORIGIN: &str = "https://git.example.org:8443";
const ADA: i64 = 7;

fn server() -> RelyingParty {
    RelyingParty::of(&format!("{ORIGIN}/code")).unwrap()
}

fn fresh() -> PasskeyChallenge {
    PasskeyChallenge::generate(&SystemEntropy)
}

fn registered(passkey: &mut SoftPasskey) -> Result<NewPasskey, PasskeyError> {
    let challenge = fresh();
    let options = server().creation_options(&challenge, ADA, "ada", "Ada", &[]);
    server().register(&challenge, &PasskeyRegistration::parse(&passkey.create(&options)).unwrap())
}

fn used(passkey: &mut SoftPasskey, known: &NewPasskey, verified: bool) -> Result<i64, PasskeyError> {
    let challenge = fresh();
    let options = server().request_options(&challenge, &[], verified);
    let answer = PasskeyAssertion::parse(&passkey.get(&options)).unwrap();
    server().verify(&challenge, &answer, of(known), ADA, verified)
}

fn of(known: &NewPasskey) -> KnownPasskey<'_> {
    KnownPasskey { public_key: &known.public_key, count: known.count }
}

fn text(hex: &str) -> String {
    URL_SAFE_NO_PAD.encode(hex::decode(hex).unwrap())
}

/// The example of `WebAuthn` Level 3 for ES256 without attestation. Its authenticator has not verified its user, which is all that
/// is wrong with it.
#[test]
fn the_example_of_the_standard_is_read() {
    let server = RelyingParty::of("https://example.org").unwrap();
    let id = text("f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4");
    let answer = serde_json::json!({"id": id, "type": "public-key", "response": {
        "clientDataJSON": text("7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a22414d4d507434557878475453746e63647134313759447742466938767049612d7077386f4f755657345441222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73652c22657874726144617461223a22636c69656e74446174614a534f4e206d617920626520657874656e6465642077697468206164646974696f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869733a20426b5165446a646354427258426941774a544c453551227d"),
        "attestationObject": text("a363666d74646e6f6e656761747453746d74a068617574684461746158a4bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b559000000008446ccb9ab1db374750b2367ff6f3a1f0020f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220"),
    }});
    let challenge = PasskeyChallenge::given(text("00c30fb78531c464d2b6771dab8d7b603c01162f2fa486bea70f283ae556e130"));
    let answer = PasskeyRegistration::parse(&answer.to_string()).unwrap();
    assert_eq!(server.register(&challenge, &answer), Err(PasskeyError::NotVerified));
    let public_key = text(
        "a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220",
    );
    let known = NewPasskey { credential: id.clone(), public_key, count: 0 };

    let challenge = PasskeyChallenge::given(text("39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408"));
    let answer = serde_json::json!({"id": id, "type": "public-key", "response": {
        "clientDataJSON": text("7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224f63446e55685158756c5455506f334a5558543049393770767a7a59425039745a63685879617630314167222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73657d"),
        "authenticatorData": text("bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000"),
        "signature": text("3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87"),
    }});
    let answer = PasskeyAssertion::parse(&answer.to_string()).unwrap();
    assert_eq!(server.verify(&challenge, &answer, of(&known), ADA, false), Ok(0));
    assert_eq!(server.verify(&challenge, &answer, of(&known), ADA, true), Err(PasskeyError::NotVerified));
}

#[test]
fn passkeys_of_each_kind_are_made_and_used() {
    for mut passkey in [SoftPasskey::new(ORIGIN), SoftPasskey::ed25519(ORIGIN)] {
        let known = registered(&mut passkey).unwrap();
        assert_eq!(known.count, 0);
        assert_eq!(used(&mut passkey, &known, true), Ok(1));
        passkey.verifies = false;
        assert_eq!(used(&mut passkey, &known, false), Ok(2));
        assert_eq!(used(&mut passkey, &known, true), Err(PasskeyError::NotVerified));
        passkey.user = None;
        assert_eq!(used(&mut passkey, &known, false), Ok(4), "a key that keeps no user");
    }
}

/// A key of 2048 bits, and its signature of `abc` (PKCS#1 v1.5, SHA-256), made by OpenSSL.
#[test]
fn signatures_of_rsa_are_verified() {
    let (modulus, signature) = (hex::decode(RSA_MODULUS).unwrap(), hex::decode(RSA_SIGNATURE).unwrap());
    let mut cose = b"\xa4\x01\x03\x03\x39\x01\x00\x20\x59\x01\x00".to_vec();
    cose.extend(&modulus);
    cose.extend(b"\x21\x43\x01\x00\x01");
    let (key, rest) = PasskeyKey::read(&cose).unwrap();
    assert!(rest.is_empty() && key.verifies(b"abc", &signature));
    assert!(!key.verifies(b"abd", &signature) && !key.verifies(b"abc", &signature[1..]));
    let short =
        [b"\xa4\x01\x03\x03\x39\x01\x00\x20\x58\x80".as_slice(), &[0xff; 128], b"\x21\x43\x01\x00\x01"].concat();
    assert_eq!(PasskeyKey::read(&short), None, "1024 bits");
}

#[test]
fn a_passkey_of_another_page_server_or_algorithm_is_refused() {
    let wrong = |change: &dyn Fn(&mut SoftPasskey)| {
        let mut passkey = SoftPasskey::new(ORIGIN);
        change(&mut passkey);
        registered(&mut passkey).unwrap_err()
    };
    assert_eq!(wrong(&|passkey| passkey.origin = "https://evil.example".to_owned()), PasskeyError::OtherOrigin);
    assert_eq!(wrong(&|passkey| passkey.origin = "https://git.example.org".to_owned()), PasskeyError::OtherOrigin);
    assert_eq!(wrong(&|passkey| passkey.server = Some("example.org".to_owned())), PasskeyError::OtherServer);
    assert_eq!(wrong(&|passkey| passkey.is_touched = false), PasskeyError::NotPresent);
    assert_eq!(wrong(&|passkey| passkey.verifies = false), PasskeyError::NotVerified);
    assert_eq!(wrong(&|passkey| passkey.algorithm = Some(-65536)), PasskeyError::Algorithm);
    assert_eq!(wrong(&|passkey| passkey.algorithm = Some(-8)), PasskeyError::Algorithm);
    assert_eq!(wrong(&|passkey| passkey.id = vec![1; 1024]), PasskeyError::Damaged);
    assert_eq!(wrong(&|passkey| passkey.id = Vec::new()), PasskeyError::Damaged);
}

#[test]
fn an_answer_to_another_request_is_refused() {
    let mut passkey = SoftPasskey::new(ORIGIN);
    let known = registered(&mut passkey).unwrap();
    let (one, two) = (fresh(), fresh());
    let answer = |passkey: &mut SoftPasskey, challenge| {
        PasskeyAssertion::parse(&passkey.get(&server().request_options(challenge, &[], true))).unwrap()
    };
    let replayed = answer(&mut passkey, &one);
    assert_eq!(server().verify(&two, &replayed, of(&known), ADA, true), Err(PasskeyError::OtherRequest));
    assert_eq!(server().verify(&one, &replayed, of(&known), 8, true), Err(PasskeyError::OtherRequest), "another user");
    // The answer to a request of one kind is none to a request of the other.
    let mut client = replayed.client.clone();
    client.ceremony = Ceremony::Create;
    let created = PasskeyAssertion { client, ..replayed.clone() };
    assert_eq!(server().verify(&one, &created, of(&known), ADA, true), Err(PasskeyError::OtherRequest));
    let mut client = replayed.client.clone();
    client.is_framed = true;
    let framed = PasskeyAssertion { client, ..replayed.clone() };
    assert_eq!(server().verify(&one, &framed, of(&known), ADA, true), Err(PasskeyError::OtherOrigin));
    // Another key, or changed data.
    let other = registered(&mut SoftPasskey::new(ORIGIN)).unwrap();
    assert_eq!(server().verify(&one, &replayed, of(&other), ADA, true), Err(PasskeyError::Signature));
    let mut changed = replayed.clone();
    *changed.data.last_mut().unwrap() += 1;
    assert_eq!(server().verify(&one, &changed, of(&known), ADA, true), Err(PasskeyError::Signature));
    changed.data.push(0);
    assert_eq!(server().verify(&one, &changed, of(&known), ADA, true), Err(PasskeyError::Damaged));
    passkey.origin = "https://evil.example".to_owned();
    assert_eq!(used(&mut passkey, &known, true), Err(PasskeyError::OtherOrigin));
    passkey.origin = ORIGIN.to_owned();
    passkey.server = Some("evil.example".to_owned());
    assert_eq!(used(&mut passkey, &known, true), Err(PasskeyError::OtherServer));
    passkey.server = None;
    passkey.is_touched = false;
    assert_eq!(used(&mut passkey, &known, true), Err(PasskeyError::NotPresent));
}

#[test]
fn a_copy_is_noticed_when_both_are_used() {
    let mut passkey = SoftPasskey::new(ORIGIN);
    let mut known = registered(&mut passkey).unwrap();
    passkey.count = Some(9);
    known.count = used(&mut passkey, &known, true).unwrap();
    for count in [3, 9] {
        passkey.count = Some(count);
        let want = if count + 1 > 10 { Ok(i64::from(count) + 1) } else { Err(PasskeyError::Cloned) };
        assert_eq!(used(&mut passkey, &known, true), want);
    }
    passkey.count = None;
    assert_eq!(used(&mut passkey, &known, true), Err(PasskeyError::Cloned), "it counted before");
    known.count = 0;
    assert_eq!(used(&mut passkey, &known, true), Ok(0), "it never counts");
}

#[test]
fn what_no_browser_sends_is_no_answer() {
    for text in ["", "{}", "[]", "null", "{\"id\":1}", &"x".repeat(20_000)] {
        assert_eq!(PasskeyAssertion::parse(text), None);
        assert_eq!(PasskeyRegistration::parse(text), None);
    }
    let mut passkey = SoftPasskey::new(ORIGIN);
    let good = passkey.create(&server().creation_options(&fresh(), ADA, "ada", "Ada", &[]));
    assert_eq!(PasskeyAssertion::parse(&good), None);
    assert_eq!(PasskeyRegistration::parse(&good.replace("public-key", "password")), None);
    // The identifier beside the data is that in the data.
    let id = URL_SAFE_NO_PAD.encode(&passkey.id);
    let other = good.replace(&format!("\"id\":\"{id}\""), "\"id\":\"AAAA\"");
    let challenge = PasskeyRegistration::parse(&good).unwrap().client.challenge;
    let answer = PasskeyRegistration::parse(&other).unwrap();
    assert_eq!(server().register(&PasskeyChallenge::given(challenge), &answer), Err(PasskeyError::Damaged));
}

#[test]
fn an_attestation_is_not_accepted() {
    let mut passkey = SoftPasskey::new(ORIGIN);
    let challenge = fresh();
    let text = passkey.create(&server().creation_options(&challenge, ADA, "ada", "Ada", &[]));
    let mut answer = PasskeyRegistration::parse(&text).unwrap();
    // `none` becomes `some`.
    let at = answer.attestation.windows(4).position(|bytes| bytes == b"none").unwrap();
    answer.attestation[at] = b's';
    assert_eq!(server().register(&challenge, &answer), Err(PasskeyError::Attestation));
    answer.attestation.truncate(at);
    assert_eq!(server().register(&challenge, &answer), Err(PasskeyError::Damaged));
}

#[test]
fn passkeys_need_a_name_and_a_secure_connection() {
    for (base_url, want) in [
        ("https://git.example.org/code", Some(("git.example.org", "https://git.example.org"))),
        ("http://localhost:8080", Some(("localhost", "http://localhost:8080"))),
        ("http://git.example.org", None),
        ("https://192.0.2.1", None),
        ("https://[2001:db8::1]", None),
        ("nonsense", None),
    ] {
        let server = RelyingParty::of(base_url);
        assert_eq!(server.as_ref().map(|server| (server.id.as_str(), server.origin.as_str())), want, "{base_url}");
    }
}

const RSA_MODULUS: &str = "85e36947a2c4da5223d95dcd570511a680f47f527c829632678acbf6b6a133d055e0509cfecb5ce775ff34fcb2eb548acc5053e4de96159c9329dda4e7a14fc6b695d67b676fef4abaaf11dc08d5e6e50995ff8e0d709a7462be1bb1ba28f3f5f6c871651848c6f884d6086c119c2c96a0c70f50358beda2fb42dfbb1c6ace846d5cbb22f73d792406185c774ad3ad9ac5d5a4da632bbb9c6f3d1874443d46c605aa602c02b28329e0433da9b7705ff0a2840e21128c920ea611ec1e2b5a43cb25ab59e7814a8c718b7e1270289f4245cb48b5d8c2d8442a0c2f49a6ad80ac9c1eb00d49c9b9daab1c32d9db272b1dfdae65fb969c53d481f0918ce4054ccae9";
const RSA_SIGNATURE: &str = "0945f87691a87a38d88d13b55fdde58cad43ca52738ad7f61cd9024366ec4f443d1cefd8718533b77b5f4b5d6e0bd405f02e578e2548193bcbb306597e8d923d7426af1fbafb4d1cc09d3af6f5bcc0411b55cc29ec03e6fe2e36d74044c4bfba101b2f5d3a05cceac5bb14ec03fb5bad0c57b16c09427c90c3e90c74af1c1d9f155cf48bc0354c4c911142966f7f9cc973d68c25a13d32f3bc70278fa22a5921edadb039b3cbeb89db47adb8c39aa48d410b0d5895beca49b1e975fdd778c78525e11356f577a49785661c7b5c01379481633012633c6bdc2975d355e38cc24377e4e9ae8d8d1211f09e38c9c48aa7c5b28bf5535b2c992f13cfe871d1f3cc97";
