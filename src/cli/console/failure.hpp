#pragma once

#include <boost/json/object.hpp>

#include <stdexcept>
#include <string>

namespace svc::cli {

/// The meaning of the program's exit code for the script that started it. docs/cli.md documents the codes; the
/// program returns no others.
enum class exit_code : int {
  ok = 0,             ///< success; for a run: it passed
  refused = 1,        ///< the run did not pass, or the service refused the operation
  not_allowed = 2,    ///< no credential, a bad one, or one without the permission (401, 403)
  usage = 3,          ///< wrong arguments or configuration; nothing was sent
  unreachable = 4,    ///< network, TLS, or the service itself (5xx, and 429 after all tries)
  deadline = 5,       ///< the time of `--timeout` has passed; started work continues
  interrupted = 130,  ///< SIGINT or SIGTERM
};

/// Ends the command. Any function may throw it. program.cpp catches it; other functions catch it only to add a hint
/// (`retold`). `what()` is a sentence for people and never holds a secret.
class failure : public std::runtime_error {
 public:
  /// `code` is a stable name for programs, like the codes of the service's errors. `hint` is a sentence with the
  /// remedy, or empty.
  failure(exit_code exit, std::string code, std::string const& sentence, std::string hint = {})
      : std::runtime_error(sentence), exit_(exit), code_(std::move(code)), hint_(std::move(hint)) {}

  /// Returns the same failure with another sentence, for a caller that knows more: which run continues, and how to
  /// watch it again.
  failure retold(std::string const& sentence, std::string hint) const {
    failure out(exit_, code_, sentence, std::move(hint));
    out.more_ = more_;
    return out;
  }

  exit_code exit() const { return exit_; }
  std::string const& code() const { return code_; }
  std::string const& hint() const { return hint_; }
  /// Members for `--json` in addition to `error`, `code` and `exitCode`: `requestId`, `status`, `details`, `runId`.
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

/// Returns the failure for wrong arguments.
inline failure bad_usage(std::string const& sentence, std::string hint = {}) {
  return {exit_code::usage, "usage", sentence, std::move(hint)};
}

}  // namespace svc::cli
