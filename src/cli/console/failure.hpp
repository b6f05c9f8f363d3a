#pragma once

#include <boost/json/object.hpp>

#include <stdexcept>
#include <string>

namespace svc::cli {

/// What the program's end means to the script that started it. Documented in docs/cli.md; nothing else is returned.
enum class exit_code : int {
  ok = 0,             ///< done; of a run: it passed
  refused = 1,        ///< the run did not pass, or the service refused the operation
  not_allowed = 2,    ///< no credential, a bad one, or one without the permission (401, 403)
  usage = 3,          ///< wrong arguments or configuration; nothing was sent
  unreachable = 4,    ///< network, TLS, or the service itself (5xx, and 429 after all tries)
  deadline = 5,       ///< `--timeout` is over; what was started goes on
  interrupted = 130,  ///< SIGINT or SIGTERM
};

/// Ends the command: thrown anywhere, caught in program.cpp, before that only to add what to do (`retold`). `what()`
/// is a sentence for people and never holds a secret.
class failure : public std::runtime_error {
 public:
  /// `code`: a stable name for programs, as the service's errors have one. `hint`: what to do, a sentence or empty.
  failure(exit_code exit, std::string code, std::string const& sentence, std::string hint = {})
      : std::runtime_error(sentence), exit_(exit), code_(std::move(code)), hint_(std::move(hint)) {}

  /// The same in other words, for who knows more of it: which run goes on, and how to watch it again.
  failure retold(std::string const& sentence, std::string hint) const {
    failure out(exit_, code_, sentence, std::move(hint));
    out.more_ = more_;
    return out;
  }

  exit_code exit() const { return exit_; }
  std::string const& code() const { return code_; }
  std::string const& hint() const { return hint_; }
  /// Members for `--json` beside `error`, `code` and `exitCode`: `requestId`, `status`, `details`, `runId`.
  boost::json::object const& more() const { return more_; }
  failure with(std::string_view member, boost::json::value value) && {
    more_[member] = std::move(value);
    return std::move(*this);
  }

 private:
  exit_code exit_;
  std::string code_;
  std::string hint_;
  boost::json::object more_;
};

/// Wrong arguments.
inline failure bad_usage(std::string const& sentence, std::string hint = {}) {
  return {exit_code::usage, "usage", sentence, std::move(hint)};
}

}  // namespace svc::cli
