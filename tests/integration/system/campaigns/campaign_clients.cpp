#include "campaign_clients.hpp"

#include "integration/system/jobs.hpp"

#include <algorithm>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

constexpr int triggerers = 2, revokers = 2, users_of_each = 3, ends_each_second = 2;
/// A project holds at most 20 tokens.
constexpr int tokens_of_each = 15;
/// Tokens that ended recently are used most of the time, some that ended long ago, and some that have not ended yet.
constexpr int lately = 4, of_late = 75, of_all = 90;
constexpr int repeated_of = 7, pausing_percent = 10;
constexpr milliseconds again_after{20};

int within(std::mt19937& dice, int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(dice);
}

void pause(std::mt19937& dice, int least, int most) {
  std::this_thread::sleep_for(milliseconds(within(dice, least, most)));
}

}  // namespace

campaign_clients::campaign_clients(campaign_fixture& fixture, unsigned seed, std::chrono::seconds lasting)
    : fixture_(fixture), seed_(seed), between_ends_(1000 * revokers / ends_each_second) {
  make_victims(static_cast<int>(lasting.count()) * ends_each_second);
}

void campaign_clients::make_victims(int count) {
  tenant owner;
  for (int i = 0; i < count; ++i) {
    if (i % tokens_of_each == 0) owner = fixture_.fleet().make_tenant();
    auto client = fixture_.client_of(0, owner.token);
    auto const made = body_of(
        until_there([&] { return client.post("/api/cli-tokens", R"({"name":"v)" + std::to_string(i) + R"("})"); }));
    victims_.push_back({text_of(made, "/token/id"), text_of(made, "/token/key"), owner.token});
  }
}

void campaign_clients::start() {
  for (int i = 0; i < triggerers; ++i) enders_.emplace_back([this, i] { trigger(i); });
  for (int i = 0; i < revokers; ++i) enders_.emplace_back([this, i] { revoke(i); });
  for (int i = 0; i < users_of_each * fixture_.instances(); ++i) users_.emplace_back([this, i] { use(i); });
}

void campaign_clients::finish() {
  over_ = true;
  for (auto& thread : enders_) thread.join();
  enders_.clear();
  enough_ = true;
  for (auto& thread : users_) thread.join();
  users_.clear();
}

api_client campaign_clients::any_instance(std::mt19937& dice, std::string const& token) const {
  return fixture_.client_of(within(dice, 0, fixture_.instances() - 1), token);
}

void campaign_clients::note_strange(std::string const& subject, answer const& got) {
  std::lock_guard const lock(mutex_);
  strange_.insert(subject + ": " + std::to_string(got.status) + " " + code_of(got));
}

/// One key after another, each until it is acknowledged, whatever happens to the instances; some are sent again
/// afterwards.
void campaign_clients::trigger(int number) {
  std::mt19937 dice(seed_ + 100 + static_cast<unsigned>(number));
  for (int i = 0; !over_; ++i) {
    auto const key = "late-" + std::to_string(number) + "-" + std::to_string(i);
    int const times = i % repeated_of == 0 ? 2 : 1;
    for (int reported = 0; reported < times;) {
      auto client = any_instance(dice, fixture_.owner().token);
      if (acknowledged(client, key))
        ++reported;
      else
        std::this_thread::sleep_for(again_after);
    }
    repeated_ += times - 1;
    pause(dice, 50, 250);
  }
}

/// True for an unexpected answer, too: repeating would not change it.
bool campaign_clients::acknowledged(api_client& client, std::string const& key) {
  auto const got = ask_timed(client, fixture_.asked(), "trigger a job",
                             {"POST", trigger_path(fixture_.job()), {}, {{"Idempotency-Key", key}}});
  if (got.status == 202) {
    std::lock_guard const lock(mutex_);
    triggered_[key].insert(text_of(body_of(got), "/data/runId"));
    return true;
  }
  bool const expected = got.status == 0 || got.status == 503 || code_of(got) == "idempotency_in_progress";
  if (!expected) note_strange("trigger", got);
  return !expected;
}

