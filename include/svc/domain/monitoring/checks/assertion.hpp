#pragma once

#include "svc/core/masker.hpp"
#include "svc/domain/monitoring/checks/json_path.hpp"
#include "svc/domain/monitoring/checks/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace re2 {
class RE2;
}

namespace svc::checks {

/// A target's answer: everything that assertions can ask about. `body` is not owned.
struct answer {
  std::optional<int> status{};
  std::vector<header> headers{};
  std::string_view body{};
  bool truncated = false;  ///< the body continues after `maxBodyBytes`
  timings phases{};
  std::uint32_t response_time_ms = 0;
  std::string ip_address{};
  std::string http_version{};
  int redirects = 0;
  std::optional<certificate> tls{};
  std::vector<std::string> dns_answers{};
  timestamp time{};  ///< when the check started
};

enum class source : std::uint8_t { status, header, body, json, response_time_ms, certificate_days, ip, dns_answer };
enum class comparison : std::uint8_t {
  equals,
  not_equals,
  contains,
  not_contains,
  matches,
  not_matches,
  less_than,
  greater_than,
  exists,
  not_exists,
  empty,
  not_empty,
};
std::optional<source> source_named(std::string_view name);
std::optional<comparison> comparison_named(std::string_view name);

/// A JSON scalar. `std::monostate` is null, and also means no value.
using expected_value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// An assertion in its configured form.
struct assertion_settings {
  source source;
  std::string property{};  ///< a header's name, or a JSONPath
  comparison comparison;
  expected_value expected{};
  bool soft = false;  ///< `onFail: degraded`
};

/// The shared state of the assertions about one answer: its body as JSON, parsed at the first use, and the remaining
/// cost limit of their regular expressions. The object lives during the evaluation of one answer.
///
/// The JSON is not read strictly: the last of equal names counts, and invalid UTF-8 and a byte order mark are
/// accepted. Its limits bound the cost that a hostile target could cause: 128 levels, 500 000 values, and members
/// whose names all collide (10 000 in one object, fewer in several).
class assertion_context {
 public:
  /// The steps that the regular expressions of one answer may take: half a second at worst.
  static constexpr std::uint64_t most_steps = std::uint64_t{1} << 26;
  /// The same limit for a search in a turn of the event loop: 40 ms at worst.
  static constexpr std::uint64_t most_steps_of_turn = std::uint64_t{1} << 22;

  explicit assertion_context(std::string_view body, std::uint64_t steps = most_steps)
      : body_(body), regex_left_(steps) {}

  /// Returns null when the body is no JSON; `fault` then has the reason.
  boost::json::value const* json();
  std::string_view fault() const { return fault_; }

  /// Returns the number of bytes that an expression of this size (re2::RE2::ProgramSize) may search. RE2 takes at
  /// worst time proportional to both. The constructor's `steps` limit the sum of these products for all expressions
  /// of one answer.
  std::size_t may_search(int size) const;
  void searched(std::size_t bytes, int size);

 private:
  std::string_view body_;
  bool tried_ = false;
  std::string_view fault_{};
  std::optional<boost::json::value> json_{};
  std::uint64_t regex_left_;
};

/// A comparison that holds or not. Its subject may occur several times (headers of one name, nodes of a JSONPath).
/// The comparison holds if any occurrence fits, its `not_` form if none does. Therefore these rules apply:
///
/// - Without any occurrence, `empty` and all `not_` forms except `not_empty` hold.
/// - No comparison holds, `not_` forms included, if the result is unknown. It is unknown for a body that is
///   no JSON, and for a path to more than 1000 nodes. It is also unknown for a text that is too long for its
///   pattern and has no match in the searched part.
/// - `exists` holds on a JSON null. `less_than` and `greater_than` compare numbers and texts that spell a
///   number.
/// - `equals` also holds between a number, true, false or null and a text that spells it; never for lists and
///   objects.
/// - `contains` looks for a part of a text, an equal element of a list, or a member's name in an object.
///
/// `dnsAnswer` is one text: the sorted answers, one per line. `matches` finds the pattern anywhere. Immutable.
class assertion {
 public:
  /// Returns `validation_failed` with the member (`/property`, `/expected`, `/comparison`) of each fault.
  static result<assertion> make(assertion_settings settings);
  static constexpr std::size_t longest_pattern = 500;

  bool soft() const { return set_.soft; }
  /// Returns null if the assertion has no pattern.
  std::shared_ptr<re2::RE2 const> const& pattern() const { return pattern_; }
  bool reads_json() const { return set_.source == source::json; }
  /// Returns the maximum cost on texts of that many bytes, without parsing JSON: in steps of about 8 ns.
  std::uint64_t most_steps(std::size_t bytes) const;
  /// Returns a description such as `header content-type contains json`.
  std::string describe() const;
  /// Returns `std::nullopt` if the assertion holds, otherwise the actual values one after the other, masked and cut.
  /// For a body it returns only the size: only `capture` shows the content.
  std::optional<std::string> failed(answer const& answer, assertion_context& shared,
                                    secret_patterns_ptr const& secrets) const;

 private:
  explicit assertion(assertion_settings settings) : set_(std::move(settings)) {}

  assertion_settings set_;
  json_path path_{};
  std::shared_ptr<re2::RE2 const> pattern_{};
};

inline constexpr std::size_t most_assertions = 20;

/// Makes the assertions of a configuration; adds faults to `wrong` with `/assertions/<index>` before their member.
/// Compiles no further regular expression once the sizes of their programs exceed `most_pattern_size`, and refuses
/// the rest.
std::vector<assertion> make_assertions(std::vector<assertion_settings> all, int most_pattern_size,
                                       std::vector<field_error>& wrong);

/// Returns the maximum cost of these assertions about this answer, in steps of about 8 ns; the tenant and its target
/// determine it together.
std::uint64_t most_steps_of(std::vector<assertion> const& all, answer const& answer);

/// Makes `out` a failure by the first hard assertion that does not hold. If all hard ones hold, the first
/// soft assertion that does not hold makes `out` degraded. The caller sets `out.ended`.
void apply_assertions(std::vector<assertion> const& all, answer const& answer, assertion_context& shared,
                      secret_patterns_ptr const& secrets, result_of_check& out);

}  // namespace svc::checks
