#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace svc::app::dev {

/// True if a line of standard error belongs on a terminal: it is no line of a log, or one that warns. Pure.
bool is_for_terminal(std::string_view line);

/// Keeps the log off a terminal that people read. While it exists, everything that this process and its children
/// write to standard error goes to a file, and what `is_for_terminal` accepts to the terminal too. Owned by `svcd
/// dev`; create it before other threads and children start, destroy it after they have ended.
class terminal_log {
 public:
  /// Empties the file. Throws `std::system_error` if it cannot be opened.
  explicit terminal_log(std::string const& path);
  ~terminal_log();
  terminal_log(terminal_log const&) = delete;
  terminal_log& operator=(terminal_log const&) = delete;

  /// Returns true if standard error is a terminal.
  static bool wanted();

 private:
  void copy_lines() const;
  void copy_line(std::string_view line) const;

  int file_ = -1;
  int terminal_ = -1;  ///< standard error before
  int pipe_ = -1;      ///< the end that is read
  std::thread thread_;
};

}  // namespace svc::app::dev
