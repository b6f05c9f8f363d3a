// Tests delivery with a sender that the test scripts, the real queue, and processes that are killed.
#include "delivery_fixture.hpp"
#include "scripted_webhooks.hpp"

#include "support/temporary_directory.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/monitoring/notifications/notifier.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

using namespace svc;
using namespace svc::test;

namespace {

/// Takes any message and counts it.
task<notifications::attempt> take_next(std::size_t& attempts) {
  ++attempts;
  co_return notifications::attempt{
      .came = {.state = notifications::fate::taken, .cause = notifications::reason::delivered, .status = 200}};
}

struct delivering : telling_shop {
  notifications::notifier::parts parts() {
    return {io, pool, providers, world.make_sender(), counters, {loops, io, "0", [] { return true; }}};
  }
  /// For providers of any type: each message is taken, and only counted.
  notifications::notifier::parts counting_parts(std::size_t& attempts) {
    auto out = parts();
    out.send = [&attempts](notifications::provider_config const&, notifications::message const&, unsigned,
                           std::vector<notifications::settled_recipient> const&) { return take_next(attempts); };
    return out;
  }
  /// Runs a look, and everything that follows from it at once.
  void pass(notifications::notifier& notifier) {
    wait(notifier.look());
    wait(notifier.emptied(soon()));
  }

  webhooks world;
  metrics counters;
  background_loops loops{counters};
};

notifications::outcome refused(int status, milliseconds not_before = milliseconds(0)) {
  return {.state = notifications::fate::retry,
          .cause = notifications::reason::refused,
          .status = status,
          .not_before = not_before};
}

std::int64_t sent_alerts(delivering& db) {
  return db.number({{"sent_alerts", "SELECT count(*) FROM alerts WHERE status = 'sent'"}});
}

/// Returns the seconds until the provider's next attempt.
std::int64_t due_in(delivering& db) {
  return db.number({{"due_in", "SELECT extract(epoch FROM max(due_at) - now())::int8 FROM provider_queue"}});
}

}  // namespace

TEST_CASE("alerts are brought to their providers, and a failed attempt is repeated with its id, never too early") {
  delivering db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  notifications::notifier notifier(db.parts());
  db.world.answers["https://a.test/one"] = {refused(503), refused(429, std::chrono::minutes(30))};
  db.fails(monitor);
  db.pass(notifier);
  REQUIRE(db.world.got.size() == 1);
  CHECK(db.world.got[0].reported == "monitor_failure");
  CHECK(due_in(db) <= 6);
  db.later("6 s");
  db.pass(notifier);
  REQUIRE(db.world.got.size() == 2);
  CHECK(db.world.got[1].id == db.world.got[0].id);
  CHECK(db.world.got[1].number == 2);
  CHECK(due_in(db) > 29 * 60);
  db.later("29 min");
  db.pass(notifier);
  CHECK(db.world.got.size() == 2);
  db.later("1 min");
  db.pass(notifier);
  CHECK(db.world.got.size() == 3);
  CHECK(db.words("SELECT status || ' ' || attempts FROM alerts") == "sent 3");
}

TEST_CASE("a message whose alerts are gone ends without an attempt, and the next one is sent") {
  delivering db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  notifications::notifier notifier(db.parts());
  db.world.answers["https://a.test/one"] = {refused(503)};
  db.fails(monitor);
  db.pass(notifier);
  db.as_owner("UPDATE alerts SET message_id = NULL, status = 'failed', next_attempt_at = NULL");
  db.later("6 s");
  db.pass(notifier);
  CHECK(db.world.got.size() == 1);
  CHECK(db.number({{"unended_messages", "SELECT count(*) FROM messages WHERE ended_at IS NULL"}}) == 0);
  db.recovers(monitor);
  db.later("6 s");
  db.pass(notifier);
  CHECK(db.world.got.back().reported == "monitor_recovery");
}

TEST_CASE("a provider with a slower rate has its own pace") {
  delivering db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  db.as_owner("UPDATE notification_providers SET rate_per_minute = 6");
  notifications::notifier notifier(db.parts());
  db.fails(monitor);
  db.recovers(monitor);
  db.pass(notifier);
  CHECK(db.world.got.size() == 1);
  CHECK(due_in(db) >= 8);
  CHECK(due_in(db) <= 10);
}

TEST_CASE("after ten attempts a message is dead, and the next one is sent") {
  delivering db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  notifications::notifier notifier(db.parts());
  for (int i = 0; i < 10; ++i) db.world.answers["https://a.test/one"].push_back(refused(500));
  db.fails(monitor);
  for (int i = 0; i < 10; ++i) {
    CHECK(db.words("SELECT status FROM alerts") == "pending");
    db.pass(notifier);
    db.later("5 hours");
  }
  CHECK(db.world.got.size() == 10);
  CHECK(db.words("SELECT status || ' ' || attempts || ' ' || error_status FROM alerts") == "failed 10 500");
  db.recovers(monitor);
  db.pass(notifier);
  CHECK(db.world.got.back().reported == "monitor_recovery");
  CHECK(db.counters.expose().find("svc_messages_dead_total 1") != std::string::npos);
}

