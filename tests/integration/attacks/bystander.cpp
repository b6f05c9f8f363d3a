#include "bystander.hpp"

#include "integration/system/jobs.hpp"

#include <algorithm>
#include <stdexcept>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds reading_pace{80}, changing_pace{300};
constexpr int slots = 2, requests_of_a_connection = 10;
constexpr std::size_t complaints_kept = 5;

double ms_since(bystander::clock::time_point start) {
  return std::chrono::duration<double, std::milli>(bystander::clock::now() - start).count();
}

}  // namespace

bystander::bystander(attack_fixture& fixture, milliseconds neighbours_runs, bool with_runners)
    : fixture_(fixture), neighbours_runs_(neighbours_runs), with_runners_(with_runners), writer_(fixture.second()) {
  auto client = fixture_.client(writer_);
  job_ = make_job(client);
  auto const found = fixture_.stores().sql(
      "SELECT j.project_id, t.test_id, clock_timestamp() FROM jobs j JOIN job_tests"
      " t ON t.job_id = j.id WHERE j.id = '" +
      job_ + "'");
  project_id_ = found.at(0).at(0);
  test_ = found.at(0).at(1);
  began_ = found.at(0).at(2);
}

bystander::~bystander() {
  end();
}

void bystander::begin() {
  asking_.emplace_back([this] { read_pages(); });
  asking_.emplace_back([this] { change_and_trigger(); });
  for (int i = 0; with_runners_ && i < slots; ++i) executing_.emplace_back([this, i] { execute(i); });
}

void bystander::stop_asking() {
  over_ = true;
  for (auto& t : asking_) t.join();
  asking_.clear();
}

void bystander::end() {
  stop_asking();
  runners_over_ = true;
  for (auto& t : executing_) t.join();
  executing_.clear();
}

void bystander::complain(std::size_t bystander_figures::* count, std::string const& reason) {
  std::lock_guard const lock(mutex_);
  ++(seen_.*count);
  if (seen_.complaints.size() < complaints_kept) seen_.complaints.push_back(reason.substr(0, 300));
}

bool bystander::ask(api_client& client, std::string const& subject, int wanted, answered const& settings,
                    std::string const& holding) {
  auto const start = clock::now();
  answer got;
  try {
    got = settings();
  } catch (std::exception const& failed) {
    client.http().close();
    complain(&bystander_figures::broken, subject + ": " + failed.what());
    return false;
  }
  {
    std::lock_guard const lock(mutex_);
    ++seen_.requests;
    took_ms_.push_back(ms_since(start));
  }
  if (got.status == wanted && got.body.find(holding) != std::string::npos) return true;
  auto const which = got.status >= 500      ? &bystander_figures::server_errors
                     : got.status == wanted ? &bystander_figures::wrong
                                            : &bystander_figures::refused;
  complain(which, subject + ": " + std::to_string(got.status) + " " + got.body);
  return false;
}

void bystander::read_pages() {
  auto client = fixture_.client(fixture_.honest());
  for (int i = 0; !over_; ++i) {
    // New connections must be let in during attacks.
    if (i % requests_of_a_connection == 0) client.http().close();
    std::string ended;
    {
      std::lock_guard const lock(mutex_);
      ended = last_ended_;
    }
    if (i % 4 == 0)
      ask(client, "whoami", 200, [&] { return client.get("/api/auth/whoami"); }, fixture_.honest().user_id);
    if (i % 4 == 1) ask(client, "job", 200, [&] { return client.get("/api/jobs/" + job_); }, job_);
    if (i % 4 == 2) ask(client, "runs", 200, [&] { return client.get("/api/runs?limit=5"); });
    if (i % 4 == 3 && !ended.empty())
      ask(client, "output", 200, [&] { return client.get("/api/runs/" + ended + "/output"); }, "line of " + ended);
    std::this_thread::sleep_for(reading_pace);
  }
}

void bystander::change_and_trigger() {
  auto client = fixture_.client(writer_);
  for (int i = 0; !over_; ++i) {
    auto const title = "title " + std::to_string(i);
    auto const key = job_ + "-" + std::to_string(i);
    if (i % 3 == 0)
      ask(
          client, "patch", 200, [&] { return client.patch("/api/tests/" + test_, R"({"title":")" + title + "\"}"); },
          title);
    if (ask(client, "trigger", 202,
            [&] { return client.call("POST", trigger_path(job_), {}, {{"Idempotency-Key", key}}); })) {
      std::lock_guard const lock(mutex_);
      ++seen_.triggered;
    }
    std::this_thread::sleep_for(changing_pace);
  }
}

void bystander::execute(int number) {
  runner_client client(fixture_.runners_url(), fixture_.ca_file(), fixture_.shared_runner_token());
  bool known = false;
  while (!runners_over_) {
    try {
      if (!known) known = client.enroll("slot" + std::to_string(number)).status == 200;
      if (!known) throw std::runtime_error("a runner was not registered");
      auto const got = client.claim(1);
      if (got.status >= 500) complain(&bystander_figures::server_errors, "claim: " + got.body);
      if (got.status < 500)
        for (auto const& claim : claims_of(got)) execute_one(client, claim);
    } catch (std::exception const& failed) {
      client.api().http().close();
      complain(&bystander_figures::broken, std::string("runner: ") + failed.what());
      std::this_thread::sleep_for(milliseconds(100));
    }
  }
}

void bystander::execute_one(runner_client& client, boost::json::value const& claim) {
  auto const run = text_of(claim, "/runId");
  bool const own = text_of(claim, "/projectId") == project_id_;
  if (!own) std::this_thread::sleep_for(neighbours_runs_);
  if (own) ask(client.api(), "print", 200, [&] { return client.print(claim, 1, "line of " + run); });
  auto const done = ask(client.api(), "complete", 204, [&] { return client.complete(claim, "passed", own ? 1 : 0); });
  std::lock_guard const lock(mutex_);
  if (!done) ++seen_.lost_claims;
  if (own && done) last_ended_ = run;
}

std::size_t bystander::unfinished() const {
  auto const ended = fixture_.stores().sql("SELECT count(*) FROM runs WHERE project_id = '" + project_id_ +
                                           "' AND status = 'passed' AND queued_at >= '" + began_ + "'");
  std::lock_guard const lock(mutex_);
  return seen_.triggered - std::min<std::size_t>(seen_.triggered, std::stoul(ended.at(0).at(0)));
}

double bystander::slowest_run_ms() const {
  auto const took = fixture_.stores().sql(
      "SELECT coalesce(max(extract(epoch FROM completed_at - queued_at)) * 1000, 0) FROM runs WHERE project_id = '" +
      project_id_ + "' AND queued_at >= '" + began_ + "'");
  return std::stod(took.at(0).at(0));
}

std::optional<milliseconds> bystander::probe() const {
  auto const start = clock::now();
  try {
    auto client = fixture_.client(fixture_.honest());
    if (client.get("/api/auth/whoami").status != 200) return std::nullopt;
  } catch (std::exception const&) {
    return std::nullopt;
  }
  return std::chrono::duration_cast<milliseconds>(clock::now() - start);
}

bystander_figures bystander::figures() const {
  std::lock_guard const lock(mutex_);
  auto out = seen_;
  auto sorted = took_ms_;
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty()) {
    out.p50_ms = sorted[sorted.size() / 2];
    out.p99_ms = sorted[sorted.size() * 99 / 100];
  }
  return out;
}

}  // namespace svc::test
