// The synchronous standby of PostgreSQL is gone: no change is confirmed, and everything else goes on.
// `TEST_STANDBY_AWAY=180`: duration in seconds.
#include "outage.hpp"
#include "replicated_installation.hpp"
#include "support/metrics_page.hpp"

namespace svc::test {
namespace {

struct read_counts {
  std::size_t all = 0, failed = 0;
  milliseconds slowest{0};
  std::string failure{};
};

/// Reads each resource once from each instance.
void read_everything(replicated_installation const& installation, std::string const& token, std::string const& job,
                     read_counts& counts) {
  std::string const paths[] = {"/api/auth/whoami",
                               "/api/jobs",
                               "/api/jobs/" + job,
                               "/api/tests",
                               "/api/runs",
                               "/api/monitors",
                               "/api/tags",
                               "/api/variables",
                               "/api/notification-providers",
                               "/api/alerts",
                               "/api/cli-tokens",
                               "/api/usage",
                               "/api/audit",
                               "/api/maintenance-windows",
                               "/api/status-pages"};
  for (std::size_t i = 0; i < installation.size(); ++i) {
    auto client = installation.client(i, token);
    for (auto const& path : paths) {
      auto const start = clock::now();
      auto const got = client.get(path);
      counts.slowest = std::max(counts.slowest, std::chrono::duration_cast<milliseconds>(clock::now() - start));
      ++counts.all;
      if (got.status == 200) continue;
      ++counts.failed;
      counts.failure = path + ": " + std::to_string(got.status) + " " + got.body;
    }
  }
}

bool all_refuse_changes(replicated_installation const& installation) {
  for (std::size_t i = 0; i < installation.size(); ++i)
    if (sum_of(installation.pages(i).get("/metrics").body, "svc_postgres_read_only") != 1) return false;
  return true;
}

TEST_CASE("without the synchronous standby all resources can be read, and changes are refused until it is back") {
  replicated_installation installation(shared_fleet(), replicated_postgres::commits::synchronous);
  auto const good = installation.make_token("good"), unseen = installation.make_token("unseen");
  auto ada = installation.client(0, good.key);
  auto const job = make_job(ada);
  auto const key = make_key(ada, job, "k");
  writers load(installation, good.key, key.key, job);
  REQUIRE(comes_true([&] { return load.acknowledged() >= 40; }, patience));

  installation.postgres().standby().stop();
  read_counts counts;
  auto const end = clock::now() + seconds(long_form("TEST_STANDBY_AWAY", 8));
  bool refused = false;
  while (clock::now() < end || !refused) {
    read_everything(installation, good.key, job, counts);
    refused = all_refuse_changes(installation);
    REQUIRE(clock::now() < end + patience);
  }
  // Without a record of the token anywhere, the service reads it from PostgreSQL.
  CHECK(installation.uses(unseen.key) == "200");
  MESSAGE(counts.all << " reads, the slowest " << counts.slowest.count() << " ms");
  CHECK_MESSAGE(counts.failed == 0, counts.failure);
  CHECK(counts.slowest < answered_within);
  auto const sessions = installation.sql(installation.postgres().primary(),
                                         "SELECT count(*) FROM pg_stat_activity WHERE usename = 'svc_app'")[0][0];
  // The limit counts for each instance one worker with twice its eight connections and one more, and those of its
  // other threads.
  CHECK(std::stoi(sessions) <= 2 * (17 + 16));

  auto const before = load.acknowledged();
  installation.postgres().standby().start();
  CHECK(comes_true([&] { return load.acknowledged() >= before + 40; }, patience));
  load.check(
      [&](std::string const& question) { return installation.sql(installation.postgres().primary(), question); });
}

}  // namespace
}  // namespace svc::test
