//! Bitwuzla 0.8 through its C interface.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{NonNull, null};
use std::sync::atomic::{AtomicU64, Ordering};

use super::smt::{Op, Smt, Verdict};
use super::stop::Stop;
use crate::Why;

/// The part of `bitwuzla.h` that is used; the numbers are those of release 0.8.
mod ffi {
    use std::ffi::{c_char, c_void};

    #[repr(C)]
    pub(super) struct TermManager(c_void);
    #[repr(C)]
    pub(super) struct Options(c_void);
    #[repr(C)]
    pub(super) struct Bitwuzla(c_void);
    pub(super) type Term = *mut c_void;
    pub(super) type Sort = *mut c_void;
    pub(super) type Kind = i32;

    pub(super) const SAT: i32 = 10;
    pub(super) const UNSAT: i32 = 20;
    pub(super) const PRODUCE_MODELS: i32 = 1;
    pub(super) const PRODUCE_UNSAT_ASSUMPTIONS: i32 = 2;
    pub(super) const PREPROCESS: i32 = 38;

    pub(super) mod kind {
        use super::Kind;
        pub(crate) const AND: Kind = 4;
        pub(crate) const EQUAL: Kind = 6;
        pub(crate) const NOT: Kind = 9;
        pub(crate) const OR: Kind = 10;
        pub(crate) const XOR: Kind = 11;
        pub(crate) const ITE: Kind = 12;
        pub(crate) const ARRAY_SELECT: Kind = 17;
        pub(crate) const ARRAY_STORE: Kind = 18;
        pub(crate) const BV_ADD: Kind = 19;
        pub(crate) const BV_AND: Kind = 20;
        pub(crate) const BV_ASHR: Kind = 21;
        pub(crate) const BV_CONCAT: Kind = 23;
        pub(crate) const BV_MUL: Kind = 26;
        pub(crate) const BV_NEG: Kind = 28;
        pub(crate) const BV_NOT: Kind = 31;
        pub(crate) const BV_OR: Kind = 32;
        pub(crate) const BV_SDIV: Kind = 40;
        pub(crate) const BV_SHL: Kind = 43;
        pub(crate) const BV_SHR: Kind = 44;
        pub(crate) const BV_SLE: Kind = 45;
        pub(crate) const BV_SLT: Kind = 46;
        pub(crate) const BV_SREM: Kind = 49;
        pub(crate) const BV_UDIV: Kind = 53;
        pub(crate) const BV_ULE: Kind = 56;
        pub(crate) const BV_ULT: Kind = 57;
        pub(crate) const BV_UREM: Kind = 59;
        pub(crate) const BV_XOR: Kind = 62;
        pub(crate) const BV_EXTRACT: Kind = 63;
        pub(crate) const BV_SIGN_EXTEND: Kind = 67;
        pub(crate) const BV_ZERO_EXTEND: Kind = 68;
    }

    unsafe extern "C" {
        pub(super) fn bitwuzla_version() -> *const c_char;
        #[cfg(test)]
        pub(super) fn bitwuzla_kind_to_string(kind: Kind) -> *const c_char;
        pub(super) fn bitwuzla_term_manager_new() -> *mut TermManager;
        pub(super) fn bitwuzla_term_manager_delete(tm: *mut TermManager);
        pub(super) fn bitwuzla_options_new() -> *mut Options;
        pub(super) fn bitwuzla_options_delete(options: *mut Options);
        pub(super) fn bitwuzla_set_option(options: *mut Options, option: i32, value: u64);
        pub(super) fn bitwuzla_new(tm: *mut TermManager, options: *const Options) -> *mut Bitwuzla;
        pub(super) fn bitwuzla_delete(b: *mut Bitwuzla);
        pub(super) fn bitwuzla_set_termination_callback(
            b: *mut Bitwuzla,
            callback: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
            state: *mut c_void,
        );
        pub(super) fn bitwuzla_check_sat_assuming(b: *mut Bitwuzla, n: u32, args: *const Term) -> i32;
        pub(super) fn bitwuzla_is_unsat_assumption(b: *mut Bitwuzla, term: Term) -> bool;
        pub(super) fn bitwuzla_get_value(b: *mut Bitwuzla, term: Term) -> Term;
        pub(super) fn bitwuzla_term_value_get_str_fmt(term: Term, base: u8) -> *const c_char;
        pub(super) fn bitwuzla_term_release(term: Term);
        pub(super) fn bitwuzla_mk_bv_sort(tm: *mut TermManager, width: u64) -> Sort;
        pub(super) fn bitwuzla_mk_array_sort(tm: *mut TermManager, index: Sort, element: Sort) -> Sort;
        pub(super) fn bitwuzla_sort_release(sort: Sort);
        pub(super) fn bitwuzla_mk_true(tm: *mut TermManager) -> Term;
        pub(super) fn bitwuzla_mk_false(tm: *mut TermManager) -> Term;
        pub(super) fn bitwuzla_mk_bv_value(
            tm: *mut TermManager,
            sort: Sort,
            text: *const c_char,
            base: u8,
        ) -> Term;
        pub(super) fn bitwuzla_mk_bv_value_uint64(tm: *mut TermManager, sort: Sort, value: u64) -> Term;
        pub(super) fn bitwuzla_mk_const(tm: *mut TermManager, sort: Sort, symbol: *const c_char) -> Term;
        pub(super) fn bitwuzla_mk_const_array(tm: *mut TermManager, sort: Sort, value: Term) -> Term;
        pub(super) fn bitwuzla_mk_term1(tm: *mut TermManager, kind: Kind, a: Term) -> Term;
        pub(super) fn bitwuzla_mk_term2(tm: *mut TermManager, kind: Kind, a: Term, b: Term) -> Term;
        pub(super) fn bitwuzla_mk_term3(tm: *mut TermManager, kind: Kind, a: Term, b: Term, c: Term) -> Term;
        pub(super) fn bitwuzla_mk_term1_indexed1(tm: *mut TermManager, kind: Kind, a: Term, i: u64) -> Term;
        pub(super) fn bitwuzla_mk_term1_indexed2(
            tm: *mut TermManager,
            kind: Kind,
            a: Term,
            i: u64,
            j: u64,
        ) -> Term;
    }
}
use ffi::kind;

