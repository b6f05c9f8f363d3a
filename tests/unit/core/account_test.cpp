#include "svc/core/account.hpp"

#include "svc/core/account_book.hpp"
#include "svc/core/account_window.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace svc;
using namespace std::chrono_literals;

namespace {

account_owner owner_numbered(std::uint8_t project, std::uint8_t organisation = 0) {
  return {.project = {{project}}, .organisation = {{organisation}}};
}

}  // namespace

TEST_CASE("the decision of an account: the total, and the shares as their rule says") {
  struct row {
    char const* name;
    share_rule rule;
    account_sums sums;
    bool others_wait;
    account_decision expected;
  };
  using enum account_decision;
  using enum share_rule;
  for (auto const& [name, rule, sums, others_wait, expected] : std::vector<row>{
           {"exactly the share", always, {40, 40, 40}, false, granted},
           {"one more than the share", always, {41, 41, 41}, false, project_exhausted},
           {"exactly the organisation's share", always, {60, 30, 60}, false, granted},
           {"one more than the organisation's share", always, {61, 30, 61}, false, organisation_exhausted},
           {"exactly the total", always, {100, 40, 60}, false, granted},
           {"one more than the total", always, {101, 1, 1}, false, total_exhausted},
           {"alone, one owner may have everything", contended, {100, 100, 100}, false, granted},
           {"alone, but more than there is", contended, {101, 101, 101}, false, total_exhausted},
           {"others wait: exactly the share", contended, {90, 40, 40}, true, granted},
           {"others wait: one more", contended, {90, 41, 41}, true, project_exhausted},
           {"others wait: the organisation", contended, {90, 40, 61}, true, organisation_exhausted},
           {"as much as is left", remainder, {80, 20, 20}, false, granted},
           {"more than is left", remainder, {81, 20, 20}, false, project_exhausted},
           {"as much as is left, above the share", remainder, {50, 41, 41}, false, project_exhausted},
           {"everything is held", remainder, {100, 1, 1}, false, project_exhausted},
       }) {
    CAPTURE(name);
    account_terms const terms{
        .name = "test", .total = 100, .project_share = 40, .organisation_share = 60, .rule = rule};
    CHECK(decide(terms, sums, others_wait) == expected);
  }
}

TEST_CASE("an account holds granted amounts, gives back everything, and counts refusals") {
  account slots({.name = "places", .total = 10, .project_share = 4, .organisation_share = 6});
  {
    account_share first(slots, owner_numbered(1, 9)), second(slots, owner_numbered(2, 9));
    CHECK(first.hold(4));
    CHECK_FALSE(first.hold(5));
    CHECK(first.held() == 4);
    CHECK(second.hold(2));
    CHECK_FALSE(second.hold(3));  // the organisation's share
    CHECK(slots.held() == 6);
    CHECK(slots.refused() == 2);
    CHECK(first.hold(3));
    CHECK(second.hold(3));
    account_share const moved(std::move(second));
    CHECK(moved.held() == 3);
    CHECK(slots.sums_of(owner_numbered(2, 9)).organisation == 6);
    CHECK(slots.decide_for(owner_numbered(1, 9), 1, false) == account_decision::organisation_exhausted);
    CHECK(slots.decide_for(owner_numbered(1, 8), 1, false) == account_decision::granted);
  }
  CHECK(slots.held() == 0);
  auto const left = slots.sums_of(owner_numbered(1, 9));
  CHECK(left.project == 0);
  CHECK(left.organisation == 0);
}

TEST_CASE("an owner without an organisation is charged as a project only, and nobody to the total only") {
  account bytes({.name = "bytes", .total = 10, .project_share = 4, .organisation_share = 0});
  CHECK(bytes.hold(owner_numbered(1), 4));
  CHECK_FALSE(bytes.hold(owner_numbered(1), 1));
  CHECK(bytes.charge({}, 5).total == 9);
  CHECK(bytes.decide_for(owner_numbered(2), 1, false) == account_decision::granted);
  CHECK(bytes.decide_for(owner_numbered(2), 2, false) == account_decision::total_exhausted);
}

