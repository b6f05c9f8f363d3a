#include "svc/domain/monitoring/checks/assertion.hpp"

#include "domain/monitoring/checks/json_cost.hpp"
#include "domain/monitoring/checks/node.hpp"
#include "domain/monitoring/checks/text.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/joined.hpp"
#include "svc/domain/monitoring/checks/masked.hpp"
#include "svc/domain/monitoring/checks/pattern.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>

namespace svc::checks {

namespace {

constexpr std::array<std::string_view, 8> sources{"status",         "header",          "body", "json",
                                                  "responseTimeMs", "certificateDays", "ip",   "dnsAnswer"};
constexpr std::array<std::string_view, 12> comparisons{"equals",  "not_equals",  "contains",  "not_contains",
                                                       "matches", "not_matches", "less_than", "greater_than",
                                                       "exists",  "not_exists",  "empty",     "not_empty"};

template <class Enum, std::size_t Size>
std::optional<Enum> named(std::array<std::string_view, Size> const& names, std::string_view name) {
  auto const found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

/// Returns the comparison without `not_`.
comparison positive(comparison comparison) {
  switch (comparison) {
    case comparison::not_equals:
      return comparison::equals;
    case comparison::not_contains:
      return comparison::contains;
    case comparison::not_matches:
      return comparison::matches;
    case comparison::not_exists:
      return comparison::exists;
    case comparison::not_empty:
      return comparison::empty;
    default:
      return comparison;
  }
}

std::optional<std::string> fault_of_expected(comparison comparison, expected_value const& expected) {
  bool const none = std::holds_alternative<std::monostate>(expected);
  auto const* text = std::get_if<std::string>(&expected);
  switch (positive(comparison)) {
    case comparison::exists:
    case comparison::empty:
      if (!none) return "must be left out with this comparison";
      return std::nullopt;
    case comparison::contains:
      if (none || (text != nullptr && text->empty())) return "must not be null or empty with this comparison";
      return std::nullopt;
    case comparison::matches:
      if (text == nullptr) return "must be a regular expression (RE2) with this comparison";
      if (text->size() > assertion::longest_pattern) {
        return "must have at most " + std::to_string(assertion::longest_pattern) + " bytes with this comparison";
      }
      return std::nullopt;
    case comparison::less_than:
    case comparison::greater_than:
      if (none || std::holds_alternative<bool>(expected) || (text != nullptr && !number_in(*text))) {
        return "must be a number with this comparison";
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

/// The part of an answer that an assertion checks.
struct subject {
  std::vector<node> nodes{};
  std::string_view unknown{};  ///< reason why its value cannot be determined
};

subject nodes_of_json(json_path const& path, answer const& answer, assertion_context& shared) {
  auto const* root = shared.json();
  if (root == nullptr)
    return {.unknown = answer.truncated ? "not JSON: the body continues after maxBodyBytes" : shared.fault()};
  auto const found = path.select(*root);
  if (found.too_many) return {.unknown = "more than 1000 nodes"};
  return {.nodes = {found.nodes.begin(), found.nodes.end()}};
}

subject nodes_of_header(std::string_view name, answer const& answer) {
  subject out;
  for (auto const& each : answer.headers) {
    if (iequals(each.name, name)) out.nodes.emplace_back(std::string_view(each.value));
  }
  return out;
}

/// Returns true if at least one node matches the pattern. Sets `about.unknown` if no match was found and the search
/// budget ended before the end of a text.
bool any_matches(subject& about, re2::RE2 const& pattern, assertion_context& shared) {
  for (auto const& each : about.nodes) {
    auto const whole = text_of(each);
    auto const text = std::string_view(whole).substr(0, shared.may_search(pattern.ProgramSize()));
    shared.searched(text.size(), pattern.ProgramSize());
    if (re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern)) {
      about.unknown = {};
      return true;
    }
    if (text.size() < whole.size()) about.unknown = "more text than its patterns may search";
  }
  return false;
}

bool fits(node const& n, assertion_settings const& set) {
  switch (positive(set.comparison)) {
    case comparison::equals:
      return is_equal(n, set.expected);
    case comparison::contains:
      return has(n, set.expected);
    case comparison::exists:
      return true;
    case comparison::empty:
      return is_empty(n);
    default:
      break;
  }
  auto const left = number_of(n), right = number_in(text_of(set.expected));
  if (!left || !right) return false;
  return set.comparison == comparison::less_than ? *left < *right : *left > *right;
}

std::string shown_nodes(std::vector<node> const& nodes, secret_patterns_ptr const& secrets) {
  if (nodes.empty()) return "nothing";
  std::string out;
  for (auto const& each : nodes) {
    if (out.size() >= longest_actual) break;
    if (!out.empty()) out += ", ";
    out += masked_beginning(secrets, text_of(each), longest_actual);
  }
  return cut(out, longest_actual);
}

}  // namespace

std::optional<source> source_named(std::string_view name) {
  return named<source>(sources, name);
}

std::optional<comparison> comparison_named(std::string_view name) {
  return named<comparison>(comparisons, name);
}

result<assertion> assertion::make(assertion_settings settings) {
  std::vector<field_error> wrong;
  assertion out(std::move(settings));
  auto const& set = out.set_;
  if (set.source == source::header) {
    if (!is_token(set.property)) wrong.push_back({"/property", "must be the name of a header"});
  } else if (set.source == source::json) {
    if (auto path = json_path::parse(set.property)) {
      out.path_ = std::move(*path);
    } else {
      wrong.push_back({"/property", path.error().message});
    }
  } else if (!set.property.empty()) {
    wrong.push_back({"/property", "must be left out with this source"});
  }
  if (auto const fault = fault_of_expected(set.comparison, set.expected)) {
    wrong.push_back({"/expected", *fault});
  } else if (positive(set.comparison) == comparison::matches) {
    out.pattern_ = compile_pattern(std::get<std::string>(set.expected));
    if (!out.pattern_->ok()) {
      wrong.push_back({"/expected", "must be a regular expression of RE2: " + out.pattern_->error()});
    }
  }
  if (wrong.empty()) return out;
  return error(errc::validation_failed, {}, std::move(wrong));
}

std::string assertion::describe() const {
  auto const comparison = positive(set_.comparison);
  bool const bare = comparison == comparison::exists || comparison == comparison::empty;
  std::array<std::string, 4> const words{
      std::string(sources[static_cast<std::size_t>(set_.source)]), shown(set_.property),
      std::string(comparisons[static_cast<std::size_t>(set_.comparison)]), bare ? "" : shown(text_of(set_.expected))};
  std::string out;
  for (auto const& word : words) {
    if (!word.empty()) out.append(out.empty() ? "" : " ").append(word);
  }
  return out;
}

std::optional<std::string> assertion::failed(answer const& answer, assertion_context& shared,
                                             secret_patterns_ptr const& secrets) const {
  subject about;
  std::string lines;
  switch (set_.source) {
    case source::status:
      if (answer.status) about.nodes.emplace_back(std::int64_t{*answer.status});
      break;
    case source::header:
      about = nodes_of_header(set_.property, answer);
      break;
    case source::body:
      about.nodes.emplace_back(answer.body);
      break;
    case source::json:
      about = nodes_of_json(path_, answer, shared);
      break;
    case source::response_time_ms:
      about.nodes.emplace_back(std::int64_t{answer.response_time_ms});
      break;
    case source::certificate_days:
      if (answer.tls) about.nodes.emplace_back(answer.tls->days_left(answer.time));
      break;
    case source::ip:
      if (!answer.ip_address.empty()) about.nodes.emplace_back(std::string_view(answer.ip_address));
      break;
    case source::dns_answer: {
      auto sorted = answer.dns_answers;
      std::ranges::sort(sorted);
      lines = joined(sorted, "\n");
      if (!sorted.empty()) about.nodes.emplace_back(std::string_view(lines));
      break;
    }
  }
  bool holds = pattern_ ? any_matches(about, *pattern_, shared)
                        : std::ranges::any_of(about.nodes, [&](node const& n) { return fits(n, set_); });
  if (!about.unknown.empty()) return std::string(about.unknown);
  // An absent value satisfies only `empty`.
  if (about.nodes.empty()) holds = positive(set_.comparison) == comparison::empty;
  if (holds == (positive(set_.comparison) == set_.comparison)) return std::nullopt;
  if (set_.source == source::body) return std::to_string(answer.body.size()) + " bytes";
  return shown_nodes(about.nodes, secrets);
}

std::vector<assertion> make_assertions(std::vector<assertion_settings> all, int most_pattern_size,
                                       std::vector<field_error>& wrong) {
  std::vector<assertion> out;
  if (all.size() > most_assertions) wrong.push_back({"/assertions", "must have at most 20 assertions"});
  std::int64_t pattern_size = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto made = assertion::make(std::move(all[i]));
    if (made && made->pattern()) pattern_size += made->pattern()->ProgramSize();
    if (pattern_size > most_pattern_size) {
      wrong.push_back({"/assertions", pattern_size_fault(most_pattern_size)});
      break;
    }
    if (made) {
      out.push_back(std::move(*made));
      continue;
    }
    for (auto const& each : made.error().details)
      wrong.push_back({"/assertions/" + std::to_string(i) + each.field, each.message});
  }
  return out;
}

std::uint64_t assertion::most_steps(std::size_t bytes) const {
  if (!pattern_) return bytes;
  auto const size = static_cast<std::uint64_t>(std::max(pattern_->ProgramSize(), 1));
  return std::min(assertion_context::most_steps, bytes * size);
}

std::uint64_t most_steps_of(std::vector<assertion> const& all, answer const& answer) {
  std::size_t bytes = answer.body.size();
  for (auto const& each : answer.headers) bytes += each.value.size();
  for (auto const& each : answer.dns_answers) bytes += each.size();
  std::uint64_t patterns = 0;
  for (auto const& each : all) patterns += each.most_steps(bytes);
  // All patterns together have one budget; comparisons read each text once.
  auto const out = std::min(patterns, assertion_context::most_steps + all.size() * bytes);
  bool const json = std::ranges::any_of(all, &assertion::reads_json);
  return out + (json ? most_steps_of_json(answer.body.size()) : 0);
}

void apply_assertions(std::vector<assertion> const& all, answer const& answer, assertion_context& shared,
                      secret_patterns_ptr const& secrets, result_of_check& out) {
  for (bool const soft : {false, true}) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].soft() != soft) continue;
      auto actual = all[i].failed(answer, shared, secrets);
      if (!actual) continue;
      if (soft) {
        out.degraded = true;
      } else {
        out.known.error = failure(code::assertion_failed, "Assertion " + std::to_string(i + 1) +
                                                              " does not hold: " + all[i].describe() + '.');
      }
      out.known.assertion = failed_assertion{i, std::move(*actual)};
      return;
    }
  }
}

}  // namespace svc::checks
