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
  for (auto const& entry : all->get_object()) {
    auto const name = lower_case(entry.key());
    auto const path = "headers/" + std::string(entry.key());
    if (!is_token(name) || egress::is_reserved_field(name) || name.starts_with("webhook-"))
      reader.refuse(path, "is set by the service");
    else if (!entry.value().is_string())
      reader.refuse(path, "must be a string");
    else
      config.headers.emplace_back(entry.key(), entry.value().get_string());
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

json::value when(std::optional<timestamp> const& time) {
  return time ? json::value(to_rfc3339(*time)) : json::value(nullptr);
}

template <class T>
json::value maybe(std::optional<T> const& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

json::object about_json(alert_target const& target, std::size_t most) {
  json::object out{{"id", target.id.to_string()}, {"name", cut(target.name, most)}};
  if (target.state != alert_target::kind::monitor) return out;
  out["type"] = target.monitor_type;
  out["target"] = target.address.empty() ? json::value(nullptr) : json::value(cut(target.address, most));
  return out;
}

json::object outage_json(outage_facts const& facts) {
  return {{"id", facts.id.to_string()},
          {"startedAt", to_rfc3339(facts.started_at)},
          {"endedAt", when(facts.ended_at)},
          {"endReason", facts.end_reason.empty() ? json::value(nullptr) : json::value(facts.end_reason)}};
}

json::object result_json(result_facts const& facts, std::size_t most) {
  return {{"code", facts.code.empty() ? json::value(nullptr) : json::value(facts.code)},
          {"message", cut(facts.message, most)},
          {"location", facts.location.empty() ? json::value(nullptr) : json::value(facts.location)},
          {"statusCode", maybe(facts.status_code)},
          {"responseTimeMs", maybe(facts.response_time_ms)},
          {"checkedAt", when(facts.checked_at)}};
}

json::object certificate_json(certificate_facts const& facts, std::size_t most) {
  return {{"subject", cut(facts.subject, most)},
          {"fingerprint", facts.fingerprint},
          {"validTo", to_rfc3339(facts.valid_to)},
          {"daysRemaining", facts.days_remaining}};
}

void add_facts(json::object& object, alert const& alert, std::size_t most) {
  bool const page = alert.about.state == alert_target::kind::status_page;
  object[page ? "statusPage" : name_of(alert.about.state)] = about_json(alert.about, most);
  if (page) object["post"] = json::object{{"id", alert.thread.to_string()}, {"title", cut(alert.post_title, most)}};
  if (alert.outage) object["outage"] = outage_json(*alert.outage);
  if (alert.result) object["result"] = result_json(*alert.result, most);
  if (alert.run)
    object["run"] = json::object{{"id", alert.run->id.to_string()},
                                 {"status", alert.run->status},
                                 {"durationMs", maybe(alert.run->duration_ms)}};
  if (alert.certificate) object["certificate"] = certificate_json(*alert.certificate, most);
  if (!alert.locations.empty()) object["locations"] = json::array(alert.locations.begin(), alert.locations.end());
  if (!alert.custom_message.empty()) object["customMessage"] = cut(alert.custom_message, most);
  if (!alert.error.empty()) object["error"] = cut(alert.error, most);
}

json::object alert_json(message const& message, alert const& alert, text_settings const& settings, std::size_t most) {
  auto const link = message.test ? std::string() : link_to(alert, settings);
  json::object out{{"alertId", alert.id.to_string()},
                   {"project",
                    {{"id", message.project.id.to_string()},
                     {"slug", message.project.slug},
                     {"name", cut(message.project.name, most)}}}};
  add_facts(out, alert, most);
  out["message"] = cut(sentence_of(alert), most);
  out["ended"] = action_of(alert) == action::resolve;
  out["reminder"] = alert.reminder;
  out["test"] = message.test;
  out["url"] = link.empty() ? json::value(nullptr) : json::value(link);
  return out;
}

json::object digest_json(message const& message, std::vector<alert> const& all, text_settings const& settings,
                         std::size_t most) {
  auto const named = std::min(all.size(), most_named);
  json::array list;
  for (std::size_t i = 0; i < named; ++i) {
    auto object = alert_json(message, all[i], settings, most);
    object["type"] = event_type_of(all[i].type);
    list.push_back(std::move(object));
  }
  return {{"alerts", std::move(list)}, {"unnamed", all.size() - named}, {"test", message.test}};
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
std::map<std::string_view, std::string> values_of(message const& message, std::vector<alert> const& all,
                                                  composed_text const& text) {
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
      {"timestamp", to_rfc3339(first.time)},
      {"type", single ? event_type_of(first.type) : "alerts.digest"},
      {"projectName", message.project.name},
      {"projectId", message.project.id.to_string()},
      {"responseTime", answered ? std::to_string(*answered) : ""},
      {"errorMessage", cause_of(first)},
      {"monitorType", first.about.monitor_type},
      {"dashboardUrl", text.link},
      {"alertAction", std::string(name_of(action_of(first)))},
      {"dedupKey", dedup_key_of(first)},
  };
}

std::string templated_body(body_template const& body_template, message const& message,
                           text_settings const& settings) {
  auto const values = values_of(message, merged(message.alerts), compose(message, settings));
  return body_within(largest_body, [&](std::size_t most) {
    return body_template.filled([&](std::string_view name) { return cut(values.at(name), most); });
  });
}

void sign_with(http_post& post, webhook_config const& config, message const& message, timestamp now) {
  auto const seconds = now.micros / 1'000'000;
  auto const id = message.id.to_string();
  post.fields.push_back({"webhook-id", id});
  post.fields.push_back({"webhook-timestamp", std::to_string(seconds)});
  std::string signatures;
  for (auto const* secret : {&config.signing_secret, &config.former_secret}) {
    auto const key = read_signing_secret(secret->reveal());
    if (!key) continue;
    signatures += (signatures.empty() ? "" : " ") + sign(*key, id, seconds, post.body);
  }
  if (!signatures.empty()) post.fields.push_back({"webhook-signature", signatures});
}

/// Composes the body of a webhook without template, of at most `most_bytes`.
std::string webhook_body(message const& message, text_settings const& settings, std::size_t most_bytes) {
  auto const all = merged(message.alerts);
  bool const single = all.size() == 1;
  return body_within(most_bytes, [&](std::size_t most) {
    return json::serialize(json::object{{"type", single ? event_type_of(all.front().type) : "alerts.digest"},
                                        {"timestamp", to_rfc3339(message.alerts.back().time)},
                                        {"data", single ? alert_json(message, all.front(), settings, most)
                                                        : digest_json(message, all, settings, most)}});
  });
}

http_post webhook_post(webhook_config const& config, message const& message, text_settings const& settings,
                       timestamp now) {
  http_post out{.method = config.method, .url = config.url};
  out.body =
      config.body ? templated_body(*config.body, message, settings) : webhook_body(message, settings, largest_body);
  bool typed = false;
  for (auto const& [name, value] : config.headers) {
    typed = typed || iequals(name, "content-type");
    out.fields.push_back({name, value});
  }
  if (!typed) out.fields.push_back({"Content-Type", "application/json"});
  sign_with(out, config, message, now);
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
