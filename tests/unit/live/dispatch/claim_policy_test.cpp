#include "live/dispatch/claim_policy.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::dispatch;

namespace {

uuid const acme = uuid::generate_v7(), shop = uuid::generate_v7(), bank = uuid::generate_v7();

queued_work work(std::int64_t count, uuid project = shop, std::string type = "linux") {
  return {acme, project, std::move(type), count};
}

}  // namespace

TEST_CASE("a waiting claim is notified of the work that fits, up to its capacity") {
  struct row {
    char const* name;
    runner_scope scope;
    std::vector<std::string> labels;
    bool woken;
    std::optional<queued_work> reported;
    std::int64_t left;
    std::int64_t expected;
  };
  row const rows[] = {
      {"all that is left", {{}, acme}, {"linux"}, false, {}, 3, 3},
      {"exactly its room", {{}, acme}, {"linux"}, false, {}, 4, 4},
      {"no more than its room", {{}, acme}, {"linux"}, false, {}, 5, 4},
      {"nothing left", {{}, acme}, {"linux"}, false, {}, 0, 0},
      {"another organization", {{}, bank}, {"linux"}, false, {}, 3, 0},
      {"its own project", {{}, acme, shop}, {"linux"}, false, {}, 3, 3},
      {"another project", {{}, acme, bank}, {"linux"}, false, {}, 3, 0},
      {"another type", {{}, acme}, {"mac"}, false, {}, 3, 0},
      {"one of its types", {{}, acme}, {"mac", "linux"}, false, {}, 3, 3},
      {"woken to have a look", {{}, acme}, {"linux"}, true, {}, 3, 0},
      {"woken for another project", {{}, acme}, {"linux"}, true, work(1, bank), 3, 0},
      {"woken for this project, with room", {{}, acme}, {"linux"}, true, work(1), 3, 3},
      {"woken for this project, with less room", {{}, acme}, {"linux"}, true, work(2), 3, 2},
      {"woken for this project, full", {{}, acme}, {"linux"}, true, work(4), 3, 0},
  };
  for (row const& r : rows) {
    CAPTURE(r.name);
    CHECK(runs_for({r.scope, r.labels, 4, r.woken, r.reported}, work(9), r.left) == r.expected);
  }
}

TEST_CASE("a claim that has not looked yet adds up its notifications") {
  runner_scope const scope{{}, acme};
  std::vector<std::string> const labels{"linux"};
  std::optional<queued_work> reported;
  CHECK(claimed_with({scope, labels, 4, false, reported}, work(9), 3).count == 3);
  reported = work(1, shop, "mac");
  auto const both = claimed_with({scope, labels, 4, true, reported}, work(9), 3);
  CHECK(both.count == 4);
  CHECK(both.job_type == "mac");
  // Notifications from before its look no longer count.
  CHECK(claimed_with({scope, labels, 4, false, reported}, work(9), 3).count == 3);
}

TEST_CASE("unsent news of the same work is sent as one") {
  unsent_news unsent;
  unsent.add({.work = work(2)});
  unsent.add({.work = work(3)});
  unsent.add({.cancelled = shop});
  unsent.add({.work = work(1, bank)});
  unsent.add({.work = work(1, shop, "mac")});
  unsent.add({.cancelled = shop});
  unsent.add({.work = work(1)});
  auto const news = unsent.take();
  REQUIRE(news.size() == 5);
  CHECK(news[0].work->count == 6);
  CHECK(news[1].cancelled == shop);
  CHECK(news[2].work->project == bank);
  CHECK(news[3].work->job_type == "mac");
  CHECK(unsent.empty());
  unsent.add({.work = work(1)});
  CHECK(unsent.take().front().work->count == 1);
}
