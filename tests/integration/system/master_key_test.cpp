#include "integration/system/faults/faults.hpp"
#include "support/fleet.hpp"
#include "support/free_port.hpp"
#include "support/metrics_page.hpp"
#include "support/temporary_directory.hpp"
#include "svc/core/sealer.hpp"
#include "svc/core/uuid.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

namespace svc::test {
namespace {

std::string read_line(std::string const& path) {
  std::string line;
  std::getline(std::ifstream(path) >> std::ws, line);
  return line;
}

/// Replaces the file atomically, like an operator does.
void replace_file(std::string const& path, std::string const& text) {
  std::ofstream(path + ".new") << text;
  REQUIRE(std::rename((path + ".new").c_str(), path.c_str()) == 0);
}

sealer sealer_of(std::string const& line) {
  auto const key = *from_hex(line, true);
  return sealer(secret_bytes(key.begin(), key.end()));
}

/// Projects of one organisation, each with a data key wrapped by `sealer`, so that a rotation takes some time.
void add_projects(fleet& fleet, int count, sealer const& sealer) {
  auto const organization = fleet.sql("SELECT id FROM organizations LIMIT 1")[0][0];
  std::string projects, keys;
  for (int i = 0; i < count; ++i) {
    auto const project = uuid::generate_v7().to_string(), id = uuid::generate_v7().to_string();
    auto const wrapped = to_hex(sealer.make_data_key(project + id).wrapped);
    projects += (i == 0 ? "('" : ",('") + project + "','" + organization + "','" + project + "','p')";
    keys +=
        (i == 0 ? "('" : ",('") + project + "','" + id + "','" + sealer.id() + "',decode('" + wrapped + "','hex'))";
  }
  fleet.sql("INSERT INTO projects (id, organization_id, slug, name) VALUES " + projects +
            ";INSERT INTO project_keys (project_id, key_id, master_key_id, wrapped) VALUES " + keys);
}

/// Reads and writes sealed values on every instance until `end`.
class sealed_load {
 public:
  sealed_load(fleet& fleet, std::vector<tenant> const& tenants) {
    for (std::size_t i = 0; i < fleet.size(); ++i) threads_.emplace_back([&, i] { run(fleet, i, tenants); });
  }
  ~sealed_load() { end(); }
  void end() {
    over_ = true;
    for (auto& t : threads_)
      if (t.joinable()) t.join();
  }
  int reads() const { return reads_; }
  int failed() const { return failed_; }

 private:
  void count(bool right, std::atomic<int>& content) {
    ++content;
    if (!right) ++failed_;
  }
  void run(fleet& fleet, std::size_t instance, std::vector<tenant> const& tenants) {
    std::vector<api_client> clients;
    for (auto const& tenant : tenants) clients.push_back(fleet.client(instance, tenant.token));
    for (int round = 0; !over_; ++round) {
      for (auto& client : clients) {
        auto const list = client.get("/api/variables");
        count(list.status == 200 && list.body.find("\"value\":\"plain\"") != std::string::npos, reads_);
      }
      if (round % 10 != 0) continue;
      auto& agent = clients[static_cast<std::size_t>(round / 10) % clients.size()];
      auto const name = "W" + std::to_string(instance) + "_" + std::to_string(round);
      auto const made = agent.post("/api/variables", R"({"key":")" + name + R"(","value":"w","isSecret":true})");
      count(made.status == 201 && agent.del("/api/variables/" + text_of(body_of(made), "/id")).status == 204,
            writes_);
    }
  }

