#include "svc/auth/epoch_publisher.hpp"

#include "auth/raise_epoch.hpp"
#include "auth/scripts.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"

namespace svc::auth {
namespace {

constexpr auto marker_life = "30000";  // milliseconds
constexpr milliseconds retry_pause{20};

}  // namespace

task<bool> epoch_publisher::raise(subject_epoch one, deadline until) {
  steady_timer pause(co_await asio::this_coro::executor);
  while (true) {
    if (co_await raise_epoch(redis_, one, until)) co_return true;
    if (redis_is_lost_()) co_return false;
    if (until.within(retry_pause).at() >= until.at()) co_return false;
    pause.expires_after(retry_pause);
    co_await pause.async_wait(awaiting);
  }
}

task<> epoch_publisher::publish(std::vector<subject_epoch> touched, deadline until) {
  SVC_FAILPOINT("change.after_commit");
  auto const committed = steady::now();
  bool delivered = true;
  if (own_ != nullptr) own_->forget(touched);
  for (subject_epoch const one : touched) {
    if (!co_await raise(one, until)) {
      delivered = false;
      failures_.add();
      log::warn("an epoch did not reach Redis in time; the outbox holds it", {{"subject", one.subject.to_string()}});
    }
  }
  if (delivered) propagation_.observe(std::chrono::duration<double>(steady::now() - committed).count());
  SVC_FAILPOINT("change.after_raise");
}

task<> epoch_publisher::announce(std::vector<sha256_digest> created, deadline until) {
  for (sha256_digest const digest : created) {
    std::string const key = record_key(digest);
    std::string_view const keys[] = {key};
    std::string_view const arguments[] = {marker_life};
    co_await redis_.evaluate(announce_script(), keys, arguments, until);
  }
}

}  // namespace svc::auth
