// The limits of an operator for trigger keys and projects, which override the settings of a tenant.
#include "integration/system/extra_instance.hpp"
#include "integration/system/jobs.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("a key may not be allowed more than the installation's most, and one that has more is held to it") {
  auto const tenant = shared_fleet().make_tenant();
  auto owner = shared_fleet().client(0, tenant.token);
  auto const job = make_job(owner);
  auto const path = "/api/jobs/" + job + "/trigger-keys";
  // This key was made before the operator lowered the maximum.
  auto const fast = make_key(owner, job, "fast", R"("rateLimit":{"limit":100,"windowSeconds":1})");
  REQUIRE_FALSE(fast.key.empty());
  extra_instance narrow({"SVC_LIMITS_TRIGGER_MOST=300"});
  auto client = narrow.client(tenant.token);
  auto const over = client.post(path, R"({"name":"over","rateLimit":{"limit":6,"windowSeconds":1}})");
  CHECK(over.status == 400);
  CHECK(code_of(over) == "validation_failed");
  CHECK(over.body.find("/rateLimit/limit") != std::string::npos);
  CHECK(client.post(path, R"({"name":"most","rateLimit":{"limit":5,"windowSeconds":1}})").status == 201);
  CHECK(client.call("PATCH", path + "/" + fast.id, R"({"rateLimit":{"limit":101}})").status == 400);
  CHECK(client.call("PATCH", path + "/" + fast.id, R"({"rateLimit":{"limit":99}})").status == 200);
  auto const used = narrow.client(fast.key).post(trigger_path(job));
  CHECK(used.status == 202);
  CHECK(used.header("ratelimit-policy") == "\"trigger\";q=5;w=1");
}

TEST_CASE("all keys of a project share its window over all instances, and other projects have their own") {
  auto const tenant = shared_fleet().make_tenant();
  auto const neighbour = shared_fleet().make_tenant();
  auto owner = shared_fleet().client(0, tenant.token);
  auto other = shared_fleet().client(0, neighbour.token);
  auto const job = make_job(owner), second_job = make_job(owner), their_job = make_job(other);
  auto const their_key = make_key(other, their_job, "k");
  extra_instance instance({"SVC_LIMITS_PROJECT_LIMIT=5"}), two({"SVC_LIMITS_PROJECT_LIMIT=5"});
  std::vector<std::pair<api_client, std::string>> keys;
  for (auto const& [context, value] : {std::pair(&instance, job), std::pair(&two, job), std::pair(&two, second_job)})
    keys.emplace_back(context->client(make_key(owner, value, "k" + std::to_string(keys.size())).key),
                      trigger_path(value));
  int admitted = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    CAPTURE(i);
    auto& [key, path] = keys[i % keys.size()];
    auto const got = key.post(path);
    CHECK(got.status == (i < 5 ? 202 : 429));
    admitted += got.status == 202 ? 1 : 0;
    if (got.status != 429) continue;
    CHECK(got.header("ratelimit-policy") == "\"project\";q=5;w=60");
    CHECK(got.number("retry-after") >= 1);
  }
  CHECK(admitted == 5);
  CHECK(instance.client(their_key.key).post(trigger_path(their_job)).status == 202);
}

}  // namespace
}  // namespace svc::test
