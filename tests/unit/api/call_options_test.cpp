#include "api/call_options.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

TEST_CASE("the wait that a Prefer field asks for") {
  constexpr int none = 0, bad = -1;
  struct {
    std::vector<http::field> fields;
    int seconds;
  } const cases[] = {
      {{}, none},
      {{{"Prefer", "wait=1"}}, 1},
      {{{"Prefer", "wait=55"}}, 55},
      {{{"Prefer", "wait=56"}}, bad},
      {{{"Prefer", "wait=0"}}, bad},
      {{{"Prefer", "wait=-1"}}, bad},
      {{{"Prefer", "wait=5.5"}}, bad},
      {{{"Prefer", "wait=99999999999999999999"}}, bad},
      {{{"Prefer", "wait"}}, bad},
      {{{"Prefer", "wait="}}, bad},
      {{{"prefer", "WAIT=10"}}, 10},
      {{{"Prefer", "wait=\"10\""}}, 10},
      {{{"Prefer", "wait=\""}}, bad},
      {{{"Prefer", "wait = 10 ; x=1"}}, 10},
      {{{"Prefer", "respond-async, wait=10"}}, 10},
      {{{"Prefer", "respond-async"}, {"Prefer", "wait=7"}}, 7},
      {{{"Prefer", "wait=7, wait=8"}}, 7},
      {{{"Prefer", "respond-async"}}, none},
      {{{"Prefer", "waiting=1"}}, none},
      {{{"Prefer", "return=wait"}}, none},
      {{{"X-Prefer", "wait=10"}}, none},
  };
  for (auto const& c : cases) {
    if (!c.fields.empty()) CAPTURE(c.fields.back().value);
    http::request head;
    head.fields = c.fields;
    auto const wanted = preferred_wait(head);
    CHECK((wanted ? static_cast<int>(wanted->value_or(std::chrono::seconds(none)).count()) : bad) == c.seconds);
    if (!wanted) CHECK(wanted.error().code == errc::validation_failed);
  }
}

}  // namespace
}  // namespace svc::api