TEST_CASE("a notifier that stops waits for the claim in progress, and sends its messages") {
  delivering db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  notifications::notifier notifier(db.parts());
  db.fails(monitor);
  asio::co_spawn(db.io, notifier.look(), asio::detached);
  db.wait(notifier.emptied(db.soon()));
  CHECK(db.world.got.size() == 1);
  CHECK(sent_alerts(db) == 1);
}

TEST_CASE("a provider that hangs delays no other") {
  delivering db;
  std::vector<uuid> providers;
  for (int i = 0; i < 8; ++i) providers.push_back(db.make_provider("webhook", "p" + std::to_string(i)));
  auto const monitor = db.make_notified(providers).id;
  notifications::notifier notifier(db.parts());
  db.world.silent = "https://a.test/p0";
  db.fails(monitor);
  db.wait(notifier.look());
  for (auto const until = db.soon(); notifier.under_way() > 1 && !until.passed();)
    db.io.run_one_for(milliseconds(100));
  CHECK(notifier.under_way() == 1);
  CHECK(sent_alerts(db) == 7);
  // The next message changes nothing either, while that attempt still hangs.
  db.recovers(monitor);
  db.later("1 s");
  // A look leaves a provider out whose row another transaction holds.
  for (auto const until = db.soon(); sent_alerts(db) < 14 && !until.passed();) {
    db.wait(notifier.look());
    db.io.run_one_for(milliseconds(100));
  }
  CHECK(sent_alerts(db) == 14);
}

TEST_CASE("a project has at most eight attempts under way") {
  delivering db;
  std::vector<uuid> providers;
  for (int i = 0; i < 10; ++i) providers.push_back(db.make_provider("webhook", "p" + std::to_string(i)));
  auto const monitor = db.make_notified(providers).id;
  db.fails(monitor);
  store::delivery_load load;
  auto claimed = db.claim();
  CHECK(claimed.size() == store::delivery_load::most_of_project);
  for (auto const& each : claimed) load.add(each.project, each.provider_type);
  CHECK(db.wait(db.queue.claim(16, db.soon(), load)).looked_at == 0);
  load.remove(claimed.front().project, claimed.front().provider_type);
  CHECK(db.wait(db.queue.claim(16, db.soon(), load)).messages.size() == 1);
}

TEST_CASE("messages in sequence need no turn of the loop, and keep the pace") {
  delivering db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  for (int i = 0; i < 3; ++i) {
    db.fails(monitor);
    db.recovers(monitor);
  }
  notifications::notifier notifier(db.parts());
  auto const began = steady::now();
  db.wait(notifier.look());
  for (auto const until = db.soon(); db.world.got.size() < 6 && !until.passed();)
    db.io.run_one_for(milliseconds(100));
  CHECK(steady::now() - began >= milliseconds(5 * 100));
  for (std::size_t i = 0; i < db.world.got.size(); ++i) {
    CHECK(db.world.got[i].reported == (i % 2 == 0 ? "monitor_failure" : "monitor_recovery"));
  }
  db.wait(notifier.emptied(db.soon()));
}

TEST_CASE("an unusable config is reported at once, and a provider that is gone is disabled") {
  delivering db;
  auto const monitor = db.make_notified({db.make_provider("webhook", "aa"), db.make_provider("webhook", "bb")}).id;
  db.as_owner(R"(UPDATE notification_providers SET config = '{"url":"nonsense"}', sealed = NULL, key_id = NULL)"
              " WHERE name = 'aa'");
  db.world.answers["https://a.test/bb"] = {
      {.state = notifications::fate::dead, .cause = notifications::reason::refused, .status = 410, .gone = true}};
  notifications::notifier notifier(db.parts());
  db.fails(monitor);
  db.pass(notifier);
  CHECK(db.words("SELECT provider_name || ':' || status || ':' || error_reason FROM alerts"
                 " WHERE type = 'monitor_failure' ORDER BY provider_name") ==
        "aa:failed:invalid_config bb:failed:refused");
  CHECK(db.words("SELECT name FROM notification_providers WHERE NOT enabled") == "bb");
}

TEST_CASE("while a provider's secrets do not open its message waits") {
  delivering db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  db.as_owner("UPDATE notification_providers SET sealed = sealed || 'x'");
  notifications::notifier notifier(db.parts());
  db.fails(monitor);
  db.pass(notifier);
  CHECK(db.world.got.empty());
  CHECK(db.words("SELECT status || ' ' || error_reason FROM alerts") == "pending invalid_config");
  db.as_owner("UPDATE notification_providers SET sealed = substr(sealed, 1, length(sealed) - 1)");
  db.later("6 s");
  db.pass(notifier);
  CHECK(db.words("SELECT status || ' ' || attempts FROM alerts") == "sent 2");
}

