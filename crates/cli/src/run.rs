//! `rejoin run`: from a program to results.

use crate::flags::{
    FollowFlag, HistoryFlag, Merge, QceFlags, QceSites, RunFlags, Search, Similar, SolverFlag, SymSizeFlag,
    TestsFlag,
};
use crate::record::Recorder;
use crate::trial::explore_on_trial;
use crate::world::Tests;
use crate::{OUR_FAULT, coverage, load, merging, resources, say, world};
use rejoin_analysis::qce::{Params, Qce, Sites};
use rejoin_exec::{Code, Entry, Follow, Machine, Regions, Start, State, SymSize};
use rejoin_explore::{Never, PickNext, Worklist, explore};
use rejoin_ir::Module;
use rejoin_merge::{Always, Dsm, History, Joins, Live, Paying, QceFull, Similarity};
use rejoin_report::replay::{ReplayOptions, Replayer, Until};
use rejoin_report::{
    CommandLine, Count, OutDir, RunRecord, Status, Summary, Validation, ValueSummaries, render,
};
use rejoin_search::{
    Bfs, Coverage, Dfs, FastForward, Histories, RandomPath, RandomState, RoundRobin, Topological,
    UntilCovered,
};
use rejoin_solver::{Backend, Solver};
use rejoin_summary::{Limits, Summaries};
use serde_json::json;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// Runs a program. The exit code, or what is wrong with the input.
pub(crate) fn run(flags: &RunFlags) -> Result<u8, String> {
    let started = Instant::now();
    let line = CommandLine::parse(&flags.args)?;
    let record = run_record(flags)?;
    let os = world::system(&record, &line)?;
    let (module, raw) = load::load(flags)?;
    let mut options = machine_options(flags);
    if flags.entry != "main" {
        let function =
            module.function(&flags.entry).filter(|f| !module.functions[f.index()].is_declaration());
        let function = function.ok_or_else(|| format!("no function `{}` is defined", flags.entry))?;
        options.entry = Some(Entry { function, capacity: flags.capacity });
    }
    // Until here there is nothing to write: an interrupt simply ends what waits, for a compiler or a pipe.
    let interrupt = resources::interrupt_flag();
    resources::survive_large_files();
    let out = OutDir::create(Path::new("."), flags.out.as_deref()).map_err(|e| e.to_string())?;
    out.write_run(&record).map_err(|e| e.to_string())?;

    let entry = if raw { "_start_c" } else { "main" };
    let Some(entry) = module.function(entry) else { return Err(format!("there is no function {entry}")) };
    let solver = rejoin_solver::Options {
        backend: match flags.solver {
            SolverFlag::Bitwuzla => Backend::Bitwuzla,
            SolverFlag::Z3 => Backend::Z3,
        },
        timeout: Some(flags.solver_timeout),
        deadline: flags.max_time.map(|t| started + t),
        interrupt: Some(interrupt.clone()),
        validate: flags.validate,
        no_procedure: flags.no_procedure,
        no_diagrams: flags.no_diagrams,
    };
    let limits = solver.clone();
    let mut m = Machine::new(module, Solver::new(solver), options);
    m.summaries = summaries(flags).map(|s| s.until(move || limits.is_over()));
    let start = Start {
        entry,
        raw,
        args: world::arguments(&record.argv0, &line),
        env: world::environment(),
        symbolic: world::symbolic(&line),
        os: os.clone(),
    };
    let initial = m.start(&start);

    let explore_cpu = resources::cpu_seconds();
    let explore_wall = Instant::now();
    let mut recorder = Recorder::new(flags, out, Tests::new(&os, line), interrupt, started);
    let histories = Rc::new(RefCell::new(Histories::new(flags.dsm.delta)));
    recorder.event(&json!({ "event": "start", "seconds": started.elapsed().as_secs_f64() }));
    let rest = explore_on_trial(&mut m, initial, &mut recorder, |m, initial, trial| {
        let (mut pick, mut similar) = (pick_next(flags, &histories), similar(flags, m, &histories));
        explore(m, initial, &mut *pick, &mut *similar, trial)
    });
    let explore_cpu = resources::cpu_seconds() - explore_cpu;
    recorder.explain_end(&m);
    let explore_wall = explore_wall.elapsed().as_secs_f64();

    let states_max = rest.largest() as u64;
    let reason = recorder.stopped.clone().unwrap_or_else(|| "all paths are explored".to_owned());
    let seconds = started.elapsed().as_secs_f64();
    for place in merging::places(&m) {
        let mut event = json!({ "event": "merging", "seconds": seconds });
        event["place"] = serde_json::to_value(place).unwrap_or_default();
        recorder.event(&event);
    }
    recorder.event(
        &json!({ "event": "end", "seconds": seconds, "reason": reason, "states": rest.len() + m.waiting() }),
    );
    finish(&mut m, rest, &mut recorder, &record);
    let mut summary = summary(&m, &recorder, states_max, explore_cpu);
    summary.value_summaries = m.summaries.as_ref().map(|s| value_summaries(&m, s, explore_wall));
    let forwards = histories.borrow().forwards();
    summary.fast_forwards = forwards.started;
    summary.fast_forwards_merged = forwards.merged;
    summary.wall_seconds = started.elapsed().as_secs_f64();
    summary.cpu_seconds = resources::cpu_seconds() + resources::children_cpu_seconds();
    let written = recorder.out.write_summary(&summary);
    recorder.note(written);
    if !flags.quiet {
        say::tell(summary.text(&recorder.out.path().display().to_string()));
    }
    if flags.json {
        say::print(format_args!("{}\n", serde_json::to_string(&summary).unwrap_or_default()))?;
    }
    if let Some(e) = recorder.failed {
        return Err(format!("{e}; what was written before is whole"));
    }
    for fault in &m.faults {
        say::tell(format_args!("rejoin: internal failure: {fault}\n"));
    }
    let ours = m.solver.statistics().mismatches > 0 || !m.faults.is_empty();
    // Giving back millions of terms takes seconds, and the process ends now.
    std::mem::forget(m);
    Ok(if ours { OUR_FAULT } else { summary.exit_code() })
}

