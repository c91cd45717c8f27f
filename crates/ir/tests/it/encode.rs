//! Modules as bytes.

use crate::generate;
use proptest::prelude::*;
use rejoin_ir::Module;
use rejoin_ir::encode::{DecodeError, VERSION, from_bytes, to_bytes};

proptest! {
    #[test]
    fn modules_survive_the_bytes(choices in prop::collection::vec(any::<u32>(), 0..600)) {
        let module = generate::module(&choices);
        prop_assert_eq!(from_bytes(&to_bytes(&module)), Ok(module));
    }

    #[test]
    fn any_changed_byte_is_noticed(
        choices in prop::collection::vec(any::<u32>(), 0..100),
        at in any::<prop::sample::Index>(),
        change in 1..=255u8,
    ) {
        let mut bytes = to_bytes(&generate::module(&choices));
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        prop_assert!(from_bytes(&bytes).is_err());
    }

    /// The checksum is made right again, so that the layers behind it are met.
    #[test]
    fn decoding_damaged_contents_never_panics(
        choices in prop::collection::vec(any::<u32>(), 0..200),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let module = generate::module(&choices);
        let mut body = postcard::to_stdvec(&module).unwrap();
        for (at, byte) in changes {
            let at = at.index(body.len());
            body[at] = byte;
        }
        if let Ok(changed) = postcard::from_bytes::<Module>(&body) {
            let _ = rejoin_ir::text::print(&changed);
            let bytes = to_bytes(&changed);
            match from_bytes(&bytes) {
                Ok(back) => prop_assert_eq!(back, changed),
                Err(error) => prop_assert!(matches!(error, DecodeError::Invalid(_))),
            }
        }
    }
}

#[test]
fn foreign_bytes_are_refused_with_a_reason() {
    let bytes = to_bytes(&Module::default());
    assert_eq!(from_bytes(b""), Err(DecodeError::NotAModule));
    assert_eq!(from_bytes(b"ELF!1234567890123456"), Err(DecodeError::NotAModule));
    assert_eq!(from_bytes(&bytes[..10]), Err(DecodeError::NotAModule));
    let mut newer = bytes.clone();
    newer[4] += 1;
    let error = from_bytes(&newer).unwrap_err();
    assert_eq!(error, DecodeError::WrongVersion { found: VERSION + 1 });
    assert!(error.to_string().contains("this is version"));
    let mut damaged = bytes;
    damaged.push(0);
    assert_eq!(from_bytes(&damaged), Err(DecodeError::WrongChecksum));
}
