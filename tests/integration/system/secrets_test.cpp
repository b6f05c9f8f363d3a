#include "jobs.hpp"
#include "stored_texts.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("providers: secrets are sealed, masked, kept by PATCH and used with the type they belong to") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  std::string const hook = "https://hooks.example.org/T00/verysecretpath";
  std::string const address = "/api/notification-providers";
  auto const made =
      owner.post(address, R"({"name":"s","type":"slack","config":{"webhookUrl":")" + hook + R"(","channel":"#a"}})");
  REQUIRE(made.status == 201);
  auto const path = address + "/" + text_of(body_of(made), "/id");
  auto const shown = body_of(fleet.client(1, tenant.token).get(path));
  CHECK(shown.at("maskedFields") == boost::json::array{"/config/webhookUrl"});
  CHECK(text_of(shown, "/config/channel") == "#a");
  for (auto const& body : {made.body, owner.get(path).body, owner.get(address).body})
    CHECK(body.find("verysecret") == body.npos);

  auto const sealed = [&] {
    return fleet.sql("SELECT md5(p::text) FROM notification_providers p WHERE id = '" +
                     path.substr(address.size() + 1) + "'")[0][0];
  };
  auto const before = sealed();
  auto const mask = text_of(shown, "/config/webhookUrl");
  CHECK(owner.patch(path, R"({"config":{"webhookUrl":")" + mask + R"(","channel":"#b"}})").status == 200);
  CHECK(sealed() != before);
  CHECK(text_of(body_of(owner.get(path)), "/config/channel") == "#b");
  CHECK(text_of(body_of(owner.get(path)), "/config/webhookUrl") == mask);
  CHECK(code_of(owner.patch(path, R"({"type":"telegram"})")) == "validation_failed");
  struct {
    std::string name, body;
  } const wrong[] = {{"http", R"({"name":"x","type":"slack","config":{"webhookUrl":"http://a.example"}})"},
                     {"another type's", R"({"name":"x","type":"slack","config":{"to":["a@example.org"]}})"},
                     {"no config", R"({"name":"x","type":"slack"})"},
                     {"nobody to write to", R"({"name":"x","type":"email","config":{"to":[]}})"}};
  for (auto const& c : wrong) {
    CAPTURE(c.name);
    CHECK(code_of(owner.post(address, c.body)) == "validation_failed");
  }
  CHECK(owner.del(path).status == 204);
  CHECK(code_of(owner.get(path)) == "not_found");
}

/// Every answer that could reveal the secrets made here: variables created, changed, made secret and refused.
std::string answers_about_variables(fleet& fleet, tenant const& tenant) {
  auto owner = fleet.client(0, tenant.token);
  std::string const address = "/api/variables";
  std::string out;
  auto const keep = [&](answer const& got, int status) {
    CHECK(got.status == status);
    out += got.body + "\n";
    return got.status < 300 && !got.body.empty() ? address + "/" + text_of(body_of(got), "/id") : address;
  };
  auto const path = keep(owner.post(address, R"({"key":"A","value":"variablesecretvalue","isSecret":true})"), 201);
  keep(owner.patch(path, R"({"value":"secondsecretvalue"})"), 200);
  // It was readable once, so this one answer may show it; nothing may from then on.
  auto const plain = owner.post(address, R"({"key":"B","value":"madesecretvalue"})");
  REQUIRE(plain.status == 201);
  keep(owner.patch(address + "/" + text_of(body_of(plain), "/id"), R"({"isSecret":true})"), 200);
  keep(owner.patch(path, R"({"isSecret":false})"), 400);
  keep(owner.post(address, R"({"key":"A","value":"variablesecretvalue"})"), 409);
  keep(owner.post(address, R"({"key":"PATH","value":"variablesecretvalue","isSecret":true})"), 400);
  keep(owner.post(address, R"({"key":"C","value":"variablesecretvalue","x":"secondsecretvalue"})"), 400);
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    auto reader = fleet.client(i, tenant.token);
    for (auto const& target :
         {path, path, address, std::string("/api/audit?limit=100"), std::string("/api/notification-providers")}) {
      auto const got = reader.get(target);
      CHECK(got.status == 200);
      out += got.body + got.header("etag").value_or("") + "\n";
    }
  }
  return out;
}

TEST_CASE("no secret is in the database, in Redis, in a log, in an answer, in a metric or on a command line") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const job = make_job(owner);
  auto const key = make_key(owner, job, "k");
  std::string const headers = R"({"X-Key":"headersecretvalue"})";
  CHECK(owner
            .post("/api/notification-providers",
                  R"({"name":"w","type":"webhook","config":{"url":"https://a.example/pathsecretvalue","headers":)" +
                      headers + "}}")
            .status == 201);
  CHECK(owner
            .post("/api/notification-providers",
                  R"({"name":"t","type":"telegram","config":{"botToken":"botsecretvalue","chatId":"7"}})")
            .status == 201);
  auto const answers = answers_about_variables(fleet, tenant);
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    CHECK(fleet.client(i, tenant.token).get("/api/auth/whoami").status == 200);
    CHECK(fleet.client(i, key.key).post(trigger_path(job)).status == 202);
    CHECK(fleet.client(i, tenant.token).get("/api/jobs?search=x&x=" + tenant.token).status == 400);
    CHECK(fleet.client(i, tenant.token + "x").get("/" + tenant.token).status == 401);
  }
  std::vector<std::pair<std::string, std::string>> paths{
      {"PostgreSQL", dump_postgres(fleet)}, {"Redis", dump_redis(fleet)}, {"answers", answers}};
  CHECK(paths[0].second.find(tenant.token_id) != std::string::npos);
  CHECK(paths[1].second.find(tenant.token_id) != std::string::npos);
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    auto& process = fleet.process(i);
    paths.emplace_back("log", process.err().text());
    CHECK(paths.back().second.find("POST /api/jobs/{id}/trigger") != std::string::npos);
    paths.emplace_back("metrics", fleet.pages(i).get("/metrics").body);
    paths.emplace_back("pages", fleet.pages(i).get("/debug/config").body);
    paths.emplace_back("argv", read_file("/proc/" + std::to_string(process.pid()) + "/cmdline"));
  }
  std::vector<std::string> const secrets{
      tenant.token,      key.key,          fleet.text("token"),   fleet.text("triggerKey"), "headersecretvalue",
      "pathsecretvalue", "botsecretvalue", "variablesecretvalue", "secondsecretvalue",      "madesecretvalue"};
  for (auto const& [spot, content] : paths) {
    CAPTURE(spot);
    CHECK_FALSE(content.empty());
    for (auto const& secret : secrets) {
      // Also only the random part, and in the form in which bytea is shown.
      auto const middle = secret.size() > 40 ? secret.substr(secret.size() - 25) : secret;
      CHECK(content.find(middle) == std::string::npos);
      CHECK(content.find(hex(middle)) == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace svc::test