fn run_record(flags: &RunFlags) -> Result<RunRecord, String> {
    let directory = std::env::current_dir().map_err(|e| format!("no current directory: {e}"))?;
    if let Some(file) = std::iter::once(&flags.program).chain(&flags.with).find(|f| f.to_str().is_none()) {
        return Err(format!("{}: the name of this file is no text (UTF-8)", file.display()));
    }
    let name = flags.program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(RunRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        directory,
        program: flags.program.clone(),
        with: flags.with.clone(),
        cflags: load::cflags(flags)?,
        argv0: name,
        args: flags.args.clone(),
        stdin: world::stdin(flags)?,
        allow_read: world::readable(flags)?,
        sysroot: load::deps(),
        entry: flags.entry.clone(),
    })
}

fn machine_options(flags: &RunFlags) -> rejoin_exec::Options {
    rejoin_exec::Options {
        follow: match flags.follow {
            FollowFlag::Feasible => Follow::Feasible,
            FollowFlag::All => Follow::All,
        },
        merging: flags.coalesces(),
        regions: regions(flags),
        incremental: !flags.no_incremental,
        merge_worth: flags.merge_worth,
        trial: regions(flags).is_some() && flags.merge_worth > 0 && flags.max_tests.is_none(),
        parts: flags.exact_paths || flags.tests == TestsFlag::PerPath,
        compare_parts: flags.exact_paths,
        max_loop: flags.max_loop,
        max_depth: flags.max_depth,
        check_leaks: flags.check_leaks,
        check_uninit: flags.check_uninit,
        sym_size: match flags.sym_size {
            SymSizeFlag::Lazy => SymSize::Lazy,
            SymSizeFlag::Eager => SymSize::Eager,
            SymSizeFlag::Max => SymSize::Max,
        },
        capacity: flags.capacity,
        ..rejoin_exec::Options::default()
    }
}

/// The search, as asked for.
fn pick_next(flags: &RunFlags, histories: &Rc<RefCell<Histories>>) -> Box<dyn PickNext<Machine>> {
    match flags.merge {
        Merge::Dsm if flags.search.iter().all(|s| *s == Search::Topological) => {
            Box::new(FastForward::in_order(Rc::clone(histories)))
        }
        Merge::Dsm => Box::new(FastForward::new(driver(flags), Rc::clone(histories))),
        _ if flags.coalesces() => Box::new(Topological::default()),
        _ => driver(flags),
    }
}

