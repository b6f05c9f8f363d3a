#include "live/output/followed_runs.hpp"

#include "svc/live/output/subscriptions.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::output {
namespace {

struct silent final : follower {
  void on_news(news const&) override {}
};

uuid const first_run = uuid::generate_v7(), other_run = uuid::generate_v7();

TEST_CASE("the hub watches a run from its first follower to its last") {
  followed_runs followed(8);
  silent silent, two, three;
  CHECK(followed.followers_of(first_run) == nullptr);
  CHECK(followed.add(first_run, silent));
  CHECK_FALSE(followed.add(first_run, two));
  CHECK(followed.add(other_run, three));
  REQUIRE(followed.followers_of(first_run));
  CHECK(*followed.followers_of(first_run) == followed_runs::followers{&silent, &two});
  CHECK(*followed.followers_of(other_run) == followed_runs::followers{&three});
  CHECK_FALSE(followed.remove(first_run, three));
  CHECK_FALSE(followed.remove(first_run, silent));
  CHECK_FALSE(followed.remove(first_run, silent));
  CHECK(*followed.followers_of(first_run) == followed_runs::followers{&two});
  CHECK(followed.remove(first_run, two));
  CHECK_FALSE(followed.remove(first_run, two));
  CHECK(followed.followers_of(first_run) == nullptr);
  CHECK(followed.followers_of(other_run));
  CHECK(followed.add(first_run, silent));
}

TEST_CASE(
    "the database is asked each round, or each eighth while the hub receives announcements, for all runs together") {
  struct {
    char const* name;
    std::vector<bool> hears;  ///< in each round
    std::string asked;        ///< one letter per round
  } const cases[] = {
      {"the hub is deaf", {false, false, false}, "yyy"},
      {"it hears", std::vector<bool>(17, true), "nnnnnnnynnnnnnnyn"},
      {"it is deaf for a while", {true, true, false, false, true, true, true, true, true}, "nnyynnnyn"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    followed_runs followed(8);
    silent silent, two;
    followed.add(first_run, silent);
    followed.add(first_run, two);
    followed.add(other_run, silent);
    REQUIRE(followed.begins_rounds());
    std::string asked;
    for (bool const hears : c.hears) {
      auto const ids = followed.due(hears);
      asked += ids.empty() ? 'n' : 'y';
      if (!ids.empty()) CHECK(std::ranges::is_permutation(ids, std::vector{first_run, other_run}));
    }
    CHECK(asked == c.asked);
  }
}

TEST_CASE("rounds continue while a run is followed, once at a time, and start again") {
  followed_runs followed(2);
  silent silent;
  followed.add(first_run, silent);
  CHECK(followed.begins_rounds());
  CHECK_FALSE(followed.begins_rounds());
  CHECK_FALSE(followed.ends_rounds());
  CHECK(followed.due(true).empty());
  followed.remove(first_run, silent);
  CHECK(followed.due(false).empty());
  // The rounds have not ended, so the new follower joins them.
  followed.add(other_run, silent);
  CHECK_FALSE(followed.begins_rounds());
  CHECK_FALSE(followed.ends_rounds());
  CHECK(followed.due(true).empty());
  followed.remove(other_run, silent);
  CHECK(followed.ends_rounds());
  followed.add(first_run, silent);
  CHECK(followed.begins_rounds());
  CHECK(followed.due(true).empty());
  CHECK(followed.due(true) == std::vector{first_run});
}

}  // namespace
}  // namespace svc::output
