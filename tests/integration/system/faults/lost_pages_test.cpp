// Public status pages while PostgreSQL and Redis are gone, on instances that know them and on those that start
// meanwhile.
#include "faults.hpp"
#include "integration/system/stored_page.hpp"
#include "support/free_port.hpp"
#include "support/service.hpp"

#include <doctest/doctest.h>

#include <memory>

namespace svc::test {
namespace {

void check_served(api_client client, stored_page const& page) {
  for (auto const& path : page.paths()) {
    CAPTURE(path);
    auto const got = client.get(path);
    CHECK_MESSAGE(got.status == 200, got.body.substr(0, 300));
    CHECK(got.header("cache-control") == "public, max-age=30, stale-while-revalidate=60, stale-if-error=300");
  }
}

std::string status_of(api_client client, stored_page const& page) {
  return text_of(body_of(client.get("/api/status-pages/" + page.slug + "/summary")), "/components/0/status");
}

/// An instance on the fleet's stores that does not have to become ready, only to listen.
struct starting_instance {
  std::string admin = "127.0.0.1:" + std::to_string(free_port());
  std::unique_ptr<service> process;
  std::string url, ca_file;

  explicit starting_instance(fleet& fleet, std::vector<std::string> const& environment = {})
      : ca_file(fleet.text("caFile")) {
    auto all = fleet.environment();
    all.insert(all.end(), environment.begin(), environment.end());
    process = std::make_unique<service>(std::vector<std::string>{"serve", "--config", fleet.text("configFile"),
                                                                 "--listen", "127.0.0.1:0", "--admin", admin},
                                        all);
    url = "https://" + text_of(boost::json::parse(process->wait_error_line("\"listening\"")), "/address");
  }
  api_client client(std::string token = {}) const { return {url, ca_file, std::move(token)}; }
  api_client pages() const { return {"http://" + admin, {}, {}}; }
};

TEST_CASE("pages outlive both stores: warm instances, a cold one with Redis, a cold one without") {
  fleet fleet(2, default_deadlines);
  auto const owner = fleet.make_tenant();
  stored_page const page(fleet, owner, "acme"), unseen(fleet, owner, "unseen");
  for (std::size_t i = 0; i < fleet.size(); ++i) check_served(fleet.client(i), page);
  // The copy is on its way to Redis behind the first answer.
  REQUIRE(comes_true([&] { return fleet.redis({"HGET", "svc:{pages}:names", "s:acme"}) == page.id; }, patience));
  CHECK(fleet.redis({"HGET", "svc:{pages}:names", "s:unseen"}) == "(nil)");
  auto const redis = redis_origin(fleet);
  auto const postgres = restarted_store::of(fleet.dev().pid_of("postgres"));

  kill_store(fleet, "postgres");
  for (std::size_t i = 0; i < fleet.size(); ++i) check_served(fleet.client(i), page);
  {
    // It has never reached PostgreSQL, so it serves nothing but pages.
    starting_instance const cold(fleet);
    REQUIRE(comes_true([&] { return cold.client().get("/status/acme").status == 200; }, patience));
    check_served(cold.client(), page);
    auto const missing = cold.client().get("/status/unseen");
    CHECK(missing.status == 503);
    CHECK(missing.header("content-type") == "text/html; charset=utf-8");
    CHECK(missing.number("retry-after") >= 1);
    CHECK(cold.pages().get("/readyz").status == 503);
    auto caller = cold.client(owner.token);
    CHECK(code_of(caller.get("/api/auth/whoami")) == "unavailable");
    CHECK(caller.get("/livez").status == 200);
  }
  {
    // By its clock the evidence is too old, so that nothing is green.
    starting_instance const late(fleet, {std::string("LD_PRELOAD=") + SVC_SHIFTED_CLOCK, "TEST_CLOCK_OFFSET=3600"});
    REQUIRE(comes_true([&] { return late.client().get("/status/acme").status == 200; }, patience));
    CHECK(status_of(late.client(), page) == "unknown");
    check_served(late.client(), page);
  }

  kill_store(fleet, "redis");
  for (std::size_t i = 0; i < fleet.size(); ++i) check_served(fleet.client(i), page);
  {
    starting_instance const cold(fleet);
    auto const got = cold.client().get("/status/acme");
    CHECK(got.status == 503);
    CHECK(got.header("content-type") == "text/html; charset=utf-8");
    CHECK(got.number("retry-after") >= 1);
  }

  restarted_store const redis_again(redis), postgres_again(postgres);
  for (std::size_t i = 0; i < fleet.size(); ++i)
    CHECK(comes_true([&] { return fleet.client(i).get("/status/unseen").status == 200; }, patience));
}

TEST_CASE("an instance that started without PostgreSQL becomes a whole one when it is back") {
  fleet fleet(1, default_deadlines);
  auto const owner = fleet.make_tenant();
  stored_page const page(fleet, owner, "acme");
  auto const postgres = restarted_store::of(fleet.dev().pid_of("postgres"));
  kill_store(fleet, "postgres");
  starting_instance const cold(fleet);
  CHECK(cold.client().get("/status/acme").status == 503);
  restarted_store const back(postgres);
  cold.process->wait_error_line("\"serving\"");
  // A worker whose question failed a moment ago asks again after its pause.
  CHECK(comes_true([&] { return cold.client().get("/status/acme").status == 200; }, patience));
  auto caller = cold.client(owner.token);
  CHECK(comes_true([&] { return caller.get("/api/auth/whoami").status == 200; }, patience));
  CHECK(cold.pages().get("/readyz").status == 200);
  // Each public listener was opened once.
  CHECK(logged(*cold.process, "\"listening\"", 1));
}

TEST_CASE("an instance that starts without Redis serves pages from PostgreSQL, and its API when Redis is back") {
  fleet fleet(1, default_deadlines);
  auto const owner = fleet.make_tenant();
  stored_page const page(fleet, owner, "acme");
  auto const redis = redis_origin(fleet);
  kill_store(fleet, "redis");
  starting_instance const cold(fleet);
  CHECK(comes_true([&] { return cold.client().get("/status/acme").status == 200; }, patience));
  check_served(cold.client(), page);
  auto caller = cold.client(owner.token);
  CHECK(code_of(caller.get("/api/auth/whoami")) == "unavailable");
  CHECK(cold.pages().get("/readyz").status == 503);
  restarted_store const back(redis);
  cold.process->wait_error_line("\"serving\"");
  CHECK(comes_true([&] { return caller.get("/api/auth/whoami").status == 200; }, patience));
  CHECK(logged(*cold.process, "\"listening\"", 1));
}

TEST_CASE("a frozen PostgreSQL does not delay pages that are known") {
  fleet fleet(1, default_deadlines);
  stored_page const page(fleet, fleet.make_tenant(), "acme");
  check_served(fleet.client(0), page);
  auto client = fleet.client(0);
  std::vector<std::unique_ptr<stopped_process>> frozen;
  for (auto const pid : inhabitants(restarted_store::of(fleet.dev().pid_of("postgres")).directory))
    frozen.push_back(std::make_unique<stopped_process>(pid));
  auto const until = clock::now() + seconds(5);
  while (clock::now() < until) {
    auto const start = clock::now();
    CHECK(client.get("/status/acme").status == 200);
    CHECK(clock::now() - start < milliseconds(1000));
    std::this_thread::sleep_for(milliseconds(50));
  }
}

TEST_CASE("a post is visible on every instance within two seconds") {
  fleet fleet(3, default_deadlines);
  auto const owner = fleet.make_tenant();
  stored_page const page(fleet, owner, "acme");
  for (std::size_t i = 0; i < fleet.size(); ++i) check_served(fleet.client(i), page);
  fleet.sql("UPDATE incidents SET name = 'Everything is fine' WHERE id = '" + page.incident +
            "'; SELECT raise_shown_version(ARRAY['" + page.id + "'::uuid])");
  for (std::size_t i = 0; i < fleet.size(); ++i)
    CHECK(comes_true(
        [&] { return fleet.client(i).get("/status/acme").body.find("Everything is fine") != std::string::npos; },
        seconds(2), milliseconds(100)));
  fleet.sql("UPDATE status_pages SET status = 'archived' WHERE id = '" + page.id +
            "'; SELECT raise_shown_version(ARRAY['" + page.id + "'::uuid])");
  for (std::size_t i = 0; i < fleet.size(); ++i)
    CHECK(
        comes_true([&] { return fleet.client(i).get("/status/acme").status == 404; }, seconds(2), milliseconds(100)));
  // Its copy is gone, too.
  CHECK(comes_true([&] { return fleet.redis({"HGET", "svc:{pages}:names", "s:acme"}) == "(nil)"; }, patience));
}

}  // namespace
}  // namespace svc::test
