// Schedules as people type them.
#include "cli/commands/arguments.hpp"
#include "cli/console/failure.hpp"
#include "svc/core/command_line.hpp"
#include "svc/domain/cron.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace svc::cli {
namespace {

struct cron_field {
  char const* name;
  char const* allowed;
};

constexpr std::array<cron_field, 5> cron_fields{{{"minute", "0 to 59"},
                                                 {"hour", "0 to 23"},
                                                 {"day of month", "1 to 31"},
                                                 {"month", "1 to 12 or jan to dec"},
                                                 {"day of week", "0 to 7 or sun to sat"}}};

/// The names of schedules that crontab(5) knows, except `@reboot`.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> named_schedules{{{"@hourly", "0 * * * *"},
                                                                                        {"@daily", "0 0 * * *"},
                                                                                        {"@midnight", "0 0 * * *"},
                                                                                        {"@weekly", "0 0 * * 0"},
                                                                                        {"@monthly", "0 0 1 * *"},
                                                                                        {"@yearly", "0 0 1 1 *"},
                                                                                        {"@annually", "0 0 1 1 *"}}};

constexpr char const* cron_advice =
    "Write minute, hour, day of month, month and day of week, as in '0 6 * * mon-fri', or @hourly, @daily, @weekly, "
    "@monthly or @yearly.";

std::vector<std::string> fields_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    auto const space = std::min(text.find_first_of(" \t"), text.size());
    if (space > 0) out.emplace_back(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return out;
}

/// True if the field is valid when all others are `*`.
bool is_right_field(std::size_t position, std::string const& field) {
  std::string line;
  for (std::size_t i = 0; i < cron_fields.size(); ++i) line += (i == 0 ? "" : " ") + (i == position ? field : "*");
  return cron_schedule::parse(line).has_value();
}

}  // namespace

std::string schedule_argument(std::string const& text, std::string const& option) {
  if (text.empty())
    throw bad_usage(option + " must not be empty.", "To remove a schedule: update ... --clear " +
                                                        option.substr(std::min<std::size_t>(2, option.size())));
  if (text.starts_with('@')) {
    auto const named = std::ranges::find(named_schedules, text, [](auto const& entry) { return entry.first; });
    if (named == named_schedules.end()) {
      std::vector<std::string> known;
      for (auto const& each : named_schedules) known.emplace_back(each.first);
      auto const meant = nearest_word(text, known);
      throw bad_usage(option + " does not know the schedule '" + text + "'." +
                          (meant.empty() ? "" : " Did you mean " + meant + "?"),
                      cron_advice);
    }
    return std::string(named->second);
  }
  if (cron_schedule::parse(text)) return text;
  auto const fields = fields_of(text);
  if (fields.size() != cron_fields.size())
    throw bad_usage(option + " must have five fields, and '" + text + "' has " + std::to_string(fields.size()) + ".",
                    cron_advice);
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (!is_right_field(i, fields[i]))
      throw bad_usage(option + ": the " + cron_fields[i].name + " must be from " + cron_fields[i].allowed +
                          ", not '" + fields[i] + "'.",
                      cron_advice);
  throw bad_usage(option + ": '" + text + "' is not a schedule.", cron_advice);
}

}  // namespace svc::cli
