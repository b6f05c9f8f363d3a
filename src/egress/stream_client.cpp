#include "svc/egress/stream_client.hpp"

#include "egress/addresses.hpp"
#include "egress/http/exchange.hpp"
#include "egress/http/multi.hpp"
#include "egress/socket_watch.hpp"
#include "svc/egress/connection_gate.hpp"

#include <boost/asio/this_coro.hpp>

#include <array>
#include <utility>

namespace svc::egress {

namespace {

using wait_for = asio::posix::descriptor_base;

void end_with(stream_answer& answer, failure failure, curl_end const& end = {}) {
  answer.error = failure;
  answer.message = sentence_of(failure, end);
}

/// A socket that libcurl owns, watched here.
class borrowed_slot {
 public:
  borrowed_slot(asio::io_context& io, int socket) : watched_(std::make_shared<descriptor>(io, socket)) {}
  ~borrowed_slot() { watched_->release(); }
  borrowed_slot(borrowed_slot const&) = delete;
  borrowed_slot& operator=(borrowed_slot const&) = delete;
  std::shared_ptr<descriptor> const& get() const { return watched_; }

 private:
  std::shared_ptr<descriptor> watched_;
};

/// The exchange of bytes on the connection.
class stream_exchange {
 public:
  stream_exchange(stream_request const& request, exchange& exchange, borrowed_slot const& socket,
                  steady::time_point until, stream_answer& into)
      : request_(request), exchange_(exchange), socket_(socket), until_(until), into_(into) {}

  /// Stores the outcome in `into`.
  task<> run() {
    auto const begin = steady::now();
    std::string_view left = request_.send;
    while (!left.empty()) {
      auto const done = exchange_.write(left);
      if (done && *done < 0) co_return end_with(into_, failure::connect_reset);
      if (done) left.remove_prefix(static_cast<std::size_t>(*done));
      if (!done && !co_await may_go_on(wait_for::wait_write)) co_return;
    }
    if (!request_.enough) co_return end_with(into_, failure::none);
    while (read_some(begin))
      if (!co_await may_go_on(wait_for::wait_read)) co_return;
  }

 private:
  /// Reads the available bytes; returns false once the exchange is over.
  bool read_some(steady::time_point begin) {
    for (;;) {
      std::array<char, 4096> buffer{};
      auto const room = std::min(buffer.size(), request_.most_bytes - into_.received.size());
      auto const got = exchange_.read(std::span(buffer).first(room));
      if (!got) return true;
      if (*got <= 0) return over(failure::connect_reset);
      if (into_.received.empty())
        into_.timings.first_byte = std::chrono::duration_cast<microseconds>(steady::now() - begin);
      into_.received.append(buffer.data(), static_cast<std::size_t>(*got));
      if (request_.enough(into_.received)) return over(failure::none);
      if (into_.received.size() >= request_.most_bytes) return over(failure::http_invalid);
    }
  }
  bool over(failure failure) {
    end_with(into_, failure);
    return false;
  }
  task<bool> may_go_on(wait_for::wait_type direction) {
    auto const owner = working_for();
    bool const good = co_await ready(socket_.get(), direction, until_);
    work_for(owner);
    if (is_cancelled(co_await asio::this_coro::cancellation_state)) co_return over(failure::cancelled);
    if (good) co_return true;
    co_return over(into_.received.empty() ? failure::first_byte_timeout : failure::body_timeout);
  }

  stream_request const& request_;
  exchange& exchange_;
  borrowed_slot const& socket_;
  steady::time_point until_;
  stream_answer& into_;
};

void report(exchange& exchange, stream_answer& answer) {
  http_answer known;
  exchange.report(known);
  answer.timings.connect += known.timings.connect;
  answer.timings.tls += known.timings.tls;
  answer.address = known.address;
  answer.certificate = known.certificate;
}

/// Connects to the first of the addresses that answers, and runs the exchange on the connection. Returns the
/// addresses that the gate held back, if no other address could be connected.
task<std::vector<ip_address>> connect_and_talk(asio::io_context& io, work_scheduler* shares,
                                               stream_request const& request, exchange& exchange, deadline until,
                                               stream_answer& into) {
  exchange.only_connect();
  exchange.begin(until.at() - steady::now());
  // The connection has its own multi handle. A shared one would take a connection without a transfer for a dead one.
  auto const multi = std::make_shared<curl_multi>(io, shares);
  curl_multi::transfer transfer(multi, exchange.easy());
  co_await transfer.over_by(until.at());
  bool const cancelled = is_cancelled(co_await asio::this_coro::cancellation_state);
  auto const end = exchange.end_of(transfer.code().value_or(CURLE_OPERATION_TIMEDOUT));
  auto const failure = cancelled         ? failure::cancelled
                       : transfer.code() ? failure_of(end)
                                         : timeout_in(exchange.phase());
  report(exchange, into);
  if (failure != failure::none) {
    end_with(into, failure, end);
    co_return cancelled || exchange.phase() != http_phase::connect ? std::vector<ip_address>() : exchange.held_back();
  }
  into.connected = true;
  borrowed_slot const socket(io, exchange.socket());
  stream_exchange talk(request, exchange, socket, until.at(), into);
  co_await talk.run();
  co_return std::vector<ip_address>();
}

}  // namespace

task<stream_answer> stream_client::talk(stream_request request, deadline until) {
  stream_answer out;
  auto const begin = steady::now();
  gated_time time{until};
  auto addresses = co_await find_allowed(names_, *policy_, request.host, request.family, until, request.address_age);
  out.timings.dns = addresses.took;
  if (addresses.error != failure::none || until.passed()) {
    end_with(out, addresses.error != failure::none ? addresses.error : failure::dns_timeout);
    co_return out;
  }
  http_request const shape{.url = {.where = {request.tls, request.host, request.port}}, .gate = request.gate};
  http_hop const hop{.url = shape.url, .method = "GET"};
  while (!addresses.all.empty()) {
    if (!co_await pass_gate(request.gate, addresses.all.front(), request.port, time)) {
      end_with(out, failure::cancelled);
      co_return out;
    }
    exchange exchange(shape, hop, addresses.all, *policy_, trust_, {});
    addresses.all = co_await connect_and_talk(io_, shares_, request, exchange, time.until, out);
    if (time.until.passed()) break;
  }
  out.timings.total = std::chrono::duration_cast<microseconds>(steady::now() - begin - time.waited);
  co_return out;
}

}  // namespace svc::egress