  std::atomic<bool> over_{false};
  std::atomic<int> reads_{0}, writes_{0}, failed_{0};
  std::vector<std::thread> threads_;
};

long count_wrapped_by(fleet& fleet, sealer const& sealer) {
  return std::stol(fleet.sql("SELECT count(*) FROM project_keys WHERE master_key_id = '" + sealer.id() + "'")[0][0]);
}

TEST_CASE("a rotation before any project has a data key says so, and does not call the new key old") {
  fleet fleet(1);
  REQUIRE(fleet.sql("SELECT count(*) FROM project_keys")[0][0] == "0");
  auto const file = fleet.text("dataDir") + "/master.key";
  replace_file(file, std::string(64, '5') + "\n" + read_line(file) + "\n");
  service command({"admin", "rotate-master-key", "--config", fleet.text("configFile")});
  CHECK(command.wait() == 0);
  CHECK(command.err().text() ==
        "svcd: no project has a data key yet, so there was nothing to rewrap; the key of line 1 wraps future data "
        "keys\n");
}

TEST_CASE("the master key changes under load: no read fails, and a killed rotation is resumed") {
  fleet fleet(2);
  auto const file = fleet.text("dataDir") + "/master.key";
  auto const old_line = read_line(file);
  std::string const new_line(64, '5');
  sealer const before = sealer_of(old_line), after = sealer_of(new_line);
  std::vector<tenant> tenants{fleet.make_tenant(), fleet.make_tenant()};
  for (auto const& tenant : tenants) {
    auto client = fleet.client(0, tenant.token);
    REQUIRE(client.post("/api/variables", R"({"key":"PLAIN","value":"plain"})").status == 201);
    REQUIRE(client.post("/api/variables", R"({"key":"HIDDEN","value":"hidden","isSecret":true})").status == 201);
  }
  add_projects(fleet, long_form("TEST_ROTATED_KEYS", 3000), before);
  auto const all = count_wrapped_by(fleet, before);

  sealed_load load(fleet, tenants);
  replace_file(file, old_line + "\n" + new_line + "\n");
  replace_file(file, new_line + "\n" + old_line + "\n");
  std::vector<std::string> const command{"admin", "rotate-master-key", "--config", fleet.text("configFile"),
                                         "--json"};
  {
    service killed(command, {"PGAPPNAME=killed"});
    killed.wait_error_line("rewrapped");
    killed.kill();
  }
  // Statements that it had sent are still executed.
  auto const over = [&] {
    return fleet.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'killed'")[0][0] == "0";
  };
  REQUIRE(comes_true(over, seconds(20)));
  auto const half = count_wrapped_by(fleet, after);
  CHECK(half > 0);
  CHECK(half < all);
  auto const reads_so_far = load.reads();
  service again(command);
  REQUIRE(again.wait() == 0);
  auto const said = again.out().wait_line([](std::string const&) { return true; }, std::chrono::seconds(5));
  auto const reported = boost::json::parse(said.value());
  CHECK(reported.at("left") == 0);
  REQUIRE(reported.at("unused").as_array().size() == 1);
  CHECK(reported.at("unused").as_array()[0].as_string().starts_with("line 2 ("));
  CHECK(reported.at("rewrapped") == all - half);
  CHECK(again.err().text().find("of " + std::to_string(all - half) + " data keys") != std::string::npos);
  CHECK(count_wrapped_by(fleet, before) == 0);

  // The command does not know whether the key of line 2 is a former one or a new one.
  service third(command);
  REQUIRE(third.wait() == 0);
  auto const answer = third.out().wait_line([](std::string const&) { return true; }, std::chrono::seconds(5));
  CHECK(boost::json::parse(answer.value()).at("unused").as_array().empty());
  CHECK(third.err().text() ==
        "svcd: every data key is wrapped by the key of line 1 already\nsvcd: no data key needs line 2 (" +
            before.id() + "): remove it if it is a former key; a new key must be moved to line 1\n");

  load.end();
  MESSAGE("reads under rotation: " << load.reads() << ", failed: " << load.failed());
  CHECK(load.reads() > reads_so_far);
  CHECK(load.failed() == 0);

  replace_file(file, new_line + "\n");
  fleet.restart(1);
  for (auto const& tenant : tenants) {
    // A new process knows only the new key.
    CHECK(fleet.client(1, tenant.token).get("/api/variables").body.find("\"value\":\"plain\"") != std::string::npos);
  }
  CHECK(fleet.sql("SELECT count(*) FROM audit_log WHERE action = 'project_key.rewrapped'")[0][0] ==
        std::to_string(all));
}

TEST_CASE(
    "an instance whose key file lacks a key in use says so, serves, and notices the right file without a restart") {
  fleet fleet(1);
  auto const user = fleet.make_tenant();
  REQUIRE(fleet.client(0, user.token).post("/api/variables", R"({"key":"A","value":"a"})").status == 201);
  temporary_directory const files;
  auto const file = files.path() + "/key", wrong = std::string(64, '5') + "\n";
  std::ofstream(file) << wrong;
  auto const admin = "127.0.0.1:" + std::to_string(free_port());
  // Each loop runs every 50 ms.
  service instance({"serve", "--config", fleet.text("configFile"), "--listen", "127.0.0.1:0", "--admin", admin},
                   {"SVC_MASTER_KEY_FILE=" + file, "SVC_WORKERS=1", "SVC_FAILPOINTS=background.hurry=delay:0"});
  auto const line = instance.wait_error_line("the master key file does not match the database");
  CHECK(line.find(file + " lacks the master key " +
                  sealer_of(read_line(fleet.text("dataDir") + "/master.key")).id()) != std::string::npos);
  api_client pages("http://" + admin, {}, {});
  auto const problem = [&] {
    auto const page = body_of(pages.get("/readyz?verbose"));
    return page.contains("masterKey") ? text_of(page, "/masterKey") : "";
  };
  REQUIRE(comes_true([&] { return problem().find("Add the key as a further line") != std::string::npos; }, patience));
  REQUIRE(comes_true([&] { return pages.get("/readyz").status == 200; }, patience));
  CHECK(text_of(body_of(pages.get("/readyz?verbose")), "/dependencies") == "degraded");
  CHECK(greatest_of(pages.get("/metrics").body, "svc_master_key_missing") >= 1);
  replace_file(file, wrong + read_line(fleet.text("dataDir") + "/master.key") + "\n");
  REQUIRE(comes_true([&] { return problem().empty(); }, patience));
  CHECK(greatest_of(pages.get("/metrics").body, "svc_master_key_missing") == 0);
}

}  // namespace
}  // namespace svc::test
