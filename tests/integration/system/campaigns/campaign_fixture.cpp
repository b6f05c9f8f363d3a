#include "campaign_fixture.hpp"

#include "integration/system/jobs.hpp"
#include "support/together.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace svc::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int lease_seconds = 2, concurrent_runs = 4, limited_of = 20, cancelled_of = 25, fillers = 16;

std::vector<std::string> settings(campaign_plan const& plan) {
  std::vector<std::string> out{"SVC_RUNNERS_LEASE=" + std::to_string(lease_seconds) + "s", "SVC_RUNNERS_RETRIES=1",
                               "SVC_DRAIN_TIMEOUT=2s", "SVC_QUOTAS_QUEUED_RUNS=0"};
  if (plan.freezes)
    out.insert(out.end(), {"SVC_HTTP_DEADLINE=2s", "SVC_REDIS_DEADLINE=50ms", "SVC_POSTGRES_STATEMENT_TIMEOUT=5s"});
  else
    out.insert(out.end(), {"SVC_HTTP_DEADLINE=8s", "SVC_REDIS_DEADLINE=1s"});
  return out;
}

std::string runner_name(int number) {
  return "runner" + std::to_string(number);
}

std::string runner_binary() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "campaign_runner").string();
}

// Records each change of a run in its transaction, whatever makes it: the check relies on it. A run that ended has
// left the queue for the results in the same transaction. The reaper leaves no claim there: it was lost.
constexpr char const* note_history = R"(
CREATE TABLE campaign_history (id bigserial PRIMARY KEY, run uuid, from_status text, to_status text, attempt integer,
  lost integer, held uuid, holds uuid, completed timestamptz);
CREATE FUNCTION note_campaign() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO campaign_history (run, from_status, to_status, attempt, lost, held, holds)
  VALUES (NEW.run_id, OLD.status, NEW.status, NEW.attempt, NEW.lost_claims, OLD.claim_id, NEW.claim_id);
  RETURN NULL;
END $$;
CREATE FUNCTION note_end_of_campaign() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO campaign_history (run, from_status, to_status, attempt, lost, held, holds, completed)
  SELECT e.run_id, OLD.status, e.status, e.attempt,
         OLD.lost_claims + CASE WHEN OLD.status = 'running' AND e.claim_id IS NULL THEN 1 ELSE 0 END, OLD.claim_id,
         e.claim_id, e.completed_at
    FROM run_results e WHERE e.run_id = OLD.run_id;
  RETURN NULL;
END $$;
CREATE TRIGGER campaign_noted AFTER UPDATE ON run_queue FOR EACH ROW
  WHEN ((OLD.status, OLD.attempt, OLD.lost_claims, OLD.claim_id)
        IS DISTINCT FROM (NEW.status, NEW.attempt, NEW.lost_claims, NEW.claim_id))
  EXECUTE FUNCTION note_campaign();
CREATE CONSTRAINT TRIGGER campaign_end_noted AFTER DELETE ON run_queue DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION note_end_of_campaign())";

}  // namespace

campaign_fixture::campaign_fixture(campaign_plan const& plan)
    : plan_(plan), dice_(plan.seed), fleet_(1, settings(plan)), owner_(fleet_.make_tenant()) {
  auto client = fleet_.client(0, owner_.token);
  job_ = make_job(client);
  auto const test = fleet_.sql("SELECT test_id FROM job_tests WHERE job_id = '" + job_ + "'")[0][0];
  limited_job_ = text_of(body_of(client.post("/api/jobs", R"({"name":"k","jobType":"command","maxConcurrentRuns":)" +
                                                              std::to_string(concurrent_runs) +
                                                              R"(,"tests":[{"id":")" + test + R"("}]})")),
                         "/id");
  runner_token_ = text_of(fleet_.admin({"create-runner", "--project", owner_.project, "--name", "r"}), "/key");
  fleet_.sql(note_history);
  reported_ = {{job_, {}}, {limited_job_, {.failures = 2, .passes = 2}}};
  if (!plan.webhook.empty()) alerted_runs(fleet_, client, plan.webhook, reported_);
  known_.limit = concurrent_runs;
  known_.retries = 1;
  if (!plan.freezes) return;
  freezer_.emplace(fleet_.dev(), plan.seed + 2, freezes_);
  freezer_->enter("dev", fleet_.process(0).pid());
}

