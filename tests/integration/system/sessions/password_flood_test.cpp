// The time of sign-ins by password, and of other requests during a flood of them.
#include "browser.hpp"

#include "support/comes_true.hpp"
#include "support/metrics_page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <vector>

namespace svc::test {
namespace {

/// Guesses at passwords of accounts that do not exist, from one more browser than the queue has places.
class password_flood {
 public:
  explicit password_flood(fleet const& installation) {
    for (int i = 0; i < 33; ++i) threads_.emplace_back(&password_flood::guess, this, std::cref(installation), i);
  }
  password_flood(password_flood const&) = delete;
  password_flood& operator=(password_flood const&) = delete;
  ~password_flood() {
    over_ = true;
    for (auto& thread : threads_) thread.join();
  }

 private:
  void guess(fleet const& installation, int number) {
    browser page(installation);
    for (int i = 0; !over_; ++i) {
      auto const email = std::to_string(number) + "-" + std::to_string(i) + "@example.org";
      page.post("/dashboard/v1/sign-in/password", R"({"email":")" + email + R"(","password":"a wrong password"})");
    }
  }

  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_{};
};

double queue_of(fleet const& installation) {
  return greatest_of(installation.pages(0).get("/metrics").body, "svc_password_queue ");
}

using steady_time = std::chrono::steady_clock::time_point;

double milliseconds_since(steady_time start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Appends the milliseconds of one attempt with a wrong password.
void add_attempt(browser& page, std::string const& email, std::vector<double>& into) {
  auto const start = std::chrono::steady_clock::now();
  auto const got = page.post("/dashboard/v1/sign-in/password",
                             R"({"email":")" + email + R"(","password":"a wrong password of five words"})");
  into.push_back(milliseconds_since(start));
  CHECK(got.status == 401);
  CHECK(code_of(got) == "sign_in_failed");
}

/// Appends the milliseconds of warm requests by one client.
void add_times(api_client& client, int requests, std::vector<double>& into) {
  for (int i = 0; i < requests; ++i) {
    auto const start = std::chrono::steady_clock::now();
    REQUIRE(client.get("/api/auth/whoami").status == 200);
    into.push_back(milliseconds_since(start));
  }
}

double quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

}  // namespace

TEST_CASE("a full queue of passwords refuses no other request, and takes little of their time") {
  char const* const chosen = std::getenv("TEST_PASSWORD_FLOOD");
  int const rounds = chosen != nullptr ? std::max(2, std::atoi(chosen)) : 2;
  fleet installation(1);
  auto const owner = installation.make_tenant();
  auto client = installation.client(0, owner.token);
  std::vector<double> quiet, flooded;
  add_times(client, 100, quiet);
  quiet.clear();
  for (int round = 0; round < rounds; ++round) {
    add_times(client, 200, quiet);
    password_flood const flood(installation);
    CHECK(comes_true([&] { return queue_of(installation) >= 30; }, std::chrono::seconds(30)));
    add_times(client, 200, flooded);
  }
  MESSAGE("GET /api/auth/whoami in ms, p50 and p99: " << quantile(quiet, 0.5) << " " << quantile(quiet, 0.99)
                                                      << "; with a full queue " << quantile(flooded, 0.5) << " "
                                                      << quantile(flooded, 0.99));
  // Two noisy cores: the long form, on a quiet machine, holds the promise of the 99th percentile.
  CHECK(quantile(flooded, 0.5) < 5 * quantile(quiet, 0.5) + 5);
  if (chosen != nullptr) CHECK(quantile(flooded, 0.99) <= 1.1 * quantile(quiet, 0.99));
}

TEST_CASE("a wrong password at a known and at an unknown account has one answer, after the same time") {
  fleet installation(1, {"SVC_LIMITS_SIGN_IN_ACCOUNT_LIMIT=1000000"});
  auto const owner = installation.make_tenant();
  browser page(installation);
  auto const set =
      page.post("/dashboard/v1/sign-in/link", R"({"token":")" + new_link_secret(installation, owner.user) +
                                                  R"(","password":"seven unrelated words make one"})");
  REQUIRE_MESSAGE(set.status == 200, set.body);
  int const attempts = long_form("TEST_ACCOUNT_TIMES", 3);
  std::vector<double> known, unknown;
  for (int i = 0; i < attempts; ++i) {
    // Neither kind always comes first.
    browser stranger(installation);
    if (i % 2 == 0) add_attempt(stranger, owner.user, known);
    add_attempt(stranger, "nobody-" + std::to_string(i) + "@example.org", unknown);
    if (i % 2 != 0) add_attempt(stranger, owner.user, known);
  }
  auto const apart = quantile(known, 0.5) / quantile(unknown, 0.5);
  MESSAGE("median in ms of " << attempts << " attempts at a known account " << quantile(known, 0.5)
                             << " and at unknown ones " << quantile(unknown, 0.5) << ": " << apart);
  if (attempts >= 1000) CHECK(std::abs(apart - 1) < 0.05);
}

}  // namespace svc::test
