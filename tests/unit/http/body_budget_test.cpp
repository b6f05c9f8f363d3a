#include "svc/http/body_budget.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace svc::http {
namespace {

uuid user(std::uint8_t n) {
  uuid id;
  id.bytes.back() = n;
  return id;
}

TEST_CASE("body budget: the share of each user") {
  struct {
    char const* name;
    std::size_t users, others_here, others_elsewhere;
    bool expected;
  } const cases[] = {
      {"the first byte", 1, 0, 0, true},
      {"all that one user may", 200, 0, 0, true},
      {"more than one user may", 201, 0, 0, false},
      {"as much as the process has left", 150, 100, 600, true},
      {"more than the process has left", 151, 100, 600, false},
      {"as much as the worker has left", 150, 300, 0, true},
      {"more than the worker has left", 151, 300, 0, false},
      {"a little of the little that is left", 3, 590, 0, true},
      {"nothing is left", 1, 600, 400, false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    account all(terms_of({.process = 1000, .worker = 600, .user = 200}));
    body_budget here(all, 600), elsewhere(all, 1000);
    // These shares belong to no user, so they have no limit of their own.
    body_share others_here(here, {}), others_elsewhere(elsewhere, {});
    REQUIRE(others_here.hold(c.others_here));
    REQUIRE(others_elsewhere.hold(c.others_elsewhere));
    body_share mine(here, user(1));
    CHECK(mine.hold(c.users) == c.expected);
  }
}

TEST_CASE("body budget: the largest holder is refused, others continue, and everything is returned") {
  account all(terms_of({.process = 1000, .worker = 1000, .user = 800}));
  body_budget first(all, 1000);
  body_budget second(all, 1000);
  {
    body_share greedy(first, user(1)), more(second, user(1)), small(second, user(2));
    CHECK(greedy.hold(300));
    CHECK(more.hold(200));          // 500 held, 500 left
    CHECK_FALSE(greedy.hold(301));  // one more than is left, over both workers
    CHECK(greedy.held() == 300);
    CHECK(small.hold(250));  // 250 left
    CHECK_FALSE(small.hold(251));
    CHECK_FALSE(more.hold(201));
    CHECK(first.refused() == 1);
    CHECK(second.refused() == 2);
    CHECK(first.held() == 300);
    CHECK(second.held() == 450);
    CHECK(all.held() == 750);
    CHECK(greedy.hold(0));
    CHECK(small.hold(275));
    auto const moved = std::move(small);
    CHECK(moved.held() == 275);
    CHECK(all.held() == 475);
  }
  CHECK(all.held() == 0);
  CHECK(first.held() == 0);
  CHECK(second.held() == 0);
}

TEST_CASE("body budget: however many fill it equally, there is room for a little more") {
  // There are few users: among a hundred, the late one shares both its counters with others in one run of 1 700
  // (shared_counts.hpp).
  for (std::uint8_t const users : {1, 3, 9}) {
    CAPTURE(users);
    account all(terms_of({.process = 1'000'000, .worker = 1'000'000, .user = 1'000'000}));
    body_budget budget(all, 1'000'000);
    std::deque<body_share> shares;
    for (std::uint8_t n = 1; n <= users; ++n) shares.emplace_back(budget, user(n));
    for (bool grown = true; grown;) {
      grown = false;
      for (auto& each : shares) grown = each.hold(each.held() + 100) || grown;
    }
    CHECK(all.held() <= 1'000'000);
    for (auto const& each : shares) CHECK(each.held() > 900'000 / (users + 1));
    body_share late(budget, user(200));
    CHECK(late.hold(450'000 / (users + 1)));
  }
}

TEST_CASE("body budget: workers take and return at the same time") {
  account all(terms_of({.process = 1000, .worker = 1000, .user = 100}));
  std::vector<std::thread> threads;
  for (std::uint8_t n = 0; n < 4; ++n) {
    threads.emplace_back([&all] {
      body_budget budget(all, 1000);
      for (int i = 0; i < 10'000; ++i) {
        body_share share(budget, user(1));
        if (share.hold(60)) CHECK(all.held() <= 240);
        share.hold(30);
      }
    });
  }
  for (auto& each : threads) each.join();
  CHECK(all.held() == 0);
  body_budget budget(all, 1000);
  CHECK(body_share(budget, user(1)).hold(100));
}

TEST_CASE("body text: memory follows what has arrived") {
  account all(terms_of({}));
  body_budget budget(all, body_bytes{}.worker);
  body_text text({budget, user(1)});
  CHECK(text.capacity() == 0);
  REQUIRE(text.begin());
  CHECK(budget.held() == body_text::waiting);
  std::string expected;
  for (std::size_t i = 0; i < 3'000; ++i) {
    std::string const piece(i % 701, static_cast<char>('a' + i % 26));
    expected += piece;
    REQUIRE(text.append(piece));
    REQUIRE(text.size() == expected.size());
    REQUIRE(text.capacity() <= std::max(2 * text.size(), body_text::first_size));
    REQUIRE(text.capacity() - text.size() < body_text::piece_size);
    REQUIRE(budget.held() == body_text::waiting + text.capacity());
  }
  CHECK(text.joined() == expected);
  text.finish();
  CHECK(budget.held() == text.capacity());
  {
    auto const share = text.take_share();
    std::string taken;
    for (; text.pieces() > 0; text.drop()) taken += text.front();
    CHECK(taken == expected);
    CHECK(text.front().empty());
    CHECK(budget.held() == text.capacity());
  }
  CHECK(budget.held() == 0);
}

TEST_CASE("body text: the bytes of one append are in one piece, if they fit") {
  account all(terms_of({}));
  body_budget budget(all, body_bytes{}.worker);
  for (std::size_t const size : {1UL, 1024UL, 1025UL, 20'000UL, 65'536UL}) {
    body_text text({budget, user(1)});
    REQUIRE(text.append(std::string(size, 'x')));
    CHECK(text.pieces() == 1);
    CHECK(text.capacity() == std::max(size, body_text::first_size));
  }
}

TEST_CASE("body text: beyond the budget nothing is accepted") {
  account all(terms_of({.process = 1'000'000, .worker = 1'000'000, .user = 100'000}));
  body_budget budget(all, 1'000'000);
  std::optional<body_text> text(std::in_place, body_share(budget, user(1)));
  REQUIRE(text->begin());
  bool appended = true;
  for (int i = 0; i < 100 && appended; ++i) appended = text->append(std::string(10'000, 'x'));
  CHECK_FALSE(appended);
  CHECK(all.held() <= 100'000);
  CHECK(text->size() > 30'000);
  body_text other({budget, user(2)});
  CHECK(other.begin());
  body_text same({budget, user(1)});
  CHECK_FALSE(same.begin());
  text.reset();
  CHECK(same.begin());
}

}  // namespace
}  // namespace svc::http
