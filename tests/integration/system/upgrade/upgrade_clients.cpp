#include "upgrade_clients.hpp"

#include "integration/system/jobs.hpp"

#include <algorithm>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

/// Named, because the tests of the system are compiled together.
struct upgrade_load {
  static constexpr unsigned triggerers = 2, runners = 3, readers = 2;
  /// One of this number of clients.
  static constexpr int limited = 4, keyed = 2, repeated = 3, failed = 10;
  static constexpr std::chrono::seconds patience{30};
};

int roll_upgrade(std::mt19937& dice, int below) {
  return std::uniform_int_distribution<int>(0, below - 1)(dice);
}

void pause_upgrade(std::mt19937& dice, int most_millis) {
  std::this_thread::sleep_for(milliseconds(1 + roll_upgrade(dice, most_millis)));
}

bool has_ended(std::string const& status) {
  return status != "queued" && status != "running";
}

}  // namespace

void upgrade_facts::fail(std::string const& subject) {
  std::lock_guard const lock(mutex);
  broken.insert(subject);
}

/// One client with a connection to each instance.
class upgrade_clients::caller {
 public:
  caller(upgrade_clients& clients, unsigned seed, bool internal)
      : dice(seed),
        clients_(clients),
        internal_(internal),
        token_(internal ? clients.runner_token_ : clients.user_token_) {}

  /// On an instance at random. Status 0: no answer. Every answer is counted.
  answer ask(std::string const& subject, std::string_view method, std::string const& target,
             std::string const& body = {}, header_list const& more = {}) {
    for (;;) {
      auto const door = clients_.pick(dice, internal_);
      std::shared_lock const use(door->in_use);
      if (door->open) return ask_at(*door, subject, method, target, body, more);
    }
  }
  /// The same until the answer is not a failure of the service. Whatever fails is judged by its count.
  answer insist(std::string const& subject, std::string_view method, std::string const& target,
                std::string const& body = {}, header_list const& more = {}) {
    for (;;) {
      auto got = ask(subject, method, target, body, more);
      if ((got.status != 0 && got.status < 500) || clients_.idle_) return got;
      pause_upgrade(dice, 20);
    }
  }
  answer ask_at(upgrade_door& door, std::string const& subject, std::string_view method, std::string const& target,
                std::string const& body, header_list const& more) {
    auto const& url = internal_ ? door.internal_url : door.url;
    auto const iterator =
        connections_.try_emplace(url, url, clients_.fleet_.text("caFile"), token_, upgrade_load::patience).first;
    auto const asked = std::chrono::steady_clock::now();
    answer got;
    try {
      got = iterator->second.call(method, target, body, more);
    } catch (std::runtime_error const& failed) {
      auto const took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - asked).count();
      clients_.facts_.fail(subject + " on " + door.version + ": " + failed.what() + " (" + std::to_string(took) +
                           " ms)");
      connections_.erase(iterator);
    }
    std::lock_guard const lock(clients_.facts_.mutex);
    ++clients_.facts_.answers[subject + " " + door.version + " " + std::to_string(got.status) + " " + code_of(got)];
    return got;
  }

  std::mt19937 dice;

 private:
  upgrade_clients& clients_;
  bool internal_;
  std::string token_;
  std::map<std::string, api_client> connections_{};
};

upgrade_clients::upgrade_clients(fleet const& fleet, std::string user_token, std::string runner_token,
                                 upgrade_jobs jobs)
    : fleet_(fleet),
      user_token_(std::move(user_token)),
      runner_token_(std::move(runner_token)),
      jobs_(std::move(jobs)) {}

std::shared_ptr<upgrade_door> upgrade_clients::open(std::string version, std::string url, std::string internal_url) {
  auto door = std::make_shared<upgrade_door>(std::move(version), std::move(url), std::move(internal_url));
  std::lock_guard const lock(doors_mutex_);
  doors_.push_back(door);
  return door;
}

void upgrade_clients::close(upgrade_door& door) {
  std::lock_guard const all(door.in_use);
  door.open = false;
}

std::shared_ptr<upgrade_door> upgrade_clients::pick(std::mt19937& dice, bool internal) {
  std::lock_guard const lock(doors_mutex_);
  for (;;) {
    auto const& entry = doors_[static_cast<std::size_t>(roll_upgrade(dice, static_cast<int>(doors_.size())))];
    if (!internal || !entry->internal_url.empty()) return entry;
  }
}

