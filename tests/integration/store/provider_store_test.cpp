#include "shop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json.hpp>

using namespace svc;
using namespace svc::test;

namespace {

std::string const webhook = R"({"url":"https://hook.test/SECRETURL","method":"POST",
                                "headers":{"X-Key":"SECRETONE","X~Other":"SECRETTWO"}})";

boost::json::value json(std::string_view text) {
  return boost::json::parse(text);
}

/// An edit that sets the config.
store::provider_edit with_config(std::string config) {
  return [config](notification_provider const& now) {
    return result<store::provider_settings>(store::provider_settings{now.name, now.type, now.enabled, config});
  };
}

std::string revealed(shop& db, uuid id) {
  auto const whole = db.wait(db.providers.reveal(db.project, id, db.soon()));
  REQUIRE(whole.has_value());
  return std::string(whole->config.reveal());
}

}  // namespace

TEST_CASE("secrets are sealed at rest, masked when read, whole when delivered") {
  shop db;
  auto const made = db.wait(db.providers.create(db.as_ed(), {"hook", "webhook", true, webhook}, db.soon()));
  REQUIRE(made.has_value());
  CHECK(json(made->config) ==
        json(R"({"url":"********","method":"POST","headers":{"X-Key":"********","X~Other":"********"}})"));
  CHECK(json(revealed(db, made->id)) == json(webhook));

  // No secret is in any row of any table that the change wrote, or in the audit log.
  for (auto const* table : {"notification_providers", "project_keys", "audit_log"}) {
    CAPTURE(table);
    std::string const sql = std::string("SELECT coalesce(string_agg(t::text, ' '), '') FROM ") + table + " t";
    auto const text = db.must({{table, sql}});
    std::string const dump(text.front().text(0));
    CHECK_FALSE(dump.empty());
    CHECK(dump.find("SECRET") == std::string::npos);
    CHECK(dump.find(to_hex(as_bytes("SECRET"))) == std::string::npos);
  }
}