TEST_CASE("a claim whose lease ends before an attempt may end is not sent, and the next claim is") {
  auto const limit = store::delivery_lease - notifications::attempt_limit(notifications::provider_type::webhook) -
                     std::chrono::seconds(10);
  struct {
    char const* name;
    milliseconds stood_still;  ///< since the claim
    bool sent;
  } const cases[] = {{"at once", milliseconds(0), true},
                     {"a little before", limit - std::chrono::seconds(5), true},
                     {"a little later", limit + milliseconds(1), false},
                     {"after the lease", store::delivery_lease + milliseconds(1), false}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    delivering db;
    auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
    auto parts = db.parts();
    auto const ahead = std::make_shared<milliseconds>(c.stood_still);
    parts.clock = [ahead] { return steady::now() + *ahead; };
    notifications::notifier notifier(std::move(parts));
    db.fails(monitor);
    db.pass(notifier);
    CHECK(db.world.got.size() == (c.sent ? 1 : 0));
    CHECK(db.words("SELECT status FROM alerts") == (c.sent ? "sent" : "pending"));
    CHECK(notifier.under_way() == 0);
    if (c.sent) continue;
    *ahead = milliseconds(0);
    db.later("61 s");
    db.pass(notifier);
    CHECK(db.world.got.size() == 1);
    CHECK(db.words("SELECT status FROM alerts") == "sent");
  }
}

TEST_CASE("a message whose alerts only a newer version knows is left to an instance of that version") {
  delivering db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  std::size_t attempts = 0;
  notifications::notifier notifier(db.counting_parts(attempts));
  db.fails(monitor);
  db.as_owner("ALTER TABLE alerts DROP CONSTRAINT alerts_type_check; UPDATE alerts SET type = 'monitor_flooded'");
  db.pass(notifier);
  CHECK(attempts == 0);
  CHECK(notifier.under_way() == 0);
  CHECK(db.words("SELECT status FROM alerts") == "pending");
  // An instance of that version takes it once the lease has ended. Here the type becomes one that this version knows.
  db.as_owner("UPDATE alerts SET type = 'monitor_failure'");
  db.later("61 s");
  db.pass(notifier);
  CHECK(attempts == 1);
  CHECK(db.words("SELECT status FROM alerts") == "sent");
}

TEST_CASE("a message of which only a newer version knows one alert is left to it as a whole") {
  delivering db;
  auto const provider = db.make_provider("slack");
  auto const first = db.make_notified({provider}, "one").id;
  auto const others = {db.make_notified({provider}, "two").id, db.make_notified({provider}, "three").id};
  std::size_t attempts = 0;
  notifications::notifier notifier(db.counting_parts(attempts));
  db.fails(first);
  db.pass(notifier);
  CHECK(attempts == 1);
  // A chat gets later alerts in one message.
  for (auto const& each : others) db.fails(each);
  db.as_owner(
      "ALTER TABLE alerts DROP CONSTRAINT alerts_type_check;"
      "UPDATE alerts SET type = 'monitor_flooded' WHERE target_name = 'three'");
  db.later("10 min");
  db.pass(notifier);
  CHECK(attempts == 1);
  CHECK(db.words("SELECT status FROM alerts ORDER BY created_at, id") == "sent pending pending");
  db.as_owner("UPDATE alerts SET type = 'monitor_failure'");
  db.later("61 s");
  db.pass(notifier);
  CHECK(attempts == 2);
  CHECK(db.words("SELECT status || '' FROM alerts ORDER BY created_at, id") == "sent sent sent");
}

// A process dies as suddenly as by SIGKILL, before or after the bytes; another process continues.
TEST_CASE(
    "killed before or after the bytes of a message, it is sent at least once, and a repetition is known by its id") {
  struct row {
    char const* position;
    std::size_t sends;
  };
  for (auto const& each : {row{"delivery.claimed", 1}, row{"delivery.attempted", 2}}) {
    CAPTURE(each.position);
    delivering db;
    temporary_directory const directory;
    db.world.file = directory.path() + "/sink";
    auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
    db.fails(monitor);
    if (auto const child = ::fork(); child == 0) {
      failpoint::configure(std::string(each.position) + "=exit");
      asio::io_context io{1};
      postgres::pool pool(io, {.url = secret_string(db.url()), .size = 2});
      pool.start();
      store::provider_store providers(pool, db.master);
      notifications::notifier notifier(
          {io, pool, providers, db.world.make_sender(), db.counters, {db.loops, io, "0", [] { return true; }}});
      asio::co_spawn(io, notifier.look(), asio::detached);
      io.run();
      ::_exit(0);
    } else {
      int status = 0;
      REQUIRE(::waitpid(child, &status, 0) == child);
      REQUIRE(WIFEXITED(status));
      REQUIRE(WEXITSTATUS(status) == 137);
    }
    notifications::notifier notifier(db.parts());
    db.pass(notifier);
    CHECK(db.words("SELECT status FROM alerts") == "pending");
    db.later("61 s");
    db.pass(notifier);
    CHECK(db.words("SELECT status || ' ' || maybe_repeated FROM alerts") == "sent true");
    std::ifstream sink(db.world.file);
    std::vector<std::string> ids;
    for (std::string id, repeated; sink >> id >> repeated;) {
      CHECK(repeated == (ids.size() + 1 == each.sends ? "1" : "0"));
      ids.push_back(id);
    }
    REQUIRE(ids.size() == each.sends);
    CHECK(ids.front() == ids.back());
  }
}
