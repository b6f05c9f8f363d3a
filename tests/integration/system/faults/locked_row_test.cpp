// One tenant's requests wait for the lock of a row, as they do when it changes one row a thousand times at once.
#include "faults.hpp"
#include "integration/system/extra_instance.hpp"
#include "integration/system/jobs.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace svc::test {
namespace {

constexpr int pooled_connections = 4, waiting_changes = 12;
/// Well below the time for which the row stays locked.
constexpr milliseconds without_the_lock{1500};

/// Locks the job's row until it is released.
class row_lock {
 public:
  explicit row_lock(std::string job) : job_(std::move(job)) {
    shared_fleet().sql("CREATE TABLE IF NOT EXISTS held_rows (job text PRIMARY KEY)");
    shared_fleet().sql("INSERT INTO held_rows VALUES ('" + job_ + "')");
    holder_ = std::thread([this] {
      ask_postgres(shared_fleet().owner_url(), "DO $$ BEGIN PERFORM 1 FROM jobs WHERE id = '" + job_ +
                                                   "' FOR UPDATE; WHILE EXISTS (SELECT FROM held_rows WHERE job = '" +
                                                   job_ + "') LOOP PERFORM pg_sleep(0.02); END LOOP; END $$");
    });
    REQUIRE(comes_true([&] { return is_locked(); }, patience));
  }
  ~row_lock() { release(); }
  row_lock(row_lock const&) = delete;
  row_lock& operator=(row_lock const&) = delete;

  void release() {
    if (!holder_.joinable()) return;
    shared_fleet().sql("DELETE FROM held_rows WHERE job = '" + job_ + "'");
    holder_.join();
  }

 private:
  bool is_locked() const {
    return shared_fleet().word("SELECT count(*) FROM (SELECT FROM jobs WHERE id = '" + job_ +
                               "' FOR UPDATE SKIP LOCKED) free") == "0";
  }

  std::string job_;
  std::thread holder_;
};

int waiting_for_locks() {
  return std::stoi(shared_fleet().word(
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'svcd'"));
}

milliseconds time_of(std::function<void()> const& work) {
  auto const start = clock::now();
  work();
  return std::chrono::duration_cast<milliseconds>(clock::now() - start);
}

}  // namespace

TEST_CASE("a project whose requests wait for a locked row leaves connections to other projects") {
  extra_instance const instance(
      {"SVC_WORKERS=1", "SVC_POSTGRES_POOL_PER_WORKER=" + std::to_string(pooled_connections), "SVC_HTTP_DEADLINE=20s",
       "SVC_HTTP_QUEUE_TIME=10s", "SVC_POSTGRES_STATEMENT_TIMEOUT=20s"});
  auto const greedy = shared_fleet().make_tenant(), other = shared_fleet().make_tenant();
  auto by_greedy = instance.client(greedy.token);
  auto by_other = instance.client(other.token);
  auto const job = make_job(by_greedy), others_job = make_job(by_other);
  REQUIRE(by_other.get("/api/jobs/" + others_job).status == 200);

  row_lock lock(job);
  std::atomic<int> changed = 0;
  std::vector<std::future<void>> all;
  for (int i = 0; i < waiting_changes; ++i)
    all.push_back(std::async(std::launch::async, [&] {
      auto client = instance.client(greedy.token);
      if (client.patch("/api/jobs/" + job, R"({"name":"n"})").status == 200) ++changed;
    }));
  REQUIRE(comes_true([] { return waiting_for_locks() >= pooled_connections / 2; }, patience));

  for (int i = 0; i < 10; ++i) {
    CHECK(time_of([&] { CHECK(by_other.get("/api/jobs/" + others_job).status == 200); }) < without_the_lock);
    CHECK(time_of([&] { CHECK(by_other.patch("/api/jobs/" + others_job, R"({"name":"m"})").status == 200); }) <
          without_the_lock);
  }
  CHECK(changed == 0);
  CHECK(waiting_for_locks() <= pooled_connections / 2);

  lock.release();
  for (auto& each : all) each.get();
  CHECK(changed == waiting_changes);
}

}  // namespace svc::test
