#include "svc/access/read_budget.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace std::chrono_literals;
using access::read_budget;

namespace {

constexpr steady::time_point budget_start(1000s);

int allowed(read_budget& b, std::string_view address, steady::time_point time, int asked) {
  int n = 0;
  for (int i = 0; i < asked; ++i) n += b.allow(address, time) ? 1 : 0;
  return n;
}

}  // namespace

TEST_CASE("unknown tokens: a single address gets the whole budget, and again in the next second") {
  read_budget b(10);
  CHECK(allowed(b, "a", budget_start, 30) == 10);
  CHECK(allowed(b, "b", budget_start + 999ms, 1) == 0);
  CHECK(allowed(b, "b", budget_start + 1s, 1) == 1);
}

TEST_CASE("unknown tokens: addresses of the last second share this one") {
  read_budget b(10);
  for (auto const* address : {"a", "b", "c", "d", "e"}) CHECK(allowed(b, address, budget_start, 1) == 1);
  CHECK(allowed(b, "a", budget_start + 1s, 30) == 2);
  CHECK(allowed(b, "b", budget_start + 1s, 30) == 2);
  // Two seconds later no other address is known.
  CHECK(allowed(b, "a", budget_start + 3s, 30) == 10);
}

TEST_CASE("unknown tokens: every address gets one while any are left, within the total") {
  read_budget b(3);
  int n = 0;
  for (int i = 0; i < 5; ++i) n += allowed(b, std::to_string(i), budget_start, 1);
  CHECK(n == 3);
  n = 0;
  for (int i = 0; i < 5; ++i) n += allowed(b, std::to_string(i), budget_start + 1s, 2);
  CHECK(n == 3);
}
