#include "cli/commands/job_page.hpp"

#include "cli/commands/resource.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

namespace svc::cli {

TEST_CASE("the alerts of a job in words") {
  struct {
    char const* alerts;
    char const* expected;
  } const cases[] = {
      {R"({})", "off"},
      {R"({"enabled": false, "alertOnFailure": true, "notificationProviders": ["on-call"]})", "off"},
      {R"({"enabled": true, "alertOnFailure": true, "notificationProviders": ["on-call", "ops"]})",
       "to on-call, ops; on failure"},
      {R"({"enabled": true, "alertOnFailure": true, "alertOnTimeout": true, "alertOnSuccess": true,
           "alertOnRecovery": true, "failureThreshold": 3, "notificationProviders": []})",
       "to no provider; on failure, timeout, success, recovery; after 3 failures in a row"},
      {R"({"enabled": true, "failureThreshold": 1, "notificationProviders": 1})", "to 1"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.alerts);
    CHECK(alerts_in_words(boost::json::parse(c.alerts).as_object()) == c.expected);
  }
}

TEST_CASE("a test of another type than the job's is refused with the type that fits") {
  auto const remedy = [](char const* said, bool creates) {
    return job_remedy(failure(exit_code::refused, "validation_failed", said), creates);
  };
  CHECK(remedy("--test is a command test, which does not run in a playwright job.", true) ==
        "Add --type command, so that the job runs such tests; a job runs tests of one kind.");
  CHECK(remedy("--test is a performance test, which does not run in a command job.", true)
            .starts_with("Add --type k6,"));
  CHECK(remedy("--test is a api test, which does not run in a k6 job.", false) ==
        "The type of a job never changes; svc job create NAME --type playwright makes one for such tests.");
  CHECK(remedy("--test is repeated.", true).empty());
}

}  // namespace svc::cli
