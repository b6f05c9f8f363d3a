#include "monitoring/checks/probe.hpp"

#include "svc/core/base64.hpp"

#include <utility>

namespace svc::checks {

namespace {

/// The value and, of `Bearer x`, also what stands behind the scheme: a server may repeat either.
void hide_value(std::string const& value, filler& fill) {
  fill.hide(value);
  if (auto const space = value.rfind(' '); space != std::string::npos)
    fill.hide(std::string_view(value).substr(space + 1));
}

void add_authorization(http_config const& how, filler& fill, egress::http_request& to) {
  if (how.auth == http_auth::none) return;
  if (how.auth == http_auth::bearer) {
    to.fields.push_back({"Authorization", "Bearer " + fill.fill_secret(how.token), true});
    return;
  }
  auto const user = fill.fill(how.username), password = fill.fill_secret(how.password);
  to.fields.push_back({"Authorization", "Basic " + to_base64(as_bytes(user + ":" + password)), true});
}

void add_fields(http_config const& how, filler& fill, egress::http_request& to) {
  for (auto const& field : how.fields) {
    auto value = fill.fill(field.value);
    // A value with variables stays at the first origin: who wrote it may not know that they are secret.
    bool const secret = field.secret || !field.value.names().empty();
    if (field.secret) hide_value(value, fill);
    to.fields.push_back({field.name, std::move(value), secret});
  }
  add_authorization(how, fill, to);
}

egress::tls_choice tls_of(http_config const& how, filler& fill) {
  return {.verify = how.verify,
          .server_name = fill.fill(how.server_name),
          .only_tls13 = how.only_tls13,
          .authorities = fill.fill(how.authorities),
          .certificate = fill.fill(how.certificate),
          .key = fill.fill_secret(how.key)};
}

egress::http_request request_of(http_config const& how, attempt_of const& one, egress::http_url url, filler& fill) {
  egress::http_request out{.method = how.method,
                           .url = std::move(url),
                           .body = fill.fill(how.body),
                           // As of fields: see `add_fields`.
                           .secret_body = !how.body.names().empty(),
                           .follow_redirects = how.follow_redirects,
                           .most_redirects = how.most_redirects,
                           .family = how.family,
                           .most_body_bytes = how.most_body_bytes,
                           .tls = tls_of(how, fill),
                           .address_age = one.address_age,
                           .gate = one.gate};
  add_fields(how, fill, out);
  return out;
}

/// `body` stays where it is.
checks::answer answer_of(egress::http_answer& got, timestamp at) {
  checks::answer out;
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
  out.at = at;
  return out;
}

bool is_plain_success(checks::result_of_check const& of) {
  return of.ended == checks::status::up && !of.degraded;
}

}  // namespace

task<checks::result_of_check> probe_http(http_config const& how, attempt_of one, probe_tools with) {
  filler fill(one.values);
  auto const text = fill.fill(one.what.target);
  if (fill.fault()) co_return failed_with(*fill.fault(), fill);
  auto url = parse_url_target(text);
  if (!url) co_return failed_with(checks::failure(checks::code::target_invalid, url.error().message), fill);
  auto request = request_of(how, one, std::move(*url), fill);
  if (fill.fault()) co_return failed_with(*fill.fault(), fill);
  auto got = co_await with.http.fetch(std::move(request), one.until);
  auto const answer = answer_of(got, one.at);
  if (auto const code = egress::result_code_of(got.why))
    co_return how.judge->failed(checks::failure(*code, got.message), answer, fill.patterns());
  if (got.why == egress::failure::cancelled) co_return failed_with(got.why, {}, fill);
  checks::result_of_check out;
  auto const steps = how.judge->most_steps(answer);
  co_await judge_in_turn(with, steps, [&] { out = how.judge->judge(answer, nullptr); });
  // Again with the patterns that mask secrets, which are expensive: a good answer shows nothing. A piece of its own,
  // so that work of other projects goes in between.
  if (!is_plain_success(out) && fill.has_secrets())
    co_await judge_in_turn(with, steps, [&] { out = how.judge->judge(answer, fill.patterns()); });
  co_return out;
}

}  // namespace svc::checks
