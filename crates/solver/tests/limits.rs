//! Limits are obeyed, and nothing but `Unknown` comes of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rejoin_expr::{Pool, Term};
use rejoin_solver::{Answer, Backend, Options, Path, Solver, Why};

const BACKENDS: [Backend; 2] = [Backend::Bitwuzla, Backend::Z3];
/// Far from what any solver can do with `hard` on any machine.
const FOR_EVER: Duration = Duration::from_secs(3600);
/// The limit may be missed by a second; busy machines get more.
const GRACE: Duration = Duration::from_secs(4);

/// A proper factor of the prime 2^89 - 1.
fn hard(pool: &mut Pool) -> Term {
    let (p, q) = (pool.var(64, "p"), pool.var(64, "q"));
    let (wide_p, wide_q) = (pool.zext(p, 128), pool.zext(q, 128));
    let product = pool.mul(wide_p, wide_q);
    let prime = pool.constant(128, (1 << 89) - 1);
    let one = pool.constant(64, 1);
    let parts = [pool.eq(product, prime), pool.ult(one, p), pool.ult(one, q)];
    pool.and_all(&parts)
}

fn ask(options: Options) -> (Answer, Duration, Solver, Pool) {
    let mut pool = Pool::new();
    let cond = hard(&mut pool);
    let mut solver = Solver::new(options);
    let start = Instant::now();
    let answer = solver.check(&mut pool, &Path::new(), cond);
    (answer, start.elapsed(), solver, pool)
}

#[test]
fn a_timeout_is_obeyed_and_leaves_the_solver_usable() {
    let timeout = Duration::from_millis(300);
    for backend in BACKENDS {
        let options = Options { backend, timeout: Some(timeout), ..Options::default() };
        let (answer, took, mut solver, mut pool) = ask(options);
        assert!(matches!(answer, Answer::Unknown(Why::Timeout)), "{backend:?}: {answer:?}");
        assert!(took >= timeout && took < timeout + GRACE, "{backend:?} took {took:?}");
        assert_eq!(solver.statistics().timeouts, 1);
        let (x, y) = (pool.var(8, "x"), pool.var(8, "y"));
        let sum = pool.add(x, y);
        let (seven, big) = (pool.constant(8, 7), pool.constant(8, 200));
        let conditions = [pool.eq(sum, seven), pool.ult(big, x), pool.ult(x, y)];
        let cond = pool.and_all(&conditions);
        assert!(solver.check(&mut pool, &Path::new(), cond).is_unsat(), "{backend:?}");
        let cond = pool.and_all(&conditions[..2]);
        assert!(solver.check(&mut pool, &Path::new(), cond).is_sat(), "{backend:?}");
    }
}

#[test]
fn the_end_of_the_run_is_an_interruption() {
    for backend in BACKENDS {
        let deadline = Some(Instant::now() + Duration::from_millis(300));
        let timeout = Some(FOR_EVER);
        let (answer, took, solver, _) = ask(Options { backend, timeout, deadline, ..Options::default() });
        assert!(matches!(answer, Answer::Unknown(Why::Interrupted)), "{backend:?}: {answer:?}");
        assert!(took < GRACE, "{backend:?} took {took:?}");
        assert_eq!((solver.statistics().timeouts, solver.statistics().interrupted), (0, 1));
    }
}

#[test]
fn a_flag_interrupts_a_running_query() {
    for backend in BACKENDS {
        let flag = Arc::new(AtomicBool::new(false));
        let raise = flag.clone();
        let other = thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            raise.store(true, Ordering::Relaxed);
        });
        let (answer, took, _, _) = ask(Options { backend, interrupt: Some(flag), ..Options::default() });
        assert!(matches!(answer, Answer::Unknown(Why::Interrupted)), "{backend:?}: {answer:?}");
        assert!(took < GRACE, "{backend:?} took {took:?}");
        assert!(other.join().is_ok());
    }
}

/// Making gates of this takes any solver far longer than the limit, and Bitwuzla looks at no limit meanwhile.
#[test]
fn a_term_of_many_gates_does_not_outlast_the_limit() {
    let timeout = Duration::from_millis(300);
    for backend in BACKENDS {
        let mut pool = Pool::new();
        let mut quotient = pool.var(128, "x");
        for i in 0..150 {
            let divisor = pool.var(128, &format!("d{i}"));
            quotient = pool.udiv(quotient, divisor);
        }
        let seven = pool.constant(128, 7);
        let cond = pool.eq(quotient, seven);
        let mut solver = Solver::new(Options { backend, timeout: Some(timeout), ..Options::default() });
        let start = Instant::now();
        let answer = solver.check(&mut pool, &Path::new(), cond);
        let took = start.elapsed();
        assert!(matches!(answer, Answer::Unknown(Why::Timeout)), "{backend:?}: {answer:?}");
        assert!(took < timeout + GRACE, "{backend:?} took {took:?}");
        let (x, y) = (pool.var(16, "a"), pool.var(16, "b"));
        let product = pool.mul(x, y);
        let odd = pool.constant(16, 4711);
        let cond = pool.eq(product, odd);
        assert!(solver.check(&mut pool, &Path::new(), cond).is_sat(), "{backend:?}");
    }
}
