#include "svc/egress/stream_client.hpp"

#include "egress/addresses.hpp"
#include "egress/http/exchange.hpp"
#include "egress/http/multi.hpp"
#include "egress/ready.hpp"
#include "svc/egress/connection_gate.hpp"

#include <boost/asio/this_coro.hpp>

#include <array>
#include <utility>

namespace svc::egress {

namespace {

using wait_for = asio::posix::descriptor_base;

void end_with(stream_answer& answer, failure why, curl_end const& end = {}) {
  answer.why = why;
  answer.message = sentence_of(why, end);
}

/// A socket of libcurl's, watched but not owned.
class borrowed {
 public:
  borrowed(asio::io_context& io, int socket) : watched_(std::make_shared<descriptor>(io, socket)) {}
  ~borrowed() { watched_->release(); }
  borrowed(borrowed const&) = delete;
  borrowed& operator=(borrowed const&) = delete;
  std::shared_ptr<descriptor> const& get() const { return watched_; }

 private:
  std::shared_ptr<descriptor> watched_;
};

/// What is said on the connection.
class conversation {
 public:
  conversation(stream_request const& what, exchange& with, borrowed const& socket, steady::time_point until,
               stream_answer& into)
      : what_(what), with_(with), socket_(socket), until_(until), into_(into) {}

  /// `into.why` says how it ended.
  task<> run() {
    auto const begin = steady::now();
    std::string_view left = what_.send;
    while (!left.empty()) {
      auto const done = with_.write(left);
      if (done && *done < 0) co_return end_with(into_, failure::connect_reset);
      if (done) left.remove_prefix(static_cast<std::size_t>(*done));
      if (!done && !co_await may_go_on(wait_for::wait_write)) co_return;
    }
    if (!what_.enough) co_return end_with(into_, failure::none);
    while (read_some(begin))
      if (!co_await may_go_on(wait_for::wait_read)) co_return;
  }

 private:
  /// Reads what is there; false once it is over.
  bool read_some(steady::time_point begin) {
    for (;;) {
      std::array<char, 4096> buffer{};
      auto const room = std::min(buffer.size(), what_.most_bytes - into_.received.size());
      auto const got = with_.read(std::span(buffer).first(room));
      if (!got) return true;
      if (*got <= 0) return over(failure::connect_reset);
      if (into_.received.empty())
        into_.timings.first_byte = std::chrono::duration_cast<microseconds>(steady::now() - begin);
      into_.received.append(buffer.data(), static_cast<std::size_t>(*got));
      if (what_.enough(into_.received)) return over(failure::none);
      if (into_.received.size() >= what_.most_bytes) return over(failure::http_invalid);
    }
  }
  bool over(failure why) {
    end_with(into_, why);
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

  stream_request const& what_;
  exchange& with_;
  borrowed const& socket_;
  steady::time_point until_;
  stream_answer& into_;
};

void report(exchange& from, stream_answer& to) {
  http_answer known;
  from.report(known);
  to.timings.connect += known.timings.connect;
  to.timings.tls += known.timings.tls;
  to.address = known.address;
  to.certificate = known.certificate;
}

/// One connection to the first of these addresses that answers, and what is said on it. Returns the addresses that
/// the gate held back, if there was no connection to any other.
task<std::vector<ip_address>> connect_and_talk(asio::io_context& io, work_scheduler* shares,
                                               stream_request const& what, exchange& with, deadline until,
                                               stream_answer& into) {
  with.only_connect();
  with.begin(until.at() - steady::now());
  // A multi handle of its own: others would take a connection that is in no transfer for a dead one.
  auto const multi = std::make_shared<curl_multi>(io, shares);
  curl_multi::transfer transfer(multi, with.easy());
  co_await transfer.over_by(until.at());
  bool const cancelled = is_cancelled(co_await asio::this_coro::cancellation_state);
  auto const end = with.end_of(transfer.code().value_or(CURLE_OPERATION_TIMEDOUT));
  auto const why = cancelled ? failure::cancelled : transfer.code() ? failure_of(end) : timeout_in(with.phase());
  report(with, into);
  if (why != failure::none) {
    end_with(into, why, end);
    co_return cancelled || with.phase() != http_phase::connect ? std::vector<ip_address>() : with.held_back();
  }
  into.connected = true;
  borrowed const socket(io, with.socket());
  conversation talk(what, with, socket, until.at(), into);
  co_await talk.run();
  co_return std::vector<ip_address>();
}

}  // namespace

task<stream_answer> stream_client::talk(stream_request what, deadline until) {
  stream_answer out;
  auto const begin = steady::now();
  gated_time time{until};
  auto to = co_await find_judged(names_, *judge_, what.at, what.family, until, what.address_age);
  out.timings.dns = to.took;
  if (to.why != failure::none || until.passed()) {
    end_with(out, to.why != failure::none ? to.why : failure::dns_timeout);
    co_return out;
  }
  http_request const shape{.url = {.where = {what.tls, what.at, what.port}}, .gate = what.gate};
  http_hop const hop{.url = shape.url, .method = "GET"};
  while (!to.all.empty()) {
    if (!co_await pass_gate(what.gate, to.all.front(), what.port, time)) {
      end_with(out, failure::cancelled);
      co_return out;
    }
    exchange with(shape, hop, to.all, *judge_, trust_, {});
    to.all = co_await connect_and_talk(io_, shares_, what, with, time.until, out);
    if (time.until.passed()) break;
  }
  out.timings.total = std::chrono::duration_cast<microseconds>(steady::now() - begin - time.waited);
  co_return out;
}

}  // namespace svc::egress
