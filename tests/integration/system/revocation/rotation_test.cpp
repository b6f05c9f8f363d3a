#include "rotated.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

namespace svc::test {
namespace {

using clock = std::chrono::steady_clock;

constexpr int clients_a_side = 50;
constexpr int uses = 5;

struct call_seen {
  clock::time_point began, ended;
  int status;
};

/// Runs `body(i)` on a thread each, all at once.
template <class Body>
std::vector<std::thread> crowd(Body body) {
  std::vector<std::thread> out;
  for (int i = 0; i < clients_a_side; ++i) out.emplace_back(body, i);
  return out;
}

void join(std::vector<std::thread>& all) {
  for (auto& thread : all) thread.join();
}

void wait_for(std::atomic<int>& count, int wanted) {
  for (int seen = count; seen < wanted; seen = count) count.wait(seen);
}

api_client client_of(rotated const& token, int i, std::string const& secret) {
  return token.input.client(static_cast<std::size_t>(i) % token.input.size(), secret);
}

/// A bug that the register must detect.
using planted = std::function<void(rotated&)>;

struct grace_seen {
  int bad;
  boost::json::value shown;
};

/// Before, during and after the rotation: 50 clients of all instances stay with the old secret, 50 switch. `bug` runs
/// before the rotation.
grace_seen watch_grace(rotated& token, planted const& bug = {}) {
  std::atomic<int> warm{0}, bad{0};
  std::atomic<bool> switched{false};
  auto stay = crowd([&](int i) {
    auto client = client_of(token, i, token.first);
    for (int n = 0, after = 0; after < uses; ++n) {
      bool const counts = switched;
      if (token.use(client) != token.good) ++bad;
      // Each client once rather than a number of uses: a slow client would find its secret ended.
      if (n == 0 && ++warm == clients_a_side) warm.notify_all();
      after += counts ? 1 : 0;
    }
  });
  wait_for(warm, clients_a_side);
  if (bug) bug(token);
  auto shown = token.rotate("{}");
  auto const fresh = text_of(shown, "/key");
  auto change = crowd([&](int i) {
    auto client = client_of(token, i, fresh);
    for (int n = 0; n < uses; ++n) bad += token.use(client) == token.good ? 0 : 1;
  });
  join(change);
  switched = true;
  join(stay);
  return {bad, std::move(shown)};
}

void check_grace(rotated token) {
  auto const [bad, shown] = watch_grace(token);
  CHECK(bad == 0);
  auto const fresh = text_of(shown, "/key");
  CHECK(fresh != token.first);
  CHECK(shown.at("previous").as_object().size() == 2);

  // Without a grace period the secret in use is now the new one, and it ends with this answer, on all instances.
  auto const last = token.rotate(R"({"graceSeconds":0})");
  CHECK(last.as_object().if_contains("previous") == nullptr);
  for (std::string const& ended : {token.first, fresh}) CHECK(token.works_on(ended) == 0);
  CHECK(token.works_on(text_of(last, "/key")) == token.input.size());
}

/// When the first answer to the new secret arrived; all of them must be good.
clock::time_point first_answer(rotated const& token, std::vector<call_seen> const& by_new) {
  auto first = clock::time_point::max();
  for (auto const& c : by_new) {
    CHECK(c.status == token.good);
    first = std::min(first, c.ended);
  }
  return first;
}

struct first_use_seen {
  int passed = 0, refused = 0, others = 0;
  int late = 0;  ///< passed, and began after the first answer to the new secret
};

/// `bug` runs after the rotation.
first_use_seen watch_first_use(rotated& token, planted const& bug = {}) {
  std::atomic<int> warm{0};
  std::atomic<bool> switched{false};
  std::vector<std::vector<call_seen>> by_old(clients_a_side);
  std::vector<call_seen> by_new(clients_a_side);
  auto const fresh = text_of(token.rotate(R"({"endPrevious":"first_use"})"), "/key");
  if (bug) bug(token);
  auto stay = crowd([&](int i) {
    auto client = client_of(token, i, token.first);
    auto& seen = by_old[static_cast<std::size_t>(i)];
    for (int n = 0, after = 0; after < 3; ++n) {
      bool const counts = switched;
      auto const began = clock::now();
      int const status = token.use(client);
      seen.push_back({began, clock::now(), status});
      // Each client once rather than a number of uses: a slow client would find its secret ended.
      if (n == 0 && ++warm == clients_a_side) warm.notify_all();
      after += counts ? 1 : 0;
    }
  });
  wait_for(warm, clients_a_side);
  auto change = crowd([&](int i) {
    auto client = client_of(token, i, fresh);
    auto const began = clock::now();
    int const status = token.use(client);
    by_new[static_cast<std::size_t>(i)] = {began, clock::now(), status};
    switched = true;
  });
  join(change);
  join(stay);

  auto const first = first_answer(token, by_new);
  first_use_seen out;
  for (auto const& seens : by_old) {
    CHECK(seens.front().status == token.good);
    for (auto const& c : seens) {
      if (c.status == token.good) ++out.passed;
      if (c.status == 401) ++out.refused;
      if (c.status != token.good && c.status != 401) ++out.others;
      if (c.status == token.good && c.began > first) ++out.late;
    }
  }
  return out;
}

void check_first_use(rotated token) {
  auto const seen = watch_first_use(token);
  CHECK(seen.late == 0);
  CHECK(seen.others == 0);
  CHECK(seen.passed >= clients_a_side);
  CHECK(seen.refused >= clients_a_side);
  REQUIRE(token.owner.del(token.path).status == 204);
}

TEST_CASE("during the grace nobody is refused, on four instances: 50 clients stay with the old secret, 50 switch") {
  SUBCASE("a CLI token") {
    check_grace(rotated::cli_token(four_instances()));
  }
  SUBCASE("a trigger key") {
    check_grace(rotated::trigger_key(four_instances()));
  }
}

TEST_CASE("first use, on four instances: nobody passes with the old secret after the first answer to the new one") {
  for (int round = 0; round < 2; ++round) {
    check_first_use(rotated::cli_token(four_instances()));
    check_first_use(rotated::trigger_key(four_instances()));
  }
}

TEST_CASE("the rotation register sees a missing grace, and a first use that ends nothing") {
  auto const update = [](std::string const& subject) {
    return [subject](rotated& token) {
      auto const id = token.path.substr(token.path.rfind('/') + 1);
      token.input.sql("UPDATE token_secrets SET " + subject + " AND token_id = '" + id + "'");
    };
  };
  auto cut = rotated::cli_token(four_instances());
  CHECK(watch_grace(cut, update("valid_until = clock_timestamp() WHERE state = 'current'")).bad >= clients_a_side);
  auto endless = rotated::cli_token(four_instances());
  auto const seen = watch_first_use(endless, update("ends_previous = false WHERE state = 'pending'"));
  CHECK(seen.late > 0);
  CHECK(seen.refused == 0);
}

}  // namespace
}  // namespace svc::test
