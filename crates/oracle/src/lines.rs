//! Makes a text that shows something smaller, by taking lines away.

/// Removes runs of lines while `shows` holds, with at most `tests` questions.
pub fn shrink(text: &str, mut tests: usize, shows: &mut dyn FnMut(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut size = lines.len() / 2;
    while size > 0 && tests > 0 {
        let (mut start, mut progress) = (0, false);
        while start < lines.len() && tests > 0 {
            let end = lines.len().min(start + size);
            let fewer: Vec<&str> = lines[..start].iter().chain(&lines[end..]).copied().collect();
            tests -= 1;
            if shows(&(fewer.join("\n") + "\n")) {
                lines = fewer;
                progress = true;
            } else {
                start = end;
            }
        }
        if !progress || size > 1 {
            size /= 2;
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_what_is_needed_stays() {
        let text: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let mut shows = |text: &str| text.contains("line 17\n") && text.contains("line 83\n");
        assert_eq!(super::shrink(&text, 1000, &mut shows), "line 17\nline 83\n");
        assert_eq!(super::shrink(&text, 0, &mut shows), text);
    }
}