TEST_CASE("a refusal is logged once a minute for each owner") {
  account bytes({.name = "bytes", .total = 10, .project_share = 4});
  steady::time_point const start(1h);
  auto const decision = account_decision::project_exhausted;
  CHECK(bytes.refuse(owner_numbered(1), decision, start));
  CHECK_FALSE(bytes.refuse(owner_numbered(1), decision, start + 59s));
  CHECK(bytes.refuse(owner_numbered(1), decision, start + 60s));
  CHECK_FALSE(bytes.refuse(owner_numbered(1), decision, start + 119s));
  // Another owner shares the minute only if it shares the slot.
  int logged = 0;
  for (std::uint8_t other = 2; other < 34; ++other)
    logged += bytes.refuse(owner_numbered(other), decision, start) ? 1 : 0;
  CHECK(logged > 16);
  CHECK(bytes.refused() == 36);
}

TEST_CASE("threads together never hold more than a share, and leave nothing") {
  account slots({.name = "places", .total = 100, .project_share = 3});
  std::atomic<int> held = 0, worst = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        if (!slots.hold(owner_numbered(1, 2), 1)) continue;
        auto const now = ++held;
        for (auto seen = worst.load(); now > seen && !worst.compare_exchange_weak(seen, now);) {
        }
        --held;
        slots.release(owner_numbered(1, 2), 1);
      }
    });
  }
  for (auto& each : threads) each.join();
  CHECK(worst >= 1);
  CHECK(worst <= 3);
  CHECK(slots.held() == 0);
  CHECK(slots.sums_of(owner_numbered(1, 2)).project == 0);
}

TEST_CASE("spent amounts count for a window, and their owner is forgotten after it") {
  account cpu({.name = "cpu", .total = 1000, .project_share = 250, .rule = share_rule::contended});
  steady::time_point const start(1h);
  account_window spent(cpu, 800ms, start);  // slices of 100 ms
  spent.spend(owner_numbered(1, 9), 200, start);
  spent.spend(owner_numbered(1, 9), 100, start + 150ms);
  spent.spend(owner_numbered(2, 9), 40, start + 150ms);
  spent.spend({}, 5, start + 150ms);
  CHECK(cpu.held() == 345);
  CHECK(cpu.sums_of(owner_numbered(1, 9)).project == 300);
  CHECK(cpu.sums_of(owner_numbered(1, 9)).organisation == 340);
  CHECK(cpu.decide_for(owner_numbered(1, 9), 0, true) == account_decision::project_exhausted);
  CHECK(cpu.decide_for(owner_numbered(1, 9), 0, false) == account_decision::granted);
  CHECK(cpu.decide_for(owner_numbered(2, 9), 0, true) == account_decision::granted);
  spent.roll(start + 799ms);
  CHECK(cpu.held() == 345);
  spent.roll(start + 800ms);  // the first slice has left the window
  CHECK(cpu.held() == 145);
  CHECK(spent.owners() == 2);
  spent.roll(start + 10min);
  CHECK(cpu.held() == 0);
  CHECK(spent.owners() == 0);
  spent.spend(owner_numbered(1, 9), 7, start + 10min);
  CHECK(cpu.held() == 7);
}

TEST_CASE("a window remembers a bounded number of owners, charges the others to the total, and leaves nothing") {
  account cpu({.name = "cpu", .total = 1'000'000, .project_share = 250});
  steady::time_point const start(1h);
  {
    account_window spent(cpu, 1s, start);
    for (std::size_t i = 0; i < account_window::most_owners + 10; ++i)
      spent.spend({.project = {{1, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8)}}}, 2, start);
    CHECK(spent.owners() == account_window::most_owners);
    CHECK(cpu.held() == 2 * (account_window::most_owners + 10));
  }
  CHECK(cpu.held() == 0);
}

TEST_CASE("the book shows each account in its unit, without naming a tenant") {
  metrics counters;
  account_book book(counters);
  auto& cpu = book.open({.name = "check_cpu", .total = 2'000'000'000, .project_share = 1, .per_unit = 1e9});
  auto& bytes = book.open({.name = "request_bytes", .total = 4096, .project_share = 1024});
  cpu.charge(owner_numbered(1), 500'000'000);
  CHECK(bytes.hold(owner_numbered(1), 1024));
  CHECK_FALSE(bytes.hold(owner_numbered(1), 1));
  book.show();
  auto const text = counters.expose();
  for (std::string const line :
       {"svc_account_held{account=\"check_cpu\"} 0.5", "svc_account_limit{account=\"check_cpu\"} 2",
        "svc_account_refused_total{account=\"check_cpu\"} 0", "svc_account_held{account=\"request_bytes\"} 1024",
        "svc_account_limit{account=\"request_bytes\"} 4096",
        "svc_account_refused_total{account=\"request_bytes\"} 1"}) {
    CAPTURE(line);
    CHECK(text.find(line) != text.npos);
  }
}