campaign_fixture::~campaign_fixture() {
  over_ = true;
  // A stopped process cannot end.
  if (freezer_) freezer_->stop();
  wake(nullptr, true);
  if (canceller_.joinable()) canceller_.join();
}

api_client campaign_fixture::client_of(int instance, std::string token) const {
  auto const url = instance == 0 ? fleet_.url(0) : "http://unix:" + public_socket(instance - 1);
  return {url, fleet_.text("caFile"), std::move(token), longest_wait};
}

api_client campaign_fixture::pages_of(int instance) const {
  if (instance == 0) return fleet_.pages(0);
  return {instances_[static_cast<std::size_t>(instance - 1)]->admin_url(), {}, {}};
}

std::size_t campaign_fixture::fill_queue() {
  std::mutex mutex;
  std::atomic<int> next = 0;
  together(fillers, [&](int) {
    auto client = fleet_.client(0, owner_.token);
    for (int i = next++; i < plan_.runs; i = next++) {
      bool const limited = i % limited_of == 0;
      auto const got = until_there([&] {
        return client.call("POST", trigger_path(limited ? limited_job_ : job_), {},
                           {{"Idempotency-Key", "run-" + std::to_string(i)}});
      });
      if (got.status != 202) continue;
      auto run = text_of(body_of(got), "/data/runId");
      std::lock_guard const lock(mutex);
      if (limited) known_.limited.insert(run);
      known_.acknowledged.insert(run);
      runs_.push_back(std::move(run));
    }
  });
  return runs_.size();
}

void campaign_fixture::open_doors() {
  instances_.resize(static_cast<std::size_t>(plan_.instances));
  runners_.resize(static_cast<std::size_t>(plan_.runners));
  for (int i = 0; i < plan_.instances; ++i) start_instance(i);
  for (int i = 0; i < plan_.runners; ++i) start_runner(i);
  std::sort(runs_.begin(), runs_.end());
  canceller_ = std::thread([this] { cancel_some(); });
}

/// Always at the same path, as if behind a balancer.
void campaign_fixture::start_instance(int number) {
  auto const lines = "[[listeners]]\naddress = '127.0.0.1:0'\n[[listeners]]\naddress = 'unix:" + socket(number) +
                     "'\ntls = false\nkind = 'internal'\n[[listeners]]\naddress = 'unix:" + public_socket(number) +
                     "'\ntls = false\n";
  auto& entry = instances_[static_cast<std::size_t>(number)];
  entry = std::make_unique<configured_service>(fleet_.dev(), lines, fleet_.environment());
  if (freezer_) freezer_->enter("instance " + std::to_string(number + 1), entry->process().pid());
}

void campaign_fixture::start_runner(int number) {
  auto const serial = ++started_;
  std::vector<std::string> arguments{directory_.path() + "/record" + std::to_string(serial), runner_name(number),
                                     std::to_string(plan_.slots), std::to_string(lease_seconds),
                                     std::to_string(plan_.seed + static_cast<unsigned>(serial))};
  for (int i = 0; i < plan_.instances; ++i) arguments.push_back(socket(i));
  runners_[static_cast<std::size_t>(number)] =
      std::make_unique<service>(arguments, std::vector{"SVC_RUNNER_TOKEN=" + runner_token_}, runner_binary());
}

