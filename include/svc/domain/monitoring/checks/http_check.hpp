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

/// The configured part of an http check's `config` that evaluates the answer. A value.
struct http_expectations {
  struct json_node {
    std::string path;
    std::optional<expected_value> expected{};  ///< empty: any value is enough
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

/// Evaluates answers. Immutable; created once for each version of a configuration.
class http_assertions {
 public:
  /// Returns `validation_failed` with a JSON pointer into `config` for each fault.
  static result<http_assertions> make(http_expectations settings);

  /// Evaluates status code, keyword, `responseBodyJsonPath` and assertions in this order; the first that does not
  /// hold is the result. Assertions with `onFail: degraded` come after all others. The first of them that does not
  /// hold makes the result degraded, as does `degradedAfterMs`. A keyword is found whatever its case (simple case
  /// folding of Unicode, in UTF-8). The search for a keyword that must be absent covers the received part of the
  /// body.
  ///
  /// The function masks secrets in the whole result; names of headers that hold secrets keep no value.
  result_of_check evaluate(answer const& answer, secret_patterns_ptr const& secrets) const;

  /// Returns the maximum cost of `evaluate` for this answer, in steps of about 8 ns.
  std::uint64_t most_steps(answer const& answer) const;

  /// Returns the result of an attempt without a whole answer: `answer` is the received part.
  result_of_check failed(failure failure, answer const& answer, secret_patterns_ptr const& secrets) const;

  std::vector<assertion> const& assertions() const { return assertions_; }

 private:
  http_assertions() = default;

  static result_of_check known_of(answer const& answer);
  /// Completes a result that is not good: status, masked message, capture.
  void end(result_of_check& out, answer const& answer, secret_patterns_ptr const& secrets) const;

  std::optional<failure> first_failure(answer const& answer, assertion_context& shared,
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

/// Returns true if the value of a header with this name is a secret: `Authorization`, `Proxy-Authorization`,
/// `Cookie`, `Set-Cookie`, and names with `key`, `token` or `secret` in them.
bool is_secret_header(std::string_view name);

}  // namespace svc::checks
