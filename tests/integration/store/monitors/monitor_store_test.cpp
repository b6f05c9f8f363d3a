// Tests how users see and set monitors.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "support/together.hpp"
#include "svc/store/monitors/monitor_secrets.hpp"

#include <boost/json.hpp>

using namespace svc;
using namespace svc::test;

namespace {

store::monitor_edit edited_monitor(std::function<void(monitor_settings&)> const& agent) {
  return [agent](monitor const& now) {
    auto out = now.set;
    agent(out);
    return result<monitor_settings>(std::move(out));
  };
}

std::string names_of(page<monitor> const& page) {
  std::string out;
  for (auto const& each : page.rows) out += (out.empty() ? "" : " ") + each.set.name;
  return out;
}

}  // namespace

TEST_CASE("a monitor is created, read, changed, deleted and restored, each with its audit row") {
  watched_shop db;
  auto const made = db.make_monitor();
  CHECK(made.status() == "pending");
  CHECK(made.set.interval() == std::chrono::seconds(60));
  CHECK(made.set.alert_providers == std::vector{db.hook()});
  CHECK(db.get(made.id).version == 1);
  CHECK(failure(db.wait(db.monitors.get(db.other_project, made.id, db.soon()))) == errc::not_found);

  auto const change = [&](store::editor editor, auto const& edit, std::string verb = "updated") {
    return db.wait(db.monitors.update(std::move(editor), made.id, edited_monitor(edit), std::move(verb), db.soon()));
  };
  auto const rename = [](monitor_settings& set) { set.name = "other"; };
  CHECK(failure(change(db.elsewhere(), rename)) == errc::not_found);
  CHECK(failure(change(db.as_ed({{7}}), rename)) == errc::precondition_failed);
  auto const renamed = change(db.as_ed({{1}}), rename);
  REQUIRE(renamed.has_value());
  CHECK(renamed->set.name == "other");
  CHECK(renamed->version == 2);
  CHECK(renamed->check_version == 1);
  auto const foreign = [](monitor_settings& set) { set.alert_providers = {uuid::generate_v7()}; };
  CHECK(fields(change(db.as_ed(), foreign)) == "/alertConfig/notificationProviders/0");
  // A change of the check makes another version; the same JSON in another spelling does not.
  CHECK(change(db.as_ed(), [](monitor_settings& set) { set.config = "{ }"; })->check_version == 1);
  CHECK(change(db.as_ed(), [](monitor_settings& set) { set.config = R"({"method":"HEAD"})"; })->check_version == 2);
  CHECK(change(db.as_ed(), [](monitor_settings& set) { set.target = "https://b.test/"; })->check_version == 3);
  auto const paused = change(db.as_ed(), [](monitor_settings& set) { set.enabled = false; }, "paused");
  CHECK(paused->status() == "paused");
  CHECK(paused->check_version == 4);

  CHECK(failure(db.wait(db.monitors.restore(db.as_ed(), made.id, db.soon()))) == errc::monitor_not_deleted);
  CHECK(failure(db.wait(db.monitors.remove(db.elsewhere(), made.id, db.soon()))) == errc::not_found);
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), made.id, db.soon()))));
  CHECK(failure(db.wait(db.monitors.remove(db.as_ed(), made.id, db.soon()))) == errc::not_found);
  CHECK(failure(change(db.as_ed(), rename)) == errc::not_found);
  CHECK(db.get(made.id).deleted_at.has_value());
  auto const back = db.wait(db.monitors.restore(db.as_ed(), made.id, db.soon()));
  REQUIRE(back.has_value());
  CHECK(back->status() == "paused");
  CHECK(db.words("SELECT action FROM audit_log WHERE action LIKE 'monitor.%' ORDER BY id") ==
        "monitor.created monitor.updated monitor.updated monitor.updated monitor.updated monitor.paused"
        " monitor.deleted monitor.restored");
}

