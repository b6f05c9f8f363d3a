#include "access/flights.hpp"

#include "svc/core/failpoint.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace svc::access {
namespace {

/// A request that looked for the record in Redis before it was put there, and in worker memory before it was
/// proven, comes for a read of its own just after another's has landed. Longer than such a look takes.
constexpr milliseconds linger{200};

}  // namespace

flights::flight_ptr flights::launch(sha256_digest const& digest, read_payer payer) {
  auto f = std::make_shared<flight>();
  f->outcome.begun = steady::now();
  underway_[digest] = f;
  asio::co_spawn(io_, fly(digest, std::move(payer), f), asio::detached);
  return f;
}

task<> flights::fly(sha256_digest digest, read_payer payer, flight_ptr f) {
  try {
    auto read = co_await reads_.read(digest, std::move(payer));
    SVC_FAILPOINT("auth.after_read");
    f->outcome.sent = read.sent;
    f->outcome.what = read.record ? decision::read_outcome::record : decision::read_outcome::unknown;
    if (read.record) f->outcome.record = std::make_shared<token_record const>(std::move(*read.record));
  } catch (std::exception const&) {
    // Whoever waits gets `failed` and answers 503; nobody may wait for a flight that crashed.
    f->outcome.what = decision::read_outcome::failed;
  }
  f->landed = true;
  // An absence or a failure is nobody's but of those who waited for it.
  if (!f->outcome.record) forget(digest, f);
  landed_(f->outcome);
  if (f->landed_for) f->landed_for(f->outcome);
  for (steady_timer* timer : f->waiting) timer->cancel();
  if (!f->outcome.record) co_return;
  steady_timer over(io_, linger);
  co_await over.async_wait(awaiting);
  forget(digest, f);
}

void flights::forget(sha256_digest const& digest, flight_ptr const& f) {
  if (auto const mine = underway_.find(digest); mine != underway_.end() && mine->second == f) underway_.erase(mine);
}

void flights::start(sha256_digest digest, std::function<void(flown const&)> landed_for) {
  if (underway_.contains(digest)) return;
  launch(digest, {.seen = true})->landed_for = std::move(landed_for);
}

task<flown> flights::join(sha256_digest digest, std::optional<steady::time_point> not_before, read_payer payer,
                          deadline until) {
  flight_ptr f;
  auto const found = underway_.find(digest);
  if (found != underway_.end() && (!not_before || found->second->outcome.begun >= *not_before)) {
    f = found->second;
  } else {
    f = launch(digest, std::move(payer));
  }
  steady_timer timer(io_, until.at());
  auto const place = f->waiting.insert(f->waiting.end(), &timer);
  if (!f->landed) co_await timer.async_wait(awaiting);
  f->waiting.erase(place);
  co_return f->landed ? f->outcome : flown{};
}

}  // namespace svc::access
