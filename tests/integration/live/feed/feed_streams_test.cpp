// The streams themselves: who may see what, how they end, what they cost, and what they do without Redis.
#include "feed_fixture.hpp"
#include "integration/system/faults/redis_failover.hpp"
#include "support/metrics_page.hpp"

#include <optional>

namespace svc::test {
namespace {

/// Checks of rights follow soon, and a session has few streams.
fleet& strict_house() {
  static fleet shared(
      2, {"SVC_OUTPUT_HEARTBEAT=500ms", "SVC_HTTP_STREAMS_PER_TOKEN=2", "SVC_HTTP_STREAMS_PER_PROJECT=3"});
  return shared;
}

bool has_answer(viewer const& viewer) {
  return viewer.status != 0;
}
bool is_closed(viewer const& viewer) {
  return viewer.closed();
}

std::string make_tag(auto&& client, std::string const& name) {
  auto const made = client.post("/api/tags", R"({"name":")" + name + "\"}");
  REQUIRE(made.status == 201);
  return text_of(body_of(made), "/id");
}

/// The kinds of things that the viewer was told of.
bool was_told_of(viewer const& viewer, std::string const& resource) {
  return has_event(viewer, "changed", [&](std::string const& data) {
    return data.find("\"resource\":\"" + resource + "\"") != data.npos;
  });
}

TEST_CASE("a viewer learns only of kinds that its role may view, as the role is at that moment") {
  feed_project p(strict_house());
  auto& house = p.installation;
  auto const member = house.make_member(p.owner, "project_viewer");
  auto const page = p.open(member, 1);
  audience all(house.text("caFile"));
  auto& viewer = all.ask(house.url(1), feed_request(page, p.project));
  REQUIRE(all.read_until(has_ready()));
  auto client = p.client(0);
  REQUIRE(client.post("/api/cli-tokens", R"({"name":"secret"})").status == 201);
  CHECK(all.read_until(names("tag", make_tag(client, "first"))));
  CHECK_FALSE(was_told_of(viewer, "cli_token"));

  auto admin = p.open(p.owner, 0);
  REQUIRE(
      admin.call("PUT", "/dashboard/v1/project/members/" + member.user_id, R"({"role":"project_editor"})").status ==
      200);
  // The check before a heartbeat sees the new role.
  viewer.drop_pings();
  REQUIRE(all.read_until([](auto const& each) { return each.pings >= 2; }));
  REQUIRE(client.post("/api/cli-tokens", R"({"name":"visible"})").status == 201);
  CHECK(all.read_until([](auto const& each) { return was_told_of(each, "cli_token"); }));
}

TEST_CASE("a stream ends with its session, whether its person signs out elsewhere or its time passes") {
  feed_project p(strict_house());
  auto& house = p.installation;
  for (bool const signs_out : {true, false}) {
    CAPTURE(signs_out);
    auto page = p.open(p.owner, 1);
    auto const session = text_of(body_of(page.get("/dashboard/v1/me")), "/session/id");
    if (!signs_out)
      house.sql("UPDATE sessions SET expires_at = now() + interval '20 s' WHERE id = '" + session +
                "'; SELECT bump_subjects(ARRAY['" + p.owner.user_id + "'::uuid])");
    audience all(house.text("caFile"));
    auto& viewer = all.ask(house.url(1), feed_request(page, p.project));
    REQUIRE(all.read_until(has_ready()));
    if (signs_out) {
      page.move_to(0);
      REQUIRE(page.post("/dashboard/v1/sign-out").status / 100 == 2);
    }
    auto const reported = std::chrono::steady_clock::now();
    // Nothing of that kind comes, so this ends with the stream.
    CHECK_FALSE(all.read_until([](auto const& each) { return each.lines > 0; }, std::chrono::seconds(60)));
    CHECK(is_closed(viewer));
    if (signs_out) CHECK(std::chrono::steady_clock::now() - reported < std::chrono::seconds(15));
    if (!signs_out)
      CHECK(house.word("SELECT now() < expires_at + interval '15 s' FROM sessions WHERE id = '" + session + "'") ==
            "t");
  }
}

TEST_CASE("sessions and projects have limits of streams, which streams of runs share, and give them back") {
  feed_project p(strict_house());
  auto& house = p.installation;
  auto const member = house.make_member(p.owner, "project_viewer");
  auto const page = p.open(p.owner, 1), second = p.open(p.owner, 1), third = p.open(member, 1);
  auto client = p.client(0);
  auto const run = text_of(body_of(client.post(trigger_path(make_job(client)))), "/data/runId");
  auto run_request = feed_request(page, p.project);
  run_request.replace(run_request.find("/dashboard/v1/events"), 20, "/api/runs/" + run + "/stream");

  auto const streams_become = [&](double wanted) {
    return comes_true([&] { return sum_of(house.pages(1).get("/metrics").body, "svc_feed_streams") == wanted; },
                      std::chrono::seconds(60));
  };
  audience refused(house.text("caFile"));
  auto const status_of = [&](browser const& viewer) {
    auto& made = refused.ask(house.url(1), feed_request(viewer, p.project));
    CHECK(refused.read_until(has_answer));
    return made.status;
  };
  {
    audience open(house.text("caFile"));
    open.ask(house.url(1), run_request);
    open.ask(house.url(1), feed_request(page, p.project));
    CHECK(open.read_until(has_answer));
    CHECK(status_of(page) == 409);
    open.ask(house.url(1), feed_request(second, p.project));
    CHECK(open.read_until(has_answer));
    for (auto const& each : open.all()) CHECK(each->status == 200);
    // The project is full now.
    CHECK(status_of(third) == 409);
    CHECK(streams_become(2));
  }
  // The streams have ended once their instance has noticed it.
  CHECK(streams_become(0));
  audience again(house.text("caFile"));
  again.ask(house.url(1), feed_request(page, p.project));
  CHECK(again.read_until(has_ready()));
}

TEST_CASE("an instance has one subscription for a project, however many watch it, and Redis keeps nothing of it") {
  fleet house(2);
  feed_project p(house);
  auto const page = p.open(p.owner, 1);
  {
    audience all(house.text("caFile"));
    for (std::size_t instance : {0U, 1U})
      for (int i = 0; i < 4; ++i) all.ask(house.url(instance), feed_request(page, p.project));
    REQUIRE(all.read_until(has_ready()));
    CHECK(feed_subscriptions(house, p.project) == "2");
    CHECK(all.read_until(names("tag", make_tag(p.client(0), "seen"))));
  }
  CHECK(comes_true([&] { return feed_subscriptions(house, p.project) == "0"; }, std::chrono::seconds(30)));
  make_tag(p.client(0), "unseen");
  auto const published = [&] { return sum_of(house.pages(0).get("/metrics").body, "svc_feed_messages_total"); };
  CHECK(comes_true([&] { return published() > 0; }, std::chrono::seconds(30)));
  CHECK(house.redis({"KEYS", "svc:{" + p.project + "}:events*"}).find("events") == std::string::npos);
}

TEST_CASE("without Redis a stream says so, changes are made as before, and ready follows once Redis is back") {
  fleet house(2);
  feed_project p(house);
  auto const page = p.open(p.owner, 1);
  audience all(house.text("caFile"));
  auto& viewer = all.ask(house.url(1), feed_request(page, p.project));
  REQUIRE(all.read_until(has_ready()));
  auto const degraded = [](auto const& each) { return std::ranges::count(each.others, std::string("degraded")) > 0; };
  auto const origin = redis_origin(house);
  kill_store(house, "redis");
  CHECK(all.read_until(degraded));
  auto const degraded_projects = [&](double wanted) {
    return comes_true([&] { return sum_of(house.pages(1).get("/metrics").body, "svc_feed_degraded") == wanted; },
                      std::chrono::seconds(30));
  };
  CHECK(degraded_projects(1));
  // Nobody announces this change, and its request does not wait for that.
  auto const unseen = make_tag(p.client(0), "unseen");
  // A page that is opened now learns it, too.
  auto const other = p.open(p.owner, 1);
  audience late(house.text("caFile"));
  late.ask(house.url(1), feed_request(other, p.project));
  CHECK(late.read_until(degraded));
  restarted_store const back(origin);
  CHECK(all.read_until(has_ready(2)));
  CHECK(late.read_until(has_ready()));
  CHECK_FALSE(names("tag", unseen)(viewer));
  // The instance that changes something must have found Redis, too.
  std::string seen_id;
  int made = 0;
  CHECK(comes_true(
      [&] {
        seen_id = make_tag(p.client(0), "seen-" + std::to_string(++made));
        return all.read_until(names("tag", seen_id), std::chrono::seconds(3));
      },
      std::chrono::seconds(60)));
  CHECK(degraded_projects(0));
}

TEST_CASE("Redis Cluster: a change on one instance is seen at the other one, also after a failover") {
  cluster_servers servers;
  instances_on_group group(servers);
  REQUIRE(group.limits_become("shared", std::chrono::seconds(60)));
  auto owner = group.client(0, group.member.token);
  auto const project = project_id(group.installation(), group.member);
  browser page(group.installation(), group.client(1, {}));
  page.sign_in(group.member.user);
  page.open_project(project);
  audience all(group.installation().text("caFile"));
  all.ask(group.url(1), feed_request(page, project));
  REQUIRE(all.read_until(has_ready()));
  CHECK(all.read_until(names("tag", make_tag(owner, "over-cluster"))));
  auto const channel = "svc:{" + project + "}:events";
  CHECK(servers.cluster.ask(channel, {"PUBSUB", "SHARDNUMSUB", channel}).ends_with("\n1\n"));
  servers.primary_of(project).kill();
  REQUIRE(all.read_until(has_ready(2), redis_cluster::patience));
  std::string seen_id;
  int made = 0;
  CHECK(comes_true(
      [&] {
        seen_id = make_tag(owner, "after-failover-" + std::to_string(++made));
        return all.read_until(names("tag", seen_id), std::chrono::seconds(3));
      },
      redis_cluster::patience));
}

}  // namespace
}  // namespace svc::test
