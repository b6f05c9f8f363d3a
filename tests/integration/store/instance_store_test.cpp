#include "svc/store/directory/instance_store.hpp"

#include "migrated_database.hpp"
#include "svc/core/result.hpp"

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;

namespace {

instance_identity instance(std::string const& address) {
  return {uuid::generate_v7(), "0.2.0", "abc", "svc-1", address};
}

struct registry : migrated_database {
  store::instance_store instances{pool};

  std::vector<std::string> addresses(std::vector<store::present_instance> const& instances) const {
    std::vector<std::string> out;
    for (auto const& instance : instances) out.push_back(instance.identity.address);
    return out;
  }
  std::vector<std::string> renew(instance_identity const& identity, milliseconds up = 0ms) {
    return addresses(wait(instances.renew(identity, up, soon())));
  }
  std::vector<std::string> read() { return addresses(wait(instances.read(soon()))); }
  /// Moves when an instance was seen.
  void shift(std::string const& address, std::string const& name) const {
    as_owner("UPDATE instances SET seen_at = clock_timestamp() + interval '" + name + "' WHERE address = '" +
             address + "'");
  }
  std::int64_t rows() { return number({{"rows_test", "SELECT count(*) FROM instances"}}); }
};

using words = std::vector<std::string>;

}  // namespace

TEST_CASE("an instance is listed from its first heartbeat on, with its own facts") {
  registry db;
  CHECK(db.read().empty());
  auto const a = instance("a"), b = instance("b");
  CHECK(db.renew(a, 90s) == words{"a"});
  // The later of two sees the other, in the order of their starts.
  CHECK(db.renew(b, 5min) == words{"b", "a"});
  CHECK(db.renew(a, 95s) == words{"b", "a"});
  auto const found = db.wait(db.instances.read(db.soon()));
  REQUIRE(found.size() == 2);
  CHECK((found[1].identity == a));
  auto const up = found[1].seen_at - found[1].started_at;
  CHECK(up >= 90s);
  CHECK(up < 110s);
  CHECK(db.rows() == 2);
}

TEST_CASE(
    "an instance is gone when it has left or has said nothing for 12 s by the database's clock, and its row later") {
  registry db;
  auto const a = instance("a"), b = instance("b");
  db.renew(a);
  struct {
    char const* seen;
    bool there, row;
  } const table[] = {{"-11 seconds", true, true},   {"-13 seconds", false, true}, {"-59 seconds", false, true},
                     {"-61 seconds", false, false}, {"11 seconds", true, true},  // a database whose clock was faster
                     {"13 seconds", false, true},   {"61 seconds", false, false}};
  for (auto const& c : table) {
    CAPTURE(std::string(c.seen));
    db.renew(b);
    db.shift("b", c.seen);
    auto const there = db.renew(a);
    CHECK(there.size() == (c.there ? 2U : 1U));
    CHECK(db.rows() == (c.row ? 2 : 1));
  }
  CHECK(db.renew(b).size() == 2);
  db.wait(db.instances.leave(b.id, db.soon()));
  CHECK(db.read() == words{"a"});
  CHECK(db.rows() == 1);
}

TEST_CASE("old rows that somebody else is deleting keep no heartbeat waiting") {
  registry db;
  auto const a = instance("a"), b = instance("b");
  db.renew(a);
  db.renew(b);
  db.shift("b", "-2 minutes");
  auto held = db.wait(db.pool.begin(db.soon()));
  auto const locked =
      db.wait(held.run(postgres::query{{"lock_test", "SELECT id FROM instances WHERE address = 'b' FOR UPDATE"}}));
  REQUIRE(locked.has_value());
  CHECK(db.addresses(db.wait(db.instances.renew(a, 0ms, deadline::after(2s)))) == words{"a"});
  CHECK(db.rows() == 2);
}

TEST_CASE("too long texts are cut, and the service can only change the time of the last heartbeat") {
  registry db;
  auto identity = instance(std::string(300, 'x'));
  identity.version = std::string(200, 'v');
  CHECK(db.renew(identity) == words{std::string(255, 'x')});
  auto const refused = db.run({{"write_test", "UPDATE instances SET version = 'other'"}});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().sqlstate == "42501");
}
