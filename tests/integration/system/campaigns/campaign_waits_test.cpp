// The check of waits detects what waits too long: forged requests and freezes.
#include "campaign_waits.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds allowed{5000};

std::chrono::steady_clock::time_point at(int millis) {
  return std::chrono::steady_clock::time_point(milliseconds(millis));
}

timed_request request_of(int start, int end, int asked_wait = 0, int status = 200) {
  return {"runner1", "claim", at(start), at(end), milliseconds(asked_wait), status};
}

TEST_CASE("the check of waits: time in freezes does not count, and nothing else is forgiven") {
  freeze const three_seconds{"redis", at(1000), at(4000)};
  struct {
    char const* name;
    std::vector<freeze> freezes;
    timed_request request;
    int beyond;
    bool late;
  } const cases[] = {
      {"no freeze, at the limit", {}, request_of(0, 5000), 5000, false},
      {"no freeze, beyond the limit", {}, request_of(0, 5001), 5001, true},
      {"a freeze inside of it", {three_seconds}, request_of(0, 8000), 5000, false},
      {"a freeze that lasted longer than what is booked", {three_seconds}, request_of(0, 8001), 5001, true},
      {"begun and ended within the freeze", {three_seconds}, request_of(1500, 3900), 0, false},
      {"a freeze before it", {three_seconds}, request_of(4000, 9001), 5001, true},
      {"a freeze after it", {{"redis", at(5001), at(9000)}}, request_of(0, 5001), 5001, true},
      {"only the part that overlaps", {three_seconds}, request_of(3000, 9001), 5001, true},
      {"two at the same time count once",
       {three_seconds, {"instance 1", at(2000), at(4000)}, {"a backend", at(1000), at(1500)}},
       request_of(0, 8001),
       5001,
       true},
      {"two that touch", {three_seconds, {"redis", at(4000), at(5000)}}, request_of(0, 9000), 5000, false},
      {"the asker itself", {{"runner1", at(0), at(4000), true}}, request_of(0, 9000), 5000, false},
      {"another client", {{"runner2", at(0), at(4000), true}}, request_of(0, 9000), 9000, true},
      {"asked to wait", {}, request_of(0, 9000, 4000), 5000, false},
  };
  for (auto const& c : cases) {
    CAPTURE(std::string(c.name));
    auto const verdict = check_waits_of(c.freezes, {request_of(0, 1), c.request}, allowed);
    CHECK(verdict.requests == 2);
    CHECK(verdict.highest.beyond == milliseconds(std::max(1, c.beyond)));
    CHECK(verdict.late.size() == (c.late ? 1U : 0U));
    CHECK((verdict.text().find("LATE: claim of runner1") != std::string::npos) == c.late);
  }
}

TEST_CASE("the check of waits sees an answer that is neither expected nor 503") {
  for (int const status : {0, 200, 204, 401, 409, 500, 502, 503, 504}) {
    CAPTURE(status);
    auto const verdict = check_waits_of({}, {request_of(0, 1, 0, status)}, allowed);
    CHECK(verdict.strange.size() == (status >= 500 && status != 503 ? 1U : 0U));
  }
}

TEST_CASE("recorded requests are read as they were written, except a line that was cut off") {
  temporary_directory const directory;
  auto const request = request_of(1, 7002, 5000, 503);
  auto const read = read_requests(directory.write("waits", to_line(request) + to_line(request).substr(0, 20)));
  REQUIRE(read.size() == 1);
  CHECK(to_line(read[0]) == to_line(request));
}

}  // namespace
}  // namespace svc::test
