#include "live/output/catch_up.hpp"

#include <doctest/doctest.h>

namespace svc::output {
namespace {

using heard = catch_up::heard_event;
using events = std::vector<run_event>;
using std::chrono::seconds;

steady::time_point const opened = steady::time_point(seconds(1000));
constexpr milliseconds tick{1};

run run_that_is(std::string status, bool ended = false) {
  run out;
  out.status = std::move(status);
  out.attempt = out.status == "queued" ? 0 : 1;
  if (ended) out.completed_at = timestamp{};
  return out;
}

events numbered(std::int64_t first, std::int64_t last, std::string const& text = "x") {
  events out;
  for (auto i = first; i <= last; ++i) out.push_back({{1, i}, event_kind::out, text});
  return out;
}

/// Returns the hub's news for lines `first` to `last`.
news reported(std::int64_t first, std::int64_t last, std::string const& text = "x") {
  return {make_batch({1, first - 1}, numbered(first, last, text))};
}

news const look{}, over{nullptr, true};

archive::found_part kept(events const& all) {
  std::string text;
  for (auto const& event : all) append_stored(text, event);
  return {.text = std::make_shared<std::string const>(std::move(text))};
}

/// Returns everything that is sent now: lines as `<id>`, other events as `<id>:<name>`.
std::string sent(catch_up& catch_up) {
  std::string out;
  for (auto piece = catch_up.take(); !piece.bytes.empty(); piece = catch_up.take()) {
    std::string_view text = piece.bytes;
    for (auto end = text.find("\n\n"); end != text.npos; end = text.find("\n\n")) {
      auto const word = text.substr(4, end - 4);
      auto const name = word.substr(word.find("event: ") + 7, word.rfind('\n') - word.find("event: ") - 7);
      out.append(out.empty() ? "" : " ").append(word.substr(0, word.find('\n')));
      if (name != "console") out.append(":").append(name);
      text.remove_prefix(end + 2);
    }
  }
  return out;
}

/// Makes one read of Redis. Returns true if PostgreSQL must be asked.
bool read(catch_up& catch_up, std::optional<events> const& found, steady::time_point now = opened) {
  REQUIRE(catch_up.read(now));
  bool const ask = catch_up.found(found, now);
  catch_up.finish();
  return ask;
}

/// Returns a viewer that follows a running run and is up to date, with lines 1 to 4.
catch_up live() {
  catch_up out(run_that_is("running"), {}, opened);
  events all{{{1, 0}, event_kind::status, "running"}};
  for (auto& event : numbered(1, 4)) all.push_back(std::move(event));
  REQUIRE_FALSE(read(out, all));
  REQUIRE(sent(out) == "1-0:status 1-1 1-2 1-3 1-4");
  return out;
}

TEST_CASE("Redis is read from the viewer's position on, page by page, then no more") {
  catch_up catch_up(run_that_is("running"), event_id{1, 2}, opened);
  CHECK(catch_up.due() <= opened);
  CHECK(catch_up.read(opened) == event_id{1, 2});
  CHECK(catch_up.due() == steady::time_point::max());
  CHECK_FALSE(catch_up.read(opened));
  CHECK_FALSE(catch_up.found(numbered(3, 2 + catch_up::page), opened));
  catch_up.finish();
  CHECK(catch_up.read(opened) == event_id{1, 2 + catch_up::page});
  CHECK_FALSE(catch_up.found(numbered(3 + catch_up::page, 1 + 2 * catch_up::page), opened));
  catch_up.finish();
  CHECK_FALSE(catch_up.read(opened));
  CHECK(catch_up.due() == steady::time_point::max());
  sent(catch_up);
  CHECK(catch_up.taken() == event_id{1, 1 + 2 * catch_up::page});
}

TEST_CASE("a start that Redis does not hold is reported, once, for a run that has started") {
  struct {
    char const* name;
    run run;
    std::optional<event_id> id;
    events held;
    std::string heard;
  } const cases[] = {
      {"in the queue", run_that_is("queued"), {}, {}, ""},
      {"running, and Redis has nothing", run_that_is("running"), {}, {}, "1-0:status"},
      {"running, and the viewer knows", run_that_is("running"), event_id{1, 0}, {}, ""},
      {"a viewer of the attempt before",
       run_that_is("running"),
       event_id{0, 0},
       {{{1, 0}, event_kind::status, "running"}},
       "1-0:status"},
      {"Redis has later ones", run_that_is("running"), {}, numbered(3, 3), "1-2:gap 1-3"},
      {"not running any more", run_that_is("passed"), {}, {}, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    catch_up catch_up(c.run, c.id, opened);
    CHECK_FALSE(read(catch_up, c.held));
    CHECK(sent(catch_up) == c.heard);
  }
}

TEST_CASE("an up-to-date viewer uses the announcement; a viewer that misses something reads again") {
  auto catch_up = live();
  CHECK(catch_up.hear(reported(5, 6), false, opened) == heard::news);
  CHECK(sent(catch_up) == "1-5 1-6");
  CHECK_FALSE(catch_up.read(opened));
  CHECK(catch_up.hear(reported(9, 9), false, opened) == heard::news);
  CHECK(sent(catch_up) == "");
  CHECK(catch_up.read(opened) == event_id{1, 6});
  CHECK_FALSE(catch_up.found(numbered(7, 9), opened));
  catch_up.finish();
  CHECK(sent(catch_up) == "1-7 1-8 1-9");
  CHECK(catch_up.hear(look, false, opened) == heard::news);
  CHECK(catch_up.read(opened) == event_id{1, 9});
}

TEST_CASE("nothing is kept for a viewer whose right is being verified: it reads later") {
  auto catch_up = live();
  CHECK(catch_up.hear(reported(5, 6), true, opened) == heard::news);
  CHECK(sent(catch_up) == "");
  CHECK(catch_up.read(opened) == event_id{1, 4});
}

TEST_CASE("announcements during a read follow its result") {
  struct {
    char const* name;
    std::vector<news> before, during;
    events held;
    std::string heard;
    bool again;
  } const cases[] = {
      {"nothing", {}, {}, numbered(5, 6), "1-5 1-6", false},
      {"what it finds too", {}, {reported(5, 6)}, numbered(5, 6), "1-5 1-6", false},
      {"what came after its page", {}, {reported(7, 7), reported(8, 8)}, numbered(5, 6), "1-5 1-6 1-7 1-8", false},
      {"a part that it missed", {}, {reported(8, 8)}, numbered(5, 6), "1-5 1-6", true},
      {"what came before it began", {reported(5, 5)}, {}, numbered(5, 6), "1-5 1-6", false},
      {"that there may be more", {}, {look}, numbered(5, 6), "1-5 1-6", true},
      {"as much as is kept", {}, std::vector(catch_up::most_heard, reported(5, 6)), numbered(5, 6), "1-5 1-6", false},
      {"more than is kept",
       {},
       std::vector(catch_up::most_heard + 1, reported(5, 6)),
       numbered(5, 6),
       "1-5 1-6",
       true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto catch_up = live();
    catch_up.hear(look, false, opened);
    for (auto const& news : c.before) catch_up.hear(news, false, opened);
    REQUIRE(catch_up.read(opened));
    for (auto const& news : c.during) catch_up.hear(news, false, opened);
    CHECK_FALSE(catch_up.found(c.held, opened));
    catch_up.finish();
    CHECK(sent(catch_up) == c.heard);
    CHECK(catch_up.read(opened).has_value() == c.again);
  }
}

TEST_CASE("a late viewer that does not read keeps no announcements") {
  auto catch_up = live();
  catch_up.hear(look, false, opened);
  auto const news = reported(5, 6);
  catch_up.hear(news, false, opened);
  CHECK(news.batch.use_count() == 1);
  REQUIRE(catch_up.read(opened));
  catch_up.hear(news, false, opened);
  CHECK(news.batch.use_count() == 2);
  CHECK_FALSE(catch_up.found(numbered(5, 5), opened));
  CHECK(sent(catch_up) == "1-5 1-6");
  CHECK(news.batch.use_count() == 1);
}

TEST_CASE("announcements during one read do not appear again with the next") {
  auto catch_up = live();
  catch_up.hear(look, false, opened);
  REQUIRE(catch_up.read(opened));
  catch_up.hear(reported(7, 7), false, opened);
  catch_up.found(std::nullopt, opened);
  catch_up.finish();
  CHECK_FALSE(read(catch_up, numbered(5, 5), opened + catch_up::pause));
  CHECK(sent(catch_up) == "1-5");
  CHECK_FALSE(catch_up.read(opened + catch_up::pause));
}

TEST_CASE("a store that is away is asked again after a pause") {
  auto catch_up = live();
  catch_up.hear(look, false, opened);
  CHECK_FALSE(read(catch_up, std::nullopt));
  CHECK(catch_up.due() == opened + catch_up::pause);
  CHECK_FALSE(catch_up.read(opened + catch_up::pause - tick));
  REQUIRE(catch_up.read(opened + catch_up::pause));
  catch_up.failed(opened + seconds(5));
  catch_up.finish();
  CHECK(catch_up.due() == opened + seconds(5) + catch_up::pause);
}

TEST_CASE("a viewer is too slow when it has not read too much of the shared output") {
  auto catch_up = live();
  std::string const half(catch_up::most_waiting / 2, 'x');
  // A viewer that has taken everything is not slow, however long the next piece is.
  CHECK(catch_up.hear(reported(5, 8, half), false, opened) == heard::news);
  CHECK(catch_up.hear(reported(9, 9), false, opened) == heard::too_much);
  catch_up.take();
  CHECK(catch_up.taken() == event_id{1, 5});
  catch_up.give_up();
  CHECK(sent(catch_up) == "");
  CHECK_FALSE(catch_up.complete());

  auto small = live();
  CHECK(small.hear(reported(5, 5, half), false, opened) == heard::news);
  CHECK(small.hear(reported(6, 6), false, opened) == heard::news);
  CHECK(small.hear(reported(7, 7, half), false, opened) == heard::too_much);
  CHECK(small.taken() == event_id{1, 4});
}

TEST_CASE("PostgreSQL is asked when the run is over and Redis does not hold its end") {
  events const rest = numbered(5, 5);
  events const end{{{1, 5}, event_kind::complete, "passed"}};
  struct {
    char const* name;
    bool ended;
    std::optional<events> held;
    bool asked;
  } const cases[] = {
      {"it goes on", false, rest, false},
      {"it goes on, Redis is away", false, std::nullopt, false},
      {"over, with its end", true, end, false},
      {"over, without", true, rest, true},
      {"over, Redis is away", true, std::nullopt, true},
      {"over, and Redis may have more", true, numbered(5, 4 + catch_up::page), false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto agent = live();
    agent.hear(c.ended ? over : look, false, opened);
    CHECK(read(agent, c.held) == c.asked);
  }
  catch_up late(run_that_is("passed", true), {}, opened);
  CHECK(read(late, rest));
}

TEST_CASE("the end of an ended run for its viewer") {
  auto const passed = run_that_is("passed", true);
  events all{{{1, 0}, event_kind::status, "running"}};
  for (auto& event : numbered(1, 6)) all.push_back(std::move(event));
  events whole = all;
  whole.push_back({{1, 7}, event_kind::complete, "passed"});
  struct {
    char const* name;
    result<archive::found_part> kept;
    seconds later;
    std::string heard;
    bool complete;
  } const cases[] = {
      {"kept, with its end", kept(whole), seconds(0), "1-5 1-6 1-7:complete", true},
      {"kept without its end", kept(all), seconds(0), "1-5 1-6 1-7:complete", true},
      {"no output", archive::found_part{}, seconds(0), "1-5:complete", true},
      {"dropped", archive::found_part{.dropped = true}, seconds(0), "1-5:gap 1-6:complete", true},
      {"on its way", archive::found_part{.moving = true}, seconds(0), "", false},
      {"on its way at the end of the grace", archive::found_part{.moving = true}, catch_up::grace, "", false},
      {"on its way for too long", archive::found_part{.moving = true}, catch_up::grace + seconds(1),
       "1-5:gap 1-6:complete", true},
      {"too many read others", errc::overloaded, catch_up::grace + seconds(1), "", false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto catch_up = live();
    catch_up.hear(over, false, opened);
    // Only the first news of the end counts.
    catch_up.hear(over, false, opened + seconds(20));
    auto const now = opened + c.later;
    CHECK(read(catch_up, events{}, now));
    CHECK(catch_up.concluded(c.kept, passed, now));
    CHECK(catch_up.due() == (c.heard.empty() ? now + catch_up::pause : steady::time_point::max()));
    CHECK(sent(catch_up) == c.heard);
    CHECK(catch_up.complete() == c.complete);
    if (c.complete) CHECK(catch_up.hear(look, false, now) == heard::nothing);
  }
}

TEST_CASE("a viewer that is refused the stored output asks less and less often") {
  auto catch_up = live();
  catch_up.hear(over, false, opened);
  auto now = opened;
  for (int const wanted : {1, 2, 4, 8, 16, 30, 30}) {
    CHECK(read(catch_up, events{}, now));
    CHECK(catch_up.concluded(errc::overloaded, run_that_is("passed", true), now));
    CHECK(catch_up.due() == now + seconds(wanted));
    CHECK_FALSE(catch_up.read(catch_up.due() - tick));
    now = catch_up.due();
  }
  CHECK(read(catch_up, events{}, now));
  CHECK(catch_up.concluded(kept(numbered(5, 6)), run_that_is("passed", true), now));
  CHECK(sent(catch_up) == "1-5 1-6 1-7:complete");
}

TEST_CASE("the end of a run whose later attempts Redis has lost is in the last one") {
  struct {
    char const* name;
    std::int64_t attempt;
    bool dropped;
    std::string heard;
  } const cases[] = {{"this one", 1, false, "1-5:complete"},
                     {"a later one", 2, false, "2-1:complete"},
                     {"a later one, dropped", 2, true, "2-1:gap 2-2:complete"},
                     {"the viewer has seen a later one", 0, false, "1-5:complete"}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto run = run_that_is("failed", true);
    run.attempt = c.attempt;
    catch_up catch_up(run, event_id{1, 4}, opened);
    CHECK(read(catch_up, events{}));
    CHECK(catch_up.concluded(archive::found_part{.dropped = c.dropped}, run, opened));
    CHECK(sent(catch_up) == c.heard);
  }
}

TEST_CASE("output in PostgreSQL is replayed after the events that the viewer has, page by page") {
  events all = numbered(1, 4 + 2 * catch_up::page);
  all.push_back({{1, 5 + 2 * catch_up::page}, event_kind::complete, "passed"});
  auto catch_up = live();
  catch_up.hear(over, false, opened);
  CHECK(read(catch_up, events{}));
  CHECK(catch_up.concluded(kept(all), run_that_is("passed", true), opened));
  CHECK(catch_up.take().bytes.starts_with("id: 1-5\n"));
  CHECK(catch_up.taken() == event_id{1, 4 + catch_up::page});
  CHECK_FALSE(catch_up.complete());
  CHECK(catch_up.take().bytes.starts_with("id: " + event_id{1, 5 + catch_up::page}.to_string() + "\n"));
  CHECK(sent(catch_up) == event_id{1, 5 + 2 * catch_up::page}.to_string() + ":complete");

  // A page that needs several pieces is sent whole before the next one is made.
  events wide = numbered(5, 4 + catch_up::page, std::string(3 * 1024, 'x'));
  wide.push_back({{1, 5 + catch_up::page}, event_kind::complete, "passed"});
  auto slow = live();
  slow.hear(over, false, opened);
  CHECK(read(slow, events{}));
  CHECK(slow.concluded(kept(wide), run_that_is("passed", true), opened));
  int pieces = 0;
  for (; slow.taken() < event_id{1, 4 + catch_up::page}; ++pieces) {
    CHECK_FALSE(slow.take().bytes.empty());
    CHECK_FALSE(slow.complete());
  }
  CHECK(pieces == 2);
  CHECK(sent(slow) == event_id{1, 5 + catch_up::page}.to_string() + ":complete");

  auto given_up = live();
  given_up.hear(over, false, opened);
  CHECK(read(given_up, events{}));
  CHECK(given_up.concluded(kept(all), run_that_is("passed", true), opened));
  given_up.give_up();
  CHECK(sent(given_up) == "");
}

TEST_CASE("a run that was deleted ends without a word, whatever is kept of it") {
  auto catch_up = live();
  catch_up.hear(over, false, opened);
  CHECK(read(catch_up, events{}));
  CHECK_FALSE(catch_up.concluded(kept(numbered(1, 9)), errc::not_found, opened));
  CHECK(sent(catch_up) == "");
}

}  // namespace
}  // namespace svc::output
