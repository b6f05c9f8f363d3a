#include "output/keys.hpp"

#include <doctest/doctest.h>

namespace svc::output {
namespace {

TEST_CASE("what is published of a run") {
  struct {
    std::string text;
    bool readable, events, ended;
  } const cases[] = {{"0-0 1-0", true, true, false}, {"1-7 1-9 !", true, true, true},   {"!", true, false, true},
                     {"", false, false, false},      {" !", false, false, false},       {"1-7", false, false, false},
                     {"1-7 x", false, false, false}, {"1-7 1-9 ?", false, false, false}};
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto const line = read_news(c.text);
    CHECK(line.has_value() == c.readable);
    if (!line) continue;
    CHECK(line->events.has_value() == c.events);
    CHECK(line->ended == c.ended);
  }
  CHECK(read_news("1-7 1-9")->events == std::pair(event_id{1, 7}, event_id{1, 9}));
}

TEST_CASE("a channel names its run") {
  auto const run = uuid::generate_v7();
  CHECK(run_of_channel(channel_of(run)) == run);
  for (std::string const& other : {std::string(), std::string("svc:{}:news"), std::string("}{"), stream_key(run)}) {
    CAPTURE(other);
    CHECK_FALSE(run_of_channel(other));
  }
}

}  // namespace
}  // namespace svc::output
