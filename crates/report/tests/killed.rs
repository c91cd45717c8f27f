//! A run killed at any moment leaves whole files behind, and every test found so far.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use rejoin_report::{Bug, Count, ErrorKind, KObject, KTest, NewTest, OutDir, out_dir::Written};

const DIRECTORY: &str = "REJOIN_TEST_KILLED_DIRECTORY";

/// Not a test but the process to be killed: started by the test below, with a directory to fill.
#[test]
#[ignore = "runs until it is killed"]
fn write_tests_forever() {
    let Some(dir) = std::env::var_os(DIRECTORY) else { return };
    let mut out = OutDir::create(Path::new("."), Some(Path::new(&dir))).unwrap();
    let bug = Bug::new(ErrorKind::Ptr, "m", "a.c", 1);
    for n in 0u32.. {
        let bytes = n.to_le_bytes().repeat(1000);
        let test = NewTest {
            ktest: KTest { args: vec![], objects: vec![KObject { name: "x".into(), bytes }] },
            outcome: bug.outcome(),
            stdout: vec![b'x'; 10_000],
            stderr: vec![],
            multiplicity: Count::one(),
            ledger: vec![],
            bug: Some(bug.clone()),
        };
        out.add_test(&test).unwrap();
    }
}

#[test]
fn a_killed_run_leaves_no_torn_file() {
    let base = tempfile::tempdir().unwrap();
    for delay in [100, 150, 210, 330] {
        let dir: PathBuf = base.path().join(delay.to_string());
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "write_tests_forever", "--ignored"])
            .env(DIRECTORY, &dir)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
        let written = Written::open(&dir);
        let records = written.tests().unwrap();
        for (n, record) in (0u32..).zip(&records) {
            let test = written.ktest(&record.name).unwrap();
            assert_eq!(test.object("x").unwrap(), n.to_le_bytes().repeat(1000));
            assert!(dir.join("tests").join(format!("{}.ptr.err", record.name)).exists());
        }
        // Whatever has its final name is whole, also the one test whose line was not written yet.
        let mut whole = 0;
        for entry in fs::read_dir(dir.join("tests")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if let Some(name) = name.strip_suffix(".ktest") {
                assert!(written.ktest(name).is_ok(), "{name}");
                whole += 1;
            }
        }
        assert!(!records.is_empty() || delay < 300, "the child is too slow for the test to mean anything");
        assert!(whole - records.len() <= 1, "{whole} files, {} lines", records.len());
    }
}
