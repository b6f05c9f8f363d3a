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

/// The texts that fold a part of a CI's log and name the failures, in the language of the CI system; without a CI
/// system, empty texts. Output of a run cannot imitate them. GitHub Actions reads commands from the log. Therefore
/// `begin` and `end` stop them (`::stop-commands::`) around foreign text, with a token that cannot be guessed.
/// GitLab's marks need a carriage return, which `harmless` shows as `\r`. Everything goes to one output, because a CI
/// reads two in no particular order. A value.
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
  /// An error that the CI shows next to the change; not between `begin` and `end`.
  std::string error(std::string_view title, std::string_view message) const;

 private:
  ci_system system_;
  std::function<std::string()> token_;
  std::string stopped_by_{};  ///< the token that ends the present stop
  std::string group_{};
};

/// Returns Markdown that shows the text and takes no part of it as syntax: within a line, and as separate lines.
std::string markdown_text(std::string_view text);
std::string markdown_block(std::string_view lines);

}  // namespace svc::cli
