#include "svc/egress/http/http_client.hpp"

#include "egress/addresses.hpp"
#include "egress/http/exchange.hpp"
#include "egress/http/multi.hpp"
#include "svc/core/cancelled.hpp"
#include "svc/egress/connection_gate.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace svc::egress {

namespace {

/// A name that libcurl would take for an address would lead to that address, past what was judged.
bool is_name(std::string const& text) {
  auto const read = parse_host(text);
  return read && !read->address && read->name == text;
}

microseconds since(steady::time_point begin) {
  return std::chrono::duration_cast<microseconds>(steady::now() - begin);
}

void fail_with(http_answer& answer, failure why, curl_end const& end = {}) {
  answer.why = why;
  answer.message = sentence_of(why, end);
}

}  // namespace

std::string const* http_answer::field(std::string_view name) const {
  auto const found = std::ranges::find_if(fields, [&](auto const& one) { return one.first == name; });
  return found == fields.end() ? nullptr : &found->second;
}

/// Shared by the client and the requests under way.
class http_client::implementation : public std::enable_shared_from_this<implementation> {
 public:
  implementation(asio::io_context& io, resolver& names, std::shared_ptr<guard const> judge,
                 std::shared_ptr<trust_store const> trust, http_client_settings how)
      : names_(names),
        judge_(std::move(judge)),
        trust_(std::move(trust)),
        how_(std::move(how)),
        multi_(std::make_shared<curl_multi>(io, how_.shares)) {}

  void stop() {
    stopped_ = true;
    multi_->stop();
  }
  task<http_answer> fetch(http_request what, deadline until);

 private:
  /// `into.why` is `none` if an answer came.
  task<> run_hop(http_request const& what, http_hop const& hop, gated_time& time, http_answer& into);
  /// Connects to the addresses once the gate lets it. An address without a place is waited for after the others.
  task<> send_gated(http_request const& what, http_hop const& hop, std::vector<ip_address> to, gated_time& time,
                    http_answer& into);
  /// Returns the addresses that the gate held back, if there was no connection to any other.
  task<std::vector<ip_address>> send(http_request const& what, http_hop const& hop, std::vector<ip_address> to,
                                     deadline until, http_answer& into);

  resolver& names_;
  std::shared_ptr<guard const> const judge_;
  std::shared_ptr<trust_store const> const trust_;
  http_client_settings const how_;
  std::shared_ptr<curl_multi> const multi_;
  bool stopped_ = false;
};

task<std::vector<ip_address>> http_client::implementation::send(http_request const& what, http_hop const& hop,
                                                                std::vector<ip_address> to, deadline until,
                                                                http_answer& into) {
  exchange with(what, hop, to, *judge_, trust_, how_.user_agent);
  if (!with.usable()) {
    fail_with(into, failure::target_invalid);
    co_return std::vector<ip_address>();
  }
  with.begin(until.at() - steady::now());
  curl_multi::transfer transfer(multi_, with.easy());
  co_await transfer.over_by(until.at());
  auto const state = co_await asio::this_coro::cancellation_state;
  if (transfer.code()) {
    auto const end = with.end_of(*transfer.code());
    fail_with(into, failure_of(end), end);
  } else if (transfer.stopped() || is_cancelled(state)) {
    fail_with(into, failure::cancelled);
  } else {
    fail_with(into, timeout_in(with.phase()));
  }
  with.report(into);
  bool const connected = into.why == failure::none || with.phase() != http_phase::connect;
  co_return connected || into.why == failure::cancelled ? std::vector<ip_address>() : with.held_back();
}

task<> http_client::implementation::send_gated(http_request const& what, http_hop const& hop,
                                               std::vector<ip_address> to, gated_time& time, http_answer& into) {
  while (!to.empty()) {
    // The client may have stopped during the wait.
    if (!co_await pass_gate(what.gate, to.front(), hop.url.where.port, time) || stopped_)
      co_return fail_with(into, failure::cancelled);
    to = co_await send(what, hop, std::move(to), time.until, into);
    if (time.until.passed()) co_return;
  }
}

task<> http_client::implementation::run_hop(http_request const& what, http_hop const& hop, gated_time& time,
                                            http_answer& into) {
  into.url = hop.url.to_string();
  into.fields.clear();
  into.body.clear();
  into.certificate.reset();
  into.status = 0;
  into.truncated = false;
  // The resolver may be gone as well.
  if (stopped_) {
    fail_with(into, failure::cancelled);
    co_return;
  }
  auto to = co_await find_judged(names_, *judge_, hop.url.where.at, what.family, time.until, what.address_age);
  into.timings.dns += to.took;
  if (to.why != failure::none)
    fail_with(into, to.why);
  else if (stopped_)
    fail_with(into, failure::cancelled);
  else if (time.until.passed())
    fail_with(into, failure::dns_timeout);
  else
    co_await send_gated(what, hop, std::move(to.all), time, into);
}

task<http_answer> http_client::implementation::fetch(http_request what, deadline until) {
  auto const self = shared_from_this();
  auto const begin = steady::now();
  gated_time time{until};
  http_answer out;
  http_hop hop{.url = what.url, .method = what.method};
  if (!what.tls.server_name.empty() && !is_name(what.tls.server_name)) {
    fail_with(out, failure::target_invalid);
    co_return out;
  }
  for (;;) {
    co_await run_hop(what, hop, time, out);
    auto const* const location = out.field("location");
    if (out.why != failure::none || !what.follow_redirects || !is_redirect(out.status, location)) break;
    if (out.redirects >= what.most_redirects) {
      fail_with(out, failure::redirect_limit);
      break;
    }
    auto next = next_hop(hop, out.status, *location);
    if (!next) {
      fail_with(out, failure::redirect_refused);
      break;
    }
    if (would_leak(what, *next)) {
      out.why = failure::redirect_refused;
      out.message = "A redirect leads to another origin, where a body with variables is not sent.";
      break;
    }
    hop = std::move(*next);
    ++out.redirects;
  }
  out.timings.total = since(begin + time.waited);
  co_return out;
}

http_client::http_client(asio::io_context& io, resolver& names, std::shared_ptr<guard const> judge,
                         std::shared_ptr<trust_store const> trust, http_client_settings how)
    : impl_(std::make_shared<implementation>(io, names, std::move(judge), std::move(trust), std::move(how))) {}

http_client::~http_client() {
  impl_->stop();
}

task<http_answer> http_client::fetch(http_request what, deadline until) {
  return impl_->fetch(std::move(what), until);
}

}  // namespace svc::egress
