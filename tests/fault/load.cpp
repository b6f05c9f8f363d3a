#include "load.hpp"

#include "integration/system/jobs.hpp"
#include "support/comes_true.hpp"

#include <stdexcept>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

/// Time that a client waits for a byte before it tries another instance.
constexpr std::chrono::seconds load_patience{3};
/// Time after which an unacknowledged request counts as never acknowledged.
constexpr std::chrono::seconds load_finished_within{60};
constexpr milliseconds between_uses{10}, between_limited{25}, between_keys{60};
/// HAProxy chooses an instance for each connection.
constexpr int uses_of_connection = 20;
constexpr int warm_uses = 20;

std::string run_id() {
  static std::atomic<int> loads{0};
  return std::to_string(++loads);
}

}  // namespace

load_actors::load_actors(rig& rig) : good(rig.make_owner("ada")), other(rig.make_owner("bob")) {
  runner = text_of(rig.admin({"create-runner", "--project", "acme/shop", "--name", "by hand"}), "/key");
  auto client = rig.client(good);
  keyed_job = make_job(client);
}

load::load(rig& rig, load_actors const& as, milliseconds lasting)
    : rig_(rig), as_(as), between_ends_(lasting / (victims + 2)) {
  auto client = rig_.client(as_.good);
  // Each job has only few keys, so the limited key gets a job.
  limited_job_ = make_job(client);
  auto const made = make_key(client, limited_job_, "limited " + run_id(),
                             "\"rateLimit\":{\"limit\":" + std::to_string(limit) +
                                 ",\"windowSeconds\":" + std::to_string(window_seconds) + "}");
  limited_id_ = made.id;
  limited_key_ = made.key;
  make_victims();
  seen_.good.resize(users);
  for (auto const content : {&load::trigger_by_keys, &load::revoke})
    finishing_.emplace_back([this, content] {
      (this->*content)();
      ++finished_;
    });
  for (std::size_t i = 0; i < users; ++i) threads_.emplace_back([this, i] { use_good(i); });
  for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { use_doomed(); });
  threads_.emplace_back([this] { trigger_limited(); });
  threads_.emplace_back([this] { work(); });
}

void load::make_victims() {
  auto client = rig_.client(as_.other);
  for (int i = 0; i < victims; ++i) {
    auto const made = body_of(client.post("/api/cli-tokens", R"({"name":")" + run_id() + "\"}"));
    victims_.push_back({text_of(made, "/token/id"), text_of(made, "/token/key")});
  }
}

bool load::is_warm() const {
  return warm_ == users && limited_refused_ > 0;
}

answer load::ask(api_client& client, std::string_view method, std::string const& target, header_list const& more,
                 std::vector<asked_request>* into) {
  asked_request request{.start = clock::now()};
  answer got;
  try {
    got = client.call(method, target, {}, more);
  } catch (std::runtime_error const&) {
    client.http().close();
  }
  request.end = clock::now();
  request.status = got.status;
  if (into == nullptr) return got;
  std::lock_guard const lock(mutex_);
  into->push_back(request);
  return got;
}

void load::use_good(std::size_t number) {
  auto client = rig_.client(as_.good, load_patience);
  int passed = 0;
  for (int i = 0; !over_; ++i, std::this_thread::sleep_for(between_uses)) {
    if (i % uses_of_connection == 0) client.http().close();
    auto const got = ask(client, "GET", "/api/auth/whoami", {}, &seen_.good[number]);
    if (got.status == 200 && ++passed == warm_uses) ++warm_;
  }
}

void load::use_doomed() {
  auto client = rig_.client({}, load_patience);
  for (std::size_t i = 0; !over_; ++i, std::this_thread::sleep_for(between_uses)) {
    if (i % uses_of_connection == 0) client.http().close();
    auto const token = i % victims_.size();
    client.use(victims_[token].key);
    std::vector<asked_request> seen;
    ask(client, "GET", "/api/auth/whoami", {}, &seen);
    std::lock_guard const lock(mutex_);
    seen_.doomed.push_back({static_cast<int>(token), seen[0].start, seen[0].end, seen[0].status});
  }
}

