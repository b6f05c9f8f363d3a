// This file reads the settings of monitors from the bodies of requests.
#include "api/checked_body.hpp"
#include "api/monitors.hpp"
#include "svc/domain/monitoring/heartbeats/config.hpp"
#include "svc/monitoring/checks/config.hpp"

#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace svc::api {
namespace {

using std::chrono::seconds;

constexpr std::string_view not_yet = "is not supported by this version yet";
constexpr std::int64_t longest_mute = 366LL * 86400 * 1'000'000;

/// Reads both frequencies. The one in seconds takes precedence.
void read_interval(boost::json::object const& body, monitor_rules const& rules, std::optional<seconds> before,
                   monitor_settings& into, std::vector<field_error>& wrong) {
  into.frequency_minutes = number_in(body, "frequencyMinutes").value_or(into.frequency_minutes);
  into.frequency_seconds = number_in(body, "frequencySeconds");
  if (into.frequency_seconds) into.frequency_minutes = (*into.frequency_seconds + 59) / 60;
  if (into.frequency_seconds.value_or(0) % 5 != 0) wrong.push_back({"/frequencySeconds", "must be a multiple of 5"});
  if (into.interval() < rules.least_interval && into.interval() != before) {
    auto const least = std::to_string(rules.least_interval.count());
    wrong.push_back(
        {into.frequency_seconds ? "/frequencySeconds" : "/frequencyMinutes",
         "must be at least " + least + " seconds, the minimum that the operator sets with checks.min_interval"});
  }
}

/// Returns the alert configuration in its stored form, with every member, and the providers' ids in canonical
/// spelling.
std::string read_alert_config(boost::json::object const& object, std::vector<uuid> const& providers,
                              std::vector<field_error>& wrong) {
  constexpr std::array<std::pair<std::string_view, bool>, 5> reasons{{{"alertOnFailure", true},
                                                                      {"alertOnRecovery", true},
                                                                      {"alertOnSslExpiration", false},
                                                                      {"alertOnDegraded", false},
                                                                      {"alertOnError", true}}};
  bool const enabled = flag_in(object, "enabled", false);
  boost::json::array ids;
  for (uuid const id : providers) ids.emplace_back(id.to_string());
  boost::json::object out{{"enabled", enabled}, {"notificationProviders", std::move(ids)}};
  bool any = false;
  for (auto const& [name, otherwise] : reasons) {
    bool const set = flag_in(object, name, otherwise);
    out[name] = set;
    any = any || set;
  }
  for (auto const* name : {"failureThreshold", "recoveryThreshold"}) out[name] = number_in(object, name).value_or(1);
  out["reminderMinutes"] = boost::json::value_from(number_in(object, "reminderMinutes"));
  out["customMessage"] = text_in(object, "customMessage").value_or("");
  if (enabled && providers.empty())
    wrong.push_back({"/alertConfig/notificationProviders", "must name a provider when alerts are enabled"});
  if (enabled && !any)
    wrong.push_back({"/alertConfig/enabled",
                     "needs at least one event to report: one of alertOnFailure, alertOnRecovery, "
                     "alertOnSslExpiration, alertOnDegraded, alertOnError"});
  if (given(object, "flapDetection") != nullptr)
    wrong.push_back({"/alertConfig/flapDetection", std::string(not_yet)});
  return boost::json::serialize(out);
}

void read_alerts_of_monitor(boost::json::object const& body, monitor_settings& into,
                            std::vector<field_error>& wrong) {
  auto const* const alerts = given(body, "alertConfig");
  if (alerts == nullptr) return;
  into.alert_providers = ids_in(alerts->as_object(), "notificationProviders");
  find_repeats(into.alert_providers, "/alertConfig/notificationProviders/", "", wrong);
  into.alert_config = read_alert_config(alerts->as_object(), into.alert_providers, wrong);
}

/// Returns the size of the regular expressions that a monitor has already.
int pattern_size_of(checks::check_type const* type, monitor_settings const& set) {
  auto const config = boost::json::parse(set.config);
  auto const read = checks::parse_check(
      {.type = type, .target = set.target.value_or(""), .interval = set.interval(), .config = &config.as_object()},
      nullptr);
  return read ? read->patterns().size : 0;
}

/// Compiles the regular expressions.
check_verdict::outcome ask_verdict(boost::json::object const& config, monitor_rules const& rules,
                                   monitor_settings const& set, monitor_settings const* before) {
  checks::check_source source{.type = checks::check_type_named(set.type),
                              .target = *set.target,
                              .interval = set.interval(),
                              .config = &config,
                              .most_pattern_size = checks::most_pattern_size};
  auto read = checks::parse_check(source, &rules.reachable);
  if (!read && before != nullptr) {
    // A monitor whose expressions are larger than this bound, because it is older than the bound, keeps them.
    source.most_pattern_size = pattern_size_of(source.type, *before);
    if (source.most_pattern_size > checks::most_pattern_size) read = checks::parse_check(source, &rules.reachable);
  }
  if (!read) return {.wrong = read.error().details};
  return {.attempts_seconds = std::chrono::ceil<seconds>(read->longest()).count()};
}

/// Returns a text of all settings that `ask_verdict` reads.
std::string key_of_check(monitor_settings const& set) {
  std::string out = set.type + ' ' + std::to_string(set.interval().count()) + ' ';
  auto const target = set.target.value_or("");
  return out + std::to_string(target.size()) + ' ' + target + set.config;
}

/// Reads the settings of the check, and computes its maximum duration. Returns false if the verdict is not known and
/// must not be computed now.
bool read_check(boost::json::object const& body, monitor_rules const& rules, monitor_settings const* before,
                check_verdict& verdict, monitor_settings& into, std::vector<field_error>& wrong) {
  boost::json::object config;
  if (auto const* const found = given(body, "config")) config = found->as_object();
  into.config = boost::json::serialize(config);
  auto key = key_of_check(into);
  if (before != nullptr) key += '\n' + key_of_check(*before);
  auto const* const found = verdict.find(std::move(key), [&] { return ask_verdict(config, rules, into, before); });
  if (found == nullptr) return false;
  into.attempts_seconds = found->attempts_seconds;
  wrong.insert(wrong.end(), found->wrong.begin(), found->wrong.end());
  return true;
}

/// Reads the pings that a heartbeat expects, instead of a check.
void read_heartbeat(boost::json::object const& body, monitor_settings& into, std::vector<field_error>& wrong) {
  auto const& config = body.at("config").as_object();
  into.config = boost::json::serialize(config);
  into.attempts_seconds = 1;
  auto const read = heartbeats::parse_heartbeat(config);
  if (read) return;
  for (auto const& each : read.error().details) wrong.push_back(each);
}

/// Removes `status`, which is another form of `enabled`.
result<boost::json::object> without_status(boost::json::object patch) {
  auto const status = text_in(patch, "status");
  if (!status) return patch;
  bool const wanted = *status == "pending";
  if (flag_in(patch, "enabled", wanted) != wanted)
    return error(errc::validation_failed, {}, {{"/status", "contradicts enabled"}});
  patch.erase("status");
  patch["enabled"] = wanted;
  return patch;
}

}  // namespace