/// The search that `--search` names, or depth first.
fn driver(flags: &RunFlags) -> Box<dyn PickNext<Machine>> {
    let seed = flags.seed;
    let search = if flags.search.is_empty() { &[Search::Dfs][..] } else { &flags.search };
    let mut parts: Vec<Box<dyn PickNext<Machine>>> = search
        .iter()
        .map(|s| -> Box<dyn PickNext<Machine>> {
            match s {
                Search::Dfs => Box::new(Dfs::default()),
                Search::Bfs => Box::new(Bfs::default()),
                Search::RandomState => Box::new(RandomState::new(seed)),
                Search::RandomPath => Box::new(RandomPath::new(seed)),
                Search::Coverage if flags.merge == Merge::Dsm => Box::new(UntilCovered::new(seed)),
                Search::Coverage => Box::new(Coverage::new(seed)),
                Search::Topological => Box::new(Topological::default()),
            }
        })
        .collect();
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            Box::new(RoundRobin::new(parts))
        }
    }
}

/// The similarity relation, as asked for.
fn similar(
    flags: &RunFlags,
    m: &Machine,
    histories: &Rc<RefCell<Histories>>,
) -> Box<dyn rejoin_explore::Similar<Machine>> {
    if !flags.coalesces() {
        return Box::new(Never);
    }
    // A value that is undefined in one of two states must not become undefined in both.
    let similarity: Box<dyn Similarity> = match flags.similar {
        _ if flags.check_uninit => Box::new(Live),
        _ if flags.merge == Merge::Summaries => Box::new(Paying),
        Similar::Always => Box::new(Always),
        Similar::Live => Box::new(Live),
        Similar::Qce => Box::new(rejoin_merge::Qce::new(qce(&flags.qce, &m.module, &m.code))),
        Similar::QceFull => Box::new(QceFull::new(qce(&flags.qce, &m.module, &m.code), flags.qce.zeta)),
    };
    let joins = Joins::new(similarity);
    if flags.merge != Merge::Dsm {
        return Box::new(joins);
    }
    let history = match flags.dsm.history {
        HistoryFlag::Hashes => History::Hashes,
        HistoryFlag::Precise => History::Precise,
    };
    Box::new(Dsm::new(joins, Rc::clone(histories), history))
}

/// What loops that fork are. A value that is undefined in one of two states must not become undefined
/// in both, so nothing is merged under --check-uninit.
fn regions(flags: &RunFlags) -> Option<Regions> {
    match flags.merge {
        _ if flags.check_uninit => None,
        Merge::Loops => Some(Regions::Loops),
        Merge::Pattern => Some(Regions::Pattern { max_patterns: flags.max_patterns }),
        Merge::None | Merge::Ssm | Merge::Dsm | Merge::Summaries => None,
    }
}

/// The summaries of a run that has some.
fn summaries(flags: &RunFlags) -> Option<Summaries> {
    let limits = Limits { entries: flags.max_summary, guard_nodes: flags.max_guard, ..Limits::default() };
    let checked = flags.validate || cfg!(debug_assertions);
    (flags.merge == Merge::Summaries).then(|| Summaries::new(limits, checked))
}

/// The query counts of a program.
pub(crate) fn qce(flags: &QceFlags, module: &Rc<Module>, code: &Code) -> Qce {
    let functions = module.functions.iter().zip(&code.functions);
    let opaque = functions.filter(|(_, code)| code.is_builtin()).map(|(f, _)| f.name.clone()).collect();
    let sites = match flags.qce_sites {
        QceSites::All => Sites::All,
        QceSites::Branches => Sites::Branches,
    };
    Qce::new(
        Rc::clone(module),
        Params { alpha: flags.alpha, beta: flags.beta, kappa: flags.kappa, sites, opaque },
    )
}

