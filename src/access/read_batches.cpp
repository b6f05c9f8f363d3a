#include "access/read_batches.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/core/turns.hpp"

namespace svc::access {

namespace {

/// The deadline of one statement. Callers have their own deadlines.
constexpr milliseconds read_patience{2000};

}  // namespace

read_batches::read_batches(asio::io_context& io, store::auth_reader& reader, read_rates rates)
    : io_(io), reader_(reader), unseen_(rates.unseen, 2), seen_(rates.seen, 4) {}

task<read_batches::read_result> read_batches::read(sha256_digest digest, read_payer payer,
                                                   std::optional<presented_session> session) {
  lane& mine = payer.seen ? seen_ : unseen_;
  auto const own_read = std::make_shared<pending>(io_.get_executor(), asked_record{digest, session},
                                                  deadline(steady::time_point::max()));
  if (!mine.waiting.push(payer.seen ? std::string_view() : payer.address, own_read))
    throw unavailable("too many tokens are waiting to be read");
  wake(mine);
  if (!own_read->decided()) co_await own_read->over.async_wait(awaiting);
  if (own_read->failure) std::rethrow_exception(own_read->failure);
  co_return std::move(*own_read->verdict);
}

void read_batches::wake(lane& lane) {
  if (lane.leaving) return;
  lane.leaving = true;
  spawn_task(io_, depart(lane));
}

task<> read_batches::depart(lane& lane) {
  steady_timer pause(io_);
  while (!lane.waiting.empty() && lane.sent < lane.most_sent) {
    // The pause lets the handlers that are ready now run first, so that their misses join this batch.
    co_await others_turn();
    if (auto const wait = lane.pace.take(steady::now()); wait > steady::duration::zero()) {
      pause.expires_after(wait);
      co_await pause.async_wait(awaiting);
      continue;
    }
    ++lane.sent;
    spawn_task(io_, send(lane, lane.waiting.take(most_digests)));
  }
  lane.leaving = false;
}

task<> read_batches::send(lane& lane, std::vector<pending_ptr> batch) {
  std::vector<pending_ptr> tokens, sessions;
  for (auto& pending : batch) (pending->row.session ? sessions : tokens).push_back(std::move(pending));
  if (!tokens.empty()) co_await answer(std::move(tokens), false);
  if (!sessions.empty()) co_await answer(std::move(sessions), true);
  --lane.sent;
  wake(lane);
}

task<> read_batches::answer(std::vector<pending_ptr> batch, bool sessions) {
  store::auth_reading reading;
  std::exception_ptr failed;
  try {
    auto const until = deadline::after(read_patience);
    if (sessions) {
      std::vector<presented_session> presented;
      presented.reserve(batch.size());
      for (auto const& pending : batch) presented.push_back(*pending->row.session);
      reading = co_await reader_.read_sessions(std::move(presented), until);
    } else {
      std::vector<sha256_digest> digests;
      digests.reserve(batch.size());
      for (auto const& pending : batch) digests.push_back(pending->row.digest);
      reading = co_await reader_.read(std::move(digests), until);
    }
  } catch (std::exception const& gone) {
    log::warn("auth reads failed", {{"reads", batch.size()}, {"reason", gone.what()}});
    failed = std::current_exception();
  }
  for (auto const& pending : batch) {
    auto const found = reading.records.find(pending->row.digest);
    if (failed) {
      pending->fail(failed);
    } else if (found == reading.records.end()) {
      pending->decide({{}, reading.sent});
    } else if (found->second) {
      pending->decide({*found->second, reading.sent});
    } else {
      pending->fail(std::make_exception_ptr(unavailable("the stored row of a token cannot be read")));
    }
  }
}

namespace {

/// The time during which a finished flight can still be joined. A request may have looked for the record in Redis
/// before the record was put there, and in worker memory before it was confirmed. Such a request asks for a read just
/// after another's flight has finished. The time is longer than such a lookup.
constexpr milliseconds linger{200};

}  // namespace

flights::flight_ptr flights::launch(sha256_digest const& digest, read_payer payer, result_listener on_result,
                                    std::optional<presented_session> session) {
  auto f = underway_.lead(digest);
  f->outcome.begun = f->begun;
  spawn_task(io_, fly(digest, std::move(payer), std::move(on_result), f, session));
  return f;
}

task<> flights::fly(sha256_digest digest, read_payer payer, result_listener on_result, flight_ptr f,
                    std::optional<presented_session> session) {
  try {
    auto read = co_await reads_.read(digest, std::move(payer), session);
    SVC_FAILPOINT("auth.after_read");
    f->outcome.sent = read.sent;
    f->outcome.outcome = read.record ? decision::read_outcome::record : decision::read_outcome::unknown;
    if (read.record) f->outcome.record = std::make_shared<token_record const>(std::move(*read.record));
  } catch (std::exception const&) {
    // All waiters get `failed` and answer 503; no waiter may keep waiting for a flight that threw.
    f->outcome.outcome = decision::read_outcome::failed;
  }
  // An absence or a failure is valid only for the requests that waited for it.
  if (!f->outcome.record) underway_.remove(digest, f);
  on_result_(f->outcome);
  if (on_result) on_result(f->outcome);
  underway_.complete(f);
  if (!f->outcome.record) co_return;
  steady_timer over(io_, linger);
  co_await over.async_wait(awaiting);
  underway_.remove(digest, f);
}

void flights::start(sha256_digest digest, std::function<void(auth_read_result const&)> on_result,
                    std::optional<presented_session> session) {
  if (underway_.find(digest)) return;
  launch(digest, {.seen = true}, std::move(on_result), session);
}

task<auth_read_result> flights::join(sha256_digest digest, std::optional<steady::time_point> not_before,
                                     read_payer payer, deadline until, std::optional<presented_session> session) {
  auto f = underway_.find(digest);
  if (!f || (not_before && f->begun < *not_before)) f = launch(digest, std::move(payer), nullptr, session);
  co_await underway::wait(f, until);
  co_return f->done ? f->outcome : auth_read_result{};
}

}  // namespace svc::access
