#pragma once

#include "svc/core/secret.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::cli {

/// The format of results.
enum class format : std::uint8_t {
  text,      ///< tables and sentences for people
  json,      ///< `--json`: the API's answer; one object, or one object per line for streams; errors too, on stderr
  quiet,     ///< `--quiet`: ids only
  templated  ///< `--template`: the members that it names, one line per row
};

/// The properties of the program's terminals and environment. A value.
struct surroundings {
  bool out_terminal = false, err_terminal = false, in_terminal = false;
  bool colour_refused = false;  ///< `NO_COLOR` is set and not empty (no-color.org), or `TERM` is `dumb`
  bool dumb = false;            ///< `TERM` is `dumb`: the terminal cannot overwrite a line
  int columns_wanted = 0;       ///< `COLUMNS`; 0: not set

  static surroundings of_process();
};

/// The output streams. Data goes to stdout, everything else to stderr. The console makes foreign text harmless before
/// a terminal shows it (`harmless`). The program has one console, which owns neither descriptor.
///
/// The console buffers data until the buffer is large, or until `flush` or the end. On a terminal it writes data at
/// once.
class console {
 public:
  explicit console(surroundings const& around = surroundings::of_process(), int out = 1, int err = 2);

  /// Sets the global options, before any output. `colour_wanted` overrides `NO_COLOR`. Throws `bad_usage` for a wrong
  /// template.
  void choose(format format, std::string template_text, bool colour_wanted, bool colour_refused);

  /// Makes tables keep all columns and whole ids, however wide they become.
  void keep_everything(bool wide) { wide_ = wide; }
  bool keeps_everything() const { return wide_; }

  format how() const { return format_; }
  std::string const& template_text() const { return template_; }
  bool out_is_terminal() const { return around_.out_terminal; }
  bool err_is_terminal() const { return around_.err_terminal; }
  bool in_is_terminal() const { return around_.in_terminal; }
  /// Returns true if a question can be asked: its text appears on stderr, and stdin has the answer.
  bool can_ask() const { return around_.in_terminal && around_.err_terminal; }
  bool colour_out() const { return colour_out_; }
  bool colour_err() const { return colour_err_; }
  /// Returns the columns of the terminal at stdout, or `COLUMNS` when stdout is a terminal; 0: no terminal, no limit.
  int width() const;

  /// Writes data unchanged. When stdout has no reader any more (`svc job list | head -1`), the command ends quietly
  /// with 0, because its reader has enough. The function then throws `failure` with `exit_code::ok` (but see
  /// `outlive_reader`). Throws `failure` with `exit_code::unreachable` when it cannot write (a full disk).
  void data(std::string_view bytes);
  void data_line(std::string_view line);
  /// Writes the buffered data: for data that a reader waits for. Throws as `data` does.
  void flush();
  /// Drops data from now on if it has no reader, and lets the command continue: for commands whose exit code is the
  /// result (waiting for a run).
  void outlive_reader() { outlives_reader_ = true; }

  /// Prints a sentence to stderr, but not with `--quiet`.
  void note(std::string_view sentence);
  /// Prints "warning: ..." to stderr, also with `--quiet`.
  void warn(std::string_view sentence);
  /// Writes the bytes unchanged to stderr. Never throws, because no stream is left for an error.
  void beside(std::string_view bytes);
  /// Replaces the progress line on a terminal, at most ten times a second. Does nothing elsewhere, or with `--quiet`.
  /// Any other output clears the line first, and an empty text clears it. The line is harmless text, possibly with
  /// colours.
  void progress(std::string_view line);

  /// Asks on the terminal, on stderr, and hides the user's input. Throws `bad_usage` when stdin is no terminal or
  /// ends, `interrupted` on Ctrl-C.
  secret_string ask_hidden(std::string_view prompt);
  /// Asks yes or no on the terminal; any answer but `y` and `yes` is no.
  bool ask_yes(std::string_view question);

 private:
  void clear_progress();
  std::string read_typed_line();

  surroundings around_;
  int out_, err_;
  format format_ = format::text;
  std::string template_;
  std::string kept_;  ///< data that is not written yet
  bool colour_out_ = false, colour_err_ = false;
  bool wide_ = false;
  bool outlives_reader_ = false, reader_gone_ = false;
  bool progress_shown_ = false;
  std::chrono::steady_clock::time_point progress_drawn_{};
};

}  // namespace svc::cli
