// The judge of a rig sees each broken promise: forged records, each with one.
#include "judge.hpp"

#include <doctest/doctest.h>

#include <functional>

namespace svc::test {
namespace {

using std::chrono::milliseconds;
using evaluated_clock = std::chrono::steady_clock;

evaluated_clock::time_point at(int millis) {
  return evaluated_clock::time_point(milliseconds(millis));
}

struct forged {
  load_records reported{};
  stored_facts stored{};
};

/// A client that was served every 10 ms, a token revoked at 1 s, three runs, a limit of two in a second.
forged good_records() {
  forged out;
  out.reported.good.resize(1);
  for (int i = 1; i <= 10; ++i) out.reported.good[0].push_back({at(10 * i), at(10 * i + 5), 200});
  out.reported.ended[0] = {at(900), at(1000)};
  out.reported.doomed = {{0, at(100), at(105), 200}, {0, at(950), at(1005), 200}, {0, at(1001), at(1010), 401}};
  for (auto const* run : {"a", "b", "c"}) {
    out.reported.keyed[std::string("key ") + run].insert(run);
    out.reported.triggers.push_back({at(1), at(2), 202});
    out.stored.keyed_runs.insert(run);
  }
  out.reported.limited = {{at(1), at(2), 202}, {at(3), at(4), 429}};
  for (int i = 0; i < 4; ++i) out.stored.limited.push_back({i * 500'000, "key", "trigger", 1, 2, "ok", "shared"});
  return out;
}

std::string said_of(forged const& forgery, promises const& allowed = {.windows = 1}) {
  return broken(evaluate(forgery.reported, forgery.stored), allowed, 0);
}

TEST_CASE("judge: each broken promise of a rig is seen, and good records are not blamed") {
  CHECK(said_of(good_records()).empty());
  struct {
    char const* name;
    std::function<void(forged&)> bug;
    char const* seen;
  } const bugs[] = {
      {"a good token is refused", [](forged& f) { f.reported.good[0][3].status = 401; },
       "1 times 401 for a good token; 1 answers 401; "},
      {"a token is refused before it is revoked", [](forged& f) { f.reported.doomed[0].status = 401; },
       "1 times 401 for a good token; "},
      {"a dead token is let in", [](forged& f) { f.reported.doomed[2].status = 200; },
       "1 uses of dead tokens, the last 1 ms after the answer; "},
      {"one more than the limit", [](forged& f) { f.stored.limited[1].micros = 700'000; },
       "3 admitted in one window of 2; "},
      {"an acknowledged run is not stored", [](forged& f) { f.stored.keyed_runs.erase("b"); },
       "1 acknowledged runs lost; "},
      {"two runs for a key",
       [](forged& f) {
         f.reported.keyed["key a"].insert("d");
         f.stored.keyed_runs.insert("d");
       },
       "1 runs too many; "},
      {"a run that nobody was told of", [](forged& f) { f.stored.keyed_runs.insert("d"); }, "1 runs too many; "},
      {"a good token may not trigger", [](forged& f) { f.reported.triggers[0].status = 401; }, "1 answers 401; "},
      {"a key is never acknowledged", [](forged& f) { f.reported.open = 1; }, "1 never acknowledged; "},
      {"an answer that blames nobody", [](forged& f) { f.reported.triggers[0].status = 500; }, "1 answers 500; "},
  };
  for (auto const& entry : bugs) {
    CAPTURE(entry.name);
    auto forgery = good_records();
    entry.bug(forgery);
    CHECK(said_of(forgery) == entry.seen);
  }
}

TEST_CASE("judge: a late use is forgiven as long as the design leaves it, and no longer") {
  auto forgery = good_records();
  forgery.reported.doomed.push_back({0, at(3000), at(3010), 200});
  CHECK(said_of(forgery, {.late = milliseconds(2000)}).empty());
  CHECK_FALSE(said_of(forgery, {.late = milliseconds(1999)}).empty());
}

TEST_CASE("judge: a token that is answered 503 before its revocation was not refused") {
  auto forgery = good_records();
  forgery.reported.doomed[0].status = 503;
  CHECK(said_of(forgery).empty());
  CHECK(evaluate(forgery.reported, forgery.stored).failures == std::map<int, int>{{503, 1}});
}

TEST_CASE("judge: a gap lasts until the next success, or until the client's last request") {
  auto forgery = good_records();
  forgery.reported.good[0][9] = {at(400), at(405), 200};
  CHECK(evaluate(forgery.reported, forgery.stored).longest_gap == milliseconds(310));
  forgery.reported.good[0].push_back({at(500), at(1405), 503});
  auto const got = evaluate(forgery.reported, forgery.stored);
  CHECK(got.longest_gap == milliseconds(1000));
  CHECK(got.failures == std::map<int, int>{{503, 1}});
}

}  // namespace
}  // namespace svc::test
