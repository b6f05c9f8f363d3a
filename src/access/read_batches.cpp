#include "access/read_batches.hpp"

#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/core/turns.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace svc::access {
namespace {

/// Of a statement. Callers have their own deadlines.
constexpr milliseconds read_patience{2000};

}  // namespace

read_batches::read_batches(asio::io_context& io, store::auth_reader& reader, read_rates rates)
    : io_(io), reader_(reader), unseen_(rates.unseen, 2), seen_(rates.seen, 4) {}

task<read_batches::landed> read_batches::read(sha256_digest digest, read_payer payer) {
  lane& mine = payer.seen ? seen_ : unseen_;
  auto const one = std::make_shared<pending>(io_.get_executor(), digest, deadline(steady::time_point::max()));
  if (!mine.waiting.push(payer.seen ? std::string_view() : payer.address, one))
    throw unavailable("too many tokens wait for being read");
  wake(mine);
  if (!one->decided()) co_await one->over.async_wait(awaiting);
  if (one->failure) std::rethrow_exception(one->failure);
  co_return std::move(*one->verdict);
}

void read_batches::wake(lane& of) {
  if (of.leaving) return;
  of.leaving = true;
  asio::co_spawn(io_, depart(of), asio::detached);
}

task<> read_batches::depart(lane& of) {
  steady_timer pause(io_);
  while (!of.waiting.empty() && of.sent < of.most_sent) {
    // After the handlers that are ready now: their misses come along.
    co_await others_turn();
    if (auto const wait = of.pace.take(steady::now()); wait > steady::duration::zero()) {
      pause.expires_after(wait);
      co_await pause.async_wait(awaiting);
      continue;
    }
    ++of.sent;
    asio::co_spawn(io_, send(of, of.waiting.take(most_digests)), asio::detached);
  }
  of.leaving = false;
}

task<> read_batches::send(lane& of, std::vector<pending_ptr> batch) {
  std::vector<sha256_digest> digests;
  digests.reserve(batch.size());
  for (auto const& one : batch) digests.push_back(one->row);
  store::auth_reading reading;
  std::exception_ptr failed;
  try {
    reading = co_await reader_.read(std::move(digests), deadline::after(read_patience));
  } catch (std::exception const& gone) {
    log::warn("auth reads failed", {{"reads", batch.size()}, {"reason", gone.what()}});
    failed = std::current_exception();
  }
  --of.sent;
  wake(of);
  for (auto const& one : batch) {
    auto const found = reading.records.find(one->row);
    if (failed) {
      one->fail(failed);
    } else if (found == reading.records.end()) {
      one->decide({{}, reading.sent});
    } else if (found->second) {
      one->decide({*found->second, reading.sent});
    } else {
      one->fail(std::make_exception_ptr(unavailable("what is stored of a token cannot be read")));
    }
  }
}

}  // namespace svc::access
