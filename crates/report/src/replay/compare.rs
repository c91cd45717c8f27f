//! The prediction against what was seen.

use super::{
    Verdict,
    build::Flavour,
    observe::{End, Event, Observed, Place, file_name},
};
use crate::{ErrorKind, Outcome, TestRecord};
use rejoin_kind::Seen;

/// What speaks for an error: the kinds it may be, where, and in words.
#[derive(Debug)]
struct Evidence {
    kinds: Vec<ErrorKind>,
    places: Vec<Place>,
    what: String,
    /// Reported by UndefinedBehaviorSanitizer and survived.
    survived: bool,
}

impl Evidence {
    /// Whether a path on which this was seen cannot have been one that ends by itself. Of undefined
    /// behaviour that a program survives, the engine takes only overshifts for errors.
    fn contradicts_exit(&self) -> bool {
        !self.survived || self.kinds.contains(&ErrorKind::Overshift)
    }
}

/// Compares a prediction with a native run of the same test.
pub fn compare(record: &TestRecord, observed: &Observed, flavour: Flavour) -> Verdict {
    if !observed.started() {
        let said = String::from_utf8_lossy(&observed.stderr);
        let said = said.lines().last().unwrap_or("it said nothing").to_owned();
        return Verdict::NotRun(format!("the native program did not start ({}): {said}", observed.end));
    }
    match &record.outcome {
        Outcome::Exit(code) => compare_exit(*code, &record.stdout, observed, flavour),
        Outcome::Error { kind, file, line, .. } => {
            compare_error(*kind, &(file_name(file), *line), &record.stdout, observed, flavour)
        }
        Outcome::Early(why) => Verdict::NotObservable(why.clone()),
    }
}

/// Under a sanitizer only errors count: how the program ends and what it prints is judged by the build
/// that no sanitizer slows down or makes larger.
fn compare_exit(code: u8, stdout: &[u8], observed: &Observed, flavour: Flavour) -> Verdict {
    let differ = |seen: &str| Verdict::Differ(format!("predicted exit code {code}; natively: {seen}"));
    if let Some(evidence) = evidence(observed).iter().find(|e| e.contradicts_exit()) {
        return differ(&describe(evidence));
    }
    if flavour.is_sanitized() {
        return Verdict::Agree;
    }
    if observed.end != End::Code(code) {
        return differ(&observed.end.to_string());
    }
    if observed.stdout != stdout {
        return Verdict::Differ(different_output(stdout, &observed.stdout));
    }
    Verdict::Agree
}

fn compare_error(
    kind: ErrorKind,
    at: &Place,
    stdout: &[u8],
    observed: &Observed,
    flavour: Flavour,
) -> Verdict {
    let all = evidence(observed);
    let fitting: Vec<&Evidence> = all.iter().filter(|e| e.kinds.contains(&kind)).collect();
    if fitting.iter().any(|e| fits(at, &e.places)) {
        // What a library had not yet written when the program died differs from library to library.
        if observed.stdout.starts_with(stdout) || stdout.starts_with(&observed.stdout) {
            return Verdict::Agree;
        }
        return Verdict::Differ(different_output(stdout, &observed.stdout));
    }
    let ended_well = all.is_empty() && matches!(observed.end, End::Code(_));
    if ended_well && !flavour.is_sanitized() && kind.seen() != Seen::Plain {
        return Verdict::NotObservable(format!(
            "`{kind}` shows only under a sanitizer, with which this program cannot be built"
        ));
    }
    let seen = fitting.first().copied().or(all.first());
    let seen = seen.map_or_else(|| observed.end.to_string(), describe);
    Verdict::Differ(format!("predicted {kind} at {}:{}; natively: {seen}", at.0, at.1))
}

/// Whether a predicted place is on the stack that was seen. Where the stack has no line of that file,
/// or nothing is known of the place, the kind has to do.
fn fits(at: &Place, places: &[Place]) -> bool {
    let (file, line) = at;
    let mut here = places.iter().filter(|(f, _)| f == file).peekable();
    *line == 0 || here.peek().is_none() || here.any(|(_, l)| l == line)
}

