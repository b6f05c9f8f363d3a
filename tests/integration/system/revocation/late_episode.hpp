#pragma once

#include "late_users.hpp"
#include "support/decisions.hpp"

#include <iterator>
#include <sstream>

namespace svc::test {

using std::chrono::microseconds;

/// Time limit of changes: 1.5 s after COMMIT, and the rest of the request.
constexpr milliseconds answers_within{2500};

/// The results of all episodes of a case.
struct late_report {
  register_verdict sum{.fewest_after = INT32_MAX};
  std::vector<milliseconds> took{};
  std::string failures{}, traces{}, repeats{}, slow{};
  std::map<std::string, int> late{};  ///< changes with late uses, by kind
  int traced = 0, unanswered = 0;
  int losses = 0;  ///< number of times that a worker logged the loss of Redis
  int held = 0;    ///< answers that were held until Redis knew, by the log

  void add(register_verdict const& verdict) {
    sum.accepted_after += verdict.accepted_after;
    sum.refused_before += verdict.refused_before;
    sum.others += verdict.others;
    sum.before += verdict.before;
    sum.during += verdict.during;
    sum.fewest_after = std::min(sum.fewest_after, verdict.fewest_after);
  }
};

/// Changes that are made at given times while users use the tokens and a store fails. Create it on the main thread,
/// set the time of each change, start it, cause the fault, and finish it.
class late_episode {
 public:
  late_episode(late_fixture& fixture, std::vector<late_change> changes, int first_token, std::mt19937& dice)
      : durations(changes.size()),
        changes_(std::move(changes)),
        moments_(changes_.size()),
        first_token_(first_token),
        fixture_(fixture),
        dice_(dice),
        users_(fixture, changes_, first_token) {
    REQUIRE(comes_true([&] { return users_.warm(); }, patience));
  }
  ~late_episode() {
    for (auto& t : threads_)
      if (t.joinable()) t.join();
  }
  late_episode(late_episode const&) = delete;
  late_episode& operator=(late_episode const&) = delete;

  std::vector<microseconds> durations;  ///< the time of each change, from the start

  late_fixture& fixture() { return fixture_; }
  microseconds draw(microseconds first, microseconds last) {
    return microseconds(std::uniform_int_distribution<long long>(first.count(), last.count())(dice_));
  }
  bool happens(double chance) { return std::uniform_real_distribution<>(0, 1)(dice_) < chance; }

  void go() {
    start_ = clock::now();
    for (std::size_t i = 0; i < changes_.size(); ++i) threads_.emplace_back([this, i] { make(i); });
  }
  void sleep_until(microseconds behind_start) const { std::this_thread::sleep_until(start_ + behind_start); }
  /// Waits until this number of changes was answered. Timing matters, so the wait keeps a processor busy.
  void await_answers(int count) const {
    auto const until = clock::now() + patience;
    while (answered_ < count && clock::now() < until) std::this_thread::yield();
  }
  /// Records an event for the trace of a late use.
  void mark(std::string subject) { events_.emplace_back(std::move(subject), clock::now()); }

