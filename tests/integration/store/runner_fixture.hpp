#pragma once

#include "trigger_fixture.hpp"

#include "svc/domain/token.hpp"
#include "svc/store/jobs/variable_store.hpp"
#include "svc/store/runners/runner_store.hpp"
#include "svc/store/runners/runner_token_store.hpp"

namespace svc::test {

/// A job that can be triggered, and a runner of its project.
struct machine : trigger_database {
  machine() : secret(make_token({}, project)), self(enroll(secret)) {}

  /// For an organisation or a project.
  sha256_digest make_token(std::optional<uuid> in_organization, std::optional<uuid> in_project) {
    auto const minted = mint_runner_token();
    auto const made = wait(keys.create({.organization = in_organization,
                                        .project = in_project,
                                        .name = "r" + std::to_string(++names),
                                        .start = minted.start,
                                        .digest = minted.digest},
                                       actor, soon()));
    REQUIRE(made.has_value());
    last_token = made->id;
    return minted.digest;
  }
  uuid enroll(sha256_digest const& digest) {
    auto const made = wait(runners.enroll(digest, {"box", "1", {"command"}, 4}, soon()));
    REQUIRE(made.has_value());
    return *made;
  }
  std::vector<claimed_run> claim(std::int64_t most = 1, std::vector<std::string> labels = {"command"}) {
    auto const got = wait(runners.claim(secret, {self, std::move(labels), most}, soon()));
    REQUIRE(got.has_value());
    return got->runs;
  }
  result<store::freed_run> complete(claimed_run const& run, std::string status = "passed",
                                    std::string reported = "[]") {
    return wait(runners.complete(secret, {run.run, run.claim, std::move(status), {}, std::move(reported)}, soon()));
  }
  /// Queued runs of a job, in one statement.
  void make_runs(uuid job, int count) {
    as_owner(
        "INSERT INTO runs (id, project_id, job_id, job_name, job_type, trigger, triggered_by, test_count,"
        " timeout_seconds) SELECT id_at(clock_timestamp(), gen_random_uuid()), project_id, id, name, job_type, "
        "'remote', 'ci', 1, 60 FROM"
        " jobs, generate_series(1, " +
        std::to_string(count) + ") WHERE id = '" + job.to_string() + "'");
  }
  svc::run read_run(uuid id) { return *wait(runs.get(project, id, soon())); }
  std::int64_t count(std::string const& where) {
    return number(
        {{"count_" + std::to_string(std::hash<std::string>()(where)), "SELECT count(*) FROM runs WHERE " + where}});
  }

  store::runner_store runners{pool, master, std::chrono::seconds(30)};
  store::runner_token_store keys{pool};
  int names = 0;
  uuid last_token;
  sha256_digest secret;
  uuid self;
};

/// Runs all the given tasks at once, until all have ended.
inline void all_at_once(asio::io_context& io, std::vector<task<>> tasks) {
  std::size_t left = tasks.size();
  for (auto& part : tasks) {
    asio::co_spawn(io, std::move(part), [&left](std::exception_ptr failed) {
      --left;
      if (failed) std::rethrow_exception(failed);
    });
  }
  io.restart();
  while (left > 0 && io.run_one() > 0) {
  }
}

}  // namespace svc::test
