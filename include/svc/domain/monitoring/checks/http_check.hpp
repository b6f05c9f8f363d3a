#pragma once

#include "svc/domain/monitoring/checks/assertion.hpp"
#include "svc/domain/monitoring/checks/pattern.hpp"
#include "svc/domain/monitoring/checks/result.hpp"
#include "svc/domain/monitoring/checks/status_codes.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::checks {

/// The part of the `config` of an http check that judges its answer, as it is configured. A value.
struct http_expectations {
  struct json_node {
    std::string path;
    std::optional<expected_value> expected{};  ///< nothing: that it is there is enough
  };
  std::string expected_status_codes{status_codes::usual};
  std::optional<std::string> keyword{};  ///< `keywordInBody`
  bool keyword_present = true;
  std::optional<json_node> json{};  ///< `responseBodyJsonPath`
  std::vector<assertion_settings> assertions{};
  int most_pattern_size = unlimited_pattern_size;  ///< of all assertions
  std::optional<std::uint32_t> degraded_after_ms{};
  bool capture = false;  ///< `on_failure`
};

class keyword;

inline constexpr std::size_t longest_keyword = 1000;  ///< characters

/// Judges answers. Immutable; made once for each version of a configuration.
class http_judge {
 public:
  /// `validation_failed` with a JSON pointer into `config` for each fault.
  static result<http_judge> make(http_expectations settings);

  /// In this order, and the first that does not hold is the result: status code, keyword, `responseBodyJsonPath`,
  /// assertions. Those with `onFail: degraded` come after all others: the first of them that does not hold makes the
  /// result degraded, as does `degradedAfterMs`. A keyword is found whatever its case (simple case folding of
  /// Unicode, in UTF-8); one that must be absent is looked for in what was read of the body.
  ///
  /// Secrets are masked in all that the result holds; names of headers that hold secrets keep no value.
  result_of_check judge(answer const& answer, secret_patterns_ptr const& secrets) const;

  /// The most that `judge` may cost for this answer, in steps of about 8 ns.
  std::uint64_t most_steps(answer const& answer) const;

  /// The result of an attempt that got no whole answer: `answer` is what came of it.
  result_of_check failed(failure failure, answer const& answer, secret_patterns_ptr const& secrets) const;

  std::vector<assertion> const& assertions() const { return assertions_; }

 private:
  http_judge() = default;

  static result_of_check known_of(answer const& answer);
  /// Of what did not end well: status, masked message, capture.
  void end(result_of_check& out, answer const& answer, secret_patterns_ptr const& secrets) const;

  std::optional<failure> first_failure(answer const& answer, judging& shared,
                                       secret_patterns_ptr const& secrets) const;
  std::optional<failure> keyword_failure(answer const& answer) const;

  status_codes codes_{};
  std::string codes_text_{};
  std::shared_ptr<keyword const> keyword_{};
  bool keyword_present_ = true;
  std::optional<assertion> json_{};
  std::vector<assertion> assertions_{};
  std::optional<std::uint32_t> degraded_after_ms_{};
  bool capture_ = false;
};

/// Whether the value of a header so named is a secret: `Authorization`, `Proxy-Authorization`, `Cookie`,
/// `Set-Cookie`, and names with `key`, `token` or `secret` in them.
bool is_secret_header(std::string_view name);

}  // namespace svc::checks
