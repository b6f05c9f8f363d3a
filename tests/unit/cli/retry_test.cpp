#include "cli/http/retry.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace svc::cli;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

request request_with(std::string const& method, bool keyed = false) {
  request out{.method = method, .target = "/"};
  if (keyed) out.fields.emplace_back("idempotency-Key", "k");
  return out;
}

outcome no_answer(bool sent, bool transient = true) {
  return {.status = 0, .sent = sent, .transient = transient};
}

outcome status(int number, std::string code = {}) {
  return {.status = number, .sent = true, .code = std::move(code)};
}

outcome asking(int number, seconds wait) {
  return {.status = number, .sent = true, .retry_after = wait};
}

}  // namespace

TEST_CASE("outcomes that are retried") {
  struct row {
    request sent;
    outcome became;
    bool again;
  };
  std::vector<row> const table{
      {request_with("GET"), no_answer(true), true},
      {request_with("HEAD"), no_answer(true), true},
      {request_with("PUT"), no_answer(true), true},
      {request_with("DELETE"), no_answer(true), true},
      {request_with("PATCH"), no_answer(true), false},
      {request_with("POST"), no_answer(true), false},
      {request_with("POST", true), no_answer(true), true},
      {request_with("POST"), no_answer(false), true},
      {request_with("GET"), no_answer(false, false), false},
      {request_with("GET"), status(200), false},
      {request_with("GET"), status(404), false},
      {request_with("GET"), status(500), false},
      {request_with("GET"), status(502), true},
      {request_with("GET"), status(503), true},
      {request_with("GET"), status(504), true},
      {request_with("POST"), status(503), false},
      {request_with("PATCH"), status(503), false},
      {request_with("POST", true), status(503), true},
      {request_with("POST"), status(429), true},
      {request_with("PATCH"), status(429), true},
      {request_with("POST"), status(409, "queue_full"), true},
      {request_with("POST", true), status(409, "idempotency_in_progress"), true},
      {request_with("POST", true), status(409, "job_disabled"), false},
      {request_with("GET"), status(409), false},
  };
  for (auto const& each : table) {
    CAPTURE(each.sent.method);
    CAPTURE(each.became.status);
    CAPTURE(each.became.code);
    retry_policy policy(each.sent);
    CHECK((policy.after(each.became, std::nullopt, 0.5).step == next_step::wait) == each.again);
    CHECK(policy.tries() == (each.again ? 2 : 1));
  }
}

TEST_CASE("the wait is never less than asked, up to a fifth more; otherwise full jitter that doubles") {
  retry_policy asked(request_with("GET"));
  CHECK(asked.after(asking(429, seconds(10)), std::nullopt, 0).wait == seconds(10));
  CHECK(asked.after(asking(503, seconds(10)), std::nullopt, 0.5).wait == seconds(11));
  CHECK(asked.after(asking(503, seconds(10)), std::nullopt, 0.999).wait <= seconds(12));
  retry_policy unasked(request_with("GET"));
  CHECK(unasked.after(status(503), std::nullopt, 0.5).wait == milliseconds(250));
  CHECK(unasked.after(status(503), std::nullopt, 0.5).wait == milliseconds(500));
  CHECK(unasked.after(status(503), std::nullopt, 0.5).wait == milliseconds(1000));
  // Told to come back at once, many would do so together.
  retry_policy zero(request_with("GET"));
  CHECK(zero.after(asking(429, seconds(0)), std::nullopt, 0.5).wait == milliseconds(250));
}

TEST_CASE("four tries, and the window's end where no wait is asked for") {
  retry_policy policy(request_with("GET"));
  for (int i = 0; i < 3; ++i) CHECK(policy.after(status(503), std::nullopt, 0.1).step == next_step::wait);
  CHECK(policy.after(status(503), std::nullopt, 0.1).step == next_step::over);
  CHECK(policy.tries() == 4);

  outcome limited = status(429);
  limited.reset_after = seconds(30);
  CHECK(retry_policy(request_with("GET")).after(limited, std::nullopt, 0).wait == seconds(30));
  limited.retry_after = seconds(2);
  CHECK(retry_policy(request_with("GET")).after(limited, std::nullopt, 0).wait == seconds(2));
  // The window says nothing of a service that is busy.
  outcome busy = status(503);
  busy.reset_after = seconds(30);
  CHECK(retry_policy(request_with("GET")).after(busy, std::nullopt, 0.5).wait == milliseconds(250));
}

TEST_CASE("waits that do not fit are not begun") {
  struct row {
    seconds asked;
    std::optional<milliseconds> left;
    next_step step;
  };
  std::vector<row> const table{
      {seconds(120), std::nullopt, next_step::wait},
      {seconds(121), std::nullopt, next_step::too_long},
      {seconds(121), seconds(200), next_step::wait},
      {seconds(5), milliseconds(5000), next_step::past_deadline},
      {seconds(5), milliseconds(5001), next_step::wait},
      {seconds(5), milliseconds(0), next_step::past_deadline},
      {seconds(5), milliseconds(-9), next_step::past_deadline},
      {seconds(1'000'000'000), seconds(9), next_step::past_deadline},
  };
  for (auto const& each : table) {
    CAPTURE(each.asked.count());
    for (double const fraction : {0.0, 0.5, 0.999}) {
      auto const got = retry_policy(request_with("GET")).after(asking(429, each.asked), each.left, fraction);
      CHECK(got.step == each.step);
      CHECK(got.asked == each.asked);
      if (each.left && got.step == next_step::wait) CHECK(got.wait <= *each.left);
      if (got.step == next_step::wait) CHECK(got.wait >= each.asked);
    }
  }
}

TEST_CASE("the pause that an answer asks for") {
  constexpr auto noon = "Sun, 06 Nov 1994 12:00:00 GMT";  // 784123200
  struct row {
    std::string name, value, date;
    std::optional<seconds> wait;
  };
  std::vector<row> const table{
      {"retry-after", "5", "", seconds(5)},
      {"retry-after", "0", "", seconds(0)},
      {"retry-after", "007", "", seconds(7)},
      {"retry-after", "99999999999999999999", "", seconds(1'000'000'000)},
      {"retry-after", "-1", "", std::nullopt},
      {"retry-after", "1.5", "", std::nullopt},
      {"retry-after", "", "", std::nullopt},
      {"retry-after", "soon", noon, std::nullopt},
      {"retry-after", "Sun, 06 Nov 1994 12:00:30 GMT", noon, seconds(30)},
      {"retry-after", "Sunday, 06-Nov-94 12:00:30 GMT", noon, seconds(30)},
      {"retry-after", "Sun Nov  6 12:00:30 1994", noon, seconds(30)},
      {"retry-after", "Sun, 06 Nov 1994 11:00:00 GMT", noon, seconds(0)},
      {"retry-after", "Sun, 06 Nov 1994 12:00:30 GMT", "", std::nullopt},
      {"x-ratelimit-reset", "784123260", noon, seconds(60)},
      {"x-ratelimit-reset", "784123199", noon, seconds(0)},
      {"x-ratelimit-reset", "784123260", "", std::nullopt},
      {"x-ratelimit-reset", "x", noon, std::nullopt},
  };
  for (auto const& each : table) {
    CAPTURE(each.name);
    CAPTURE(each.value);
    answer a{.status = 429, .fields = {{each.name, each.value}}};
    if (!each.date.empty()) a.fields.emplace_back("date", each.date);
    auto const got = outcome_of(a);
    CHECK((each.name == "retry-after" ? got.retry_after : got.reset_after) == each.wait);
  }
}
