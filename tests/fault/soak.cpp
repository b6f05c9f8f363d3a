#include "soak.hpp"

#include "integration/system/jobs.hpp"
#include "support/comes_true.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds soak_patience{5}, drained_within{120};
constexpr std::size_t fewest_samples = 8, most_wrong = 20;

double median(std::vector<double> value) {
  auto const middle = value.begin() + static_cast<std::ptrdiff_t>(value.size() / 2);
  std::nth_element(value.begin(), middle, value.end());
  return *middle;
}

/// The medians of the first and the last quarter.
std::pair<double, double> ends_of(std::vector<double> const& all) {
  auto const quarter = static_cast<std::ptrdiff_t>(all.size() / 4);
  return {median({all.begin(), all.begin() + quarter}), median({all.end() - quarter, all.end()})};
}

struct settled {
  std::vector<double> resident{}, descriptors{};
};

std::map<pid_t, settled> settled_samples(soak_facts const& facts, soak_bounds const& within) {
  std::map<pid_t, double> begun;
  std::map<pid_t, settled> out;
  for (auto const& sample : facts.samples) {
    auto const since = begun.try_emplace(sample.process, sample.minute).first->second;
    if (sample.minute - since < within.settled_after * facts.minutes) continue;
    out[sample.process].resident.push_back(sample.resident);
    out[sample.process].descriptors.push_back(sample.descriptors);
  }
  return out;
}

}  // namespace

std::string broken(soak_facts const& facts, soak_bounds const& within) {
  std::ostringstream out;
  for (auto const& subject : facts.wrong) out << "wrong: " << subject << "\n";
  for (auto const& [process, held] : settled_samples(facts, within)) {
    if (held.resident.size() < fewest_samples) continue;
    auto const [before, after] = ends_of(held.resident);
    if (after > before * (1 + within.growth))
      out << "process " << process << " grew from " << before / 1024 / 1024 << " to " << after / 1024 / 1024
          << " MiB\n";
    auto const [fewer, more] = ends_of(held.descriptors);
    if (more > fewer + within.more_descriptors)
      out << "process " << process << " has " << more << " descriptors after " << fewer << "\n";
  }
  if (facts.log_lines > within.lines_of_a_request * facts.requests)
    out << facts.log_lines << " lines of log for " << facts.requests << " requests\n";
  return out.str();
}

soak_clients::soak_clients(rig& rig, int rate)
    : rig_(rig), pace_(1000 * users / rate), token_(rig.make_owner("ada")) {
  runner_ = text_of(rig.admin({"create-runner", "--project", "acme/shop", "--name", "by hand"}), "/key");
  auto client = rig.client(token_);
  job_ = make_job(client);
  key_ = make_key(client, job_, "pipeline").key;
  for (unsigned i = 0; i < users; ++i) users_.emplace_back([this, i] { use(i); });
  users_.emplace_back([this] { watch(); });
  users_.emplace_back([this] { change_tokens(); });
  for (int i = 0; i < runners; ++i) runners_.emplace_back([this] { work(); });
}

void soak_clients::blame(std::string const& subject) {
  std::lock_guard const lock(mutex_);
  if (wrong_.size() < most_wrong) wrong_.insert(subject);
}

std::set<std::string> soak_clients::wrong() const {
  std::lock_guard const lock(mutex_);
  return wrong_;
}

std::optional<answer> soak_clients::ask(api_client& client, std::string_view method, std::string const& target,
                                        std::vector<int> const& expected, header_list const& more,
                                        std::string const& body) {
  answer got;
  try {
    got = client.call(method, target, body, more);
  } catch (std::runtime_error const&) {
    client.http().close();
  }
  ++requests_;
  if (std::ranges::find(expected, got.status) != expected.end()) return got;
  ++unavailable_;
  // The answer to a retry says so if the first request may still commit.
  bool const in_progress = got.status == 409 && code_of(got) == "idempotency_in_progress";
  if (got.status != 0 && got.status != 503 && !in_progress)
    blame(std::string(method) + " " + target + ": " + std::to_string(got.status) + " " + code_of(got));
  return std::nullopt;
}

std::string soak_clients::any_run(std::mt19937& dice) const {
  constexpr std::size_t young = 200;
  std::lock_guard const lock(mutex_);
  if (reported_.empty()) return {};
  auto const back = std::uniform_int_distribution<std::size_t>(1, std::min(young, reported_.size()))(dice);
  return reported_[reported_.size() - back];
}