/// One solver with its own term manager.
pub(crate) struct Bitwuzla {
    tm: NonNull<ffi::TermManager>,
    solver: NonNull<ffi::Bitwuzla>,
    /// What the termination callback has; boxed because the solver keeps the address.
    watch: Box<Watch>,
}

/// What the termination callback looks at, and how often it was called.
#[derive(Default)]
struct Watch {
    stop: Option<Stop>,
    calls: AtomicU64,
}

/// Asked by the solver every now and then while it works.
///
/// # Safety
/// `state` is the watch's address, which is alive and not written to but by atomics while a check runs.
unsafe extern "C" fn must_stop(state: *mut c_void) -> i32 {
    // SAFETY: see above.
    let watch = unsafe { &*state.cast::<Watch>() };
    watch.calls.fetch_add(1, Ordering::Relaxed);
    i32::from(watch.stop.as_ref().is_some_and(|s| s.reason().is_some()))
}

fn kind_of(op: Op) -> ffi::Kind {
    match op {
        Op::Not => kind::NOT,
        Op::And => kind::AND,
        Op::Or => kind::OR,
        Op::Xor => kind::XOR,
        Op::Eq => kind::EQUAL,
        Op::BvNot => kind::BV_NOT,
        Op::BvNeg => kind::BV_NEG,
        Op::BvAdd => kind::BV_ADD,
        Op::BvMul => kind::BV_MUL,
        Op::BvUDiv => kind::BV_UDIV,
        Op::BvURem => kind::BV_UREM,
        Op::BvSDiv => kind::BV_SDIV,
        Op::BvSRem => kind::BV_SREM,
        Op::BvShl => kind::BV_SHL,
        Op::BvLShr => kind::BV_SHR,
        Op::BvAShr => kind::BV_ASHR,
        Op::BvAnd => kind::BV_AND,
        Op::BvOr => kind::BV_OR,
        Op::BvXor => kind::BV_XOR,
        Op::BvUlt => kind::BV_ULT,
        Op::BvUle => kind::BV_ULE,
        Op::BvSlt => kind::BV_SLT,
        Op::BvSle => kind::BV_SLE,
        Op::BvConcat => kind::BV_CONCAT,
        Op::Select => kind::ARRAY_SELECT,
    }
}

impl Bitwuzla {
    /// Runs `make` with the sort of bit-vectors of this width.
    fn with_sort<T>(&mut self, width: u32, make: impl FnOnce(*mut ffi::TermManager, ffi::Sort) -> T) -> T {
        // SAFETY: the manager is alive; the sort is released after its last use.
        unsafe {
            let sort = ffi::bitwuzla_mk_bv_sort(self.tm.as_ptr(), u64::from(width));
            let made = make(self.tm.as_ptr(), sort);
            ffi::bitwuzla_sort_release(sort);
            made
        }
    }
}

// Terms are never released one by one: the session drops the whole solver when it has grown.
impl Smt for Bitwuzla {
    type Ast = ffi::Term;

