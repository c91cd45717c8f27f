//! Z3 5 through its C interface, loaded when it is first wanted.

use std::env;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::smt::{Op, Smt, Verdict};
use super::stop::Stop;
use crate::Why;

type Ptr = *mut c_void;
type Ast = *mut c_void;

/// The library's own symbols come first, whatever other Z3 the process has loaded (glibc).
const RTLD_DEEPBIND: i32 = 8;
/// How often a running query looks at its limits.
const POLL: Duration = Duration::from_millis(20);

macro_rules! api {
    ($($name:ident : fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The functions of `z3_api.h` that are used.
        #[allow(non_snake_case)]
        struct Api { $($name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)* }

        impl Api {
            fn resolve(library: &Library) -> Result<Api, libloading::Error> {
                // SAFETY: the signatures below are those of z3_api.h.
                unsafe { Ok(Api { $($name: *library.get(concat!(stringify!($name), "\0").as_bytes())?,)* }) }
            }
        }
    };
}

api! {
    Z3_get_version: fn(*mut u32, *mut u32, *mut u32, *mut u32);
    Z3_mk_config: fn() -> Ptr;
    Z3_del_config: fn(Ptr);
    Z3_mk_context: fn(Ptr) -> Ptr;
    Z3_del_context: fn(Ptr);
    Z3_set_error_handler: fn(Ptr, Option<unsafe extern "C" fn(Ptr, i32)>);
    Z3_interrupt: fn(Ptr);
    Z3_mk_int_symbol: fn(Ptr, i32) -> Ptr;
    Z3_mk_string_symbol: fn(Ptr, *const c_char) -> Ptr;
    Z3_mk_bv_sort: fn(Ptr, u32) -> Ptr;
    Z3_mk_true: fn(Ptr) -> Ast;
    Z3_mk_false: fn(Ptr) -> Ast;
    Z3_mk_numeral: fn(Ptr, *const c_char, Ptr) -> Ast;
    Z3_mk_const: fn(Ptr, Ptr, Ptr) -> Ast;
    Z3_mk_not: fn(Ptr, Ast) -> Ast;
    Z3_mk_and: fn(Ptr, u32, *const Ast) -> Ast;
    Z3_mk_or: fn(Ptr, u32, *const Ast) -> Ast;
    Z3_mk_xor: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_eq: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_ite: fn(Ptr, Ast, Ast, Ast) -> Ast;
    Z3_mk_bvnot: fn(Ptr, Ast) -> Ast;
    Z3_mk_bvneg: fn(Ptr, Ast) -> Ast;
    Z3_mk_bvadd: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvmul: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvudiv: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvurem: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvsdiv: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvsrem: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvshl: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvlshr: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvashr: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvand: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvor: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvxor: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvult: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvule: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvslt: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_bvsle: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_concat: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_extract: fn(Ptr, u32, u32, Ast) -> Ast;
    Z3_mk_zero_ext: fn(Ptr, u32, Ast) -> Ast;
    Z3_mk_sign_ext: fn(Ptr, u32, Ast) -> Ast;
    Z3_mk_const_array: fn(Ptr, Ptr, Ast) -> Ast;
    Z3_mk_store: fn(Ptr, Ast, Ast, Ast) -> Ast;
    Z3_mk_select: fn(Ptr, Ast, Ast) -> Ast;
    Z3_mk_forall_const: fn(Ptr, u32, u32, *const Ast, u32, *const Ptr, Ast) -> Ast;
    Z3_mk_solver_for_logic: fn(Ptr, Ptr) -> Ptr;
    Z3_mk_simple_solver: fn(Ptr) -> Ptr;
    Z3_mk_params: fn(Ptr) -> Ptr;
    Z3_params_inc_ref: fn(Ptr, Ptr);
    Z3_params_dec_ref: fn(Ptr, Ptr);
    Z3_params_set_bool: fn(Ptr, Ptr, Ptr, bool);
    Z3_solver_set_params: fn(Ptr, Ptr, Ptr);
    Z3_solver_inc_ref: fn(Ptr, Ptr);
    Z3_solver_dec_ref: fn(Ptr, Ptr);
    Z3_solver_check_assumptions: fn(Ptr, Ptr, u32, *const Ast) -> i32;
    Z3_solver_get_model: fn(Ptr, Ptr) -> Ptr;
    Z3_solver_get_unsat_core: fn(Ptr, Ptr) -> Ptr;
    Z3_ast_vector_inc_ref: fn(Ptr, Ptr);
    Z3_ast_vector_dec_ref: fn(Ptr, Ptr);
    Z3_ast_vector_size: fn(Ptr, Ptr) -> u32;
    Z3_ast_vector_get: fn(Ptr, Ptr, u32) -> Ast;
    Z3_model_inc_ref: fn(Ptr, Ptr);
    Z3_model_dec_ref: fn(Ptr, Ptr);
    Z3_model_eval: fn(Ptr, Ptr, Ast, bool, *mut Ast) -> bool;
    Z3_get_numeral_string: fn(Ptr, Ast) -> *const c_char;
}

/// Loads the library once per process.
fn api() -> Result<&'static Api, String> {
    static API: OnceLock<Result<Api, String>> = OnceLock::new();
    API.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Api, String> {
    let path = match env::var_os("REJOIN_DEPS") {
        Some(deps) if !deps.is_empty() => PathBuf::from(deps).join("z3/lib/libz3.so"),
        _ => PathBuf::from(env!("REJOIN_Z3_LIBRARY")),
    };
    let fail = |e: libloading::Error| format!("cannot load Z3 from {}: {e}", path.display());
    // SAFETY: loading Z3 runs only its own initialisers.
    let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) };
    let library = library.map_err(fail)?;
    let api = Api::resolve(&library).map_err(fail)?;
    let mut version = [0u32; 4];
    let [major, minor, build, revision] = &mut version;
    // SAFETY: four places to write to.
    unsafe { (api.Z3_get_version)(major, minor, build, revision) };
    if version[0] != 5 {
        return Err(format!("{} is Z3 {}.{}, but 5 is needed", path.display(), version[0], version[1]));
    }
    // The functions outlive every solver.
    std::mem::forget(library);
    Ok(api)
}

