#include "api/job_json.hpp"
#include "api/object_reader.hpp"
#include "api/replies.hpp"
#include "svc/domain/cron.hpp"
#include "svc/domain/run.hpp"

#include <algorithm>

namespace svc::api {
namespace {

/// The members that users set.
boost::json::object settings_json(job_settings const& set) {
  boost::json::array tests;
  for (uuid const id : set.tests) tests.push_back(boost::json::object{{"id", id.to_string()}});
  return {{"name", set.name},
          {"description", or_null(set.description)},
          {"jobType", set.job_type},
          {"tests", std::move(tests)},
          {"cronSchedule", or_null(set.cron_schedule)},
          {"timeZone", set.time_zone},
          {"enabled", set.enabled},
          {"timeoutSeconds", set.timeout_seconds},
          {"maxConcurrentRuns", or_null(set.max_concurrent_runs)},
          {"parameters", boost::json::parse(set.parameters)},
          {"alertConfig", set.alert_config ? boost::json::parse(*set.alert_config) : boost::json::value()}};
}

boost::json::value last_run_json(std::optional<last_run> const& last) {
  if (!last) return nullptr;
  return {{"id", last->id.to_string()},
          {"status", last->status},
          {"startedAt", or_null(last->started_at)},
          {"completedAt", or_null(last->completed_at)},
          {"durationMs", or_null(duration_ms(last->started_at, last->completed_at))}};
}

constexpr std::size_t max_parameters = 100;
constexpr std::size_t max_alert_providers = 10;
constexpr std::size_t max_parameter_value = 10'000;

/// ^[A-Z][A-Z0-9_]{0,63}$
bool parameter_name(std::string_view name) {
  auto const capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  auto const allowed = [&](char c) { return capital(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= 64 && capital(name.front()) && std::ranges::all_of(name, allowed);
}

void read_tests(object_reader& from, std::vector<field_error>& wrong, job_settings& into) {
  auto const* const tests = from.maybe_array("tests", max_job_tests);
  if (tests == nullptr) return;
  for (std::size_t i = 0; i < tests->size(); ++i) {
    auto const* const test = (*tests)[i].if_object();
    auto const* const text = test == nullptr ? nullptr : test->if_contains("id");
    auto const id = text == nullptr || !text->is_string() ? std::nullopt : uuid::parse(text->get_string());
    if (id) {
      into.tests.push_back(*id);
    } else {
      wrong.push_back({"/tests/" + std::to_string(i) + "/id", "must be a UUID"});
    }
  }
}

void read_parameters(object_reader& from, std::vector<field_error>& wrong, job_settings& into) {
  auto const* const parameters = from.maybe_array("parameters", max_parameters);
  if (parameters == nullptr) return;
  boost::json::array out;
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < parameters->size(); ++i) {
    std::string const place = "/parameters/" + std::to_string(i);
    auto const* const parameter = (*parameters)[i].if_object();
    if (parameter == nullptr) {
      wrong.push_back({place, "must be an object"});
      continue;
    }
    object_reader reader(*parameter, wrong, place);
    reader.only({"name", "required", "default"});
    std::string name = reader.text("name", {1, 64});
    if (!name.empty() && !parameter_name(name)) {
      reader.fault("name", "must be a capital letter and at most 63 capital letters, digits or underscores");
    }
    if (std::ranges::find(seen, name) != seen.end()) reader.fault("name", "is repeated");
    boost::json::object made{{"name", name}, {"required", reader.boolean("required", false)}};
    if (auto const value = reader.maybe_text("default", {0, max_parameter_value})) made["default"] = *value;
    out.push_back(std::move(made));
    seen.push_back(std::move(name));
  }
  into.parameters = boost::json::serialize(out);
}

boost::json::array read_providers(object_reader& from, std::vector<field_error>& wrong, job_settings& into) {
  boost::json::array out;
  auto const* const ids = from.maybe_array("notificationProviders", max_alert_providers);
  for (std::size_t i = 0; ids != nullptr && i < ids->size(); ++i) {
    auto const id = (*ids)[i].is_string() ? uuid::parse((*ids)[i].get_string()) : std::nullopt;
    std::string const place = from.pointer("notificationProviders") + "/" + std::to_string(i);
    if (!id) {
      wrong.push_back({place, "must be a UUID"});
    } else if (std::ranges::find(into.alert_providers, *id) != into.alert_providers.end()) {
      wrong.push_back({place, "is repeated"});
    } else {
      into.alert_providers.push_back(*id);
      out.emplace_back(id->to_string());
    }
  }
  return out;
}

void read_alerts(object_reader& from, std::vector<field_error>& wrong, job_settings& into) {
  auto const* const alerts = from.maybe_object("alertConfig");
  if (alerts == nullptr) return;
  object_reader reader(*alerts, wrong, "/alertConfig");
  reader.only({"enabled", "notificationProviders", "alertOnFailure", "alertOnSuccess", "alertOnTimeout",
               "failureThreshold", "recoveryThreshold", "customMessage"});
  boost::json::object const out{{"enabled", reader.boolean("enabled", false)},
                                {"notificationProviders", read_providers(reader, wrong, into)},
                                {"alertOnFailure", reader.boolean("alertOnFailure", true)},
                                {"alertOnSuccess", reader.boolean("alertOnSuccess", false)},
                                {"alertOnTimeout", reader.boolean("alertOnTimeout", true)},
                                {"failureThreshold", reader.integer("failureThreshold", 1, 10'000, 1)},
                                {"recoveryThreshold", reader.integer("recoveryThreshold", 1, 10'000, 1)},
                                {"customMessage", reader.maybe_text("customMessage", {0, 2000}).value_or("")}};
  into.alert_config = boost::json::serialize(out);
}

void read_schedule(object_reader& from, job_settings& into) {
  into.cron_schedule = from.maybe_text("cronSchedule", {0, 255});
  if (into.cron_schedule && !cron_schedule::parse(*into.cron_schedule)) {
    from.fault("cronSchedule", "must be five fields of cron");
  }
  into.time_zone = from.maybe_text("timeZone", {1, 64}).value_or("UTC");
  if (!is_time_zone(into.time_zone)) from.fault("timeZone", "must be an IANA time zone such as Europe/Berlin");
}

}  // namespace

boost::json::object job_json(job const& of) {
  boost::json::object out{{"id", of.id.to_string()}};
  for (auto& member : settings_json(of.set)) out[member.key()] = member.value();
  out["status"] = of.status();
  out["lastRun"] = last_run_json(of.last);
  out["lastRunAt"] = of.last ? boost::json::value(to_rfc3339(of.last->queued_at)) : boost::json::value();
  out["nextRunAt"] = or_null(of.next_run_at);
  out["testCount"] = of.set.tests.size();
  out["createdBy"] = of.created_by.to_string();
  out["createdAt"] = to_rfc3339(of.created_at);
  out["updatedAt"] = to_rfc3339(of.updated_at);
  return out;
}

result<job_settings> patch_job(job const& current, boost::json::object const& patch) {
  auto const merged = merge_patch(settings_json(current.set), patch);
  auto wanted = read_job(merged);
  if (wanted && wanted->job_type != current.set.job_type) {
    return error(errc::validation_failed, {}, {{"/jobType", "cannot be changed"}});
  }
  return wanted;
}

result<job_settings> read_job(boost::json::object const& body) {
  std::vector<field_error> wrong;
  object_reader from(body, wrong);
  from.only({"name", "description", "jobType", "tests", "cronSchedule", "timeZone", "enabled", "timeoutSeconds",
             "maxConcurrentRuns", "parameters", "alertConfig"});
  job_settings out;
  out.name = from.text("name", {1, 255});
  out.description = from.maybe_text("description", {0, 2000});
  out.job_type = from.one_of("jobType", {"playwright", "k6", "command"}, "playwright");
  read_tests(from, wrong, out);
  read_schedule(from, out);
  out.enabled = from.boolean("enabled", true);
  out.timeout_seconds = from.integer("timeoutSeconds", 1, 86'400, 3600);
  out.max_concurrent_runs = from.maybe_integer("maxConcurrentRuns", 1, 10'000);
  read_parameters(from, wrong, out);
  read_alerts(from, wrong, out);
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

}  // namespace svc::api