/// Writes what is written once, and replays the errors while there is time.
fn finish(m: &mut Machine, rest: Worklist<State>, r: &mut Recorder, record: &RunRecord) {
    r.finish(m, rest);
    r.flush_events();
    r.note(r.out.write_ledger(&r.ledger));
    r.note(r.out.write_coverage(&coverage::coverage(m)));
    if let Some(outcomes) = &r.outcomes {
        r.note(r.out.write("outcomes.json", outcomes.json().as_bytes()));
    }
    if r.bugs.is_empty() {
        return;
    }
    let until = Until { deadline: r.deadline, interrupt: Some(r.interrupt.clone()) };
    let options = ReplayOptions { unsafe_replay: r.flags.unsafe_replay, until, ..ReplayOptions::default() };
    let replayer = if r.flags.no_replay { None } else { Replayer::new(record.clone(), options).ok() };
    let color = render::use_color();
    for (bug, ktest, test) in &r.bugs {
        let path = r.out.path().join("tests").join(format!("{}.ktest", test.name));
        let verdict = replayer.as_ref().map(|replayer| replayer.check(test, &path));
        if let Some(verdict) = &verdict
            && let Some(report) = r.errors.reports_mut().iter_mut().find(|e| e.test == test.name)
        {
            report.replay = verdict.status();
        }
        if !r.flags.quiet {
            let source = |file: &str| std::fs::read_to_string(file).ok();
            let style = render::Style { color, source: &source };
            let command = format!("rejoin replay {}", path.display());
            say::tell(format_args!("{}\n", render::bug(bug, ktest, &command, &style)));
        }
    }
}

/// The figures of MultiSE's table 1.
fn value_summaries(m: &Machine, s: &Summaries, explore_wall: f64) -> ValueSummaries {
    let counts = &s.counts;
    let per_read = |sum: f64| if counts.reads == 0 { 1.0 } else { sum / counts.reads as f64 };
    let share = |seconds: f64| if explore_wall > 0.0 { seconds / explore_wall } else { 0.0 };
    ValueSummaries {
        guard_share: share(s.guard_time().as_secs_f64()),
        solver_share: share(m.solver.statistics().backend_seconds),
        size: per_read(counts.entries as f64),
        sharing: per_read(counts.sharing),
        operations: m.stats.instructions + counts.operations.saturating_sub(counts.results),
        merges: s.census.merges(),
        merges_beyond_terms: s.census.merges_beyond_terms(),
        values_merged: counts.merges,
        large_summaries: counts.large_summaries,
        large_guards: counts.large_guards,
    }
}

fn summary(m: &Machine, r: &Recorder, states_max: u64, explore_cpu: f64) -> Summary {
    let solver = m.solver.statistics();
    let mut reasons: Vec<String> = r.stopped.iter().cloned().collect();
    reasons.extend(r.failed.iter().map(ToString::to_string));
    reasons.extend(r.ledger.reasons());
    let exhaustive = r.stopped.is_none() && !r.ledger.is_lossy() && r.failed.is_none();
    Summary {
        status: if exhaustive { Status::Exhaustive } else { Status::Incomplete },
        reasons,
        mode: r.flags.merge.name(),
        paths_completed: r.paths_completed,
        paths_represented: Count::from(r.paths_represented.to_big()),
        states_max,
        forks: m.stats.forks,
        merges: m.stats.merges,
        merges_refused: m.stats.merges_refused,
        merge_regions: m.regions_opened(),
        splits: m.stats.splits,
        merges_beyond_hash: m.stats.merges_beyond_hash,
        ites_introduced: m.stats.ites,
        pattern_merges: m.stats.pattern_merges,
        trials: m.stats.trials,
        bdd_nodes: m.summaries.as_ref().map_or(0, |s| s.guard_nodes() as u64),
        instructions: m.stats.instructions,
        branch_decisions: m.stats.branch_decisions,
        queries: solver.queries,
        solver_calls: solver.backend_calls,
        solver_seconds: solver.backend_seconds,
        quantified_queries: solver.quantified_queries,
        strip_hits: solver.strip_hits,
        duplicate_hits: solver.duplicate_hits,
        repair_hits: solver.repair_hits,
        instantiation_hits: solver.instantiation_hits,
        fallbacks: solver.fallbacks,
        explore_cpu_seconds: explore_cpu,
        memory_peak_bytes: resources::memory_peak_bytes(),
        tests: r.out.tests_written(),
        errors: r.errors.reports().to_vec(),
        coverage: coverage::coverage(m).totals(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: r.flags.seed,
        merging: merging::places(m),
        validation: m.solver.validates().then_some(Validation {
            answers: solver.validated,
            undecided: solver.undecided,
            contradicted: solver.mismatches,
        }),
        path_estimate: r.path_estimate(),
        condition_nodes: r.condition_nodes,
        slowest_call_seconds: solver.slowest_seconds,
        paths_exact: r.counts_exactly(),
        ..Summary::default()
    }
}