/// Errors are seen in the results; the default handler would end the process.
///
/// # Safety
/// Touches nothing.
unsafe extern "C" fn carry_on(_: Ptr, _: i32) {}

/// A Z3 pointer that the watching thread may hold: `Z3_interrupt` is made for other threads.
struct Interrupted(&'static Api, Ptr);
// SAFETY: used for nothing but `Z3_interrupt`, while the context is alive.
unsafe impl Send for Interrupted {}

impl Interrupted {
    fn interrupt(&self) {
        // SAFETY: see above.
        unsafe { (self.0.Z3_interrupt)(self.1) }
    }
}

/// One context with one solver; its terms live as long as the context. With `QUANTIFIERS` the solver
/// is one for any logic.
pub(crate) struct Z3<const QUANTIFIERS: bool> {
    api: &'static Api,
    context: Ptr,
    solver: Ptr,
    model: Ptr,
}

impl<const Q: bool> Z3<Q> {
    fn drop_model(&mut self) {
        if !self.model.is_null() {
            // SAFETY: we hold a reference to this model.
            unsafe { (self.api.Z3_model_dec_ref)(self.context, self.model) };
            self.model = null_mut();
        }
    }

    fn sort(&self, width: u32) -> Ptr {
        // SAFETY: the context is alive.
        unsafe { (self.api.Z3_mk_bv_sort)(self.context, width) }
    }
}

impl<const Q: bool> Smt for Z3<Q> {
    type Ast = Ast;

    fn open() -> Result<Self, String> {
        let api = api()?;
        // SAFETY: plain constructors; the solver gets the reference it needs to live.
        unsafe {
            let config = (api.Z3_mk_config)();
            let context = (api.Z3_mk_context)(config);
            (api.Z3_del_config)(config);
            (api.Z3_set_error_handler)(context, Some(carry_on));
            let logic = (api.Z3_mk_string_symbol)(context, c"QF_ABV".as_ptr());
            let solver = match Q {
                true => (api.Z3_mk_simple_solver)(context),
                false => (api.Z3_mk_solver_for_logic)(context, logic),
            };
            (api.Z3_solver_inc_ref)(context, solver);
            // Z3 would take Ctrl-C for itself: a question ended, and not the run.
            let params = (api.Z3_mk_params)(context);
            (api.Z3_params_inc_ref)(context, params);
            let ctrl_c = (api.Z3_mk_string_symbol)(context, c"ctrl_c".as_ptr());
            (api.Z3_params_set_bool)(context, params, ctrl_c, false);
            (api.Z3_solver_set_params)(context, solver, params);
            (api.Z3_params_dec_ref)(context, params);
            Ok(Z3 { api, context, solver, model: null_mut() })
        }
    }

    fn truth(&mut self, value: bool) -> Ast {
        let make = if value { self.api.Z3_mk_true } else { self.api.Z3_mk_false };
        // SAFETY: the context is alive.
        unsafe { make(self.context) }
    }

    fn bits(&mut self, width: u32, value: u128) -> Ast {
        let text = CString::new(value.to_string()).unwrap_or_default();
        // SAFETY: the context is alive and the text a decimal number.
        unsafe { (self.api.Z3_mk_numeral)(self.context, text.as_ptr(), self.sort(width)) }
    }

    fn free(&mut self, number: u32, width: u32) -> Ast {
        // SAFETY: the context is alive.
        unsafe {
            let symbol = (self.api.Z3_mk_int_symbol)(self.context, number as i32);
            (self.api.Z3_mk_const)(self.context, symbol, self.sort(width))
        }
    }

    fn unary(&mut self, op: Op, a: Ast) -> Ast {
        let make = match op {
            Op::BvNot => self.api.Z3_mk_bvnot,
            Op::BvNeg => self.api.Z3_mk_bvneg,
            _ => self.api.Z3_mk_not,
        };
        // SAFETY: the operand belongs to this context.
        unsafe { make(self.context, a) }
    }

    fn binary(&mut self, op: Op, a: Ast, b: Ast) -> Ast {
        let api = self.api;
        let make = match op {
            // SAFETY: the operands belong to this context.
            Op::And => return unsafe { (api.Z3_mk_and)(self.context, 2, [a, b].as_ptr()) },
            // SAFETY: as above.
            Op::Or => return unsafe { (api.Z3_mk_or)(self.context, 2, [a, b].as_ptr()) },
            Op::Xor => api.Z3_mk_xor,
            Op::Not | Op::BvNot | Op::BvNeg | Op::Eq => api.Z3_mk_eq,
            Op::BvAdd => api.Z3_mk_bvadd,
            Op::BvMul => api.Z3_mk_bvmul,
            Op::BvUDiv => api.Z3_mk_bvudiv,
            Op::BvURem => api.Z3_mk_bvurem,
            Op::BvSDiv => api.Z3_mk_bvsdiv,
            Op::BvSRem => api.Z3_mk_bvsrem,
            Op::BvShl => api.Z3_mk_bvshl,
            Op::BvLShr => api.Z3_mk_bvlshr,
            Op::BvAShr => api.Z3_mk_bvashr,
            Op::BvAnd => api.Z3_mk_bvand,
            Op::BvOr => api.Z3_mk_bvor,
            Op::BvXor => api.Z3_mk_bvxor,
            Op::BvUlt => api.Z3_mk_bvult,
            Op::BvUle => api.Z3_mk_bvule,
            Op::BvSlt => api.Z3_mk_bvslt,
            Op::BvSle => api.Z3_mk_bvsle,
            Op::BvConcat => api.Z3_mk_concat,
            Op::Select => api.Z3_mk_select,
        };
        // SAFETY: the operands belong to this context.
        unsafe { make(self.context, a, b) }
    }

    fn ite(&mut self, c: Ast, a: Ast, b: Ast) -> Ast {
        // SAFETY: the operands belong to this context.
        unsafe { (self.api.Z3_mk_ite)(self.context, c, a, b) }
    }

    fn extract(&mut self, a: Ast, hi: u32, lo: u32) -> Ast {
        // SAFETY: the operand belongs to this context.
        unsafe { (self.api.Z3_mk_extract)(self.context, hi, lo, a) }
    }

    fn extend(&mut self, a: Ast, by: u32, signed: bool) -> Ast {
        let make = if signed { self.api.Z3_mk_sign_ext } else { self.api.Z3_mk_zero_ext };
        // SAFETY: the operand belongs to this context.
        unsafe { make(self.context, by, a) }
    }

    fn zeros(&mut self) -> Ast {
        let zero = self.bits(8, 0);
        // SAFETY: the context is alive.
        unsafe { (self.api.Z3_mk_const_array)(self.context, self.sort(32), zero) }
    }

    fn forall(&mut self, variable: Ast, body: Ast) -> Ast {
        let (api, bound) = (self.api, [variable]);
        // SAFETY: a constant and a Boolean of this context; no patterns.
        unsafe { (api.Z3_mk_forall_const)(self.context, 0, 1, bound.as_ptr(), 0, std::ptr::null(), body) }
    }

    fn store(&mut self, array: Ast, index: Ast, value: Ast) -> Ast {
        // SAFETY: the operands belong to this context.
        unsafe { (self.api.Z3_mk_store)(self.context, array, index, value) }
    }

    fn check(&mut self, assumptions: &[Ast], stop: &Stop) -> Verdict {
        self.drop_model();
        let (api, context, solver) = (self.api, self.context, self.solver);
        let (count, first) = (assumptions.len() as u32, assumptions.as_ptr());
        // SAFETY: Booleans of this context.
        let run = || unsafe { (api.Z3_solver_check_assumptions)(context, solver, count, first) };
        let result = if stop.is_never() {
            run()
        } else {
            let watched = Interrupted(api, context);
            thread::scope(|scope| {
                let (done, wait) = channel::<()>();
                scope.spawn(move || {
                    // One interrupt can come before the solver listens: repeat.
                    while wait.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
                        if stop.reason().is_some() {
                            watched.interrupt();
                        }
                    }
                });
                let result = run();
                drop(done);
                result
            })
        };
        match result {
            1 => {
                // SAFETY: there is a model after `Z3_L_TRUE`; the reference is ours to drop.
                unsafe {
                    self.model = (api.Z3_solver_get_model)(context, solver);
                    (api.Z3_model_inc_ref)(context, self.model);
                }
                Verdict::Sat
            }
            -1 => Verdict::Unsat,
            _ => Verdict::Unknown(stop.reason().unwrap_or(Why::GaveUp)),
        }
    }

    fn value(&mut self, a: Ast) -> Option<u128> {
        let mut value = null_mut();
        // SAFETY: the model is that of the last check; the text is parsed at once.
        unsafe {
            if !(self.api.Z3_model_eval)(self.context, self.model, a, true, &raw mut value) {
                return None;
            }
            let text = CStr::from_ptr((self.api.Z3_get_numeral_string)(self.context, value));
            text.to_str().ok()?.parse().ok()
        }
    }

    fn core(&mut self, assumptions: &[Ast]) -> Vec<usize> {
        let (api, context) = (self.api, self.context);
        // SAFETY: called after `Unsat` only; the vector is released after its last use.
        let core: Vec<Ast> = unsafe {
            let vector = (api.Z3_solver_get_unsat_core)(context, self.solver);
            (api.Z3_ast_vector_inc_ref)(context, vector);
            let size = (api.Z3_ast_vector_size)(context, vector);
            let core = (0..size).map(|i| (api.Z3_ast_vector_get)(context, vector, i)).collect();
            (api.Z3_ast_vector_dec_ref)(context, vector);
            core
        };
        (0..assumptions.len()).filter(|&i| core.contains(&assumptions[i])).collect()
    }
}

impl<const Q: bool> Drop for Z3<Q> {
    fn drop(&mut self) {
        self.drop_model();
        // SAFETY: both are alive, and the solver goes before its context.
        unsafe {
            (self.api.Z3_solver_dec_ref)(self.context, self.solver);
            (self.api.Z3_del_context)(self.context);
        }
    }
}
