//! A place for programs that showed a difference.

use std::fs;
use std::path::{Path, PathBuf};

/// A directory with one sub-directory per failure; without one, nothing is kept.
#[derive(Clone, Debug, Default)]
pub struct Keep(pub Option<PathBuf>);

impl Keep {
    /// Writes the files of a failure. What cannot be written is said on stderr, for the sweep shall go on.
    pub fn store(&self, name: &str, files: &[(&str, &str)]) {
        let Some(root) = &self.0 else { return };
        if let Err(error) = write(&root.join(name), files) {
            eprintln!("{}: {error}", root.display());
        }
    }
}

fn write(dir: &Path, files: &[(&str, &str)]) -> std::io::Result<()> {
    fs::create_dir_all(dir)?;
    files.iter().try_for_each(|(name, text)| fs::write(dir.join(name), text))
}
