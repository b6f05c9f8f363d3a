#include "svc/domain/monitoring/checks/http_check.hpp"

#include "domain/monitoring/checks/json_cost.hpp"
#include "domain/monitoring/checks/keyword.hpp"
#include "domain/monitoring/checks/text.hpp"
#include "svc/core/ascii.hpp"
#include "svc/domain/monitoring/checks/masked.hpp"

#include <algorithm>
#include <array>

namespace svc::checks {
namespace {

constexpr std::string_view codes_field = "/expectedStatusCodes", keyword_field = "/keywordInBody",
                           json_field = "/responseBodyJsonPath";

bool is_secret_name(std::string_view lower) {
  constexpr std::array<std::string_view, 4> names{"authorization", "proxy-authorization", "cookie", "set-cookie"};
  constexpr std::array<std::string_view, 3> parts{"key", "token", "secret"};
  return std::ranges::find(names, lower) != names.end() ||
         std::ranges::any_of(parts, [&](auto part) { return lower.find(part) != std::string_view::npos; });
}

void add_faults(error const& failure, std::string const& path, std::vector<field_error>& errors) {
  if (failure.details.empty()) errors.push_back({path, failure.message});
  for (auto const& each : failure.details) errors.push_back({path + each.field, each.message});
}

/// `responseBodyJsonPath` is an assertion by another name.
result<assertion> assertion_of(http_expectations::json_node const& node) {
  auto const comparison = node.expected ? comparison::equals : comparison::exists;
  return assertion::make({source::json, node.path, comparison, node.expected.value_or(expected_value{})});
}

std::vector<header> captured(std::vector<header> const& headers, secret_patterns_ptr const& secrets) {
  std::vector<header> out;
  auto left = longest_headers;
  for (auto const& each : headers) {
    if (each.name.size() >= left) break;
    left -= each.name.size();
    auto value =
        is_secret_header(each.name) ? std::string(masker::mask) : masked_beginning(secrets, each.value, left);
    // The mask may be longer than what is left.
    value.resize(std::min(value.size(), left));
    left -= value.size();
    out.push_back({each.name, std::move(value)});
    if (left == 0) break;
  }
  return out;
}

}  // namespace

bool is_secret_header(std::string_view name) {
  return is_secret_name(lower_case(name));
}

result<http_assertions> http_assertions::make(http_expectations settings) {
  std::vector<field_error> wrong;
  http_assertions out;
  if (auto codes = status_codes::parse(settings.expected_status_codes)) {
    out.codes_ = *codes;
  } else {
    add_faults(codes.error(), std::string(codes_field), wrong);
  }
  if (settings.keyword) {
    if (settings.keyword->empty() || code_points(*settings.keyword) > longest_keyword) {
      wrong.push_back({std::string(keyword_field), "must have 1 to 1000 characters"});
    } else if (auto made = keyword::make(*settings.keyword)) {
      out.keyword_ = std::make_shared<keyword const>(std::move(*made));
    } else {
      wrong.push_back({std::string(keyword_field), "must be UTF-8"});
    }
  }
  if (settings.json) {
    if (auto made = assertion_of(*settings.json)) {
      out.json_ = std::move(*made);
    } else {
      wrong.push_back({std::string(json_field) + "/path", made.error().details.front().message});
    }
  }
  out.assertions_ = make_assertions(std::move(settings.assertions), settings.most_pattern_size, wrong);
  if (!wrong.empty()) return error(errc::validation_failed, {}, std::move(wrong));
  out.codes_text_ = std::move(settings.expected_status_codes);
  out.keyword_present_ = settings.keyword_present;
  out.degraded_after_ms_ = settings.degraded_after_ms;
  out.capture_ = settings.capture;
  return out;
}

result_of_check http_assertions::known_of(answer const& answer) {
  result_of_check out;
  out.response_time_ms = answer.response_time_ms;
  out.known = {.status_code = answer.status,
               .phases = answer.phases,
               .redirects = answer.redirects,
               .body_bytes = answer.body.size(),
               .truncated = answer.truncated,
               .tls = answer.tls};
  if (!answer.ip_address.empty()) out.known.ip_address = answer.ip_address;
  if (!answer.http_version.empty()) out.known.http_version = answer.http_version;
  return out;
}

void http_assertions::end(result_of_check& out, answer const& answer, secret_patterns_ptr const& secrets) const {
  auto& error = *out.known.error;
  out.ended = row_of(error.which).gives;
  out.degraded = false;
  error.message = masked_message(secrets, error.message);
  if (!capture_) return;
  out.known.response_headers = captured(answer.headers, secrets);
  if (answer.status) out.known.body_snippet = masked_beginning(secrets, answer.body, longest_snippet);
}

result_of_check http_assertions::evaluate(answer const& answer, secret_patterns_ptr const& secrets) const {
  auto out = known_of(answer);
  assertion_context shared(answer.body);
  out.known.error = first_failure(answer, shared, secrets);
  if (!out.known.error) apply_assertions(assertions_, answer, shared, secrets, out);
  if (out.known.error) {
    end(out, answer, secrets);
  } else if (degraded_after_ms_ && answer.response_time_ms > *degraded_after_ms_) {
    out.degraded = true;
  }
  return out;
}

std::uint64_t http_assertions::most_steps(answer const& answer) const {
  std::uint64_t const search = keyword_ ? 2 * answer.body.size() : 0;
  std::uint64_t const path = json_ ? most_steps_of_json(answer.body.size()) + answer.body.size() : 0;
  return search + path + most_steps_of(assertions_, answer);
}

result_of_check http_assertions::failed(failure failure, answer const& answer,
                                        secret_patterns_ptr const& secrets) const {
  auto out = known_of(answer);
  out.known.error = std::move(failure);
  end(out, answer, secrets);
  return out;
}

std::optional<failure> http_assertions::first_failure(answer const& answer, assertion_context& shared,
                                                      secret_patterns_ptr const& secrets) const {
  if (!answer.status || !codes_.has(*answer.status)) {
    return failure(code::status_unexpected, "The status code is " + std::to_string(answer.status.value_or(0)) +
                                                ", expected was " + cut(codes_text_, 100) + '.');
  }
  if (auto out = keyword_failure(answer)) return out;
  if (!json_) return std::nullopt;
  auto const actual = json_->failed(answer, shared, secrets);
  if (!actual) return std::nullopt;
  return failure(code::assertion_failed,
                 "responseBodyJsonPath: " + json_->describe() + ", but there is " + *actual + '.');
}

std::optional<failure> http_assertions::keyword_failure(answer const& answer) const {
  if (!keyword_) return std::nullopt;
  bool const found = keyword_->found_in(answer.body);
  if (found == keyword_present_) return std::nullopt;
  if (found) return failure(code::assertion_failed, "The body has the keyword that it should not have.");
  return failure(code::assertion_failed, answer.truncated ? "The body does not have the keyword up to maxBodyBytes."
                                                          : "The body does not have the keyword.");
}

}  // namespace svc::checks
