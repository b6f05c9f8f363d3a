// This file shows people more about a job than the API's answer contains.
#include "cli/commands/job_page.hpp"

#include "cli/commands/resource.hpp"
#include "cli/commands/shown_names.hpp"
#include "cli/console/harmless.hpp"
#include "svc/domain/cron.hpp"

#include <algorithm>
#include <set>

namespace svc::cli {
namespace {

void name_tests(context& cx, boost::json::object& job) {
  auto* const tests = job.if_contains("tests");
  if (tests == nullptr || !tests->is_array() || tests->get_array().empty()) return;
  std::set<std::string, std::less<>> ids;
  for (auto const& each : tests->get_array()) ids.insert(cell_text(member_of(each, "id"), cell::text, false));
  auto const names = names_of(cx, test_resource(), ids);
  for (auto& each : tests->get_array()) {
    auto const name = names.find(cell_text(member_of(each, "id"), cell::text, false));
    if (name != names.end() && each.is_object()) each.get_object()["title"] = name->second;
  }
}

bool is_on(boost::json::object const& alerts, char const* member) {
  auto const* const value = alerts.if_contains(member);
  return value != nullptr && value->is_bool() && value->get_bool();
}

}  // namespace

std::string alerts_in_words(boost::json::object const& alerts) {
  if (!is_on(alerts, "enabled")) return "off";
  auto const* const providers = alerts.if_contains("notificationProviders");
  auto const output = cell_text(providers, cell::list, true);
  auto out = output == "-" ? std::string("to no provider") : "to " + output;
  std::string events;
  for (auto const& [member, word] : {std::pair{"alertOnFailure", "failure"},
                                     {"alertOnTimeout", "timeout"},
                                     {"alertOnSuccess", "success"},
                                     {"alertOnRecovery", "recovery"},
                                     {"alertOnDegraded", "slow answers"},
                                     {"alertOnError", "failed checks"},
                                     {"alertOnSslExpiration", "expiring certificates"}})
    if (is_on(alerts, member)) events.append(events.empty() ? "; on " : ", ").append(word);
  out += events;
  auto const* const threshold = alerts.if_contains("failureThreshold");
  if (threshold != nullptr && threshold->is_int64() && threshold->get_int64() > 1)
    out += "; after " + std::to_string(threshold->get_int64()) + " failures in a row";
  auto const* const reminder = alerts.if_contains("reminderMinutes");
  if (reminder != nullptr && reminder->is_int64())
    out += "; reminders every " + std::to_string(reminder->get_int64()) + " min";
  return out;
}

void name_alert_providers(context& cx, boost::json::object& target) {
  auto* const alerts = target.if_contains("alertConfig");
  if (alerts == nullptr || !alerts->is_object()) return;
  name_ids(cx, provider_resource(), alerts->get_object().if_contains("notificationProviders"));
  *alerts = alerts_in_words(alerts->get_object());
}

void name_masked_members(boost::json::object& object) {
  auto* const fields = object.if_contains("maskedFields");
  if (fields == nullptr || !fields->is_array()) return;
  for (auto& each : fields->get_array())
    if (each.is_string()) each = dotted_pointer(each.get_string());
}

void complete_job(context& cx, boost::json::object& job) {
  name_tests(cx, job);
  name_alert_providers(cx, job);
}

std::vector<std::string> job_warnings(boost::json::object const& job, bool creates) {
  std::vector<std::string> out;
  auto const name = text_of_member(job, "name"), type = text_of_member(job, "jobType");
  auto const* const count = job.if_contains("testCount");
  if (creates && count != nullptr && *count == 0)
    out.push_back("'" + harmless(name) + "' is a " + type +
                  " job without tests, and triggers are refused until it has " + "one: svc job update " +
                  shell_word(name) + " --test TEST" +
                  (type == "playwright" ? ". Tests of commands need a job with --type command." : ""));
  auto const cron = text_of_member(job, "cronSchedule");
  auto const schedule = cron_schedule::parse(cron);
  if (schedule && !schedule->names_a_day())
    out.push_back("the schedule '" + cron + "' never occurs, because no month has that day.");
  return out;
}

void resolve_alert_providers(context& cx, boost::json::value& alerts) {
  auto* const object = alerts.if_object();
  auto* const providers = object == nullptr ? nullptr : object->if_contains("notificationProviders");
  if (providers == nullptr || !providers->is_array()) return;
  for (auto& each : providers->get_array())
    if (each.is_string()) each = provider_id(cx, std::string(each.get_string()));
}

std::string job_remedy(failure const& refusal, bool creates) {
  std::string_view const said = refusal.what();
  if (said.find(" test, which does not run in a ") == std::string_view::npos) return {};
  bool const performance = said.find("is a performance test") != std::string_view::npos;
  bool const command = said.find("is a command test") != std::string_view::npos;
  auto const type = std::string(performance ? "k6" : command ? "command" : "playwright");
  return creates
             ? "Add --type " + type + ", so that the job runs such tests; a job runs tests of one kind."
             : "The type of a job never changes; svc job create NAME --type " + type + " makes one for such tests.";
}

}  // namespace svc::cli