fn describe(evidence: &Evidence) -> String {
    match evidence.places.first() {
        Some((file, line)) => format!("{} at {file}:{line}", evidence.what),
        None => evidence.what.clone(),
    }
}

fn different_output(predicted: &[u8], seen: &[u8]) -> String {
    let at = predicted.iter().zip(seen).take_while(|(a, b)| a == b).count();
    format!(
        "predicted {} bytes of standard output, natively {}; they differ from byte {at} on",
        predicted.len(),
        seen.len()
    )
}

/// Everything that speaks for some error, the runtime's own word first.
fn evidence(observed: &Observed) -> Vec<Evidence> {
    let asserted = observed.event("assert");
    // A failed assertion ends in an abort, which is then no error of its own.
    let events = observed.events.iter().filter(|e| asserted.is_none() || e.event != "signal");
    let mut all: Vec<Evidence> = events.filter_map(told).collect();
    for report in &observed.reports {
        if let (Some(assertion), [ErrorKind::Abort]) = (asserted, report.kinds) {
            // Where the assertion itself knows no line, the stack of the abort does.
            let unplaced = all.iter_mut().find(|e| assertion.line == 0 && e.kinds == [ErrorKind::Assert]);
            unplaced.into_iter().for_each(|e| e.places.clone_from(&report.places));
            continue;
        }
        all.push(Evidence {
            kinds: report.kinds.to_vec(),
            places: report.places.clone(),
            what: report.what.clone(),
            survived: report.survived,
        });
    }
    all
}

/// What an event of the runtime speaks for.
fn told(event: &Event) -> Option<Evidence> {
    let known = if event.line == 0 { vec![] } else { vec![(file_name(&event.file), event.line)] };
    let (kinds, places, what) = match event.event.as_str() {
        "assert" => (vec![ErrorKind::Assert], known, format!("assertion `{}` failed", event.message)),
        "report_error" => {
            let kinds = ErrorKind::from_name(&event.suffix).into_iter().chain([ErrorKind::ReportError]);
            (kinds.collect(), known, format!("reported error: {}", event.message))
        }
        "assume" => (vec![ErrorKind::User], vec![], "an assumption does not hold".to_owned()),
        "silent_exit" => (vec![], vec![], "the path was given up silently".to_owned()),
        "mismatch" => (vec![ErrorKind::User], vec![], event.message.clone()),
        "signal" => (signal_kinds(event), vec![], End::Signal(event.signal).to_string()),
        _ => return None,
    };
    Some(Evidence { kinds, places, what, survived: false })
}

