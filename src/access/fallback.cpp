#include "svc/access/fallback.hpp"

#include "access/decision_log.hpp"
#include "svc/core/log.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace svc::access {

void fallback::join(std::vector<fallback*> const& workers) {
  for (fallback* w : workers) w->workers_ = workers;
}

namespace {

/// A denial that lasts is logged again after this time, by each worker.
constexpr std::chrono::minutes denial_reminder{1};

bool is_about_login(std::string_view refusal) {
  return refusal.find("WRONGPASS") != refusal.npos || refusal.find("NOAUTH") != refusal.npos;
}

std::string_view remedy_of(std::string_view refusal) {
  return is_about_login(refusal)
             ? "set redis.username and redis.password to a user that ACL LIST shows as on, then restart"
             : "run svcd check-config --connect, which names each missing right and the ACL SETUSER that grants it";
}

}  // namespace

bool is_denial(std::string_view refusal) {
  // The last two are the words of Redis 7 and 6 for a right that only a command inside the script lacks.
  return is_about_login(refusal) || refusal.find("NOPERM") != refusal.npos ||
         refusal.find("ACL failure") != refusal.npos || refusal.find("can't run this command") != refusal.npos;
}

void fallback::redis_missed(steady::time_point now) {
  if (breaker_.missed(now)) opened({});
}

void fallback::redis_lost(std::string_view reason) {
  bool const denied = is_denial(reason);
  refusal_ = denied ? reason : std::string_view();
  if (breaker_.lost()) opened(denied ? std::string_view() : reason);
  if (denied) explain(reason, steady::now());
}

void fallback::redis_refused(std::string_view refusal, steady::time_point now) {
  ++refusals_;
  bool const denied = is_denial(refusal);
  bool const opens = denied ? !breaker_.is_open() && breaker_.lost() : breaker_.missed(now);
  if (denied || opens) refusal_ = refusal;
  if (opens) opened(denied ? std::string_view() : refusal);
  if (denied) explain(refusal, now);
}

bool fallback::redis_back(int losses) {
  if (!breaker_.close(losses)) return false;
  refusal_.clear();
  explained_.reset();
  return true;
}

void fallback::opened(std::string_view reason) const {
  constexpr std::string_view sentence = "Redis is lost: deciding by local windows until it is back";
  if (reason.empty()) {
    log::warn(sentence, {{"instances", instances_.load()}});
  } else {
    log::warn(sentence, {{"instances", instances_.load()}, {"reason", reason}});
  }
  if (lost_) lost_();
}

void fallback::explain(std::string_view reason, steady::time_point now) {
  if (explained_ && now < *explained_ + denial_reminder) return;
  explained_ = now;
  log::error("Redis refuses this service: deciding by local windows until it does not",
             {{"reason", reason}, {"action", remedy_of(reason)}});
}

task<std::optional<admission_reply>> fallback::ask(admission& redis, admission_request request, deadline until) {
  if (breaker_.is_open()) co_return std::nullopt;
  auto reply = co_await redis.admit(std::move(request), until);
  if (reply.verdict == admission_verdict::lost) {
    if (!reply.refusal.empty()) {
      redis_refused(reply.refusal);
    } else if (!reply.moving) {
      redis_missed();
    }
  } else {
    breaker_.answered();
  }
  co_return reply;
}

window_limit fallback::share_of(window_limit whole) const {
  return {std::max<std::uint32_t>(1, whole.limit / static_cast<std::uint32_t>(std::max(1, instances_.load()))),
          whole.seconds};
}

local_window& fallback::window_of(class_window const& whole) {
  auto const key = std::make_pair(whole.which, std::make_pair(whole.window.limit, whole.window.seconds));
  auto& window = windows_.try_emplace(key, whole.which, share_of(whole.window)).first->second;
  window.change(share_of(whole.window));
  return window;
}

limit_decision fallback::count(std::string const& subject, class_window const& first,
                               std::optional<class_window> const& also, timestamp now) {
  auto& window = window_of(first);
  auto const time = steady::now();
  auto const decided = window.count(subject, time, now.micros);
  if (!also) return decided;
  auto& other = window_of(*also);
  auto const second = other.count(subject, time, now.micros);
  if (decided.admitted && !second.admitted) window.take_back(subject);
  if (second.admitted && !decided.admitted) other.take_back(subject);
  return shown_of(decided, second);
}

fallback& fallback::owner_of(std::string const& subject) const {
  return *workers_[std::hash<std::string>()(subject) % workers_.size()];
}

task<limit_decision> fallback::decide(std::string subject, class_window first, timestamp now,
                                      std::optional<class_window> also, std::string also_subject) {
  bool const apart = also && !also_subject.empty();
  auto decision = co_await decide_at_owner(subject, first, now, apart ? std::nullopt : also);
  if (apart && decision.admitted) {
    auto const second = co_await decide_at_owner(also_subject, *also, now, std::nullopt);
    if (!second.admitted) {
      auto* const owner = &owner_of(subject);
      asio::post(owner->io_, [owner, subject, first] { owner->window_of(first).take_back(subject); });
    }
    decision = shown_of(decision, second);
  }
  decision_log::record_local(subject, decision);
  co_return decision;
}

/// The windows of one subject, on the worker that owns it.
task<limit_decision> fallback::decide_at_owner(std::string subject, class_window first, timestamp now,
                                               std::optional<class_window> also) {
  fallback* const owner = &owner_of(subject);
  if (owner == this) co_return count(subject, first, also, now);
  auto const ask = [owner, &subject, first, also, now](auto handler) {
    asio::post(owner->io_, [owner, subject, first, also, now, h = std::move(handler)]() mutable {
      auto const d = owner->count(subject, first, also, now);
      auto const back = asio::get_associated_executor(h);
      asio::post(back, [d, h2 = std::move(h)]() mutable { std::move(h2)(d); });
    });
  };
  co_return co_await asio::async_initiate<asio::use_awaitable_t<executor> const, void(limit_decision)>(
      ask, asio::use_awaitable_t<executor>{});
}

}  // namespace svc::access
