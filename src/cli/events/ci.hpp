#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace svc::cli {

/// Where the program's output is read, as far as that changes its form.
enum class ci_system : std::uint8_t { none, github, gitlab };

/// By `GITHUB_ACTIONS=true` and `GITLAB_CI=true`. `variable`: the value of an environment variable, nullptr if there
/// is none.
ci_system detect_ci(std::function<char const*(char const*)> const& variable);

/// The texts that fold a part of a CI's log and name the failures, in the language of the CI system; without one,
/// none. Nothing that a run prints can speak that language: in GitHub Actions, whose log is also its command line,
/// commands are stopped (`::stop-commands::`) by a token that cannot be guessed, whenever `begin` and `end` have text
/// of others between them; GitLab's marks need a carriage return, which `harmless` shows as `\r`. Everything goes to
/// one output, because a CI reads two in no particular order. A value.
class ci_log {
 public:
  /// `token`: a new random text at each call.
  ci_log(ci_system system, std::function<std::string()> token) : system_(system), token_(std::move(token)) {}

  ci_system of() const { return system_; }
  /// Before a foldable part. `name`: letters, digits and hyphens; `now`: seconds since 1970.
  std::string begin_group(std::string_view name, std::string_view title, std::int64_t now);
  std::string end_group(std::int64_t now);
  /// Marks the start and the end of foreign text that is not folded.
  std::string begin();
  std::string end();
  /// An error that the CI shows next to the change; outside of parts.
  std::string error(std::string_view title, std::string_view message) const;

 private:
  ci_system system_;
  std::function<std::string()> token_;
  std::string stopped_by_{};  ///< the token that ends the present stop
  std::string group_{};
};

/// Markdown, in which nothing of `text` is syntax: in a line, and as lines of their own.
std::string markdown_text(std::string_view text);
std::string markdown_block(std::string_view lines);

}  // namespace svc::cli