void upgrade_clients::start() {
  for (unsigned i = 0; i < upgrade_load::triggerers; ++i) users_.emplace_back([this, i] { trigger(i); });
  for (unsigned i = 0; i < upgrade_load::readers; ++i) users_.emplace_back([this, i] { read(i); });
  users_.emplace_back([this] { cancel(); });
  users_.emplace_back([this] { watch_limit(); });
  for (unsigned i = 0; i < upgrade_load::runners; ++i) runners_.emplace_back([this, i] { work(i); });
}

void upgrade_clients::finish_users() {
  over_ = true;
  for (auto& thread : users_) thread.join();
  users_.clear();
}

void upgrade_clients::finish() {
  finish_users();
  idle_ = true;
  for (auto& thread : runners_) thread.join();
  runners_.clear();
}

/// Half of the triggers have a key; a third of the keys are sent again, at once or later.
void upgrade_clients::trigger(unsigned number) {
  caller caller(*this, 100 + number, false);
  std::vector<std::pair<std::string, bool>> used;
  for (int i = 0; !over_; ++i, pause_upgrade(caller.dice, 40)) {
    bool limited = i % upgrade_load::limited == 0;
    std::string key = i % upgrade_load::keyed == 0 ? "key-" + std::to_string(number) + "-" + std::to_string(i) : "";
    if (!used.empty() && i % upgrade_load::repeated == 0)
      std::tie(key, limited) =
          used[static_cast<std::size_t>(roll_upgrade(caller.dice, static_cast<int>(used.size())))];
    header_list const more = key.empty() ? header_list{} : header_list{{"Idempotency-Key", key}};
    auto const path = trigger_path(limited ? jobs_.limited : jobs_.plain);
    // Without a key a second request could make a second run.
    auto const got =
        key.empty() ? caller.ask("trigger", "POST", path) : caller.insist("keyed trigger", "POST", path, {}, more);
    if (got.status != 202) continue;
    if (!key.empty()) used.emplace_back(key, limited);
    auto const run = text_of(body_of(got), "/data/runId");
    std::lock_guard const lock(facts_.mutex);
    bool const fresh = facts_.accepted.insert(run).second;
    if (key.empty() && !fresh) facts_.broken.insert("two triggers without a key made one run");
    if (limited) facts_.limited.insert(run);
    if (!key.empty()) facts_.keyed[key].insert(run);
  }
}

void upgrade_clients::work(unsigned number) {
  caller caller(*this, 200 + number, true);
  auto const enrolled = caller.insist("register", "POST", "/internal/v1/register",
                                      R"({"name":"by hand","version":"1","labels":["command"],"slots":2})");
  auto const runner = text_of(body_of(enrolled), "/executorId");
  while (!idle_) {
    auto const got = caller.ask("claim", "POST", "/internal/v1/claim",
                                R"({"executorId":")" + runner + R"(","labels":["command"],"max":2,"waitSeconds":1})");
    if (got.status != 200) continue;
    auto const body = body_of(got);
    for (auto const& claim : body.at("claims").as_array()) work_on(caller, claim, runner);
  }
}

void upgrade_clients::work_on(caller& caller, boost::json::value const& claim, std::string const& runner) {
  auto const run = text_of(claim, "/runId"), id = text_of(claim, "/claimId");
  {
    std::lock_guard const lock(facts_.mutex);
    facts_.claimed[run].insert(id);
  }
  auto const path = "/internal/v1/runs/" + run;
  auto const action = [&](std::string const& more) { return R"({"claimId":")" + id + "\"," + more + "}"; };
  if (caller.insist("heartbeat", "POST", path + "/heartbeat", action(R"("waitSeconds":0)")).status != 200)
    facts_.fail("a heartbeat was refused");
  auto const line = R"("lines":[{"seq":1,"stream":"stdout","text":"by )" + runner + "\"}]";
  if (caller.insist("print", "POST", path + "/output", action(line)).status != 200) facts_.fail("a line was refused");
  pause_upgrade(caller.dice, 30);
  std::string const status = roll_upgrade(caller.dice, upgrade_load::failed) == 0 ? "failed" : "passed";
  boost::json::array tests;
  for (auto const& test : claim.at("tests").as_array())
    tests.push_back({{"id", test.at("id")}, {"status", status}, {"durationMs", 1}});
  auto const report = action(R"("lastSeq":1,"status":")" + status + R"(","tests":)" + boost::json::serialize(tests));
  if (caller.insist("result", "POST", path + "/complete", report).status != 204)
    return facts_.fail("a result was refused");
  {
    std::lock_guard const lock(facts_.mutex);
    if (!facts_.reported.emplace(run, status).second) facts_.broken.insert("a run was completed twice");
  }
  // The same report is known, whichever version took it.
  if (roll_upgrade(caller.dice, upgrade_load::repeated) == 0 &&
      caller.insist("result again", "POST", path + "/complete", report).status != 204)
    facts_.fail("a repeated result was refused");
}

