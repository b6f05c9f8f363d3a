#include "integration/redis/fixture.hpp"
#include "svc/redis/client.hpp"

#include <algorithm>
#include <string>

using namespace svc;
using namespace svc::redis;

namespace {

// One key and one argument for each call: counts, and replies with its argument followed by the count.
script const count_up("count_up", R"(
local replies = {}
for i = 1, #KEYS do
  if ARGV[i] == 'fail' then return redis.error_reply('ERR asked to') end
  replies[i] = ARGV[i] .. redis.call('INCR', KEYS[i])
end
return replies
)");

struct bench {
  test::private_redis const server;
  worker w;
  client c{w.io, patient(server.url()), {&count_up}};
  script_batch batch{c, count_up};
  std::vector<std::optional<outcome>> got;

  task<> call(std::string key, std::string argument, std::size_t position) {
    std::array<std::string_view, 1> const keys{key}, arguments{argument};
    got[position] = co_await batch.evaluate(keys, arguments, deadline::after(10s));
  }
  /// All in one round of the loop; true when each has its outcome.
  bool call_at_once(std::vector<std::pair<std::string, std::string>> const& calls) {
    got.assign(calls.size(), std::nullopt);
    for (std::size_t i = 0; i < calls.size(); ++i)
      asio::co_spawn(w.io, call(calls[i].first, calls[i].second, i), asio::detached);
    return w.run_until(
        [&] { return std::ranges::all_of(got, [](auto const& outcome) { return outcome.has_value(); }); });
  }
};

}  // namespace

TEST_CASE("concurrent calls are sent as one command, and each gets its own reply, in order") {
  bench b;
  b.w.connect(b.c);
  auto const before = b.c.stats().commands;
  REQUIRE(b.call_at_once({{"x", "a"}, {"y", "b"}, {"x", "c"}, {"x", "d"}}));
  CHECK(b.c.stats().commands == before + 1);
  CHECK(text(*b.got[0]) == "a1");
  CHECK(text(*b.got[1]) == "b1");
  CHECK(text(*b.got[2]) == "c2");
  CHECK(text(*b.got[3]) == "d3");
}

TEST_CASE("more calls than a batch holds are sent as several, none lost and none doubled") {
  bench b;
  b.w.connect(b.c);
  auto const before = b.c.stats().commands;
  std::vector<std::pair<std::string, std::string>> const calls(2 * script_batch::most_calls + 1, {"x", ""});
  REQUIRE(b.call_at_once(calls));
  CHECK(b.c.stats().commands == before + 3);
  for (std::size_t i = 0; i < calls.size(); ++i) CHECK(text(*b.got[i]) == std::to_string(i + 1));
}

TEST_CASE("an error reaches every call of the batch, and the next batch is served") {
  bench b;
  b.w.connect(b.c);
  REQUIRE(b.call_at_once({{"x", "a"}, {"x", "fail"}}));
  CHECK(text(*b.got[0]) == "-ERR asked to");
  CHECK(text(*b.got[1]) == "-ERR asked to");
  REQUIRE(b.call_at_once({{"y", "a"}}));
  CHECK(text(*b.got[0]) == "a1");
}

TEST_CASE("a script that Redis has lost is loaded again, and no call runs twice") {
  bench b;
  b.w.connect(b.c);
  REQUIRE(b.w.ask(b.c, {"SCRIPT", "FLUSH"}).ok());
  REQUIRE(b.call_at_once({{"x", "a"}, {"x", "b"}}));
  CHECK(text(*b.got[0]) == "a1");
  CHECK(text(*b.got[1]) == "b2");
}

TEST_CASE("without a connection each call of a batch is unsent") {
  bench b;
  REQUIRE(b.call_at_once({{"x", "a"}, {"y", "b"}}));
  CHECK(text(*b.got[0]) == "unsent");
  CHECK(text(*b.got[1]) == "unsent");
}
