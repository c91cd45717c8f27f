//! Files, streams, descriptors and arguments as C.

use super::expr::input;
use super::fit;
use crate::ast::{Expr, Place, Program, Reading, World, WorldOp};

/// What programs with a world begin with.
pub(super) const PREAMBLE: &str = include_str!("world.h");

/// How `main` gets at its inputs. What was read can be read again.
pub(super) fn start(program: &Program, world: &World) -> Vec<String> {
    let mut lines = vec!["w_words = argv;".into()];
    lines.push("w_out = open(\"out\", O_RDWR | O_CREAT | O_TRUNC, 0600);".into());
    lines.push("w_notes = fopen(\"notes\", \"w+\");".into());
    if world.file > 0 {
        lines.push("w_raw = open(\"A\", O_RDONLY);".into());
        lines.push("rejoin_assume(w_raw >= 0);".into());
        lines.push("w_file = fopen(\"A\", \"r\");".into());
    }
    let mut next = 0;
    let mut take = |lines: &mut Vec<String>, count: usize, text: &dyn Fn(&str, usize) -> String| {
        for at in 0..count {
            lines.push(text(&input(program, next), at));
            next += 1;
        }
    };
    for (arg, &bytes) in world.args.iter().enumerate() {
        take(&mut lines, bytes, &|to, at| format!("{to} = w_words[{}][{at}];", arg + 1));
    }
    for (bytes, stream, descriptor) in [(world.stdin, "stdin", "0"), (world.file, "w_file", "w_raw")] {
        take(&mut lines, bytes, &|to, _| match world.reading {
            Reading::Stream => format!("{to} = fgetc({stream});"),
            Reading::Block => format!("fread(&{to}, 1, 1, {stream});"),
            Reading::Calls => format!("read({descriptor}, &{to}, 1);"),
        });
        match world.reading {
            _ if bytes == 0 => {}
            Reading::Calls => lines.push(format!("lseek({descriptor}, 0, SEEK_SET);")),
            _ => lines.push(format!("rewind({stream});")),
        }
    }
    lines
}

/// The lines of an operation, each expression and place being printed by the functions given.
pub(super) fn lines(
    op: &WorldOp,
    world: &World,
    expr: &dyn Fn(&Expr) -> String,
    place: &dyn Fn(&Place) -> String,
) -> Vec<String> {
    let word = |arg: &usize| match world.args.len() {
        0 => "w_words[0] + strlen(w_words[0])".into(),
        n => format!("w_words[{}]", 1 + arg % n),
    };
    // What went through a stream is not read by system calls as well: nobody says how much the stream has taken.
    let by_stream = |stdin: bool, stream: bool| if stdin { world.reading != Reading::Calls } else { stream };
    let line = match op {
        WorldOp::Get { to, stdin, stream } => {
            let stdin = *stdin || world.file == 0;
            let from = match (by_stream(stdin, *stream), stdin) {
                (true, true) => "getchar()",
                (true, false) => "fgetc(w_file)",
                (false, true) => "w_get(0)",
                (false, false) => "w_get(w_raw)",
            };
            format!("{} = {from};", place(to))
        }
        WorldOp::Seek { .. } if world.file == 0 => return Vec::new(),
        WorldOp::Seek { at, stream } => {
            let at = fit(&expr(at), world.file + 2);
            let call = if *stream { "fseek(w_file" } else { "lseek(w_raw" };
            format!("{call}, {at}, SEEK_SET);")
        }
        WorldOp::Put { value, stream: true } => format!("w_note({});", expr(value)),
        WorldOp::Put { value, stream: false } => format!("w_put(w_out, {});", expr(value)),
        WorldOp::Back { to, at, stream } => {
            let (at, call) = (fit(&expr(at), 4), if *stream { "w_noted" } else { "w_back" });
            format!("{} = {call}({at});", place(to))
        }
        WorldOp::Size { to, written } => {
            let of = if *written || world.file == 0 { "w_out" } else { "w_raw" };
            format!("{} = w_size({of});", place(to))
        }
        WorldOp::Truncate { size } => format!("ftruncate(w_out, {});", fit(&expr(size), 4)),
        WorldOp::Remove { when } => {
            return vec![format!("if ({})", expr(when)), "  unlink(\"out\");".into()];
        }
        WorldOp::Exists { to } => format!("{} = access(\"out\", R_OK);", place(to)),
        WorldOp::Pipe { to, value } => format!("{} = w_pipe({});", place(to), expr(value)),
        WorldOp::Say { value, twice } => format!("w_say({}, {});", expr(value), 1 + u32::from(*twice)),
        WorldOp::Length { to, arg } => format!("{} = strlen({});", place(to), word(arg)),
        WorldOp::Equals { to, arg, literal } => {
            format!("{} = strcmp({}, \"{literal}\") == 0;", place(to), word(arg))
        }
        WorldOp::Number { to, arg } => format!("{} = strtol({}, NULL, 10);", place(to), word(arg)),
    };
    vec![line]
}
