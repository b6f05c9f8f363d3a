#include "live/output/announcements.hpp"

#include "live/output/redis_output.hpp"

#include <doctest/doctest.h>

namespace svc::output {
namespace {

TEST_CASE("the published facts of a run") {
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

/// Returns the announcement after lines `first` to `last` of attempt 1 are written.
news_line announced(std::int64_t first, std::int64_t last) {
  return {std::pair(event_id{1, first - 1}, event_id{1, last}), false};
}

std::vector<run_event> page(std::int64_t first, std::int64_t last) {
  std::vector<run_event> out;
  for (auto i = first; i <= last; ++i) out.push_back({{1, i}, event_kind::out, "x"});
  return out;
}

TEST_CASE("a read includes announcements during it, and continues after the last page") {
  announcements heard;
  CHECK_FALSE(heard.unread());
  CHECK(heard.hear(announced(5, 6)));
  CHECK(heard.unread() == event_id{1, 4});
  CHECK_FALSE(heard.hear(announced(7, 9)));
  // The page contains more lines than were announced at the request, and fewer than are announced now.
  auto const first = heard.found(page(5, 7));
  REQUIRE(first);
  CHECK(first->after == event_id{1, 4});
  CHECK(first->events.back().id == event_id{1, 7});
  CHECK(heard.unread() == event_id{1, 7});
  CHECK(heard.found(page(8, 9)));
  CHECK_FALSE(heard.unread());
  CHECK_FALSE(heard.finish());
  // The next read starts where this one stopped.
  CHECK(heard.hear(announced(10, 10)));
  CHECK(heard.unread() == event_id{1, 9});
}

TEST_CASE("output that was read already, and an older announcement that is late, need no page") {
  announcements heard;
  CHECK(heard.hear(announced(1, 2)));
  CHECK(heard.found(page(1, 5)));
  CHECK_FALSE(heard.hear(announced(3, 5)));
  CHECK_FALSE(heard.unread());
  CHECK_FALSE(heard.hear(announced(6, 8)));
  CHECK_FALSE(heard.hear(announced(3, 5)));
  CHECK(heard.found(page(6, 7)));
  CHECK(heard.unread() == event_id{1, 7});
}

TEST_CASE("a page that is lost or unavailable ends the read, and the next announcement starts again") {
  for (auto const& lost : {std::optional<std::vector<run_event>>(), std::optional(page(1, 0))}) {
    announcements heard;
    heard.hear(announced(5, 6));
    CHECK_FALSE(heard.found(lost));
    CHECK_FALSE(heard.unread());
    CHECK_FALSE(heard.finish());
    CHECK(heard.hear(announced(20, 21)));
    CHECK(heard.unread() == event_id{1, 19});
  }
}

TEST_CASE("the end is reported once, after the read; it needs no page of its own") {
  announcements heard;
  CHECK(heard.hear({{}, true}));
  CHECK_FALSE(heard.unread());
  CHECK(heard.finish());
  CHECK(heard.hear(announced(1, 1)));
  CHECK_FALSE(heard.hear({{}, true}));
  CHECK_FALSE(heard.hear(announced(2, 2)));
  CHECK(heard.found(page(1, 2)));
  CHECK(heard.finish());
  CHECK(heard.hear(announced(3, 3)));
  CHECK_FALSE(heard.finish());
}

}  // namespace
}  // namespace svc::output
