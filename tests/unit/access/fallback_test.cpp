#include "svc/access/fallback.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

using namespace svc;
using namespace std::chrono_literals;
using access::fallback;

namespace {

/// A time that no clock shows.
constexpr timestamp database_now{4'000'000'000'000'000};

task<> ask(fallback& fallback, std::string subject, window_limit window, std::optional<class_window> also,
           std::string also_subject, limit_decision& out) {
  out = co_await fallback.decide(std::move(subject), {rate_class::cli, window}, database_now, also, also_subject);
}

/// Two workers of one instance, on one thread.
struct instance {
  explicit instance(int count) : instances(count), a(io, instances, 50ms), b(io, instances, 50ms) {
    fallback::join({&a, &b});
  }

  limit_decision decide(fallback& fallback, std::string subject, window_limit window,
                        std::optional<class_window> also = {}, std::string also_subject = {}) {
    limit_decision out;
    io.restart();
    asio::co_spawn(io, ask(fallback, std::move(subject), window, also, std::move(also_subject), out), asio::detached);
    io.run();
    return out;
  }

  asio::io_context io{1};
  std::atomic<int> instances;
  fallback a, b;
};

}  // namespace

TEST_CASE("an instance admits its share, at least one") {
  struct {
    std::uint32_t limit;
    int instances;
    std::uint32_t share;
  } const table[] = {{100, 1, 100}, {100, 4, 25}, {103, 4, 25}, {4, 4, 1}, {3, 4, 1}, {10, 0, 10}};
  for (auto const& row : table) {
    CAPTURE(row.limit);
    CAPTURE(row.instances);
    instance i(row.instances);
    for (std::uint32_t n = 0; n < row.share; ++n) CHECK(i.decide(i.a, "s", {row.limit, 60}).admitted);
    auto const last = i.decide(i.a, "s", {row.limit, 60});
    CHECK_FALSE(last.admitted);
    CHECK(last.window.limit == row.share);
  }
}

TEST_CASE("a subject has one window, however many workers are asked") {
  instance i(1);
  for (auto const* subject : {"s", "t", "u", "v"}) {
    CAPTURE(subject);
    CHECK(i.decide(i.a, subject, {3, 60}).admitted);
    CHECK(i.decide(i.b, subject, {3, 60}).admitted);
    CHECK(i.decide(i.b, subject, {3, 60}).remaining == 0);
    CHECK_FALSE(i.decide(i.a, subject, {3, 60}).admitted);
    CHECK_FALSE(i.decide(i.b, subject, {3, 60}).admitted);
  }
}

TEST_CASE("a request that needs two windows counts in both or in neither, on whichever worker") {
  for (auto const* subject : {"s", "t", "u", "v"}) {
    CAPTURE(subject);
    instance i(1);
    class_window const probe{rate_class::probe, {2, 60}};
    CHECK(i.decide(i.a, subject, {5, 60}, probe).which == rate_class::probe);
    CHECK(i.decide(i.b, subject, {5, 60}, probe).remaining == 0);
    for (int n = 0; n < 4; ++n) {
      auto const full = i.decide(i.a, subject, {5, 60}, probe);
      CHECK_FALSE(full.admitted);
      CHECK(full.which == rate_class::probe);
    }
    CHECK(i.decide(i.b, subject, {5, 60}).remaining == 2);
    CHECK(i.decide(i.b, subject, {5, 60}).remaining == 1);
    CHECK(i.decide(i.a, subject, {5, 60}).admitted);
    auto const wide = i.decide(i.a, subject, {5, 60}, class_window{rate_class::probe, {3, 60}});
    CHECK_FALSE(wide.admitted);
    CHECK(wide.which == rate_class::cli);
    // The decision counts in neither window, and of two full windows the longer one is shown.
    class_window const hour{rate_class::probe, {1, 3600}};
    CHECK_FALSE(i.decide(i.a, subject, {5, 60}, hour).admitted);
    CHECK(i.decide(i.a, subject, {9, 60}, hour).admitted);
    auto const both = i.decide(i.b, subject, {5, 60}, hour);
    CHECK_FALSE(both.admitted);
    CHECK(both.which == rate_class::probe);
  }
}

TEST_CASE("keys of a project share its window, whichever workers own the keys and the project") {
  // Both workers own some projects of each.
  for (auto const* project : {"p", "q", "r", "s"}) {
    CAPTURE(project);
    instance i(1);
    class_window const shared{rate_class::project, {5, 60}};
    int admitted = 0;
    for (int n = 0; n < 12; ++n) {
      auto& fallback = n % 2 == 0 ? i.a : i.b;
      auto const got = i.decide(fallback, "key" + std::to_string(n % 3), {4, 60}, shared, project);
      admitted += got.admitted ? 1 : 0;
      CHECK(got.admitted == (n < 5));
      if (!got.admitted) CHECK(got.which == rate_class::project);
    }
    CHECK(admitted == 5);
    // A refusal by the project counts on no key: two of key0 and key1 and one of key2 were admitted.
    CHECK(i.decide(i.a, "key2", {4, 60}).remaining == 2);
    // A full key does not count on its project.
    for (int n = 0; n < 9; ++n) i.decide(i.a, "full", {1, 60}, shared, project + std::string(" two"));
    CHECK(i.decide(i.b, "other", {4, 60}, shared, project + std::string(" two")).remaining == 3);
  }
}

TEST_CASE("an edited limit starts an empty window") {
  instance i(1);
  CHECK(i.decide(i.a, "s", {1, 60}).admitted);
  CHECK_FALSE(i.decide(i.a, "s", {1, 60}).admitted);
  CHECK(i.decide(i.a, "s", {2, 60}).admitted);
}

TEST_CASE("the result counts from the given time, whichever worker decides, not from the instance's clock") {
  instance i(1);
  for (auto* fallback : {&i.a, &i.b}) {
    auto const first = i.decide(*fallback, "s", {2, 60});
    CHECK(first.now_micros == database_now.micros);
    CHECK(first.reset_micros > database_now.micros);
    CHECK(first.reset_micros <= database_now.micros + 60'000'000);
  }
  auto const denied = i.decide(i.a, "s", {2, 60});
  CHECK_FALSE(denied.admitted);
  CHECK(denied.retry_micros > database_now.micros);
  CHECK(denied.retry_micros <= database_now.micros + 60'000'000);
}

TEST_CASE("another number of instances changes the share; counted requests stay counted") {
  instance i(2);
  for (int n = 0; n < 6; ++n) CHECK(i.decide(i.a, "s", {12, 60}).admitted);
  CHECK_FALSE(i.decide(i.a, "s", {12, 60}).admitted);
  i.instances = 3;
  CHECK_FALSE(i.decide(i.b, "s", {12, 60}).admitted);
  CHECK(i.decide(i.b, "s", {12, 60}).window.limit == 4);
  i.instances = 1;
  for (int n = 0; n < 6; ++n) CHECK(i.decide(i.b, "s", {12, 60}).admitted);
  CHECK_FALSE(i.decide(i.a, "s", {12, 60}).admitted);
}

TEST_CASE("each loss of Redis is reported once, however it is noticed") {
  instance i(2);
  int lost = 0;
  i.a.when_lost([&] { ++lost; });
  i.a.redis_lost();
  i.a.redis_lost();
  i.a.redis_missed();
  CHECK(lost == 1);
  CHECK(i.a.redis().close(i.a.redis().losses()));
  CHECK(lost == 1);
  i.a.redis_lost();
  CHECK(lost == 2);
  i.b.redis_lost();
  CHECK(lost == 2);
}

TEST_CASE("an error that Redis answers because of its users opens the breaker at once, any other one like a miss") {
  struct {
    char const* error;
    bool at_once;
  } const cases[] = {
      {"NOPERM User svcd has no permissions to run the 'evalsha' command", true},
      {"ERR ACL failure in script: User svcd has no permissions to run the 'lpush' command", true},
      {"ERR The user executing the script can't run this command or subcommand script: 1", true},
      {"NOAUTH Authentication required.", true},
      {"WRONGPASS invalid username-password pair or user is disabled.", true},
      {"OOM command not allowed when used memory > 'maxmemory'.", false},
      {"WRONGTYPE Operation against a key holding the wrong kind of value", false},
      {"", false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.error);
    instance i(1);
    auto now = steady::now();
    i.a.redis_refused(c.error, now);
    CHECK(i.a.redis().is_open() == c.at_once);
    for (int n = 1; n < 5; ++n) i.a.redis_refused(c.error, now += 1s);
    CHECK(i.a.redis().is_open());
    CHECK(i.a.refusal() == c.error);
    CHECK(i.a.refusals() == 5);
    CHECK(i.a.redis_back(i.a.redis().losses()));
    CHECK(i.a.refusal().empty());
  }
}

TEST_CASE("a login that Redis refuses while it is lost becomes the reason, until it is only out of reach") {
  instance i(1);
  i.a.redis_lost("closed by the server");
  CHECK(i.a.refusal().empty());
  i.a.redis_lost("AUTH: WRONGPASS invalid username-password pair or user is disabled.");
  CHECK(i.a.refusal().find("WRONGPASS") != std::string::npos);
  i.a.redis_lost("connect: Connection refused");
  CHECK(i.a.refusal().empty());
}
