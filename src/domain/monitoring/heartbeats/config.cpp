#include "svc/domain/monitoring/heartbeats/config.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace svc::heartbeats {
namespace {

namespace json = boost::json;
using std::chrono::seconds;

/// The members of one object. A null member counts as absent.
class members {
 public:
  /// `place`: the object's JSON pointer. All outlive this.
  members(json::object const& object, std::string_view path, std::span<std::string_view const> known,
          std::vector<field_error>& wrong)
      : object_(object), path_(path), wrong_(wrong) {
    for (auto const& each : object) {
      std::string_view const name = each.key();
      if (std::ranges::find(known, name) == known.end()) refuse(name, "is unknown");
    }
  }

  json::value const* find(std::string_view name) const {
    auto const* found = object_.if_contains(name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  std::optional<seconds> duration(std::string_view name, std::int64_t least, std::int64_t most) {
    auto const* found = find(name);
    if (found == nullptr) return std::nullopt;
    auto const* number = found->if_int64();
    if (number != nullptr && *number >= least && *number <= most) return seconds(*number);
    refuse(name, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
    return std::nullopt;
  }
  std::optional<std::string> text(std::string_view name) {
    auto const* found = find(name);
    if (found == nullptr) return std::nullopt;
    if (found->is_string()) return std::string(found->get_string());
    refuse(name, "must be a string");
    return std::nullopt;
  }
  void refuse(std::string_view name, std::string reason) {
    wrong_.push_back({std::string(path_) + "/" + std::string(name), std::move(reason)});
  }

 private:
  json::object const& object_;
  std::string_view path_;
  std::vector<field_error>& wrong_;
};

constexpr std::array<std::string_view, 6> config_members{"schedule",           "graceSeconds", "startGraceSeconds",
                                                         "maxDurationSeconds", "earlySeconds", "methods"};
constexpr std::array<std::string_view, 3> schedule_members{"everySeconds", "cron", "timeZone"};

constexpr std::int64_t shortest_period = 30, longest_period = 30 * 86400;
constexpr std::int64_t longest_grace = 7 * 86400;
constexpr std::int64_t most_early = 3600;

void read_cron(members& members, std::string const& text, heartbeat_config& config) {
  config.cron = cron_schedule::parse(text);
  if (!config.cron) members.refuse("cron", "must have five fields: minute, hour, day of month, month, day of week");
  if (auto zone = members.text("timeZone")) config.time_zone = std::move(*zone);
  if (!is_time_zone(config.time_zone)) members.refuse("timeZone", "must be an IANA time zone such as Europe/Berlin");
}

void read_schedule(json::object const& source, heartbeat_config& config, std::vector<field_error>& wrong) {
  members members(source, "/config/schedule", schedule_members, wrong);
  auto const cron = members.text("cron");
  if ((members.find("everySeconds") == nullptr) == (members.find("cron") == nullptr)) {
    wrong.push_back({"/config/schedule", "must have one of everySeconds and cron"});
    return;
  }
  config.every = members.duration("everySeconds", shortest_period, longest_period);
  if (cron) read_cron(members, *cron, config);
  if (!cron && members.find("timeZone") != nullptr) members.refuse("timeZone", "must be left out without cron");
}

}  // namespace

std::optional<timestamp> heartbeat_config::due_after(timestamp moment, timestamp start) const {
  if (cron) return cron->next_after(moment, time_zone);
  std::chrono::microseconds const period = every.value_or(seconds(longest_period));
  if (moment < start) return start;
  return start + period * ((moment - start) / period + 1);
}

result<heartbeat_config> parse_heartbeat(json::object const& config) {
  heartbeat_config out;
  std::vector<field_error> wrong;
  members members(config, "/config", config_members, wrong);
  auto const* schedule = members.find("schedule");
  if (schedule == nullptr || !schedule->is_object()) {
    members.refuse("schedule", "must be an object with everySeconds, or with cron and timeZone");
  } else {
    read_schedule(schedule->get_object(), out, wrong);
  }
  out.grace = members.duration("graceSeconds", 0, longest_grace).value_or(out.grace);
  out.start_grace = members.duration("startGraceSeconds", 0, longest_grace);
  out.longest_run = members.duration("maxDurationSeconds", 1, longest_period);
  out.early = members.duration("earlySeconds", 0, most_early).value_or(out.early);
  auto const methods = members.text("methods").value_or("any");
  if (methods != "any" && methods != "post") members.refuse("methods", "must be any or post");
  out.only_post = methods == "post";
  if (!wrong.empty()) return error(errc::validation_failed, {}, std::move(wrong));
  return out;
}

}  // namespace svc::heartbeats