/// What a signal may mean without a sanitizer to ask.
fn signal_kinds(event: &Event) -> Vec<ErrorKind> {
    match event.signal {
        4 => vec![ErrorKind::UnreachableCall, ErrorKind::Abort],
        6 => vec![ErrorKind::Abort, ErrorKind::Free],
        8 => vec![ErrorKind::Div],
        11 if event.stack != 0 => vec![ErrorKind::Stack],
        7 | 11 => vec![ErrorKind::Ptr, ErrorKind::ReadOnly],
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Count;

    fn record(outcome: Outcome) -> TestRecord {
        TestRecord {
            name: "t".into(),
            outcome,
            stdout: b"out".to_vec(),
            stderr: vec![],
            multiplicity: Count::one(),
            ledger: vec![],
            input: String::new(),
        }
    }

    fn seen(text: &str, end: End, stdout: &str) -> Observed {
        let events = format!("{{\"event\":\"start\"}}\n{text}");
        Observed { end, stdout: stdout.into(), ..Observed::parse(events.as_bytes()) }
    }

    fn error(kind: ErrorKind, line: u32) -> Outcome {
        Outcome::Error { kind, file: "dir/a.c".into(), line, message: String::new() }
    }

    const ASSERT: &str = r#"{"event":"assert","file":"a.c","line":5,"message":"x"}
{"event":"signal","signal":6,"address":0,"stack":0}"#;
    const OVERSHIFT: &str = "/x/a.c:9:3: runtime error: shift exponent 40 is too large\n";
    const OVERFLOW: &str = "/x/a.c:9:3: runtime error: signed integer overflow: 1 + 2\n";

    #[test]
    fn a_failed_assertion_is_no_abort() {
        let seen = seen(ASSERT, End::Signal(6), "");
        let verdict = |kind, line| compare(&record(error(kind, line)), &seen, Flavour::Plain);
        assert_eq!(verdict(ErrorKind::Assert, 5), Verdict::Agree);
        assert!(matches!(verdict(ErrorKind::Assert, 6), Verdict::Differ(_)));
        assert!(matches!(verdict(ErrorKind::Abort, 5), Verdict::Differ(_)));
    }

    #[test]
    fn output_before_an_error_may_be_cut_but_not_different() {
        let verdict = |out| {
            let seen = seen(ASSERT, End::Signal(6), out);
            compare(&record(error(ErrorKind::Assert, 5)), &seen, Flavour::Plain)
        };
        assert_eq!(verdict("o"), Verdict::Agree);
        assert_eq!(verdict("outside"), Verdict::Agree);
        assert!(matches!(verdict("in"), Verdict::Differ(_)));
    }

    #[test]
    fn undefined_behaviour_contradicts_an_exit_only_where_the_engine_checks_it() {
        let verdict =
            |text| compare(&record(Outcome::Exit(0)), &seen(text, End::Code(9), ""), Flavour::Address);
        assert_eq!(verdict(OVERFLOW), Verdict::Agree);
        assert!(matches!(verdict(OVERSHIFT), Verdict::Differ(_)));
        assert!(matches!(verdict(ASSERT), Verdict::Differ(_)));
    }

    #[test]
    fn an_exit_is_judged_by_code_and_output() {
        let verdict = |end, out| compare(&record(Outcome::Exit(3)), &seen("", end, out), Flavour::Plain);
        assert_eq!(verdict(End::Code(3), "out"), Verdict::Agree);
        for (end, out) in
            [(End::Code(4), "out"), (End::Code(3), "ou"), (End::Timeout, "out"), (End::Signal(9), "out")]
        {
            assert!(matches!(verdict(end, out), Verdict::Differ(_)), "{end} {out}");
        }
    }

    #[test]
    fn what_only_a_sanitizer_sees_is_not_contradicted_by_a_run_without() {
        let verdict =
            |kind, flavour| compare(&record(error(kind, 5)), &seen("", End::Code(0), "out"), flavour);
        assert!(matches!(verdict(ErrorKind::Ptr, Flavour::Plain), Verdict::NotObservable(_)));
        assert!(matches!(verdict(ErrorKind::Ptr, Flavour::Address), Verdict::Differ(_)));
        assert!(matches!(verdict(ErrorKind::Assert, Flavour::Plain), Verdict::Differ(_)));
    }

    #[test]
    fn a_program_that_did_not_start_was_not_run() {
        let nothing = Observed { stderr: b"bwrap: no".to_vec(), ..Observed::default() };
        let verdict = compare(&record(Outcome::Exit(0)), &nothing, Flavour::Plain);
        assert!(matches!(&verdict, Verdict::NotRun(why) if why.contains("bwrap: no")), "{verdict}");
    }

    #[test]
    fn the_kind_has_to_do_where_the_stack_does_not_know_the_file() {
        let text = "==1==ERROR: AddressSanitizer: SEGV on unknown address\n    #0 0x1 in f /x/b.c:7:1\n";
        let seen = seen(text, End::Code(86), "");
        assert_eq!(compare(&record(error(ErrorKind::Ptr, 5)), &seen, Flavour::Address), Verdict::Agree);
    }
}
