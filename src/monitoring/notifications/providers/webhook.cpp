#include "monitoring/notifications/composed.hpp"
#include "monitoring/notifications/providers/provider_types.hpp"
#include "monitoring/notifications/wording.hpp"
#include "svc/core/ascii.hpp"
#include "svc/egress/http/http_client.hpp"
#include "svc/monitoring/notifications/signature.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <map>

namespace svc::notifications {

namespace json = boost::json;

namespace {

constexpr std::size_t largest_body = std::size_t{64} * 1024;
constexpr std::size_t longest_text = 8192, shortest_text = 16;

/// Refuses fields that libcurl would not send and fields that the service sets.
void read_headers(config_reader& reader, webhook_config& config) {
  auto const* const all = reader.member("headers");
  if (all == nullptr || all->is_null()) return;
  if (!all->is_object()) {
    reader.refuse("headers", "must be an object");
    return;
  }
  for (auto const& one : all->get_object()) {
    auto const name = lower_case(one.key());
    auto const place = "headers/" + std::string(one.key());
    if (!is_token(name) || egress::is_reserved_field(name) || name.starts_with("webhook-"))
      reader.refuse(place, "is set by the service");
    else if (!one.value().is_string())
      reader.refuse(place, "must be a string");
    else
      config.headers.emplace_back(one.key(), one.value().get_string());
  }
}

provider_config read_webhook(config_reader& reader) {
  webhook_config out{.url = reader.url("url", true), .method = reader.text("method", "POST")};
  if (out.method != "POST" && out.method != "PUT") reader.refuse("method", "must be POST or PUT");
  read_headers(reader, out);
  if (auto const text = reader.optional_text("bodyTemplate")) {
    auto body = body_template::parse(*text);
    if (body)
      out.body = std::move(*body);
    else
      reader.refuse("bodyTemplate", body.error().message);
  }
  if (auto secret = reader.optional_text("signingSecret")) {
    auto const key = read_signing_secret(*secret);
    if (!key) reader.refuse("signingSecret", key.error().message);
    out.signing_secret = secret_string(std::move(*secret));
  }
  out.former_secret = reader.take_former_secret();
  return out;
}

json::value when(std::optional<timestamp> const& at) {
  return at ? json::value(to_rfc3339(*at)) : json::value(nullptr);
}

template <class T>
json::value maybe(std::optional<T> const& of) {
  return of ? json::value(*of) : json::value(nullptr);
}

json::object about_json(alert_target const& of, std::size_t most) {
  json::object out{{"id", of.id.to_string()}, {"name", cut(of.name, most)}};
  if (of.is != alert_target::kind::monitor) return out;
  out["type"] = of.monitor_type;
  out["target"] = of.address.empty() ? json::value(nullptr) : json::value(cut(of.address, most));
  return out;
}

json::object outage_json(outage_facts const& of) {
  return {{"id", of.id.to_string()},
          {"startedAt", to_rfc3339(of.started_at)},
          {"endedAt", when(of.ended_at)},
          {"endReason", of.end_reason.empty() ? json::value(nullptr) : json::value(of.end_reason)}};
}

json::object result_json(result_facts const& of, std::size_t most) {
  return {{"code", of.code.empty() ? json::value(nullptr) : json::value(of.code)},
          {"message", cut(of.message, most)},
          {"location", of.location.empty() ? json::value(nullptr) : json::value(of.location)},
          {"statusCode", maybe(of.status_code)},
          {"responseTimeMs", maybe(of.response_time_ms)},
          {"checkedAt", when(of.checked_at)}};
}

json::object certificate_json(certificate_facts const& of, std::size_t most) {
  return {{"subject", cut(of.subject, most)},
          {"fingerprint", of.fingerprint},
          {"validTo", to_rfc3339(of.valid_to)},
          {"daysRemaining", of.days_remaining}};
}

void add_facts(json::object& to, alert const& of, std::size_t most) {
  to[name_of(of.about.is)] = about_json(of.about, most);
  if (of.outage) to["outage"] = outage_json(*of.outage);
  if (of.result) to["result"] = result_json(*of.result, most);
  if (of.run)
    to["run"] = json::object{
        {"id", of.run->id.to_string()}, {"status", of.run->status}, {"durationMs", maybe(of.run->duration_ms)}};
  if (of.certificate) to["certificate"] = certificate_json(*of.certificate, most);
  if (!of.locations.empty()) to["locations"] = json::array(of.locations.begin(), of.locations.end());
  if (!of.custom_message.empty()) to["customMessage"] = cut(of.custom_message, most);
  if (!of.error.empty()) to["error"] = cut(of.error, most);
}

json::object alert_json(message const& of, alert const& one, text_settings const& how, std::size_t most) {
  auto const link = of.test ? std::string() : link_to(one, how);
  json::object out{
      {"alertId", one.id.to_string()},
      {"project",
       {{"id", of.project.id.to_string()}, {"slug", of.project.slug}, {"name", cut(of.project.name, most)}}}};
  add_facts(out, one, most);
  out["message"] = cut(sentence_of(one), most);
  out["ended"] = action_of(one) == action::resolve;
  out["reminder"] = one.reminder;
  out["test"] = of.test;
  out["url"] = link.empty() ? json::value(nullptr) : json::value(link);
  return out;
}

json::object digest_json(message const& of, std::vector<alert> const& all, text_settings const& how,
                         std::size_t most) {
  auto const named = std::min(all.size(), most_named);
  json::array list;
  for (std::size_t i = 0; i < named; ++i) {
    auto one = alert_json(of, all[i], how, most);
    one["type"] = event_type_of(all[i].type);
    list.push_back(std::move(one));
  }
  return {{"alerts", std::move(list)}, {"unnamed", all.size() - named}, {"test", of.test}};
}

/// Halves the texts until the body fits.
template <class Make>
std::string body_within(std::size_t most_bytes, Make make) {
  for (auto most = longest_text;; most /= 2) {
    auto out = make(most);
    if (out.size() <= most_bytes || most <= shortest_text) return out;
  }
}

/// The values of all names in a template.
std::map<std::string_view, std::string> values_of(message const& of, std::vector<alert> const& all,
                                                  composed const& text) {
  auto const& first = all.front();
  bool const single = all.size() == 1;
  auto const answered = first.result ? first.result->response_time_ms : std::nullopt;
  std::string lines;
  for (auto const& line : lines_that_fit(text, longest_text, as_is)) lines += (lines.empty() ? "" : "\n") + line;
  return {
      {"title", text.title},
      {"message", single ? sentence_of(first) : lines},
      {"severity", std::string(text.severity)},
      {"status", std::string(status_of(first))},
      {"monitorName", first.about.name},
      {"targetName", first.about.name},
      {"targetUrl", first.about.address},
      {"targetId", first.about.id.to_string()},
      {"timestamp", to_rfc3339(first.at)},
      {"type", single ? event_type_of(first.type) : "alerts.digest"},
      {"projectName", of.project.name},
      {"projectId", of.project.id.to_string()},
      {"responseTime", answered ? std::to_string(*answered) : ""},
      {"errorMessage", cause_of(first)},
      {"monitorType", first.about.monitor_type},
      {"dashboardUrl", text.link},
      {"alertAction", std::string(name_of(action_of(first)))},
      {"dedupKey", dedup_key_of(first)},
  };
}

std::string templated_body(body_template const& by, message const& of, text_settings const& how) {
  auto const values = values_of(of, merged(of.alerts), compose(of, how));
  return body_within(largest_body, [&](std::size_t most) {
    return by.filled([&](std::string_view name) { return cut(values.at(name), most); });
  });
}

void sign_with(http_post& what, webhook_config const& to, message const& of, timestamp now) {
  auto const seconds = now.micros / 1'000'000;
  auto const id = of.id.to_string();
  what.fields.push_back({"webhook-id", id});
  what.fields.push_back({"webhook-timestamp", std::to_string(seconds)});
  std::string signatures;
  for (auto const* secret : {&to.signing_secret, &to.former_secret}) {
    auto const key = read_signing_secret(secret->reveal());
    if (!key) continue;
    signatures += (signatures.empty() ? "" : " ") + sign(*key, id, seconds, what.body);
  }
  if (!signatures.empty()) what.fields.push_back({"webhook-signature", signatures});
}

/// Composes the body of a webhook without template, of at most `most_bytes`.
std::string webhook_body(message const& of, text_settings const& how, std::size_t most_bytes) {
  auto const all = merged(of.alerts);
  bool const single = all.size() == 1;
  return body_within(most_bytes, [&](std::size_t most) {
    return json::serialize(
        json::object{{"type", single ? event_type_of(all.front().type) : "alerts.digest"},
                     {"timestamp", to_rfc3339(of.alerts.back().at)},
                     {"data", single ? alert_json(of, all.front(), how, most) : digest_json(of, all, how, most)}});
  });
}

http_post webhook_post(webhook_config const& to, message const& of, text_settings const& how, timestamp now) {
  http_post out{.method = to.method, .url = to.url};
  out.body = to.body ? templated_body(*to.body, of, how) : webhook_body(of, how, largest_body);
  bool typed = false;
  for (auto const& [name, value] : to.headers) {
    typed = typed || iequals(name, "content-type");
    out.fields.push_back({name, value});
  }
  if (!typed) out.fields.push_back({"Content-Type", "application/json"});
  sign_with(out, to, of, now);
  return out;
}

}  // namespace

constinit provider_row const webhook_config::row{
    .name = "webhook",
    .read = read_webhook,
    .compose =
        [](provider_config const& config, message const& notification, text_settings const& settings, timestamp now) {
          return std::vector{webhook_post(std::get<webhook_config>(config), notification, settings, now)};
        },
    .pace = std::chrono::milliseconds(100),
    .attempt_limit = std::chrono::seconds(15),
    .group_time = std::chrono::seconds(0),
    .address_member = "url",
    .default_member = {"method", "POST"},
};

}  // namespace svc::notifications
