#include "svc/access/confirm_secret.hpp"

#include "svc/access/epoch_publisher.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/store/token_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include <list>
#include <optional>

namespace svc::access {
namespace {

/// Part of a request's time only: a request whose confirmation is late still has to be served.
constexpr milliseconds confirm_patience{1000};

}  // namespace

struct secret_confirmer::flight {
  bool landed = false;
  std::vector<subject_epoch> touched{};
  std::optional<errc> refused{};
  std::list<steady_timer*> waiting{};
};

secret_confirmer::flight_ptr secret_confirmer::launch(sha256_digest const& secret, principal const& who,
                                                      audit_actor by, executor on) {
  auto f = std::make_shared<flight>();
  underway_[secret] = f;
  asio::co_spawn(on, fly(secret, who, std::move(by), f), asio::detached);
  return f;
}

/// A task of its own: no client that goes away cancels it for the others.
task<> secret_confirmer::fly(sha256_digest secret, principal who, audit_actor by, flight_ptr f) {
  try {
    auto done = co_await tokens_.confirm({who.project_id, who.job_id}, who.token_id, secret, std::move(by),
                                         deadline::after(confirm_patience));
    f->touched = std::move(done.touched);
  } catch (write_refused const& late) {
    f->refused = late.code();
  } catch (std::exception const& gone) {
    log::warn("a first use could not be confirmed; the next one will be",
              {{"token", who.token_id.to_string()}, {"reason", gone.what()}});
  }
  f->landed = true;
  underway_.erase(secret);
  for (steady_timer* timer : f->waiting) timer->cancel();
}

task<> secret_confirmer::confirm(sha256_digest secret, auth_record record, audit_actor by, deadline until) {
  auto const on = co_await asio::this_coro::executor;
  deadline const patience = until.within(confirm_patience);
  auto const found = underway_.find(secret);
  flight_ptr const f = found != underway_.end() ? found->second : launch(secret, record->who, std::move(by), on);
  steady_timer timer(on, patience.at());
  auto const place = f->waiting.insert(f->waiting.end(), &timer);
  if (!f->landed) co_await timer.async_wait(awaiting);
  f->waiting.erase(place);
  if (f->refused) throw write_refused(*f->refused);
  // Whoever made the change: an answer to the new secret tells of it, and must not leave before Redis knows.
  if (!f->touched.empty()) co_await changes_.publish(f->touched);
}

}  // namespace svc::access