TEST_CASE("monitors are listed by status, type, name and deletion, in two orders") {
  watched_shop db;
  auto const first = db.make_monitor(db.wanted("beta"));
  auto ping = db.wanted("alpha");
  ping.type = "ping_host";
  ping.enabled = false;
  db.make_monitor(ping);
  auto const gone = db.make_monitor(db.wanted("gone"));
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), gone.id, db.soon()))));
  auto const listed = [&](store::monitor_filter filter, page_request wanted = {}) {
    return db.wait(db.monitors.list(db.project, std::move(filter), wanted, db.soon()));
  };
  CHECK(names_of(listed({})) == "alpha beta");
  CHECK(listed({}).total == 2);
  CHECK(names_of(listed({.order = store::monitor_order::name})) == "alpha beta");
  CHECK(names_of(listed({.status = "pending"})) == "beta");
  CHECK(names_of(listed({.status = "paused"})) == "alpha");
  CHECK(names_of(listed({.type = "ping_host"})) == "alpha");
  CHECK(names_of(listed({.search = "ET"})) == "beta");
  CHECK(names_of(listed({.deleted = true})) == "gone");
  // Every status other than paused is worse.
  auto const by_status = listed({.order = store::monitor_order::status}, {.limit = 1});
  CHECK(names_of(by_status) == "beta");
  REQUIRE(by_status.next.has_value());
  CHECK(names_of(listed({.order = store::monitor_order::status}, {.after = by_status.next})) == "alpha");
  CHECK(names_of(listed({.deleted = true, .order = store::monitor_order::name}, {.limit = 1})) == "gone");
  for (auto const order : {store::monitor_order::newest, store::monitor_order::name}) {
    auto const page = listed({.order = order}, {.limit = 1});
    REQUIRE(page.next.has_value());
    CHECK(names_of(listed({.order = order}, {.limit = 1, .after = page.next})) == "beta");
  }
  CHECK(names_of(listed({}, {.number = 2, .limit = 1})) == "beta");
  CHECK(db.wait(db.monitors.list(db.other_project, {}, {}, db.soon())).rows.empty());
  CHECK(first.status() == "pending");
}

TEST_CASE("secrets of a config are sealed, shown masked, kept by masks, and opened only for checks") {
  watched_shop db;
  auto set = db.wanted();
  set.config = R"({"auth":{"type":"basic","username":"u","password":"pass-1"},"headers":{"X-Key":"key-1","A":"b"}})";
  auto const made = db.make_monitor(set);
  CHECK(
      boost::json::parse(made.set.config) ==
      boost::json::parse(
          R"({"auth":{"type":"basic","username":"u","password":"********"},"headers":{"X-Key":"********","A":"b"}})"));
  CHECK(db.words("SELECT count(*)::text FROM monitors m WHERE m::text LIKE '%pass-1%' OR m::text LIKE '%key-1%'") ==
        "0");
  store::monitor_secrets secrets(db.pool, db.master);
  auto const opened = [&] {
    auto const all = db.wait(secrets.open({made.id}, db.soon()));
    REQUIRE(all.size() == 1);
    CHECK(all.front().check_version == db.get(made.id).check_version);
    return boost::json::parse(all.front().config.reveal());
  };
  CHECK(opened().at("auth").at("password") == "pass-1");
  CHECK(opened().at("headers").at("X-Key") == "key-1");
  // Masks keep the secrets; a new secret is another check.
  edit_monitor(db, made.id, [](monitor_settings& now) { now.name = "other"; });
  CHECK(db.get(made.id).check_version == 1);
  edit_monitor(db, made.id, [](monitor_settings& now) {
    auto config = boost::json::parse(now.config);
    config.at("headers").as_object()["X-Key"] = "key-2";
    now.config = boost::json::serialize(config);
  });
  CHECK(db.get(made.id).check_version == 2);
  CHECK(opened().at("auth").at("password") == "pass-1");
  CHECK(opened().at("headers").at("X-Key") == "key-2");
  // Nobody can send the secrets to another target.
  auto const moved = [](monitor_settings& now) { now.target = "https://elsewhere.test/"; };
  CHECK(fields(db.wait(db.monitors.update(db.as_ed(), made.id, edited_monitor(moved), "updated", db.soon()))) ==
        "/config/auth/password /config/headers/X-Key");
  edit_monitor(db, made.id, [](monitor_settings& now) { now.config = "{}"; });
  CHECK(db.wait(secrets.open({made.id}, db.soon())).empty());
  set.config = R"({"auth":{"token":"********"}})";
  CHECK(fields(db.wait(db.monitors.create(db.as_ed(), db.ed, set, db.soon()))) == "/config/auth/token");
}

