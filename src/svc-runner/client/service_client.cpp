#include "svc-runner/client/service_client.hpp"

#include "svc/core/backoff.hpp"
#include "svc/core/log.hpp"
#include "svc/core/random.hpp"

namespace svc::runner {
namespace {

/// The service is temporarily unavailable, busy or broken.
bool passes_by(int status) {
  return status == 408 || status == 429 || status >= 500;
}

}  // namespace

claim_verdict verdict_of(http_reply const& reply) {
  if (reply.status >= 200 && reply.status < 300) return claim_verdict::done;
  // A run that is unknown has been deleted, or never was this runner's.
  return reply.status == 409 || reply.status == 404 ? claim_verdict::lost : claim_verdict::refused;
}

service_client::connection_ptr service_client::take() {
  if (idle_.empty()) return std::make_unique<http_connection>(io_, where_, tls_);
  auto out = std::move(idle_.back());
  idle_.pop_back();
  return out;
}

void service_client::put_back(connection_ptr used) {
  if (used->open() && idle_.size() < most_idle) idle_.push_back(std::move(used));
}

task<http_reply> service_client::post_over(http_connection& own, std::string target, std::string body,
                                           milliseconds patience) {
  auto reply = co_await own.post(std::move(target), std::move(body), token_, deadline::after(patience));
  if (reply.status == 401) throw token_refused("the service does not accept the token: " + read_error(reply.body));
  co_return reply;
}

task<http_reply> service_client::post(std::string target, std::string body, milliseconds patience) {
  auto connection = take();
  bool const used_before = connection->open();
  bool stale = false;
  http_reply reply;
  try {
    reply = co_await post_over(*connection, target, body, patience);
  } catch (connection_lost const&) {
    // An idle connection may have been closed by the other side; that says nothing about the service.
    if (!used_before) throw;
    stale = true;
  }
  if (stale) {
    idle_.clear();
    reply = co_await post_over(*connection, std::move(target), std::move(body), patience);
  }
  put_back(std::move(connection));
  co_return reply;
}

task<std::optional<http_reply>> service_client::insist(std::string target, std::string body, milliseconds patience,
                                                       http_connection* own, give_up enough) {
  backoff pause(milliseconds(100), milliseconds(5000));
  for (int attempt = 1; !enough(); ++attempt) {
    milliseconds asked{0};
    std::string reason;
    try {
      auto reply =
          own != nullptr ? co_await post_over(*own, target, body, patience) : co_await post(target, body, patience);
      answered_ = true;
      if (!passes_by(reply.status)) co_return reply;
      reason = "status " + std::to_string(reply.status);
      asked = reply.retry_after;
    } catch (untrusted_service const& e) {
      if (!answered_) throw;
      reason = e.what();
    } catch (connection_lost const& e) {
      reason = e.what();
    }
    if (enough()) break;
    // A single failure is usual (a restart) once the service has answered; a lasting failure is worth a line now and
    // then.
    if (attempt == (answered_ ? 2 : 1) || attempt % 20 == 0)
      log::warn("the service does not answer", {{"request", target}, {"reason", reason}, {"attempt", attempt}});
    // At least as long as the service asked for (`Retry-After`).
    co_await sleep(std::max(asked, pause.next(random_fraction())));
  }
  co_return std::nullopt;
}

task<> service_client::sleep(milliseconds how_long) {
  steady_timer timer(io_.get_executor());
  timer.expires_after(how_long);
  static_cast<void>(co_await timer.async_wait(awaiting));
}

}  // namespace svc::runner
