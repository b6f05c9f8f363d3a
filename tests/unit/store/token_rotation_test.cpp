#include "store/tokens/token_rotation.hpp"

#include <doctest/doctest.h>

#include <chrono>

using namespace svc;
using namespace svc::store;

namespace {

using enum secret_state;
constexpr timestamp now{1'000'000'000};

timestamp in(std::int64_t seconds) {
  return now + std::chrono::seconds(seconds);
}

live_secret secret(std::string const& name, secret_state state, std::optional<timestamp> valid_until = {},
                   bool ends_previous = false) {
  return {sha256(name), state, name, valid_until, ends_previous};
}

using moves = std::vector<secret_ledger::move>;
using endings = std::vector<secret_ledger::ended_token>;

}  // namespace

TEST_CASE("rotating: which secrets end, which continue and until when") {
  struct {
    char const* name;
    std::vector<live_secret> before;
    timestamp latest;
    moves done;
    endings ended;
    std::optional<previous_secret> previous;
  } const cases[] = {
      {"the first time",
       {secret("a", current)},
       in(60),
       {{current, current, in(60)}},
       {},
       previous_secret{"a", in(60)}},
      {"no grace", {secret("a", current)}, now, {{current, dead, now}}, {{"a", "no_grace"}}, {}},
      {"a microsecond of grace",
       {secret("a", current)},
       {now.micros + 1},
       {{current, current, timestamp{now.micros + 1}}},
       {},
       previous_secret{"a", {now.micros + 1}}},
      {"the new one was never used: it dies, and the one in use does not live longer",
       {secret("a", current, in(30)), secret("b", pending)},
       in(60),
       {{pending, dead, {}}, {current, current, in(30)}},
       {{"b", "rotated_again"}},
       previous_secret{"a", in(30)}},
      {"never used, and a shorter grace now",
       {secret("a", current, in(30)), secret("b", pending)},
       in(10),
       {{pending, dead, {}}, {current, current, in(10)}},
       {{"b", "rotated_again"}},
       previous_secret{"a", in(10)}},
      {"never used, and time has ended the old one: it is not brought back",
       {secret("a", current, now), secret("b", pending)},
       in(60),
       {{pending, dead, {}}, {current, dead, now}},
       {{"b", "rotated_again"}, {"a", "no_grace"}},
       {}},
      {"the new one was used: the one before it dies",
       {secret("a", previous, in(30)), secret("b", current)},
       in(60),
       {{previous, dead, in(30)}, {current, current, in(60)}},
       {{"a", "rotated_again"}},
       previous_secret{"b", in(60)}},
      {"never used after no grace: nothing is left but the newest",
       {secret("b", pending)},
       in(60),
       {{pending, dead, {}}},
       {{"b", "rotated_again"}},
       {}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    secret_ledger ledger(c.before, now);
    ledger.rotate(c.latest);
    CHECK(ledger.moves() == c.done);
    CHECK(ledger.endings() == c.ended);
    CHECK(ledger.previous() == c.previous);
  }
}

TEST_CASE("the first use: its effect on the previous secret") {
  struct {
    char const* name;
    std::vector<live_secret> before;
    char const* used;
    bool won;
    moves done;
    endings ended;
  } const cases[] = {
      {"grace: the old one keeps its end",
       {secret("a", current, in(60)), secret("b", pending)},
       "b",
       true,
       {{current, previous, in(60)}, {pending, current, {}}},
       {}},
      {"first use ends it",
       {secret("a", current, in(60)), secret("b", pending, {}, true)},
       "b",
       true,
       {{current, dead, in(60)}, {pending, current, {}}},
       {{"a", "first_use"}}},
      {"without one before it", {secret("b", pending, {}, true)}, "b", true, {{pending, current, {}}}, {}},
      {"the old one is used", {secret("a", current, in(60)), secret("b", pending, {}, true)}, "a", false, {}, {}},
      {"used before", {secret("a", previous, in(60)), secret("b", current)}, "b", false, {}, {}},
      {"rotated away since", {secret("a", current, in(60)), secret("c", pending)}, "b", false, {}, {}},
      {"nothing left", {}, "b", false, {}, {}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    secret_ledger ledger(c.before, now);
    CHECK(ledger.confirm(sha256(c.used)) == c.won);
    CHECK(ledger.moves() == c.done);
    CHECK(ledger.endings() == c.ended);
    // The second time nothing happens.
    auto const once = ledger.moves();
    CHECK_FALSE(ledger.confirm(sha256(c.used)));
    CHECK(ledger.moves() == once);
  }
}

TEST_CASE("rotating with the unused secret: it becomes the one in use") {
  secret_ledger ledger({secret("a", current, in(30)), secret("b", pending)}, now);
  REQUIRE(ledger.confirm(sha256("b")));
  ledger.rotate(in(60));
  CHECK(ledger.previous() == previous_secret{"b", in(60)});
  CHECK(ledger.endings() == endings{{"a", "rotated_again"}});
}

TEST_CASE("the grace ends with the token, before and after") {
  struct {
    char const* name;
    std::int64_t grace;
    std::optional<timestamp> before, after;
    timestamp expected;
  } const cases[] = {
      {"no expiry", 60, {}, {}, in(60)},
      {"none at all", 0, {}, {}, now},
      {"the longest", 604'800, {}, {}, in(604'800)},
      {"expired sooner before: not lengthened by a new expiry", 60, in(30), in(3600), in(30)},
      {"expires sooner now", 60, in(3600), in(59), in(59)},
      {"later", 60, in(61), in(61), in(60)},
      {"a new expiry where there was none", 86'400, {}, in(60), in(60)},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(end_of_grace({.grace_seconds = c.grace}, c.before, c.after, now) == c.expected);
  }
}

TEST_CASE("states have the names of the schema") {
  for (auto const state : {current, pending, previous, dead}) CHECK(parse_secret_state(to_string(state)) == state);
  CHECK_FALSE(parse_secret_state("gone"));
}
