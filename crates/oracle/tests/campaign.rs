//! The comparison itself, with a script in the place of the engine.

use rejoin_oracle::accept::{self, Limits};
use rejoin_oracle::campaign::Campaign;
use rejoin_oracle::engine::Engine;
use rejoin_oracle::feature::Features;
use rejoin_oracle::keep::Keep;
use rejoin_oracle::modes;
use rejoin_oracle::native::Toolchain;
use rejoin_oracle::outcome::Histogram;
use rejoin_oracle::sweep::Verdict;
use rejoin_oracle::teeth::{self, Jaw};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

const FEATURES: &str = "loops,errors";

/// Answers with `outcomes.json` beside it, or with `fault.json` if a fault is switched on; the fault `limited`
/// says that time was up. It found an error, as its exit code says.
const ENGINE: &str = r#"#!/bin/sh
here=$(dirname "$0")
while [ $# -gt 0 ]; do
  if [ "$1" = --out ]; then out=$2; fi
  shift
done
mkdir -p "$out"
status=exhaustive
if [ "$REJOIN_FAULT" = limited ]; then status=incomplete; fi
echo "{\"status\": \"$status\", \"reasons\": [\"time\"], \"merges\": 0, \"pattern_merges\": 0}" > "$out/summary.json"
if [ -n "$REJOIN_FAULT" ] && [ "$REJOIN_FAULT" != harmless ]; then cp "$here/fault.json" "$out/outcomes.json"
else cp "$here/outcomes.json" "$out/outcomes.json"; fi
exit 1
"#;

fn json(histogram: &Histogram) -> String {
    use base64::Engine as _;
    let entries: Vec<String> = histogram
        .iter()
        .map(|(outcome, inputs)| {
            let stdout = base64::prelude::BASE64_STANDARD.encode(&outcome.stdout);
            let (kind, line, exit) = (&outcome.kind, outcome.line, outcome.exit);
            format!(
                r#"{{"kind":"{kind}","line":{line},"exit":{exit},"stdout":"{stdout}","inputs":{inputs}}}"#
            )
        })
        .collect();
    format!("[{}]", entries.join(","))
}

fn engine(dir: &Path) -> PathBuf {
    let path = dir.join("rejoin");
    fs::write(&path, ENGINE).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn agreement_passes_and_any_difference_fails_and_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let features = Features::parse(FEATURES).unwrap();
    let tools = Toolchain::new("clang-22").unwrap();
    let case = accept::case(&tools, 3, features, Limits::default(), dir.path()).unwrap();
    let right = case.native.histogram();
    let mut wrong = right.clone();
    *wrong.values_mut().next().unwrap() += 1;
    fs::write(dir.path().join("outcomes.json"), json(&right)).unwrap();
    fs::write(dir.path().join("fault.json"), json(&wrong)).unwrap();

    let engine = Engine { path: engine(dir.path()), limit: Duration::from_secs(20), fault: None };
    let mut campaign = Campaign {
        tools,
        engine: Some(engine.clone()),
        modes: modes::parse("dfs,bfs").unwrap(),
        features,
        limits: Limits::default(),
        confirm: false,
        shrink: 20,
        keep: Keep(Some(dir.path().join("keep"))),
        compared: Mutex::default(),
    };
    assert!(matches!(campaign.verdict(3), Verdict::Passed));
    assert!(!dir.path().join("keep").exists());
    let (inputs, classes) = (right.values().sum::<u128>(), right.len());
    let table = format!(
        "mode,programs,inputs,classes,merges,pattern_merges\n\
         dfs,1,{inputs},{classes},0,0\nbfs,1,{inputs},{classes},0,0\n"
    );
    assert_eq!(campaign.table(), table);

    let jaw = Jaw { tools: Toolchain::new("clang-22").unwrap(), engine: engine.clone() };
    let mut found = Vec::new();
    let faults = vec!["harmful".to_string(), "harmless".to_string()];
    let left = teeth::find(&jaw, faults, &campaign.modes, features, 3..4, |tooth| found.push(tooth)).unwrap();
    assert_eq!(left, ["harmless"]);
    assert_eq!((found[0].mode.name, found[0].seed), ("dfs", 3));
    assert!(teeth::bite(&jaw, &found).unwrap().is_empty());
    found[0].fault = "harmless".into();
    assert_eq!(teeth::bite(&jaw, &found).unwrap()[0].fault, "harmless");

    campaign.engine = Some(Engine { fault: Some("harmful".into()), ..engine.clone() });
    let Verdict::Failed(report) = campaign.verdict(3) else { panic!("the difference was not seen") };
    assert!(report.contains("natively") && report.contains("--seed 3"), "{report}");
    let kept = dir.path().join("keep/seed-3");
    assert_eq!(fs::read_to_string(kept.join("prog.c")).unwrap(), case.source);
    let small = fs::read_to_string(kept.join("small.c")).unwrap();
    assert!(small.lines().count() < case.source.lines().count());

    campaign.shrink = 0;
    campaign.engine = Some(Engine { fault: Some("limited".into()), ..engine.clone() });
    let Verdict::Incomplete(report) = campaign.verdict(3) else {
        panic!("an incomplete run is no difference")
    };
    assert!(report.contains("incomplete:\ntime") && !report.contains("natively"), "{report}");

    campaign.engine = Some(Engine { path: "/bin/false".into(), ..engine });
    assert!(matches!(campaign.verdict(3), Verdict::Failed(_)), "an engine that fails is no agreement");
}