/// Sends each key until it is acknowledged.
void load::trigger_by_keys() {
  auto client = rig_.client(as_.good, load_patience);
  auto const prefix = "key-" + run_id() + "-";
  for (int i = 0; !hurry_; ++i, std::this_thread::sleep_for(between_keys)) {
    auto const key = prefix + std::to_string(i);
    bool reported = false;
    for (; !reported && !over_; std::this_thread::sleep_for(between_uses)) {
      auto const got = ask(client, "POST", trigger_path(as_.keyed_job), {{"Idempotency-Key", key}}, &seen_.triggers);
      reported = got.status == 202;
      std::lock_guard const lock(mutex_);
      if (reported) seen_.keyed[key].insert(text_of(body_of(got), "/data/runId"));
    }
    std::lock_guard const lock(mutex_);
    if (!reported) ++seen_.open;
  }
}

void load::trigger_limited() {
  auto client = rig_.client(limited_key_, load_patience);
  for (int i = 0; !over_; ++i, std::this_thread::sleep_for(between_limited)) {
    if (i % uses_of_connection == 0) client.http().close();
    auto const got = ask(client, "POST", trigger_path(limited_job_), {}, &seen_.limited);
    if (got.status == 429) ++limited_refused_;
  }
}

/// Revokes tokens one after the other, each until it is acknowledged; a repeated revocation finds nothing.
void load::revoke() {
  auto client = rig_.client(as_.other, load_patience);
  for (std::size_t i = 0; i < victims_.size() && !over_; ++i) {
    auto const due = clock::now() + between_ends_;
    while (!hurry_ && (!revoking_ || clock::now() < due)) std::this_thread::sleep_for(milliseconds(2));
    revocation when{clock::now(), {}};
    for (;;) {
      auto const got = ask(client, "DELETE", "/api/cli-tokens/" + victims_[i].id, {}, nullptr);
      if (got.status == 204 || got.status == 404) break;
      if (over_) return;
      std::this_thread::sleep_for(between_uses);
    }
    when.answered = clock::now();
    std::lock_guard const lock(mutex_);
    seen_.ended.emplace(static_cast<int>(i), when);
  }
}

void load::work() {
  auto client = rig_.runner(as_.runner);
  while (!over_) {
    try {
      if (client.id().empty() && client.enroll().status != 200) continue;
      auto const got = client.claim(1, 8);
      if (got.status != 200) continue;
      for (auto const& claim : claims_of(got)) {
        auto const start = clock::now();
        auto const status = client.complete(claim, "passed").status;
        std::lock_guard const lock(mutex_);
        seen_.completions.push_back({start, clock::now(), status});
      }
    } catch (std::runtime_error const&) {
      client.api().http().close();
    }
  }
}

void load::end() {
  over_ = hurry_ = true;
  for (auto* some : {&finishing_, &threads_})
    for (auto& thread : *some)
      if (thread.joinable()) thread.join();
}

load_records load::stop() {
  hurry_ = true;
  if (!comes_true([this] { return finished_ == finishing_.size(); }, load_finished_within)) over_ = true;
  for (auto& thread : finishing_) thread.join();
  // The pause leaves time for some uses of the tokens that were revoked last.
  std::this_thread::sleep_for(20 * between_uses);
  end();
  seen_.open += static_cast<int>(victims_.size() - seen_.ended.size());
  return std::move(seen_);
}

int load::attempts_of(rig const& rig) {
  return std::stoi(rig.sql("SELECT coalesce(sum(attempt - 1), 0) FROM runs WHERE attempt > 1")[0][0]);
}

stored_facts load::stored() const {
  stored_facts out;
  for (auto const& row : rig_.sql("SELECT id FROM runs WHERE job_id = '" + as_.keyed_job + "'"))
    out.keyed_runs.insert(row[0]);
  out.attempts = attempts_of(rig_);
  out.limited = read_decisions(rig_.decision_log(), limited_id_, "trigger");
  return out;
}

}  // namespace svc::test
