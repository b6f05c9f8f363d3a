// Tests requests of trigger keys, which count on a window of the key and on one of its project.
#include "integration/access/fixture.hpp"
#include "support/redis_cluster.hpp"

#include <array>
#include <string>

using namespace svc;
using namespace svc::access;

namespace {

constexpr window_limit of_key{8, 600}, of_project{10, 600};
constexpr std::array keys{"key one", "key two", "key three"};

admission_request question(std::string key, std::string project, epoch_mode mode = epoch_mode::none) {
  return {std::move(key),    mode, 1, rate_class::trigger, of_key, class_window{rate_class::project, of_project},
          std::move(project)};
}

struct asked_project {
  explicit asked_project(redis::settings where) : client(w.io, std::move(where), {&admission::script()}) {
    w.connect(client);
  }

  admission_reply ask(std::string const& key, std::string const& project, epoch_mode mode = epoch_mode::none) {
    return w.run(shared.admit(question(key, project, mode), deadline::after(std::chrono::seconds(10))));
  }
  std::int64_t counted(std::string const& subject, std::string const& which) {
    auto const got = w.ask(client, {"LLEN", "svc:{" + subject + "}:w:" + which + ":600"});
    REQUIRE(got.ok());
    return got.value.number;
  }

  redis::worker w;
  redis::client client;
  admission shared{client};
};

/// Asks for each key in turn until the project's window has long been full.
void check_shared(asked_project& asked_project, std::string const& project) {
  int admitted = 0;
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    auto const reply = asked_project.ask(keys[static_cast<std::size_t>(i) % keys.size()], project);
    REQUIRE((reply.verdict == admission_verdict::ok || reply.verdict == admission_verdict::denied));
    CHECK(reply.decision.admitted == (i < static_cast<int>(of_project.limit)));
    CHECK(reply.decision.admitted == (reply.verdict == admission_verdict::ok));
    if (!reply.decision.admitted) CHECK(reply.decision.which == rate_class::project);
    admitted += reply.decision.admitted ? 1 : 0;
  }
  CHECK(admitted == static_cast<int>(of_project.limit));
  std::int64_t by_keys = 0;
  for (auto const* key : keys) by_keys += asked_project.counted(key, "trigger");
  // A request that the project refused counts on no key.
  CHECK(by_keys == of_project.limit);
  CHECK(asked_project.counted(project, "project") == of_project.limit);
}

/// Fills one key's window; its refused requests must not count on the project.
void check_own(asked_project& asked_project, std::string const& project) {
  for (std::uint32_t i = 0; i < of_key.limit; ++i) CHECK(asked_project.ask("alone", project).decision.admitted);
  for (int i = 0; i < 5; ++i) {
    auto const full = asked_project.ask("alone", project).decision;
    CHECK_FALSE(full.admitted);
    CHECK(full.which == rate_class::trigger);
  }
  CHECK(asked_project.counted(project, "project") == of_key.limit);
}

}  // namespace

TEST_CASE("all keys of a project share its window, decided together with their own in one call") {
  test::private_redis const server;
  asked_project project(redis::patient(server.url()));
  auto const before = project.client.stats().commands;
  project.ask("first", "elsewhere");
  CHECK(project.client.stats().commands == before + 1);
  check_shared(project, "project");
  check_own(project, "another project");
}

TEST_CASE("a stale key counts neither on its own window nor on its project's") {
  test::private_redis const server;
  asked_project project(redis::patient(server.url()));
  REQUIRE(project.w.ask(project.client, {"SET", "svc:{stale}:epoch", "9"}).ok());
  CHECK(project.ask("stale", "project", epoch_mode::cached).verdict == admission_verdict::stale);
  CHECK(project.counted("stale", "trigger") == 0);
  CHECK(project.counted("project", "project") == 0);
}

TEST_CASE(
    "in a Redis Cluster the windows are in different slots: both limits apply, and a refusal by one counts on none") {
  test::redis_cluster cluster({.replicas = false});
  redis::settings where = redis::patient("redis://127.0.0.1");
  where.cluster = {*redis::parse_address(cluster.address(0))};
  asked_project project(where);
  for (auto const* key : keys)
    REQUIRE(project.client.part_of("svc:{" + std::string(key) + "}:epoch") !=
            project.client.part_of("svc:{project}:epoch"));
  check_shared(project, "project");
  check_own(project, "another project");
  REQUIRE(project.w.ask(project.client, {"SET", "svc:{stale}:epoch", "9"}).ok());
  CHECK(project.ask("stale", "a third one", epoch_mode::cached).verdict == admission_verdict::stale);
  CHECK(project.counted("a third one", "project") == 0);
}
