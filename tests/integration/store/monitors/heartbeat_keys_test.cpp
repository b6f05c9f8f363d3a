// Keys of heartbeats: how they are found, replaced and stored.
#include "heartbeat_fixture.hpp"

#include "support/together.hpp"
#include "svc/core/hash.hpp"
#include "svc/domain/token.hpp"

#include <array>
#include <string>

using namespace svc;
using namespace svc::test;

TEST_CASE("keys of heartbeats are found by their digests, replaced, and stored nowhere as they are") {
  beating_shop db;
  auto const id = db.make_heartbeat();
  auto const key_of = [&] { return std::string(db.wait(db.hearts.key_of(db.project, id, db.soon()))->reveal()); };
  auto const find = [&](std::string const& key) { return db.wait(db.hearts.find(sha256(key), db.soon())); };
  auto const first = key_of();
  CHECK(read_ping_key(first).has_value());
  CHECK(key_of() == first);
  CHECK(find(first)->monitor == id);
  CHECK_FALSE(find(first)->only_post);
  CHECK_FALSE(find(std::string(mint_ping_key().key.reveal())));
  CHECK(failure(db.wait(db.hearts.key_of(db.other_project, id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.hearts.key_of(db.project, db.make_monitor().id, db.soon()))) == errc::not_found);

  auto const rotate = [&](store::editor editor, int seconds) {
    return db.wait(db.hearts.rotate_key(std::move(editor), id, std::chrono::seconds(seconds), db.soon()));
  };
  CHECK(failure(rotate(db.elsewhere(), 60)) == errc::not_found);
  CHECK(failure(rotate(db.as_ed({{9}}), 60)) == errc::precondition_failed);
  std::string const second(rotate(db.as_ed(), 60)->reveal());
  CHECK(key_of() == second);
  CHECK(find(first));
  CHECK(find(second));
  db.as_owner("UPDATE heartbeat_keys SET ends_at = ends_at - interval '61 s' WHERE ends_at IS NOT NULL");
  CHECK_FALSE(find(first));
  std::string const third(rotate(db.as_ed(), 0)->reveal());
  CHECK_FALSE(find(second));
  CHECK(db.rows("heartbeat_keys") == 1);
  // A key that leaked is ended at once; then no earlier one works, whatever time it was given.
  std::string const fourth(rotate(db.as_ed(), 600)->reveal());
  CHECK(find(third));
  std::string const fifth(rotate(db.as_ed(), 0)->reveal());
  CHECK_FALSE(find(third));
  CHECK_FALSE(find(fourth));
  CHECK(db.audit_rows("monitor.key_rotated") == 4);

  // That many former keys can work, however often the key is rotated.
  std::string newest;
  for (int i = 0; i < store::heartbeat_store::most_former_keys; ++i) newest = rotate(db.as_ed(), 600 + i)->reveal();
  CHECK(find(fifth));
  CHECK(db.rows("heartbeat_keys") == store::heartbeat_store::most_former_keys + 1);
  newest = rotate(db.as_ed(), 700)->reveal();
  CHECK_FALSE(find(fifth));
  CHECK(db.rows("heartbeat_keys") == store::heartbeat_store::most_former_keys + 1);

  edit_monitor(db, id,
               [](monitor_settings& set) { set.config = R"({"schedule":{"everySeconds":60},"methods":"post"})"; });
  CHECK(find(newest)->only_post);
  for (char const* table : {"heartbeat_keys", "heartbeats", "monitors", "audit_log"}) {
    for (auto const& key : {first, second, third}) {
      CHECK(db.rows(std::string(table) + " t WHERE position('" + key.substr(9) + "' IN t::text) > 0") == 0);
    }
  }
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), id, db.soon()))));
  CHECK_FALSE(find(third));
  CHECK(failure(db.wait(db.hearts.key_of(db.project, id, db.soon()))) == errc::not_found);
}

TEST_CASE("two that ask for the first key get the same") {
  beating_shop db;
  auto const id = db.make_heartbeat();
  std::array<std::string, 3> keys;
  together(3, [&](int i) {
    asio::io_context io{1};
    postgres::pool pool(io, {.url = secret_string(db.url())});
    pool.start();
    master_keys master{{sealer(secret_bytes(32, 7))}};
    store::heartbeat_store mine(pool, master);
    keys[static_cast<std::size_t>(i)] = run_task(io, mine.key_of(db.project, id, db.soon()))->reveal();
    pool.stop();
  });
  CHECK(keys[0] == keys[1]);
  CHECK(keys[1] == keys[2]);
}
