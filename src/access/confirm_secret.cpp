#include "svc/access/confirm_secret.hpp"

#include "svc/access/epoch_publisher.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/store/tokens/token_store.hpp"

#include <boost/asio/this_coro.hpp>

namespace svc::access {
namespace {

/// Only part of a request's time: a request whose confirmation is late must still be served.
constexpr milliseconds confirm_patience{1000};

}  // namespace

secret_confirmer::flight_ptr secret_confirmer::launch(sha256_digest const& secret, principal const& caller,
                                                      audit_actor actor, executor executor) {
  auto f = underway_.lead(secret);
  spawn_task(executor, fly(secret, caller, std::move(actor), f));
  return f;
}

/// A task of its own: a client that disconnects does not cancel it for the others.
task<> secret_confirmer::fly(sha256_digest secret, principal caller, audit_actor actor, flight_ptr f) {
  try {
    auto done = co_await tokens_.confirm({caller.project_id, caller.job_id}, caller.token_id, secret,
                                         std::move(actor), deadline::after(confirm_patience));
    f->outcome.touched = std::move(done.touched);
  } catch (write_refused const& late) {
    f->outcome.refused = late.code();
  } catch (std::exception const& gone) {
    log::warn("a first use could not be confirmed; the next one will be",
              {{"token", caller.token_id.to_string()}, {"reason", gone.what()}});
  }
  underway_.remove(secret, f);
  underway_.complete(f);
}

task<> secret_confirmer::confirm(sha256_digest secret, auth_record record, audit_actor actor, deadline until) {
  auto const executor = co_await asio::this_coro::executor;
  deadline const patience = until.within(confirm_patience);
  flight_ptr f = underway_.find(secret);
  if (!f) f = launch(secret, record->caller, std::move(actor), executor);
  co_await flights::wait(f, patience);
  auto const& [touched, refused] = f->outcome;
  if (refused) throw write_refused(*refused);
  // No matter which request made the change: an answer to the new secret reveals it, and must not leave before Redis
  // knows.
  if (!touched.empty()) co_await changes_.publish(touched);
}

}  // namespace svc::access
