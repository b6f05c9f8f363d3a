#include "svc/access/instance_list.hpp"

#include "integration/access/fixture.hpp"

using namespace svc;
using namespace std::chrono_literals;
using access::instance_list;

namespace {

instance_identity instance(std::string const& address) {
  return {uuid::generate_v7(), "0.2.0", "abc", "svc-1", address};
}

std::vector<std::string> addresses(std::optional<std::vector<instance_identity>> const& identities) {
  std::vector<std::string> out;
  REQUIRE(identities);
  for (auto const& identity : *identities) out.push_back(identity.address);
  std::sort(out.begin(), out.end());
  return out;
}

struct registry : access::script_bench {
  registry() : access::script_bench({&instance_list::script()}) {}

  std::vector<std::string> renew(instance_identity const& identity) {
    return addresses(loop().run(list.renew(identity, deadline::after(10s))));
  }
  std::vector<std::string> read() { return addresses(loop().run(list.read(deadline::after(10s)))); }
  /// Moves when an instance was seen.
  void shift(instance_identity const& identity, milliseconds agent) {
    command({"ZADD", "svc:instances", std::to_string(time() / 1000 + agent.count()), to_text(identity)});
  }
  std::string rows() { return text({"ZCARD", "svc:instances"}); }

  instance_list list{client()};
};

using words = std::vector<std::string>;

}  // namespace

TEST_CASE("instances in Redis: there from the first heartbeat on, gone when they leave") {
  registry redis;
  auto const a = instance("a"), b = instance("b");
  CHECK(redis.read().empty());
  CHECK(redis.renew(a) == words{"a"});
  CHECK(redis.renew(b) == words{"a", "b"});
  CHECK(redis.renew(a) == words{"a", "b"});
  CHECK(redis.rows() == "2");
  auto const all = redis.loop().run(redis.list.read(deadline::after(10s)));
  REQUIRE(all);
  CHECK(std::ranges::find(*all, a) != all->end());
  CHECK(redis.loop().run(redis.list.leave(b, deadline::after(10s))));
  CHECK(redis.read() == words{"a"});
}

TEST_CASE(
    "instances in Redis: an instance without a sign of life for 12 s by Redis's clock is gone, and all with the "
    "key") {
  registry redis;
  auto const a = instance("a"), b = instance("b");
  struct {
    milliseconds seen;
    bool there;
  } const table[] = {{-11s, true}, {-13s, false}, {11s, true}, {13s, false}, {-300s, false}, {300s, false}};
  for (auto const& c : table) {
    CAPTURE(c.seen.count());
    redis.shift(b, c.seen);
    // Asking changes nothing.
    auto const before = redis.rows();
    CHECK((redis.read() == words{"b"}) == c.there);
    CHECK(redis.rows() == before);
    CHECK((redis.renew(a) == words{"a", "b"}) == c.there);
    CHECK(redis.rows() == (c.there ? "2" : "1"));
    redis.command({"DEL", "svc:instances"});
  }
  redis.renew(a);
  CHECK(redis.life("svc:instances") > 10'000);
  CHECK(redis.life("svc:instances") <= 12'000);
}

TEST_CASE("instances in Redis: unreadable entries do not count; a Redis that refuses them reports nothing") {
  registry redis;
  auto const a = instance("a");
  redis.command({"ZADD", "svc:instances", std::to_string(redis.time() / 1000), "who knows"});
  CHECK(redis.renew(a) == words{"a"});
  redis.command({"CONFIG", "SET", "maxmemory", "1"});
  CHECK_FALSE(redis.loop().run(redis.list.renew(a, deadline::after(10s))));
  redis.command({"CONFIG", "SET", "maxmemory", "0"});
  redis.command({"SET", "svc:instances", "something else"});
  CHECK_FALSE(redis.loop().run(redis.list.renew(a, deadline::after(10s))));
  CHECK_FALSE(redis.loop().run(redis.list.read(deadline::after(10s))));
}
