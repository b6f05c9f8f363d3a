#include "svc/domain/job.hpp"

#include "svc/core/result.hpp"
#include "svc/domain/cron.hpp"

#include <algorithm>

namespace svc {

std::string_view job_type_for(std::string_view test_type) {
  if (test_type == "performance") return "k6";
  if (test_type == "command") return "command";
  return "playwright";
}

result<> check_job(job_settings const& wanted, std::vector<std::string> const& parameters) {
  std::vector<field_error> wrong;
  if (!is_time_zone(wanted.time_zone)) {
    wrong.push_back({"/timeZone", "must be an IANA time zone such as Europe/Berlin"});
  }
  find_repeats(parameters, "/parameters/", "/name", wrong);
  find_repeats(wanted.alert_providers, "/alertConfig/notificationProviders/", "", wrong);
  if (wrong.empty()) return {};
  return error(errc::validation_failed, {}, std::move(wrong));
}

result<> check_job_tests(job_settings const& wanted, std::vector<known_test> const& known) {
  std::vector<field_error> wrong;
  for (std::size_t i = 0; i < wanted.tests.size(); ++i) {
    auto const id = wanted.tests[i];
    auto const position = wanted.tests.begin() + static_cast<std::ptrdiff_t>(i);
    auto const test = std::ranges::find(known, id, &known_test::id);
    std::string const field = "/tests/" + std::to_string(i) + "/id";
    if (test == known.end()) {
      wrong.push_back({field, "is no test of this project"});
    } else if (job_type_for(test->type) != wanted.job_type) {
      wrong.push_back({field, "is a " + test->type + " test, which does not run in a " + wanted.job_type + " job"});
    } else if (std::find(wanted.tests.begin(), position, id) != position) {
      wrong.push_back({field, "is repeated"});
    }
  }
  if (wrong.empty()) return {};
  return error(errc::validation_failed, "The job's tests cannot be used.", std::move(wrong));
}

std::optional<timestamp> next_run(job_settings const& settings, timestamp now) {
  if (!settings.enabled || !settings.cron_schedule) return std::nullopt;
  auto const schedule = cron_schedule::parse(*settings.cron_schedule);
  return schedule ? schedule->next_after(now, settings.time_zone) : std::nullopt;
}

}  // namespace svc