    fn open() -> Result<Self, String> {
        // SAFETY: plain constructors; options are read by `bitwuzla_new` and then ours to delete.
        unsafe {
            let version = CStr::from_ptr(ffi::bitwuzla_version()).to_string_lossy();
            if !version.starts_with("0.8.") {
                return Err(format!("Bitwuzla {version} is linked, but 0.8 is needed"));
            }
            let tm = NonNull::new(ffi::bitwuzla_term_manager_new()).ok_or("no term manager")?;
            let options = ffi::bitwuzla_options_new();
            ffi::bitwuzla_set_option(options, ffi::PRODUCE_MODELS, 1);
            ffi::bitwuzla_set_option(options, ffi::PRODUCE_UNSAT_ASSUMPTIONS, 1);
            // Queries are small and share terms: preprocessing costs more than it saves, and the
            // cores it leaves are larger.
            ffi::bitwuzla_set_option(options, ffi::PREPROCESS, 0);
            let solver = ffi::bitwuzla_new(tm.as_ptr(), options);
            ffi::bitwuzla_options_delete(options);
            let solver = NonNull::new(solver).ok_or("no solver")?;
            let mut watch = Box::new(Watch::default());
            ffi::bitwuzla_set_termination_callback(
                solver.as_ptr(),
                Some(must_stop),
                (&raw mut *watch).cast(),
            );
            Ok(Bitwuzla { tm, solver, watch })
        }
    }

    fn truth(&mut self, value: bool) -> ffi::Term {
        let make = if value { ffi::bitwuzla_mk_true } else { ffi::bitwuzla_mk_false };
        // SAFETY: the manager is alive.
        unsafe { make(self.tm.as_ptr()) }
    }

    fn bits(&mut self, width: u32, value: u128) -> ffi::Term {
        self.with_sort(width, |tm, sort| match u64::try_from(value) {
            // SAFETY: manager and sort are alive; the text ends in NUL.
            Ok(small) => unsafe { ffi::bitwuzla_mk_bv_value_uint64(tm, sort, small) },
            Err(_) => {
                let text = format!("{value:x}\0");
                // SAFETY: as above.
                unsafe { ffi::bitwuzla_mk_bv_value(tm, sort, text.as_ptr().cast::<c_char>(), 16) }
            }
        })
    }

    fn free(&mut self, _number: u32, width: u32) -> ffi::Term {
        // SAFETY: manager and sort are alive; a null symbol is allowed and makes a fresh constant.
        self.with_sort(width, |tm, sort| unsafe { ffi::bitwuzla_mk_const(tm, sort, null()) })
    }

    fn unary(&mut self, op: Op, a: ffi::Term) -> ffi::Term {
        // SAFETY: the operand belongs to this manager.
        unsafe { ffi::bitwuzla_mk_term1(self.tm.as_ptr(), kind_of(op), a) }
    }

    fn binary(&mut self, op: Op, a: ffi::Term, b: ffi::Term) -> ffi::Term {
        // SAFETY: the operands belong to this manager.
        unsafe { ffi::bitwuzla_mk_term2(self.tm.as_ptr(), kind_of(op), a, b) }
    }

    fn ite(&mut self, c: ffi::Term, a: ffi::Term, b: ffi::Term) -> ffi::Term {
        // SAFETY: the operands belong to this manager.
        unsafe { ffi::bitwuzla_mk_term3(self.tm.as_ptr(), kind::ITE, c, a, b) }
    }

    fn extract(&mut self, a: ffi::Term, hi: u32, lo: u32) -> ffi::Term {
        // SAFETY: the operand belongs to this manager.
        unsafe {
            ffi::bitwuzla_mk_term1_indexed2(self.tm.as_ptr(), kind::BV_EXTRACT, a, hi.into(), lo.into())
        }
    }

    fn extend(&mut self, a: ffi::Term, by: u32, signed: bool) -> ffi::Term {
        let kind = if signed { kind::BV_SIGN_EXTEND } else { kind::BV_ZERO_EXTEND };
        // SAFETY: the operand belongs to this manager.
        unsafe { ffi::bitwuzla_mk_term1_indexed1(self.tm.as_ptr(), kind, a, by.into()) }
    }

    fn zeros(&mut self) -> ffi::Term {
        let zero = self.bits(8, 0);
        // SAFETY: the manager is alive, and so are the sorts until they are released.
        unsafe {
            let tm = self.tm.as_ptr();
            let index = ffi::bitwuzla_mk_bv_sort(tm, 32);
            let byte = ffi::bitwuzla_mk_bv_sort(tm, 8);
            let array = ffi::bitwuzla_mk_array_sort(tm, index, byte);
            let made = ffi::bitwuzla_mk_const_array(tm, array, zero);
            for sort in [index, byte, array] {
                ffi::bitwuzla_sort_release(sort);
            }
            made
        }
    }