  /// Finishes the episode. Call it after all changes, once Redis is trusted everywhere again.
  void finish(late_report& into) {
    for (auto& t : threads_) t.join();
    // This is longer than a worker takes to report that it no longer trusts Redis.
    std::this_thread::sleep_for(milliseconds(250));
    CHECK(comes_true([&] { return fixture_.trusts(); }, patience));
    std::this_thread::sleep_for(milliseconds(100));
    auto const& by_user = users_.stop();
    std::map<int, revocation> ended;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (is_answered(i, into)) ended[first_token_ + static_cast<int>(i)] = {moments_[i].asked, moments_[i].answered};
    }
    std::vector<token_use> all;
    for (auto const& uses : by_user) {
      std::copy_if(uses.begin(), uses.end(), std::back_inserter(all),
                   [&](auto const& use) { return ended.contains(use.token); });
    }
    if (!ended.empty()) into.add(check_register(ended, all));
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (!ended.contains(first_token_ + static_cast<int>(i))) continue;
      into.took.push_back(std::chrono::duration_cast<milliseconds>(moments_[i].answered - moments_[i].asked));
      if (into.took.back() > answers_within) into.slow += describe(i) + "\n";
      trace(i, by_user, into);
    }
  }

 private:
  struct moments {
    clock::time_point asked{}, answered{};
    std::string failure{};
  };

  /// Returns true unless PostgreSQL did not answer a command in time, because such a command announces no change.
  bool is_answered(std::size_t i, late_report& into) const {
    auto const& failure = moments_[i].failure;
    if (failure.empty()) return true;
    if (failure.find("svcd: PostgreSQL: ") != failure.npos) {
      ++into.unanswered;
    } else {
      into.failures += failure;
    }
    return false;
  }

  void make(std::size_t i) {
    sleep_until(durations[i]);
    auto& mine = moments_[i];
    mine.asked = clock::now();
    mine.failure = changes_[i].ending.end();
    mine.answered = clock::now();
    users_.answered(i);
    ++answered_;
  }

  static double millis(clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

  std::string describe(std::size_t i) const {
    auto const& when = moments_[i];
    std::ostringstream text;
    text << changes_[i].ending.kind << " through " << changes_[i].through << ", answered after "
         << millis(when.answered - when.asked) << " ms";
    for (auto const& [content, at_moment] : events_) {
      text << "; " << content << " at " << millis(at_moment - when.answered) << " ms";
    }
    return text.str();
  }

  void trace(std::size_t i, std::vector<std::vector<token_use>> const& by_user, late_report& into) const {
    auto const answered = moments_[i].answered;
    std::vector<int> of_instance(late_fixture::instances);
    token_use first{.start = clock::time_point::max()}, last{};
    for (std::size_t user = 0; user < by_user.size(); ++user) {
      for (auto const& use : by_user[user]) {
        bool const mine = use.token == first_token_ + static_cast<int>(i);
        if (!mine || use.status != 200 || use.start < answered) continue;
        ++of_instance[user / users_of_instance];
        if (use.start < first.start) first = use;
        if (use.start > last.start) last = use;
      }
    }
    if (last.start == clock::time_point{}) return;
    ++into.late[changes_[i].ending.kind];
    if (++into.traced > most_traces) return;
    std::ostringstream text;
    text << describe(i) << "; late uses by instance:";
    for (auto const count : of_instance) text << ' ' << count;
    text << "; the first began " << millis(first.start - answered) << " ms after the answer and took "
         << millis(first.end - first.start) << " ms, the last began at " << millis(last.start - answered) << " ms";
    into.traces += text.str() + decisions(changes_[i].subject, first.start, last.end) + "\n";
  }

  /// Returns the decision log's lines on a subject's uses between these times.
  std::string decisions(std::string const& subject, clock::time_point start, clock::time_point end) const {
    auto const offset = std::chrono::system_clock::now().time_since_epoch() - clock::now().time_since_epoch();
    auto const micros = [&](clock::time_point t) {
      return std::chrono::duration_cast<microseconds>(t.time_since_epoch() + offset).count();
    };
    std::map<std::string, int> count;
    for (auto const& d : read_decisions(fixture_.fleet.decision_log(), subject, "cli"))
      if (d.micros >= micros(start) && d.micros <= micros(end)) ++count[d.verdict + " " + d.where];
    std::string text = "; decisions meanwhile:";
    for (auto const& [content, times] : count) text += " " + std::to_string(times) + " " + content + ",";
    return text;
  }

  static constexpr int most_traces = 12;

  std::vector<late_change> changes_;
  std::vector<moments> moments_;
  int first_token_;
  late_fixture& fixture_;
  std::mt19937& dice_;
  clock::time_point start_{};
  std::atomic<int> answered_{0};
  std::vector<std::pair<std::string, clock::time_point>> events_{};
  std::vector<std::thread> threads_{};
  restless_users users_;
};

}  // namespace svc::test
