#include "svc/access/epoch_publisher.hpp"

#include "svc/access/admission.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/store/tokens/outbox_store.hpp"

namespace svc::access {
namespace {

constexpr auto marker_life = "30000";  // milliseconds
constexpr milliseconds announce_patience{250};
constexpr milliseconds retry_pause{20};
/// Pause between two checks whether another instance has updated Redis.
constexpr milliseconds look_pause{100};
constexpr milliseconds look_patience{500};

milliseconds since(steady::time_point start) {
  return std::chrono::duration_cast<milliseconds>(steady::now() - start);
}

}  // namespace

/// Tries each that is left once, until one fails: those after it would wait for the same Redis.
task<bool> epoch_publisher::bump(std::vector<subject_epoch>& left, deadline until) {
  while (!left.empty()) {
    if (!co_await bump_epoch(redis_, left.back(), until)) co_return false;
    left.pop_back();
  }
  co_return true;
}

task<bool> epoch_publisher::known_to_others(std::vector<subject_epoch> const& left, deadline until) {
  std::vector<uuid> subjects;
  for (auto const& epoch : left) subjects.push_back(epoch.subject);
  try {
    co_return co_await outbox_.are_published(std::move(subjects), until.within(look_patience));
  } catch (unavailable const&) {
    co_return false;
  }
}

/// True when Redis holds all of them; false when time is up and the answer must leave anyway.
task<bool> epoch_publisher::publish(std::vector<subject_epoch> left, deadline until) {
  steady_timer pause(co_await asio::this_coro::executor);
  auto looked = steady::time_point::min();
  while (!co_await bump(left, until)) {
    if (until.passed()) co_return false;
    if (auto const now = steady::now(); now - look_pause >= looked) {
      looked = now;
      if (co_await known_to_others(left, until)) co_return true;
    }
    pause.expires_after(retry_pause);
    co_await pause.async_wait(awaiting);
  }
  co_return true;
}

task<bool> epoch_publisher::publish(std::vector<subject_epoch> touched) {
  SVC_FAILPOINT("change.after_commit");
  auto const committed = steady::now();
  if (own_ != nullptr) own_->invalidate(touched);
  auto const all = touched.size();
  bool const notified = co_await publish(std::move(touched), deadline(committed + longest_hold_));
  if (notified) {
    propagation_.observe(std::chrono::duration<double>(steady::now() - committed).count());
  } else {
    failures_.add(static_cast<double>(all));
  }
  if (auto const held = since(committed); !notified || held >= look_pause) {
    log::warn(
        "an answer about a change was held until Redis had the change or no worker trusted the old state any more",
        {{"heldMs", held.count()}, {"subjects", all}, {"redisKnows", notified}});
  }
  SVC_FAILPOINT("change.after_raise");
  co_return notified;
}

task<> epoch_publisher::announce(std::vector<sha256_digest> created) {
  for (sha256_digest const digest : created) {
    std::string const key = record_key(digest);
    std::string_view const keys[] = {key};
    std::string_view const arguments[] = {marker_life};
    co_await redis_.evaluate(announce_script(), keys, arguments, deadline::after(announce_patience));
  }
}

}  // namespace svc::access
