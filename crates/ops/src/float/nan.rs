//! Which NaN comes out of an operation that gets one.

use super::format::Format;
use rejoin_ir::FloatType;

/// Which of two NaNs with the same fraction libgcc prefers: it depends on the operation.
#[derive(Clone, Copy)]
pub(super) enum Tie {
    First,
    Second,
}

/// The NaN that an operation on `a` and `b` hands on, quiet; `None` if neither is one.
///
/// SSE takes the first. The x87 takes a quiet one rather than a signaling one, then the one with the
/// greater significand, then the positive one. libgcc, for `fp128`, takes the greater fraction.
pub(super) fn propagated(ty: FloatType, tie: Tie, a: u128, b: u128) -> Option<u128> {
    let format = Format::from(ty);
    let nan = match (format.is_nan(a), format.is_nan(b)) {
        (false, false) => return None,
        _ if format.is_unsupported(a) || format.is_unsupported(b) => return Some(format.indefinite()),
        (true, false) => a,
        (false, true) => b,
        (true, true) if prefers_second(ty, tie, a, b) => b,
        (true, true) => a,
    };
    Some(format.quieted(nan))
}

fn prefers_second(ty: FloatType, tie: Tie, a: u128, b: u128) -> bool {
    let format = Format::from(ty);
    let (x, y) = (format.fraction(a), format.fraction(b));
    match ty {
        FloatType::X86Fp80 => {
            let rank = |nan, fraction| (!format.is_signaling(nan), fraction, !format.is_negative(nan));
            rank(a, x) < rank(b, y)
        }
        FloatType::Fp128 => x < y || x == y && matches!(tie, Tie::Second),
        _ => false,
    }
}