void soak_clients::use(unsigned number) {
  constexpr int whole = 100, triggers = 80, polls = 15, uses_of_connection = 50;
  std::mt19937 dice(number);
  auto client = rig_.client(token_, soak_patience);
  for (int i = 0; !over_; ++i) {
    auto const due = std::chrono::steady_clock::now() + pace_;
    if (i % uses_of_connection == 0) client.http().close();
    auto const chosen = std::uniform_int_distribution<int>(0, whole - 1)(dice);
    if (chosen < triggers)
      trigger(client, dice, number);
    else if (chosen < triggers + polls)
      poll(client, dice);
    else
      ask(client, "GET", "/api/runs?limit=20", {200});
    std::this_thread::sleep_until(due);
  }
}

/// A key is sent again until it is acknowledged; without one a second request could make a second run.
void soak_clients::trigger(api_client& client, std::mt19937& dice, unsigned number) {
  bool const keyed = dice() % 2 == 0;
  auto const key = std::to_string(number) + "-" + std::to_string(dice());
  client.use(keyed ? token_ : key_);
  auto const once = [&] {
    return ask(client, "POST", trigger_path(job_), {202},
               keyed ? header_list{{"Idempotency-Key", key}} : header_list{});
  };
  auto got = once();
  while (keyed && !got && !over_) got = once();
  client.use(token_);
  std::lock_guard const lock(mutex_);
  if (got) return reported_.push_back(text_of(body_of(*got), "/data/runId"));
  if (keyed)
    doubtful_.insert(key);
  else
    ++unkeyed_without_answer_;
}

void soak_clients::poll(api_client& client, std::mt19937& dice) {
  auto const run = any_run(dice);
  if (run.empty()) return;
  auto const got = ask(client, "GET", "/api/runs/" + run, {200});
  if (got && text_of(body_of(*got), "/id") != run) blame("a run's answer is that of another");
}

/// Streams of young runs, each until its end; a stopping instance ends its streams.
void soak_clients::watch() {
  std::mt19937 dice(500);
  auto client = rig_.client(token_, std::chrono::seconds(20));
  for (; !over_; std::this_thread::sleep_for(milliseconds(200))) {
    auto const run = any_run(dice);
    if (run.empty()) continue;
    auto const got = ask(client, "GET", "/api/runs/" + run + "/stream", {200});
    if (got && got->body.find("event: ") == std::string::npos) blame("a stream said nothing");
  }
}

void soak_clients::change_tokens() {
  auto client = rig_.client(token_, soak_patience), used = rig_.client({}, soak_patience);
  for (int i = 0; !over_; ++i, std::this_thread::sleep_for(milliseconds(500))) {
    auto const made = ask(client, "POST", "/api/cli-tokens", {201}, {}, R"({"name":"t)" + std::to_string(i) + "\"}");
    if (!made) continue;
    auto const body = body_of(*made);
    used.use(text_of(body, "/token/key"));
    ask(used, "GET", "/api/auth/whoami", {200});
    while (!over_ && !ask(client, "DELETE", "/api/cli-tokens/" + text_of(body, "/token/id"), {204, 404})) {
    }
    if (!over_) ask(used, "GET", "/api/auth/whoami", {401});
  }
}

/// Completes runs without executing them.
void soak_clients::work() {
  auto client = rig_.runner(runner_);
  while (!idle_) {
    try {
      if (client.id().empty() && client.enroll().status != 200) continue;
      auto const got = client.claim(1, 16);
      if (got.status != 200) continue;
      for (auto const& claim : claims_of(got)) client.complete_with(claim, "done");
    } catch (std::runtime_error const&) {
      client.api().http().close();
    }
  }
}

void soak_clients::stop() {
  over_ = true;
  for (auto& thread : users_)
    if (thread.joinable()) thread.join();
  comes_true([&] { return rig_.sql("SELECT count(*) FROM run_queue")[0][0] == "0"; }, drained_within);
  idle_ = true;
  for (auto& thread : runners_)
    if (thread.joinable()) thread.join();
}

void soak_clients::check_runs() {
  std::set<std::string> stored;
  for (auto const& row : rig_.sql("SELECT id FROM runs WHERE job_id = '" + job_ + "'")) stored.insert(row[0]);
  std::set<std::string> const reported(reported_.begin(), reported_.end());
  if (reported.size() != reported_.size()) wrong_.insert("two triggers were told of one run");
  std::size_t there = 0;
  for (auto const& run : reported) there += stored.count(run);
  if (there != reported.size())
    wrong_.insert(std::to_string(reported.size() - there) + " acknowledged runs are lost");
  auto const unexplained = stored.size() - there;
  if (unexplained > doubtful_.size() + static_cast<std::size_t>(unkeyed_without_answer_))
    wrong_.insert(std::to_string(unexplained) + " runs that nobody was told of");
  if (rig_.sql("SELECT count(*) FROM run_queue")[0][0] != "0") wrong_.insert("some runs have not ended");
}

}  // namespace svc::test
