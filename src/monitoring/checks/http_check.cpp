// The types `http_request` and `website`.
#include "monitoring/checks/http_check.hpp"

#include "monitoring/checks/config_members.hpp"
#include "svc/core/bytes.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace svc::checks {

namespace {

constexpr std::size_t longest_body = 64UL * 1024;
constexpr std::array<std::uint32_t, 5> usual_warning_days{30, 14, 7, 3, 1};

void read_warnings(member_reader& config, bool secure, http_settings& out) {
  bool const wanted = config.flag("enableSslCheck", secure);
  std::vector<std::uint32_t> days;
  auto const entry = config.number("sslDaysUntilExpirationWarning", 1, 365);
  auto const all = config.list("sslWarningDays", 5);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const* const day = all[i].if_int64();
    if (day == nullptr || *day < 1 || *day > 365)
      config.refuse("sslWarningDays/" + std::to_string(i), "must be a whole number of 1 to 365");
    else
      days.push_back(static_cast<std::uint32_t>(*day));
  }
  if (entry && !all.empty())
    config.refuse("sslDaysUntilExpirationWarning", "must not be combined with sslWarningDays");
  if (entry) days = {static_cast<std::uint32_t>(*entry)};
  if (days.empty()) days.assign(usual_warning_days.begin(), usual_warning_days.end());
  if (!wanted || !secure) days.clear();
  std::ranges::sort(days, std::greater());
  out.days_before_end = std::move(days);
  // The clients of others send them; each check sees the certificate.
  config.ignore("sslCheckFrequencyHours");
  config.ignore("sslCheckOnStatusChange");
  if (config.flag("checkRevocation", false))
    config.refuse("checkRevocation", "must be false: only an answer that the server staples is read");
}

std::optional<http_expectations::json_node> read_json_node(member_reader& config) {
  auto const* const object = config.object("responseBodyJsonPath");
  if (object == nullptr) return std::nullopt;
  member_reader reader(*object, config.place_of("responseBodyJsonPath"), config.wrong());
  http_expectations::json_node out;
  out.path = reader.text("path", json_path::longest_text).value_or("");
  if (object->if_contains("path") == nullptr) reader.refuse("path", "is required");
  out.expected = expected_of(reader, "expectedValue");
  reader.finish();
  return out.path.empty() ? std::nullopt : std::optional(std::move(out));
}

std::shared_ptr<http_assertions const> read_expectations(settings_source const& source, bool website) {
  auto& config = source.config;
  http_expectations want;
  want.most_pattern_size = source.most_pattern_size;
  if (website)
    config.refuse_if_there("expectedStatusCodes",
                           "must be left out for a website, which expects 200-299; http_request takes others");
  else
    want.expected_status_codes =
        config.text("expectedStatusCodes", status_codes::longest_text).value_or(std::string(status_codes::usual));
  want.keyword = config.text("keywordInBody", longest_keyword * 4);
  want.keyword_present = config.flag("keywordInBodyShouldBePresent", true);
  want.json = read_json_node(config);
  want.assertions = assertions_of(config);
  for (std::size_t i = 0; i < want.assertions.size(); ++i)
    if (want.assertions[i].source == source::dns_answer)
      config.refuse("assertions/" + std::to_string(i) + "/source",
                    "must not be dnsAnswer, which is only for checks of DNS");
  want.degraded_after_ms = source.degraded_after_ms;
  want.capture = config.choice("capture", {"never", "on_failure"}) == 1;
  auto made = http_assertions::make(std::move(want));
  if (made) return std::make_shared<http_assertions const>(std::move(*made));
  for (auto const& each : made.error().details) config.wrong().push_back({"/config" + each.field, each.message});
  return nullptr;
}