void upgrade_clients::cancel() {
  caller caller(*this, 300, false);
  for (; !over_; pause_upgrade(caller.dice, 150)) {
    auto const run = any_accepted(caller.dice);
    if (run.empty()) continue;
    auto const got = caller.ask("cancel", "POST", "/api/runs/" + run + "/cancel");
    if (got.status != 202 && got.status < 500 && code_of(got) != "run_already_over")
      facts_.fail("a cancellation was answered " + std::to_string(got.status));
  }
}

void upgrade_clients::read(unsigned number) {
  caller caller(*this, 400 + number, false);
  std::vector<std::string> const lists{
      "/api/runs", "/api/runs?status=passed", "/api/runs?trigger=remote", "/api/runs?jobId=" + jobs_.limited,
      "/api/jobs", "/api/jobs/" + jobs_.plain};
  for (int i = 0; !over_; ++i, pause_upgrade(caller.dice, 30)) {
    if (caller.ask("list", "GET", lists[static_cast<std::size_t>(i) % lists.size()]).status != 200)
      facts_.fail("a list was refused");
    auto const run = any_accepted(caller.dice);
    if (run.empty()) continue;
    std::string reported;
    {
      std::lock_guard const lock(facts_.mutex);
      if (auto const known = facts_.reported.find(run); known != facts_.reported.end()) reported = known->second;
    }
    auto const got = caller.ask("read", "GET", "/api/runs/" + run + (i % 2 == 0 ? "/status" : ""));
    if (got.status != 200) continue;
    auto const status = text_of(body_of(got), "/status");
    if (!reported.empty() && status != reported) facts_.fail("a run that was " + reported + " reads as " + status);
    if (has_ended(status) && caller.ask("output", "GET", "/api/runs/" + run + "/output").status >= 500)
      facts_.fail("an output was refused");
  }
}

void upgrade_clients::watch_limit() {
  auto const count = "SELECT count(*) FROM runs WHERE status = 'running' AND job_id = '" + jobs_.limited + "'";
  for (; !over_; std::this_thread::sleep_for(milliseconds(30))) {
    auto const running = std::stoll(fleet_.sql(count).at(0).at(0));
    std::lock_guard const lock(facts_.mutex);
    facts_.most_at_once = std::max<std::int64_t>(facts_.most_at_once, running);
  }
}

std::string upgrade_clients::any_accepted(std::mt19937& dice) {
  std::lock_guard const lock(facts_.mutex);
  auto const& all = facts_.accepted;
  if (all.empty()) return {};
  // Mostly a young one: ids are in the order of time.
  auto const back =
      roll_upgrade(dice, std::min<int>(static_cast<int>(all.size()), roll_upgrade(dice, 4) == 0 ? 1'000'000 : 12));
  return *std::prev(all.end(), back + 1);
}

std::size_t upgrade_clients::accepted() {
  std::lock_guard const lock(facts_.mutex);
  return facts_.accepted.size();
}

std::set<std::string> upgrade_clients::list_all(upgrade_door& door, bool& twice) {
  caller caller(*this, 500, false);
  std::set<std::string> all;
  for (std::string next = "/api/runs?limit=100"; !next.empty();) {
    auto const got = caller.ask_at(door, "page", "GET", next, {}, {});
    if (got.status != 200) {
      facts_.fail("a page was refused");
      break;
    }
    auto const body = body_of(got);
    for (auto const& run : body.at("data").as_array()) twice = !all.insert(text_of(run, "/id")).second || twice;
    auto const links = got.header("link").value_or("");
    auto const end = links.find(">; rel=\"next\"");
    auto const begin = end == links.npos ? links.npos : links.rfind('<', end);
    next = begin == links.npos ? "" : links.substr(begin + 1, end - begin - 1);
    if (auto const path = next.find("/api/"); path != next.npos) next = next.substr(path);
  }
  return all;
}

}  // namespace svc::test
