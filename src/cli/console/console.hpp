#pragma once

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

/// The two output streams. Data goes to stdout, everything else to stderr. Text that came from elsewhere is made
/// harmless before a terminal sees it (`harmless`). One for the program.
class console {
 public:
  console();

  /// Set by the global options, before anything is written.
  void choose(format how, std::string template_text, bool colour_wanted, bool colour_refused);

  format how() const { return how_; }
  std::string const& template_text() const { return template_; }
  bool out_is_terminal() const { return out_terminal_; }
  bool err_is_terminal() const { return err_terminal_; }
  bool in_is_terminal() const;
  bool colour_out() const { return colour_out_; }
  bool colour_err() const { return colour_err_; }
  /// Columns of the terminal; 0: no terminal, no limit.
  int width() const;

  /// Data, as it is. Ends the program quietly when nobody reads stdout any more; throws `failure` when it cannot be
  /// written (a full disk).
  void data(std::string_view bytes);
  void data_line(std::string_view line);
  /// A sentence beside the data, to stderr; not with `--quiet`.
  void note(std::string_view sentence);
  /// "warning: ...", to stderr, also with `--quiet`.
  void warn(std::string_view sentence);
  /// As it is, to stderr.
  void beside(std::string_view bytes);
  /// Replaces the line of progress on a terminal; nothing elsewhere. Any other output clears it first; empty clears.
  void progress(std::string_view line);

 private:
  void clear_progress();

  format how_ = format::text;
  std::string template_;
  bool out_terminal_, err_terminal_;
  bool colour_out_ = false, colour_err_ = false;
  bool progress_shown_ = false;
};

}  // namespace svc::cli
