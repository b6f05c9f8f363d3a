#include "monitoring/checks/attempts.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::checks {
namespace {

using namespace std::chrono_literals;

checks::result_of_check ended(char mode) {
  checks::result_of_check out;
  if (mode == '-') out.known.error = checks::failure(checks::code::connect_refused);
  if (mode == '~') out.known.error = checks::failure(checks::code::connect_timeout);
  if (mode == '?') out.known.error = checks::failure(checks::code::resolver_unreachable);
  if (out.known.error) out.ended = checks::row_of(out.known.error->which).gives;
  return out;
}

std::string code_of_result(attempts const& attempts) {
  auto const out = attempts.result();
  return out.known.error ? std::string(checks::row_of(out.known.error->which).name) : "up";
}

}  // namespace

TEST_CASE("which attempts there are, and which of them is the result") {
  struct {
    std::string name, attempts;
    unsigned most, made;
    char const* wanted;
  } const cases[] = {
      {"good at once", "+", 2, 1, "up"},
      {"a retry refutes the failure", "-+", 2, 2, "up"},
      {"the last retry refutes the failure", "--+", 2, 3, "up"},
      {"all fail", "---", 2, 3, "connect_refused"},
      {"the last failure is the result", "--~", 2, 3, "connect_timeout"},
      {"no retries are wanted", "-", 0, 1, "connect_refused"},
      {"our own fault is not tried again", "?", 2, 1, "resolver_unreachable"},
      {"a failure that could not be tried again is none", "-??", 2, 3, "resolver_unreachable"},
      {"two failures are enough", "-?~", 2, 3, "connect_timeout"},
      {"two failures, and our own fault behind them", "-~?", 2, 3, "connect_timeout"},
      {"our own fault between", "-?+", 2, 3, "up"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    attempts all({.most = c.most});
    bool more = true;
    for (char const text : c.attempts) {
      REQUIRE(more);
      all.add(ended(text));
      more = all.next().has_value();
    }
    CHECK_FALSE(more);
    CHECK(all.count() == c.made);
    CHECK(code_of_result(all) == c.wanted);
  }
}

TEST_CASE("delays grow by the factor") {
  attempts all({.most = 3, .delay = 2s, .backoff = 3});
  for (auto const wanted : {2s, 6s, 18s}) {
    all.add(ended('-'));
    CHECK(all.next() == wanted);
  }
  all.add(ended('-'));
  CHECK_FALSE(all.next());
}

TEST_CASE("a deadline that leaves no time for a retry leaves the failure") {
  attempts all({.most = 2});
  all.add(ended('-'));
  CHECK(all.next());
  CHECK(code_of_result(all) == "connect_refused");
}

}  // namespace svc::checks