TEST_CASE("a monitor wears tags of its project, is found by them, and loses those that are deleted") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  auto const make_tag = [&](std::string const& label, uuid project, int slot) {
    auto const made = uuid::generate_v7();
    db.as_owner("INSERT INTO tags (id, project_id, name, color, slot) VALUES ('" + made.to_string() + "', '" +
                project.to_string() + "', '" + label + "', '#000000', " + std::to_string(slot) + ")");
    return made;
  };
  auto const slow = make_tag("slow", db.project, 1), fast = make_tag("fast", db.project, 2),
             foreign = make_tag("slow", db.other_project, 1);
  auto const wear = [&](std::vector<uuid> tags, std::optional<std::vector<std::int64_t>> expected = {}) {
    return db.wait(db.monitors.set_tags(db.as_ed(std::move(expected)), id, std::move(tags), db.soon()));
  };
  auto const worn = wear({slow, fast});
  REQUIRE(worn.has_value());
  CHECK(worn->version == 2);
  CHECK(worn->check_version == 1);
  auto const all = boost::json::parse(worn->tags).as_array();
  REQUIRE(all.size() == 2);
  CHECK(all[0].at("name") == "fast");
  CHECK(fields(wear({slow, foreign})) == "/tags/1/id");
  CHECK(failure(wear({}, {{1}})) == errc::precondition_failed);
  CHECK(failure(db.wait(db.monitors.set_tags(db.elsewhere(), id, {}, db.soon()))) == errc::not_found);
  auto const tagged = [&](std::string name) {
    return db.wait(db.monitors.list(db.project, {.tag = std::move(name)}, {}, db.soon())).total;
  };
  CHECK(tagged("slow") == 1);
  CHECK(tagged("none") == 0);
  db.as_owner("DELETE FROM tags WHERE name = 'slow'");
  CHECK(tagged("slow") == 0);
  CHECK(wear({})->tags == "[]");
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), id, db.soon()))));
  CHECK(failure(wear({})) == errc::not_found);
}

TEST_CASE("a pause of a paused monitor writes nothing") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  auto const pause = [](monitor_settings& set) { set.enabled = false; };
  edit_monitor(db, id, pause, "paused");
  auto const version = db.get(id).version;
  edit_monitor(db, id, pause, "paused");
  CHECK(db.get(id).version == version);
  CHECK(db.words("SELECT count(*)::text FROM audit_log WHERE action = 'monitor.paused'") == "1");
}

TEST_CASE("a provider that is deleted is no longer named by monitors, deleted ones too") {
  watched_shop db;
  auto const monitor = db.make_monitor(), gone = db.make_monitor();
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), gone.id, db.soon()))));
  CHECK_FALSE(failure(db.wait(db.providers.remove(db.as_ed(), db.hook(), db.soon()))));
  for (auto const id : {monitor.id, gone.id}) {
    CHECK(db.get(id).set.alert_providers.empty());
    CHECK(boost::json::parse(*db.get(id).set.alert_config).at("enabled") == true);
  }
  CHECK(db.get(monitor.id).version == monitor.version + 1);
  edit_monitor(db, monitor.id, [](monitor_settings& now) { now.name = "other"; });
}

TEST_CASE("a project holds exactly as many monitors as it may, however many are made at once") {
  watched_shop db;
  db.hook();
  auto const settings = db.wanted();
  std::atomic<int> made = 0, refused = 0;
  together(4, [&](int) {
    asio::io_context io{1};
    postgres::pool pool(io, {.url = secret_string(db.url())});
    pool.start();
    master_keys master{{sealer(secret_bytes(32, 7))}};
    store::monitor_store few(pool, master, {.monitors = 5});
    for (int i = 0; i < 3; ++i) {
      auto const monitor = run_task(io, few.create(db.as_ed(), db.ed, settings, db.soon()));
      monitor ? ++made : ++refused;
      if (!monitor) CHECK(monitor.error().code == errc::monitor_limit_reached);
    }
    pool.stop();
  });
  CHECK(made == 5);
  CHECK(refused == 7);
  // A deleted monitor makes room, and is not restored beyond the quota.
  store::monitor_store few(db.pool, db.master, {.monitors = 5});
  auto const id = db.wait(few.list(db.project, {}, {}, db.soon())).rows.front().id;
  CHECK_FALSE(failure(db.wait(few.remove(db.as_ed(), id, db.soon()))));
  CHECK(db.wait(few.create(db.as_ed(), db.ed, settings, db.soon())).has_value());
  CHECK(failure(db.wait(few.restore(db.as_ed(), id, db.soon()))) == errc::monitor_limit_reached);
}

