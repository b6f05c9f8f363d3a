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

/// What a target answered: all that assertions can ask about. `body` is not owned.
struct answer {
  std::optional<int> status{};
  std::vector<header> headers{};
  std::string_view body{};
  bool truncated = false;  ///< the body goes on behind `maxBodyBytes`
  timings phases{};
  std::uint32_t response_time_ms = 0;
  std::string ip_address{};
  std::string http_version{};
  int redirects = 0;
  std::optional<certificate> tls{};
  std::vector<std::string> dns_answers{};
  timestamp time{};  ///< when the check began
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

/// A JSON scalar; `std::monostate` is null, and also stands for no value.
using expected_value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// An assertion as it is configured.
struct assertion_settings {
  source source;
  std::string property{};  ///< a header's name, or a JSONPath
  comparison comparison;
  expected_value expected{};
  bool soft = false;  ///< `onFail: degraded`
};

/// What the assertions about one answer share: its body as JSON, read when one first asks for that, and what their
/// regular expressions may still cost. Lives while one answer is judged.
///
/// The JSON is not read strictly: the last of equal names counts, invalid UTF-8 and a byte order mark are taken. It
/// is bounded by what a hostile target could make expensive: 128 levels, 500 000 values, and members whose names all
/// collide (10 000 in one object, less in several).
class judging {
 public:
  /// The steps that the regular expressions of one answer may take: half a second at worst.
  static constexpr std::uint64_t most_steps = std::uint64_t{1} << 26;
  /// The same where they are searched in a turn of the event loop: 40 ms at worst.
  static constexpr std::uint64_t most_steps_of_turn = std::uint64_t{1} << 22;

  explicit judging(std::string_view body, std::uint64_t steps = most_steps) : body_(body), regex_left_(steps) {}

  /// Null when there is none; `fault` says why then.
  boost::json::value const* json();
  std::string_view fault() const { return fault_; }

  /// How many bytes an expression of this size (re2::RE2::ProgramSize) may search. RE2 takes at worst time
  /// proportional to both: `steps` of their product is for all expressions of one answer.
  std::size_t may_search(int size) const;
  void searched(std::size_t bytes, int size);

 private:
  std::string_view body_;
  bool tried_ = false;
  std::string_view fault_{};
  std::optional<boost::json::value> json_{};
  std::uint64_t regex_left_;
};

/// A comparison that holds or not. What it is about may be there several times (headers of one name, nodes of a
/// JSONPath): it holds if any fits, its `not_` form if none does. So these hold:
///
///   - `empty` when there is nothing at all, and `not_empty` does not then; the other `not_` forms do;
///   - none, `not_` forms included, where nobody can say: on a body that is no JSON, a path that leads to more than
///     1000 nodes, a text that is too long for its pattern and has no match up to there;
///   - `exists` on a null of JSON; `less_than` and `greater_than` on numbers and texts that spell one;
///   - `equals` between a number or true, false, null and a text that spells it, never for lists and objects;
///   - `contains` on a text for a part of it, on a list for an element that is equal, on an object for a member's
///   name.
///
/// `dnsAnswer` is one text: the answers sorted, a line each. `matches` finds the pattern anywhere. Immutable.
class assertion {
 public:
  /// `validation_failed` with the member (`/property`, `/expected`, `/comparison`) of each fault.
  static result<assertion> make(assertion_settings settings);
  static constexpr std::size_t longest_pattern = 500;

  bool soft() const { return set_.soft; }
  /// Null if it has none.
  std::shared_ptr<re2::RE2 const> const& pattern() const { return pattern_; }
  bool reads_json() const { return set_.source == source::json; }
  /// The most that it may cost on texts of so many bytes, without reading JSON: in steps of about 8 ns.
  std::uint64_t most_steps(std::size_t bytes) const;
  /// Such as `header content-type contains json`.
  std::string describe() const;
  /// Nothing if it holds, otherwise what stood there: values one after the other, masked and cut. A body is given by
  /// its size alone: what it holds is shown only by `capture`.
  std::optional<std::string> failed(answer const& answer, judging& shared, secret_patterns_ptr const& secrets) const;

 private:
  explicit assertion(assertion_settings settings) : set_(std::move(settings)) {}

  assertion_settings set_;
  json_path path_{};
  std::shared_ptr<re2::RE2 const> pattern_{};
};

inline constexpr std::size_t most_assertions = 20;

/// Makes the assertions of a configuration; faults are added to `wrong` with `/assertions/<index>` before their
/// place. Compiles no further regular expression once the sizes of their programs exceed `most_pattern_size`, and
/// refuses them.
std::vector<assertion> make_assertions(std::vector<assertion_settings> all, int most_pattern_size,
                                       std::vector<field_error>& wrong);

/// The most that these assertions about this answer may cost, in steps of about 8 ns: what a tenant and its target
/// chose together.
std::uint64_t most_steps_of(std::vector<assertion> const& all, answer const& answer);

/// The first that does not hold makes `out` a failure, or degraded if all of them that are not soft hold. Leaves
/// `out.ended` to the caller.
void apply_assertions(std::vector<assertion> const& all, answer const& answer, judging& shared,
                      secret_patterns_ptr const& secrets, result_of_check& out);

}  // namespace svc::checks