check_verdict::outcome const* check_verdict::find(std::string key, question const& ask) {
  if (known_ && key == key_) return &*known_;
  if (closed_) return nullptr;
  key_ = std::move(key);
  return &known_.emplace(ask());
}

void monitor_settings_json(http::json_text& out, monitor_settings const& set) {
  out.member("name", set.name)
      .member("description", set.description)
      .member("type", set.type)
      .member("target", set.target)
      .member("frequencyMinutes", set.frequency_minutes)
      .member("frequencySeconds", set.frequency_seconds)
      .member("enabled", set.enabled)
      .stored_member("config", set.config)
      .stored_member("alertConfig", set.alert_config ? std::string_view(*set.alert_config) : "null")
      .open_list("dependsOn");
  for (uuid const parent : set.depends_on) out.element(parent);
  out.close_list().member("mutedUntil", set.muted_until);
}

result<monitor_settings> read_monitor(boost::json::object const& body, monitor_rules const& rules, timestamp now,
                                      monitor_settings const* before, check_verdict* verdict) {
  auto const type = std::string(body.at("type").as_string());
  bool const pings = type == "heartbeat";
  if (!pings && checks::check_type_named(type) == nullptr)
    return error(errc::validation_failed, {}, {{"/type", std::string(not_yet)}});
  monitor_settings out{.name = std::string(body.at("name").as_string()),
                       .description = text_in(body, "description"),
                       .type = type,
                       .target = text_in(body, "target"),
                       .enabled = flag_in(body, "enabled", true)};
  std::vector<field_error> wrong;
  find_hidden("/name", out.name, before == nullptr ? nullptr : &before->name, wrong);
  read_interval(body, rules, before == nullptr ? std::nullopt : std::optional(before->interval()), out, wrong);
  check_verdict own;
  if (pings) {
    read_heartbeat(body, out, wrong);
  } else if (!read_check(body, rules, before, verdict == nullptr ? own : *verdict, out, wrong)) {
    return error(errc::overloaded, "Others change this monitor at the same time; send the request again.");
  }
  read_alerts_of_monitor(body, out, wrong);
  out.depends_on = ids_in(body, "dependsOn");
  find_repeats(out.depends_on, "/dependsOn/", "", wrong);
  if (auto const text = text_in(body, "mutedUntil")) out.muted_until = parse_rfc3339(*text);
  if (out.muted_until && out.muted_until->micros - now.micros > longest_mute)
    wrong.push_back({"/mutedUntil", "must be at most 366 days ahead"});
  if (auto ok = svc::api::verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

result<monitor_settings> patch_monitor(http::body_validator& contract, monitor const& current,
                                       boost::json::object const& patch, monitor_rules const& rules, timestamp now,
                                       check_verdict* verdict) {
  auto const wanted = without_status(patch);
  if (!wanted) return wanted.error();
  auto object = boost::json::parse(http::written(monitor_settings_json, current.set)).as_object();
  if (given(*wanted, "frequencyMinutes") != nullptr) object.erase("frequencySeconds");
  auto const merged = patched(contract, "CreateMonitor", std::move(object), *wanted);
  if (!merged) return merged.error();
  return read_monitor(*merged, rules, now, &current.set, verdict);
}

}  // namespace svc::api