std::shared_ptr<type_settings const> parse_http(settings_source const& source, bool website) {
  constexpr std::array<std::string_view, 7> methods{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
  auto& config = source.config;
  auto out = std::make_shared<http_settings>();
  if (website) {
    config.refuse_if_there("method",
                           "must be left out for a website, whose method is GET; http_request takes others");
    config.refuse_if_there("body", "must be left out for a website; http_request takes one");
  } else {
    out->method = methods[config.choice("method", {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})];
    out->body = text_of_member(config, "body", longest_body);
  }
  read_fields(config, *out);
  read_auth(config, *out);
  out->follow_redirects = config.flag("followRedirects", true);
  out->most_redirects = static_cast<unsigned>(config.number_or("maxRedirects", 0, 10, out->most_redirects));
  out->family = family_of(config);
  out->most_body_bytes = static_cast<std::size_t>(config.number_or("maxBodyBytes", 1024, 4'194'304, 1'048'576));
  read_tls(config, *out);
  read_warnings(config, source.target.starts_with("https:"), *out);
  out->assertions = read_expectations(source, website);
  return out;
}

/// The value and, of `Bearer x`, also the part after the scheme, because a server may repeat either.
void hide_value(std::string const& value, filler& fill) {
  fill.hide(value);
  if (auto const space = value.rfind(' '); space != std::string::npos)
    fill.hide(std::string_view(value).substr(space + 1));
}

void add_authorization(http_settings const& settings, filler& fill, egress::http_request& request) {
  if (settings.auth == http_auth::none) return;
  if (settings.auth == http_auth::bearer) {
    request.fields.push_back({"Authorization", "Bearer " + fill.fill_secret(settings.token), true});
    return;
  }
  auto const user = fill.fill(settings.username), password = fill.fill_secret(settings.password);
  request.fields.push_back({"Authorization", "Basic " + to_base64(as_bytes(user + ":" + password)), true});
}

void add_fields(http_settings const& settings, filler& fill, egress::http_request& request) {
  for (auto const& field : settings.fields) {
    auto value = fill.fill(field.value);
    // A value with variables stays at the first origin, because its author may not know that they are secret.
    bool const secret = field.secret || !field.value.names().empty();
    if (field.secret) hide_value(value, fill);
    request.fields.push_back({field.name, std::move(value), secret});
  }
  add_authorization(settings, fill, request);
}

egress::tls_choice tls_of(http_settings const& settings, filler& fill) {
  return {.verify = settings.verify,
          .server_name = fill.fill(settings.server_name),
          .only_tls13 = settings.only_tls13,
          .authorities = fill.fill(settings.authorities),
          .certificate = fill.fill(settings.certificate),
          .key = fill.fill_secret(settings.key)};
}

egress::http_request request_of(http_settings const& settings, check_attempt const& attempt, egress::http_url url,
                                filler& fill) {
  egress::http_request out{.method = settings.method,
                           .url = std::move(url),
                           .body = fill.fill(settings.body),
                           // As of fields: see `add_fields`.
                           .secret_body = !settings.body.names().empty(),
                           .follow_redirects = settings.follow_redirects,
                           .most_redirects = settings.most_redirects,
                           .family = settings.family,
                           .most_body_bytes = settings.most_body_bytes,
                           .tls = tls_of(settings, fill),
                           .address_age = attempt.address_age,
                           .gate = attempt.gate};
  add_fields(settings, fill, out);
  return out;
}

/// `body` stays where it is.
answer answer_of(egress::http_answer& got, timestamp started) {
  answer out;
  if (got.status != 0) out.status = got.status;
  for (auto& [name, value] : got.fields) out.headers.push_back({std::move(name), std::move(value)});
  out.body = got.body;
  out.truncated = got.truncated;
  out.phases = timings_of(got.timings);
  out.response_time_ms = in_ms(got.timings.total);
  out.ip_address = got.address;
  out.http_version = got.http_version;
  out.redirects = static_cast<int>(got.redirects);
  out.tls = got.certificate;
  out.time = started;
  return out;
}

bool is_plain_success(result_of_check const& found) {
  return found.ended == status::up && !found.degraded;
}

}  // namespace

std::shared_ptr<type_settings const> parse_http_request(settings_source const& source) {
  return parse_http(source, false);
}

std::shared_ptr<type_settings const> parse_website(settings_source const& source) {
  return parse_http(source, true);
}

void http_settings::visit_texts(std::function<void(text_with_variables const&)> const& visit) const {
  for (auto const& field : fields) visit(field.value);
  for (auto const* text : {&body, &username, &password, &token, &server_name, &authorities, &certificate, &key})
    visit(*text);
}

void http_settings::visit_patterns(std::function<void(re2::RE2 const&)> const& visit) const {
  if (assertions) visit_patterns_of(assertions->assertions(), visit);
}

task<result_of_check> http_settings::probe(check_attempt attempt, probe_tools tools) const {
  filler fill(attempt.values);
  auto const text = fill.fill(attempt.config.target);
  if (fill.fault()) co_return failed_with(*fill.fault(), fill);
  auto url = parse_url_target(text);
  if (!url) co_return failed_with(failure(code::target_invalid, url.error().message), fill);
  auto request = request_of(*this, attempt, std::move(*url), fill);
  if (fill.fault()) co_return failed_with(*fill.fault(), fill);
  auto got = co_await tools.http.fetch(std::move(request), attempt.end);
  auto const answer = answer_of(got, attempt.started);
  if (auto const code = egress::result_code_of(got.error))
    co_return assertions->failed(failure(*code, got.message), answer, fill.patterns());
  if (got.error == egress::failure::cancelled) co_return failed_with(got.error, {}, fill);
  result_of_check out;
  auto const steps = assertions->most_steps(answer);
  co_await evaluate_in_turn(tools, steps, [&] { out = assertions->evaluate(answer, nullptr); });
  // Evaluates again with the patterns that mask secrets; they are expensive, and a good answer needs none. This is a
  // separate piece, so that work of other projects can run in between.
  if (!is_plain_success(out) && fill.has_secrets())
    co_await evaluate_in_turn(tools, steps, [&] { out = assertions->evaluate(answer, fill.patterns()); });
  co_return out;
}

}  // namespace svc::checks
