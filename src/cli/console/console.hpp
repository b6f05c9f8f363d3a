#pragma once

#include "svc/core/secret.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::cli {

/// How results are written.
enum class format : std::uint8_t {
  text,      ///< tables and sentences for people
  json,      ///< `--json`: what the API answered; one object, or an object a line for streams; errors too, on stderr
  quiet,     ///< `--quiet`: ids only
  templated  ///< `--template`: the members it names, a line for each row
};

/// What the program finds at its ends. A value.
struct surroundings {
  bool out_terminal = false, err_terminal = false, in_terminal = false;
  bool colour_refused = false;  ///< `NO_COLOR` is set and not empty (no-color.org), or `TERM` is `dumb`
  bool dumb = false;            ///< `TERM` is `dumb`: no line can be written over
  int columns_wanted = 0;       ///< `COLUMNS`; 0: not set

  static surroundings of_process();
};

/// The output streams. Data goes to stdout, everything else to stderr. Text that came from elsewhere is made harmless
/// before a terminal sees it (`harmless`). One for the program; it owns neither descriptor.
///
/// Data is kept back until there is much of it, `flush`, or the end; on a terminal it is written at once.
class console {
 public:
  explicit console(surroundings const& around = surroundings::of_process(), int out = 1, int err = 2);

  /// Set by the global options, before anything is written. `colour_wanted` beats `NO_COLOR`. Throws `bad_usage` for
  /// a template that is wrong.
  void choose(format format, std::string template_text, bool colour_wanted, bool colour_refused);

  /// Tables keep all columns and whole ids, however wide they become.
  void keep_everything(bool wide) { wide_ = wide; }
  bool keeps_everything() const { return wide_; }

  format how() const { return format_; }
  std::string const& template_text() const { return template_; }
  bool out_is_terminal() const { return around_.out_terminal; }
  bool err_is_terminal() const { return around_.err_terminal; }
  bool in_is_terminal() const { return around_.in_terminal; }
  bool colour_out() const { return colour_out_; }
  bool colour_err() const { return colour_err_; }
  /// Columns of the terminal at stdout, or `COLUMNS` when stdout is one; 0: no terminal, no limit.
  int width() const;

  /// Data, as it is. When nobody reads stdout any more (`svc job list | head -1`), the command ends quietly with 0,
  /// as its reader has what it wanted: `failure` with `exit_code::ok` (but see `outlive_reader`). Throws `failure`
  /// with `exit_code::unreachable` when it cannot be written (a full disk).
  void data(std::string_view bytes);
  void data_line(std::string_view line);
  /// Writes what was kept back: for data that somebody waits for. Throws as `data` does.
  void flush();
  /// From now on data that nobody reads is dropped, and the command goes on: for those whose exit code is the result
  /// (waiting for a run).
  void outlive_reader() { outlives_reader_ = true; }

  /// A sentence beside the data, to stderr; not with `--quiet`.
  void note(std::string_view sentence);
  /// "warning: ...", to stderr, also with `--quiet`.
  void warn(std::string_view sentence);
  /// As it is, to stderr. Never throws: there is no place left to say so.
  void beside(std::string_view bytes);
  /// Replaces the line of progress on a terminal, at most ten times a second; nothing elsewhere, nor with `--quiet`.
  /// Any other output clears it first; empty clears. The line is harmless text; it may have colours.
  void progress(std::string_view line);

  /// Asks on the terminal, on stderr; what is typed is not shown. Throws `bad_usage` when stdin is no terminal or
  /// ends, `interrupted` on Ctrl-C.
  secret_string ask_hidden(std::string_view prompt);
  /// Asks yes or no on the terminal; anything but `y` and `yes` is no.
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