void campaign_fixture::kill_at_random() {
  auto const until = clock::now() + plan_.chaos;
  if (freezer_) freezer_->start();
  // At least one of each, whatever the dice say.
  replace_instance(0, true);
  replace_runner(0, true);
  while (clock::now() < until || (freezer_ && !freezer_->has_stopped_each())) {
    strike();
    auto const next = clock::now() + milliseconds(pick(plan_.least_pause, plan_.most_pause));
    for (; clock::now() < next; std::this_thread::sleep_for(milliseconds(10))) wake(nullptr, false);
  }
  if (freezer_) freezer_->stop();
  wake(nullptr, true);
}

void campaign_fixture::strike() {
  if (pick(1, 100) <= 65)
    strike_runner();
  else
    strike_instance();
}

void campaign_fixture::strike_runner() {
  auto const number = pick(0, plan_.runners - 1);
  int const mode = pick(1, 100);
  if (mode > 30) return replace_runner(number, mode > 50);
  ++counts_.runners_stopped;
  stop_for_a_while(*runners_[static_cast<std::size_t>(number)], {.name = runner_name(number), .only_itself = true},
                   lease_seconds * 1000 + 1200, lease_seconds * 1000 + 3000);
}

void campaign_fixture::replace_runner(int number, bool kill) {
  auto& entry = runners_[static_cast<std::size_t>(number)];
  wake(entry.get(), true);
  ++(kill ? counts_.runners_killed : counts_.runners_ended);
  if (kill) {
    entry->kill();
  } else {
    entry->signal(SIGTERM);
    leaving_.push_back(std::move(entry));
  }
  start_runner(number);
}

void campaign_fixture::strike_instance() {
  auto const number = pick(0, plan_.instances - 1);
  int const mode = pick(1, 100);
  if (plan_.freezes || mode > 30) return replace_instance(number, mode > 45);
  ++counts_.instances_stopped;
  auto& process = mode <= 8 ? fleet_.process(0) : instances_[static_cast<std::size_t>(number)]->process();
  stop_for_a_while(process, {.name = "an instance"}, 300, lease_seconds * 1000 + 1500);
}

void campaign_fixture::replace_instance(int number, bool kill) {
  auto& process = instances_[static_cast<std::size_t>(number)]->process();
  wake(&process, true);
  if (freezer_) freezer_->leave(process.pid());
  ++(kill ? counts_.instances_killed : counts_.instances_ended);
  if (kill)
    process.kill();
  else
    process.stop();
  start_instance(number);
}

void campaign_fixture::stop_for_a_while(service& process, freeze as, int least_millis, int most_millis) {
  for (auto const& pause : pauses_)
    if (pause.process == &process) return;
  as.start = clock::now();
  as.end = as.start + milliseconds(pick(least_millis, most_millis));
  process.signal(SIGSTOP);
  pauses_.push_back({&process, std::move(as)});
}

/// Continues processes whose time is over; with `all`, every stopped one. Either one process, or each.
void campaign_fixture::wake(service const* only, bool all) {
  auto const now = clock::now();
  std::erase_if(pauses_, [&](pause const& pause) {
    bool const due = (only == nullptr || only == pause.process) && (all || pause.as.end <= now);
    if (!due) return false;
    pause.process->signal(SIGCONT);
    freezes_.add({pause.as.name, pause.as.start, clock::now(), pause.as.only_itself});
    return true;
  });
}

/// Whatever the answer is, the cancellation was requested.
void campaign_fixture::cancel_some() {
  std::mt19937 dice(plan_.seed + 1);
  auto client = client_of(0, owner_.token);
  auto const all = std::max<std::size_t>(1, runs_.size() / cancelled_of);
  auto const interval = milliseconds(plan_.chaos) / static_cast<long>(all);
  for (std::size_t i = 0; i < all && !over_; ++i, std::this_thread::sleep_for(interval)) {
    auto const& run = runs_[std::uniform_int_distribution<std::size_t>(0, runs_.size() - 1)(dice)];
    known_.cancels.insert(run);
    ask_timed(client, asked_, "cancel a run", {"POST", "/api/runs/" + run + "/cancel"});
  }
}

}  // namespace svc::test
