// Many viewers of one run. Long form: TEST_VIEWERS=2000 build/dev/bin/integration_output -tc="many viewers*"
#include "stream_fixture.hpp"

#include <sys/resource.h>

namespace svc::test {
namespace {

void allow_files() {
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 16'384);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &files) == 0);
}

TEST_CASE("many viewers of one run on two instances: two subscriptions, each line once, little memory") {
  allow_files();
  int const count = long_form("TEST_VIEWERS", 200);
  theatre t(2);
  auto const run = t.make_run();
  t.claim(run);
  audience all(t.house.text("caFile"));
  auto const seat = [&](int many) {
    for (int i = 0; i < many; ++i) all.add(t.house.url(static_cast<std::size_t>(i % 2)), run, t.token);
  };
  // The cost of the first ones belongs to the process, not to them.
  seat(40);
  t.print(run, 1, 50);
  REQUIRE(all.read_until(has_lines(50)));
  auto const before = t.memory(0) + t.memory(1);
  seat(count);
  REQUIRE(all.read_until(has_lines(50), std::chrono::seconds(120)));
  CHECK(t.subscriptions(run) == "2");
  auto const each = (t.memory(0) + t.memory(1) - before) / count;
  MESSAGE("resident for each of " << count << " viewers: " << each << " bytes");
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  CHECK(each <= 48 * 1024);
#endif

  auto const start = steady::now();
  t.print(run, 51, 100);
  REQUIRE(all.read_until(has_lines(100), std::chrono::seconds(60)));
  auto const took = std::chrono::duration_cast<milliseconds>(steady::now() - start);
  MESSAGE("50 lines reached all of them after " << took.count() << " ms");

  // A third of them reconnect to the other instance while lines continue; some leave lines unread on their old
  // connection.
  t.print(run, 101, 150);
  for (std::size_t i = 0; i < all.all().size(); i += 3) {
    auto& spot = all.all()[i];
    auto const heard = spot->lines;
    auto const last = spot->last_id;
    auto& back = all.add(t.house.url((i + 1) % 2), run, t.token, last);
    back.lines = heard;
    std::swap(spot, all.all().back());
    all.all().pop_back();
    if (i == 0) t.print(run, 151, 200);
  }
  REQUIRE(all.read_until(has_lines(200), std::chrono::seconds(60)));
  t.end(run, 200);
  all.read_until(is_over, std::chrono::seconds(60));
  for (auto const& viewer : all.all()) {
    CHECK(viewer->complaint == "");
    CHECK(viewer->lines == 200);
    CHECK(viewer->final_status == "{\"status\":\"passed\"}");
    CHECK(viewer->last_id == "1-201");
  }
  CHECK(t.eventually([&] { return t.subscriptions(run) == "0"; }));
}

}  // namespace
}  // namespace svc::test
