//! The terminal: taken for the picker, and given back as it was, however the picker ends.

use crate::clipboard;
use crate::uncertain_rows::UncertainRows;
use crossterm::cursor::{MoveTo, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::style::Print;
use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use std::io::{IsTerminal, Result, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// A row below those of any terminal, which takes it for its last one.
const LAST_ROW: u16 = 9_998;

/// The terminal is the picker's now.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);
static PANIC_HOOK: Once = Once::new();

/// The terminal while it is the picker's. Dropped, it is as it was.
pub(crate) struct TerminalScreen {
    terminal: ratatui::Terminal<CrosstermBackend<Box<dyn Write>>>,
    uncertain_rows: UncertainRows,
}

impl TerminalScreen {
    /// Takes the terminal: that of stdout, or where stdout is none, the one that the process has.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn open() -> Result<Self> {
        PANIC_HOOK.call_once(restore_terminal_on_panic);
        let backend = CrosstermBackend::new(open_output()?);
        enable_raw_screen()?;
        Ok(Self {
            terminal: ratatui::Terminal::new(backend).inspect_err(|_| restore_terminal())?,
            uncertain_rows: UncertainRows::default(),
        })
    }

    /// Draws what has changed.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Result<()> {
        let rows = &mut self.uncertain_rows;
        let draw_and_erase = |frame: &mut Frame<'_>| {
            draw(frame);
            erase_rows(&rows.mark_rows(frame.buffer_mut()))
        };
        self.terminal.try_draw(draw_and_erase).map(drop)
    }

    /// Draws everything at the next time.
    ///
    /// # Errors
    /// As [`Self::draw`].
    pub(crate) fn clear(&mut self) -> Result<()> {
        self.uncertain_rows.clear();
        // `Terminal::clear` asks the terminal on stdout where the cursor stands, and stdout may be a pipe.
        let area = Rect::from(self.terminal.size()?);
        self.terminal.resize(area)
    }

    /// Puts a text on the clipboard.
    ///
    /// # Errors
    /// As [`Self::draw`].
    pub(crate) fn copy(&mut self, text: &str) -> Result<()> {
        clipboard::copy_to_clipboard(text, &mut open_output()?)
    }

    /// Gives the terminal back, stops the job as Ctrl-Z does where there is such a thing, and takes the terminal again when
    /// it is continued.
    ///
    /// # Errors
    /// As [`Self::draw`].
    pub(crate) fn suspend(&mut self) -> Result<()> {
        restore_terminal();
        #[cfg(unix)]
        crate::job_control::stop_job()?;
        self.resume()
    }

    /// Takes the terminal again after whoever had it meanwhile.
    ///
    /// # Errors
    /// As [`Self::draw`].
    pub(crate) fn resume(&mut self) -> Result<()> {
        enable_raw_screen()?;
        self.clear()
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        restore_terminal();
    }
}

/// Opens the terminal to write on.
fn open_output() -> Result<Box<dyn Write>> {
    let stdout = std::io::stdout();
    match stdout.is_terminal() {
        true => Ok(Box::new(stdout)),
        #[cfg(unix)]
        false => {
            let terminal = fs_err::OpenOptions::new().write(true).open("/dev/tty")?;
            Ok(Box::new(std::io::LineWriter::new(terminal)))
        }
        #[cfg(not(unix))]
        false => Ok(Box::new(std::io::stderr())),
    }
}

/// Erases rows of the screen.
fn erase_rows(rows: &[u16]) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut output = open_output()?;
    for row in rows {
        queue!(output, MoveTo(0, *row), Clear(ClearType::UntilNewLine))?;
    }
    output.flush()
}

fn enable_raw_screen() -> Result<()> {
    IS_TAKEN.store(true, Ordering::SeqCst);
    let mut output = open_output()?;
    let taken = enable_raw_mode().and_then(|()| enter_screen(&mut output));
    taken.inspect_err(|_| restore_terminal())
}

/// Begins the picker's screen. Without an alternate screen there is text of others on it. A row that a terminal takes for wider than
/// it is must not reach into the next one.
fn enter_screen(output: &mut impl Write) -> Result<()> {
    execute!(
        output,
        EnterAlternateScreen,
        Clear(ClearType::All),
        DisableLineWrap,
        EnableMouseCapture,
        EnableBracketedPaste
    )
}

/// Ends the picker's screen. Without an alternate screen what follows stands below it.
fn leave_screen(output: &mut impl Write) -> Result<()> {
    execute!(
        output,
        DisableBracketedPaste,
        DisableMouseCapture,
        EnableLineWrap,
        MoveTo(0, LAST_ROW),
        Print("\r\n"),
        LeaveAlternateScreen,
        Show
    )
}

/// Gives the terminal back, once. What fails has no one who could be told.
fn restore_terminal() {
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = disable_raw_mode();
    if let Ok(mut output) = open_output() {
        let _ = leave_screen(&mut output);
    }
}