TEST_CASE("the configs of a project's monitors together have no more bytes than they may") {
  watched_shop db;
  store::monitor_store few(db.pool, db.master, {.monitor_bytes = 1000});
  auto set = db.wanted();
  auto const action = [](std::size_t size) { return R"({"body": ")" + std::string(size - 12, 'x') + "\"}"; };
  set.config = action(400);
  auto const first = db.wait(few.create(db.as_ed(), db.ed, set, db.soon()));
  REQUIRE(first.has_value());
  auto const bytes = [&] {
    return db.number({{"monitor_bytes", "SELECT bytes FROM project_usage WHERE kind = 'monitors'"}});
  };
  CHECK(bytes() == 400);
  auto const second = db.wait(few.create(db.as_ed(), db.ed, set, db.soon()));
  REQUIRE(second.has_value());
  CHECK(failure(db.wait(few.create(db.as_ed(), db.ed, set, db.soon()))) == errc::monitor_limit_reached);
  auto const larger = [&](std::size_t size) {
    return db.wait(few.update(db.as_ed(), first->id,
                              edited_monitor([&](monitor_settings& now) { now.config = action(size); }), "updated",
                              db.soon()));
  };
  CHECK(failure(larger(700)) == errc::monitor_limit_reached);
  CHECK(larger(500).has_value());
  CHECK(bytes() == 900);
  CHECK_FALSE(failure(db.wait(few.remove(db.as_ed(), second->id, db.soon()))));
  CHECK(bytes() == 500);
  CHECK(larger(900).has_value());
  CHECK(failure(db.wait(few.restore(db.as_ed(), second->id, db.soon()))) == errc::monitor_limit_reached);
  CHECK(larger(200).has_value());
  CHECK(db.wait(few.restore(db.as_ed(), second->id, db.soon())).has_value());
  CHECK(bytes() == 600);
}

TEST_CASE("a monitor is refused in an archived project, and with providers of another") {
  watched_shop db;
  auto const foreign = db.wait(db.monitors.create(db.elsewhere(), db.ed, db.wanted(), db.soon()));
  CHECK(fields(foreign) == "/alertConfig/notificationProviders/0");
  db.as_owner("UPDATE projects SET archived_at = now()");
  CHECK(failure(db.wait(db.monitors.create(db.as_ed(), db.ed, db.wanted(), db.soon()))) == errc::project_archived);
}

TEST_CASE("an edit is prepared without the lock, again after each other edit, at most three times") {
  for (int changes = 0; changes <= 3; ++changes) {
    CAPTURE(changes);
    watched_shop db;
    auto const id = db.make_monitor().id;
    int prepared = 0;
    std::string seen;
    // The preparation waits for no lock: another session changes the monitor meanwhile.
    store::monitor_preparation const prepare = [&](monitor const& now) {
      seen = now.set.config;
      if (prepared++ >= changes) return;
      db.as_owner("SET lock_timeout = '1s'; UPDATE monitors SET config = '{\"timeoutSeconds\": " +
                  std::to_string(prepared) + "}' WHERE id = '" + id.to_string() + "'");
    };
    store::monitor_edit const edit = [&](monitor const& now) -> result<monitor_settings> {
      if (now.set.config != seen) return errc::overloaded;
      auto out = now.set;
      out.name = "prepared";
      return out;
    };
    auto const done = db.wait(db.monitors.update(db.as_ed(), id, edit, "updated", db.soon(), prepare));
    CHECK(prepared == std::min(changes + 1, store::monitor_store::most_preparations));
    CHECK(done.has_value() == (changes < 3));
    CHECK(db.get(id).set.name == (changes < 3 ? "prepared" : "site"));
    if (!done) CHECK(done.error().code == errc::overloaded);
  }
}