/// After a 404 the token has ended, too: an earlier DELETE of ours did it, whose answer was lost.
void campaign_clients::revoke(int number) {
  std::mt19937 dice(seed_ + 200 + static_cast<unsigned>(number));
  int const most = static_cast<int>(2 * between_ends_.count());
  for (pause(dice, 0, most); !over_; pause(dice, 0, most)) {
    int const token = next_++;
    if (token >= static_cast<int>(victims_.size())) return;
    auto const& entry = victims_[static_cast<std::size_t>(token)];
    revocation when{clock::now(), {}};
    for (bool first = true;; first = false) {
      auto client = any_instance(dice, entry.owner);
      auto const got =
          ask_timed(client, fixture_.asked(), "revoke a token", {"DELETE", "/api/cli-tokens/" + entry.id});
      bool const ended = got.status == 204 || (got.status == 404 && !first);
      bool const uncertain = got.status == 0 || got.status == 503;
      if (!ended && !uncertain) note_strange("revocation", got);
      if (!uncertain) break;
      std::this_thread::sleep_for(again_after);
    }
    when.answered = clock::now();
    std::lock_guard const lock(mutex_);
    ends_.emplace(token, when);
  }
}

int campaign_clients::pick_token(std::mt19937& dice) const {
  int const next = next_, last = static_cast<int>(victims_.size()) - 1;
  int const mode = within(dice, 1, 100);
  if (mode <= of_late) return std::clamp(within(dice, next - lately, next), 0, last);
  if (mode <= of_all) return within(dice, 0, std::clamp(next, 0, last));
  return std::clamp(next + within(dice, 0, lately), 0, last);
}

answer campaign_clients::use_once(api_client& client, int token, std::vector<token_use>& into) {
  client.use(victims_[static_cast<std::size_t>(token)].key);
  auto const start = clock::now();
  auto const got = ask_timed(client, fixture_.asked(), "use a token", {"GET", "/api/auth/whoami"});
  into.push_back({token, start, clock::now(), got.status});
  bool const expected = got.status == 200 || got.status == 401 || got.status == 503 || got.status == 0;
  if (!expected) note_strange("use", got);
  return got;
}

/// On one instance. Sometimes it pauses, so that some requests begin while an instance stands still, and are the
/// first that the instance sees when it continues.
void campaign_clients::use(int number) {
  std::mt19937 dice(seed_ + 300 + static_cast<unsigned>(number));
  auto client = fixture_.client_of(number % fixture_.instances(), {});
  std::vector<token_use> seen;
  while (!enough_) {
    use_once(client, pick_token(dice), seen);
    if (within(dice, 1, 100) <= pausing_percent)
      pause(dice, 50, 800);
    else
      pause(dice, 2, 20);
  }
  std::lock_guard const lock(mutex_);
  uses_.insert(uses_.end(), seen.begin(), seen.end());
}

void campaign_clients::try_once_more() {
  for (int i = 0; i < fixture_.instances(); ++i) {
    auto client = fixture_.client_of(i, {});
    for (auto const& [token, when] : ends_)
      until_there([&, &token = token] { return use_once(client, token, uses_); });
  }
}

register_verdict campaign_clients::check_tokens_used() const {
  auto ends = ends_;
  // Tokens that nobody has ended must always be let in.
  for (int i = 0; i < static_cast<int>(victims_.size()); ++i)
    ends.try_emplace(i, revocation{clock::time_point::max(), clock::time_point::max()});
  auto evaluated = uses_;
  auto const undecided =
      std::erase_if(evaluated, [](token_use const& use) { return use.status != 200 && use.status != 401; });
  auto verdict = check_register(ends, evaluated);
  verdict.others = static_cast<int>(undecided);
  std::erase_if(evaluated, [this](token_use const& token_use) { return !ends_.contains(token_use.token); });
  verdict.fewest_after = check_register(ends_, evaluated).fewest_after;
  return verdict;
}

}  // namespace svc::test