/// Lets the message of a panic be read: it would be lost with the picker's screen.
fn restore_terminal_on_panic() {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        restore_terminal();
        previous(info);
    }));
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use session_test::process::wait_until;
    use session_test::tmux::TmuxTerminal;
    use std::process::Command;

    #[test]
    fn a_terminal_without_an_alternate_screen_is_cleared_and_left_below() {
        let written = |write: fn(&mut Vec<u8>) -> Result<()>| {
            let mut out = Vec::new();
            write(&mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let entered = written(enter_screen);
        assert!(entered.starts_with("\x1b[?1049h\x1b[2J"), "{entered:?}");
        let left = written(leave_screen);
        assert!(left.contains("\x1b[9999;1H\r\n\x1b[?1049l"), "{left:?}");
    }

    #[test]
    #[ignore = "panics: run on a terminal by the test below"]
    fn panic_on_the_screen() {
        let mut screen = TerminalScreen::open().unwrap();
        screen
            .draw(|frame| frame.render_widget("the picker", frame.area()))
            .unwrap();
        wait_for_key("x");
        panic!("the lantern fell");
    }

    fn wait_for_key(key: &str) {
        let is_pressed = |event| matches!(event, Ok(crossterm::event::Event::Key(pressed)) if pressed.code.to_string() == key);
        while !is_pressed(crossterm::event::read()) {}
    }

    #[test]
    #[ignore = "draws: run on a terminal by the test below"]
    fn redraw_uncertain_rows() {
        let mut screen = TerminalScreen::open().unwrap();
        for (text, key) in [
            ("हिन्दी में शीर्षक, ภาษาไทยไม่มี, 🇩🇪🇫🇷🇯🇵 end", "x"),
            ("it is short", "y"),
        ] {
            let draw = |frame: &mut Frame<'_>| frame.render_widget(text, frame.area());
            screen.draw(draw).unwrap();
            wait_for_key(key);
        }
    }

    #[test]
    #[ignore = "stops: run on a terminal by the tests below"]
    fn stop_on_the_screen() {
        let mut screen = TerminalScreen::open().unwrap();
        for (text, key) in [("the picker", "z"), ("it goes on", "x")] {
            let draw = |frame: &mut Frame<'_>| frame.render_widget(text, frame.area());
            screen.draw(draw).unwrap();
            wait_for_key(key);
            if key == "z" {
                screen.suspend().unwrap();
            }
        }
    }

    /// The shell command that runs a test which needs a terminal.
    fn command_of(test: &str) -> String {
        let program = std::env::current_exe().unwrap();
        let test = format!("terminal::tests::{test}");
        format!("{} {test} --exact --ignored --nocapture", program.display())
    }

    #[test]
    fn where_no_shell_could_continue_it_the_screen_is_taken_again() {
        let folder = tempfile::tempdir().unwrap();
        let command = format!("{}; read -r line", command_of("stop_on_the_screen"));
        let terminal = TmuxTerminal::start(Command::new("tmux"), folder.path(), (60, 9), &command);
        terminal.wait_for_text("the picker");
        terminal.type_text("z");
        terminal.wait_for_text("it goes on");
        terminal.type_text("x");
        terminal.wait_for_text("test result: ok");
    }

    #[test]
    fn the_program_that_started_it_stops_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let shell = "exec env PS1='ready> ' bash --norc --noprofile";
        let terminal = TmuxTerminal::start(Command::new("tmux"), folder.path(), (99, 50), shell);
        terminal.wait_for_text("ready>");
        let picker = command_of("stop_on_the_screen");
        terminal.type_text(&format!("sh -c '{picker}; echo AF\"\"TER'"));
        terminal.press_keys(&["Enter"]);
        terminal.wait_for_text("the picker");
        terminal.type_text("z");
        terminal.wait_for_text("Stopped");
        terminal.type_text("fg");
        terminal.press_keys(&["Enter"]);
        terminal.wait_for_text("it goes on");
        terminal.type_text("x");
        terminal.wait_for_text("AFTER");
    }

    #[test]
    fn nothing_stays_of_text_whose_width_terminals_disagree_about() {
        let folder = tempfile::tempdir().unwrap();
        let command = command_of("redraw_uncertain_rows");
        let terminal = TmuxTerminal::start(Command::new("tmux"), folder.path(), (60, 5), &command);
        terminal.wait_for_text("end");
        terminal.type_text("x");
        terminal.wait_for_text("it is short");
        assert_eq!(terminal.screen().trim(), "it is short");
        terminal.type_text("y");
    }

    #[test]
    fn the_terminal_is_given_back_on_panic() {
        let folder = tempfile::tempdir().unwrap();
        let picker = command_of("panic_on_the_screen");
        let command = format!("{picker}; stty -a; read -r line");
        let terminal =
            TmuxTerminal::start(Command::new("tmux"), folder.path(), (100, 50), &command);
        terminal.wait_for_text("the picker");
        assert!(!terminal.screen().contains("running 1 test"));
        terminal.type_text("x");
        terminal.wait_for_text("the lantern fell");
        wait_until(
            || terminal.screen().contains(" icanon"),
            || terminal.screen(),
        );
        let screen = terminal.screen();
        assert!(screen.contains("running 1 test"), "{screen}");
        assert!(!screen.contains("the picker"), "{screen}");
    }
}