TEST_CASE("a sealed value opens only in its project and row, with its master key") {
  shop db;
  auto const provider =
      db.wait(db.providers.create(db.as_ed(), {"a", "slack", true, R"({"webhookUrl":"https://a"})"}, db.soon()));
  auto const two =
      db.wait(db.providers.create(db.as_ed(), {"b", "slack", true, R"({"webhookUrl":"https://b"})"}, db.soon()));
  REQUIRE(provider.has_value());
  REQUIRE(two.has_value());
  db.as_owner("UPDATE notification_providers SET sealed = (SELECT sealed FROM notification_providers WHERE id = '" +
              provider->id.to_string() + "') WHERE id = '" + two->id.to_string() + "'");
  CHECK(json(revealed(db, provider->id)) == json(R"({"webhookUrl":"https://a"})"));
  CHECK_THROWS_AS(db.wait(db.providers.reveal(db.project, two->id, db.soon())), unavailable);
  master_keys stranger({sealer(secret_bytes(32, 8))});
  store::provider_store other(db.pool, stranger);
  CHECK_THROWS_AS(db.wait(other.reveal(db.project, provider->id, db.soon())), unavailable);
}

TEST_CASE("a patch keeps, replaces and removes secrets") {
  shop db;
  auto const made = db.wait(db.providers.create(db.as_ed(), {"hook", "webhook", true, webhook}, db.soon()));
  REQUIRE(made.has_value());
  auto change = [&](std::string config) {
    return db.wait(db.providers.update(db.as_ed(), made->id, with_config(std::move(config)), db.soon()));
  };
  auto const kept = change(R"({"url":"********","method":"PUT","headers":{"X-Key":"NEW"}})");
  REQUIRE(kept.has_value());
  CHECK(kept->version == 2);
  CHECK(json(kept->config) == json(R"({"url":"********","method":"PUT","headers":{"X-Key":"********"}})"));
  CHECK(json(revealed(db, made->id)) ==
        json(R"({"url":"https://hook.test/SECRETURL","method":"PUT","headers":{"X-Key":"NEW"}})"));

  CHECK(fields(change(R"({"url":"********","headers":{"X~Other":"********"}})")) == "/config/headers/X~0Other");
  // A header's value was given for the address to which it was sent.
  CHECK(fields(change(R"({"url":"https://other.test","headers":{"X-Key":"********"}})")) == "/config/headers/X-Key");
  CHECK(json(revealed(db, made->id)).at("url") == "https://hook.test/SECRETURL");
  auto const same = change(kept->config);
  REQUIRE(same.has_value());
  CHECK(json(revealed(db, made->id)).at("headers").at("X-Key") == "NEW");

  auto const retype = [](notification_provider const& now) {
    return result<store::provider_settings>(store::provider_settings{now.name, "email", false, R"({"to":["a@b"]})"});
  };
  auto const moved = db.wait(db.providers.update(db.as_ed(), made->id, retype, db.soon()));
  REQUIRE(moved.has_value());
  CHECK(moved->type == "email");
  CHECK_FALSE(moved->enabled);
  CHECK(json(revealed(db, made->id)) == json(R"({"to":["a@b"]})"));
  CHECK(db.number({{"sealed_test", "SELECT count(*) FROM notification_providers WHERE sealed IS NOT NULL"}}) == 0);
  CHECK(db.audit_rows("notification_provider.updated") == 3);
}

TEST_CASE("If-Match, foreign projects, repeated deletion, a mask of nothing") {
  shop db;
  auto const made = db.wait(db.providers.create(db.as_ed(), {"m", "email", true, R"({"to":["a@b"]})"}, db.soon()));
  REQUIRE(made.has_value());
  auto const edit = with_config(R"({"to":["c@d"]})");
  CHECK(failure(db.wait(db.providers.update(db.as_ed({{2}}), made->id, edit, db.soon()))) ==
        errc::precondition_failed);
  CHECK(failure(db.wait(db.providers.update(db.elsewhere(), made->id, edit, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.providers.get(db.other_project, made->id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.providers.reveal(db.other_project, made->id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.providers.remove(db.elsewhere(), made->id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.providers.remove(db.as_ed({{2}}), made->id, db.soon()))) == errc::precondition_failed);
  CHECK_FALSE(failure(db.wait(db.providers.remove(db.as_ed({{1}}), made->id, db.soon()))));
  CHECK(failure(db.wait(db.providers.remove(db.as_ed(), made->id, db.soon()))) == errc::not_found);
  CHECK(db.audit_rows("notification_provider.deleted") == 1);
  CHECK(fields(db.wait(db.providers.create(db.as_ed(), {"s", "slack", true, R"({"webhookUrl":"********"})"},
                                           db.soon()))) == "/config/webhookUrl");
}

TEST_CASE("first secrets of a project, created at once, share one data key") {
  shop db;
  constexpr int many = 16;
  int left = many;
  std::vector<uuid> made;
  auto entry = [](shop& shop, int& rest, std::vector<uuid>& into) -> task<> {
    auto const done = co_await shop.providers.create(
        shop.as_ed(), {"s", "slack", true, R"({"webhookUrl":"https://x"})"}, shop.soon());
    if (done) into.push_back(done->id);
    --rest;
  };
  for (int i = 0; i < many; ++i) asio::co_spawn(db.io, entry(db, left, made), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  REQUIRE(made.size() == many);
  CHECK(db.number({{"keys_test", "SELECT count(*) FROM project_keys"}}) == 1);
  for (uuid const id : made) CHECK(json(revealed(db, id)) == json(R"({"webhookUrl":"https://x"})"));
  auto const page = db.wait(db.providers.list(db.project, {.number = 2, .limit = 10}, db.soon()));
  CHECK(page.rows.size() == 6);
  CHECK(page.total == many);
}
