// Tests the settings of providers outside their config: grouping, rate, former signing secrets, and users.
#include "shop.hpp"

#include <boost/json.hpp>

using namespace svc;
using namespace svc::test;

namespace {

struct provider_shop : shop {
  notification_provider make(store::provider_settings set) {
    return wait(providers.create(as_ed(), std::move(set), soon())).value();
  }
  result<notification_provider> change(uuid id, store::provider_settings set) {
    auto edit = [set](notification_provider const&) { return result<store::provider_settings>(set); };
    return wait(providers.update(as_ed(), id, std::move(edit), soon()));
  }
  store::revealed_config reveal(uuid id) { return wait(providers.reveal(project, id, soon())).value(); }
};

store::provider_settings signed_hook(std::string const& secret, std::string const& url = "https://a.test/") {
  return {.name = "hook",
          .type = "webhook",
          .config = R"({"url":")" + url + R"(","method":"POST","signingSecret":")" + secret + R"("})"};
}

}  // namespace

TEST_CASE("grouping and rate of a provider are kept, with or without a new config") {
  provider_shop db;
  store::provider_settings set{.name = "m",
                               .type = "pagerduty",
                               .config = R"({"routingKey":"SECRETKEY","region":"eu"})",
                               .group_seconds = 7,
                               .rate_per_minute = 8};
  auto const made = db.make(set);
  CHECK(made.group_seconds == 7);
  CHECK(made.rate_per_minute == 8);
  CHECK(made.health == "unknown");
  CHECK_FALSE(made.last_error);
  CHECK(made.config.find("SECRETKEY") == std::string::npos);
  set.config = made.config;
  set.group_seconds = std::nullopt;
  set.rate_per_minute = 9;
  auto const plain = db.change(made.id, set).value();
  CHECK_FALSE(plain.group_seconds);
  CHECK(plain.rate_per_minute == 9);
  set.config = R"({"routingKey":"********","region":"us"})";
  set.group_seconds = 1;
  CHECK(db.change(made.id, set)->group_seconds == 1);
  CHECK(db.reveal(made.id).config.reveal().find("SECRETKEY") != std::string_view::npos);
}

TEST_CASE("a replaced signing secret signs for a day in addition to the new one") {
  provider_shop db;
  auto const id = db.make(signed_hook("first")).id;
  auto const former = [&] { return std::string(db.reveal(id).former_signing_secret.reveal()); };
  CHECK(former().empty());
  REQUIRE(db.change(id, signed_hook("second", "********")).has_value());
  CHECK(former() == "first");
  CHECK(db.reveal(id).config.reveal().find("former") == std::string_view::npos);
  CHECK(db.reveal(id).config.reveal().find("second") != std::string_view::npos);
  // Another change neither ends nor prolongs the former secret.
  auto const until = [&db] {
    return db.number({{"former_until",
                       "SELECT (extract(epoch FROM former_secret_until) * 1000)::int8"
                       " FROM notification_providers"}});
  };
  auto const before = until();
  auto other = signed_hook("********", "********");
  other.config = R"({"url":"********","method":"PUT","signingSecret":"********"})";
  REQUIRE(db.change(id, other).has_value());
  CHECK(former() == "first");
  CHECK(until() == before);
  db.as_owner("UPDATE notification_providers SET former_secret_until = clock_timestamp() - interval '1 s'");
  CHECK(former().empty());
  // The next change deletes an expired former secret.
  REQUIRE(db.change(id, signed_hook("********", "********")).has_value());
  CHECK(db.number({{"former_left", "SELECT count(former_secret_until) FROM notification_providers"}}) == 0);
  db.as_owner("UPDATE notification_providers SET former_secret_until = clock_timestamp() + interval '1 h'");
  CHECK(former().empty());
}

TEST_CASE("a former signing secret does not sign for another address") {
  provider_shop db;
  auto const id = db.make(signed_hook("first")).id;
  REQUIRE(db.change(id, signed_hook("second", "********")).has_value());
  CHECK_FALSE(db.change(id, signed_hook("********", "https://b.test/")).has_value());
  REQUIRE(db.change(id, signed_hook("mine", "https://b.test/")).has_value());
  CHECK(db.reveal(id).former_signing_secret.empty());
}

TEST_CASE("the users of a provider") {
  provider_shop db;
  auto const id = db.make({.name = "m", .type = "email", .config = R"({"to":["a@b"]})"}).id;
  auto const usage = [&] { return db.wait(db.providers.usage(db.project, id, db.soon())); };
  CHECK(usage()->monitors.empty());
  CHECK(usage()->jobs.empty());
  auto const alerts = R"('{"notificationProviders":[")" + id.to_string() + R"("]}')";
  auto const job = db.make_job("nightly").id;
  db.as_owner("UPDATE jobs SET alert_config = " + alerts + " WHERE id = '" + job.to_string() + "'");
  auto const monitor = [&](std::string const& name, std::string const& deleted) {
    db.as_owner(
        "INSERT INTO monitors (id, project_id, name, type, target, frequency_minutes, attempts_seconds, config,"
        " alert_config, created_by, deleted_at) SELECT gen_random_uuid(), '" +
        db.project.to_string() + "', '" + name + "', 'website', 'https://a.test/', 5, 60, '{}', " + alerts +
        ", u.id, " + deleted + " FROM users u LIMIT 1");
  };
  monitor("shop", "NULL");
  monitor("blog", "NULL");
  monitor("gone", "now()");
  auto const found = usage();
  REQUIRE(found.has_value());
  REQUIRE(found->jobs.size() == 1);
  CHECK(found->jobs[0].name == "nightly");
  REQUIRE(found->monitors.size() == 2);
  CHECK(found->monitors[0].name == "blog");
  CHECK(found->monitors[1].name == "shop");
  CHECK(failure(db.wait(db.providers.usage(db.other_project, id, db.soon()))) == errc::not_found);
}