    fn forall(&mut self, _: ffi::Term, _: ffi::Term) -> ffi::Term {
        unreachable!("quantifiers are instantiated before Bitwuzla is asked")
    }

    fn store(&mut self, array: ffi::Term, index: ffi::Term, value: ffi::Term) -> ffi::Term {
        // SAFETY: the operands belong to this manager.
        unsafe { ffi::bitwuzla_mk_term3(self.tm.as_ptr(), kind::ARRAY_STORE, array, index, value) }
    }

    fn check(&mut self, assumptions: &[ffi::Term], stop: &Stop) -> Verdict {
        self.watch.stop = (!stop.is_never()).then(|| stop.clone());
        // SAFETY: Booleans of this manager; `self.watch` is not touched until the call returns.
        let result = unsafe {
            ffi::bitwuzla_check_sat_assuming(
                self.solver.as_ptr(),
                assumptions.len() as u32,
                assumptions.as_ptr(),
            )
        };
        match result {
            ffi::SAT => Verdict::Sat,
            ffi::UNSAT => Verdict::Unsat,
            _ => Verdict::Unknown(stop.reason().unwrap_or(Why::GaveUp)),
        }
    }

    fn value(&mut self, a: ffi::Term) -> Option<u128> {
        // SAFETY: called after `Sat` only; the text lives in a buffer of the library until the
        // next such call and is parsed at once.
        unsafe {
            let value = ffi::bitwuzla_get_value(self.solver.as_ptr(), a);
            let text = CStr::from_ptr(ffi::bitwuzla_term_value_get_str_fmt(value, 16));
            let parsed = text.to_str().ok().and_then(|t| u128::from_str_radix(t, 16).ok());
            ffi::bitwuzla_term_release(value);
            parsed
        }
    }

    fn effort(&self) -> u64 {
        self.watch.calls.load(Ordering::Relaxed)
    }

    fn core(&mut self, assumptions: &[ffi::Term]) -> Vec<usize> {
        let failed =
            // SAFETY: called after `Unsat` only, with that call's assumptions.
            |a: ffi::Term| unsafe { ffi::bitwuzla_is_unsat_assumption(self.solver.as_ptr(), a) };
        (0..assumptions.len()).filter(|&i| failed(assumptions[i])).collect()
    }
}

impl Drop for Bitwuzla {
    fn drop(&mut self) {
        // SAFETY: both are alive, and the solver goes before its manager.
        unsafe {
            ffi::bitwuzla_delete(self.solver.as_ptr());
            ffi::bitwuzla_term_manager_delete(self.tm.as_ptr());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kinds are numbers here; the library says what it calls them.
    #[test]
    fn kinds_are_the_ones_meant() {
        let expected = [
            (kind::AND, "AND"),
            (kind::EQUAL, "EQUAL"),
            (kind::NOT, "NOT"),
            (kind::OR, "OR"),
            (kind::XOR, "XOR"),
            (kind::ITE, "ITE"),
            (kind::ARRAY_SELECT, "SELECT"),
            (kind::ARRAY_STORE, "STORE"),
            (kind::BV_ADD, "BV_ADD"),
            (kind::BV_AND, "BV_AND"),
            (kind::BV_ASHR, "BV_ASHR"),
            (kind::BV_CONCAT, "BV_CONCAT"),
            (kind::BV_MUL, "BV_MUL"),
            (kind::BV_NEG, "BV_NEG"),
            (kind::BV_NOT, "BV_NOT"),
            (kind::BV_OR, "BV_OR"),
            (kind::BV_SDIV, "BV_SDIV"),
            (kind::BV_SHL, "BV_SHL"),
            (kind::BV_SHR, "BV_SHR"),
            (kind::BV_SLE, "BV_SLE"),
            (kind::BV_SLT, "BV_SLT"),
            (kind::BV_SREM, "BV_SREM"),
            (kind::BV_UDIV, "BV_UDIV"),
            (kind::BV_ULE, "BV_ULE"),
            (kind::BV_ULT, "BV_ULT"),
            (kind::BV_UREM, "BV_UREM"),
            (kind::BV_XOR, "BV_XOR"),
            (kind::BV_EXTRACT, "BV_EXTRACT"),
            (kind::BV_SIGN_EXTEND, "BV_SIGN_EXTEND"),
            (kind::BV_ZERO_EXTEND, "BV_ZERO_EXTEND"),
        ];
        for (kind, name) in expected {
            // SAFETY: a valid kind; the text is static.
            let text = unsafe { CStr::from_ptr(ffi::bitwuzla_kind_to_string(kind)) };
            assert_eq!(text.to_str().ok().map(|t| t.trim_start_matches("BITWUZLA_KIND_")), Some(name));
        }
    }
}
