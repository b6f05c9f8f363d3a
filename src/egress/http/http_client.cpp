#include "svc/egress/http/http_client.hpp"

#include "egress/addresses.hpp"
#include "egress/http/exchange.hpp"
#include "egress/http/multi.hpp"
#include "svc/core/async.hpp"
#include "svc/egress/connection_gate.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace svc::egress {

namespace {

/// A name that libcurl took for an address would lead to that address, which was not checked.
bool is_name(std::string const& text) {
  auto const read = parse_host(text);
  return read && !read->address && read->name == text;
}

microseconds since(steady::time_point begin) {
  return std::chrono::duration_cast<microseconds>(steady::now() - begin);
}

void fail_with(http_answer& answer, failure failure, curl_end const& end = {}) {
  answer.error = failure;
  answer.message = sentence_of(failure, end);
}

}  // namespace

std::string const* http_answer::field(std::string_view name) const {
  auto const found = std::ranges::find_if(fields, [&](auto const& entry) { return entry.first == name; });
  return found == fields.end() ? nullptr : &found->second;
}

/// Shared by the client and the requests under way.
class http_client::implementation : public std::enable_shared_from_this<implementation> {
 public:
  implementation(asio::io_context& io, resolver& names, std::shared_ptr<address_policy const> policy,
                 std::shared_ptr<trust_store const> trust, http_client_settings settings)
      : names_(names),
        policy_(std::move(policy)),
        trust_(std::move(trust)),
        settings_(std::move(settings)),
        multi_(std::make_shared<curl_multi>(io, settings_.shares)) {}

  void stop() {
    stopped_ = true;
    multi_->stop();
  }
  task<http_answer> fetch(http_request request, deadline until);

 private:
  /// `into.why` is `none` if an answer came.
  task<> run_hop(http_request const& request, http_hop const& hop, gated_time& time, http_answer& into);
  /// Connects to the addresses once the gate lets it. An address without a place is waited for after the others.
  task<> send_gated(http_request const& request, http_hop const& hop, std::vector<ip_address> addresses,
                    gated_time& time, http_answer& into);
  /// Returns the addresses that the gate held back, if there was no connection to any other.
  task<std::vector<ip_address>> send(http_request const& request, http_hop const& hop,
                                     std::vector<ip_address> addresses, deadline until, http_answer& into);

  resolver& names_;
  std::shared_ptr<address_policy const> const policy_;
  std::shared_ptr<trust_store const> const trust_;
  http_client_settings const settings_;
  std::shared_ptr<curl_multi> const multi_;
  bool stopped_ = false;
};

task<std::vector<ip_address>> http_client::implementation::send(http_request const& request, http_hop const& hop,
                                                                std::vector<ip_address> addresses, deadline until,
                                                                http_answer& into) {
  exchange exchange(request, hop, addresses, *policy_, trust_, settings_.user_agent);
  if (!exchange.usable()) {
    fail_with(into, failure::target_invalid);
    co_return std::vector<ip_address>();
  }
  exchange.begin(until.at() - steady::now());
  curl_multi::transfer transfer(multi_, exchange.easy());
  co_await transfer.over_by(until.at());
  auto const state = co_await asio::this_coro::cancellation_state;
  if (transfer.code()) {
    auto const end = exchange.end_of(*transfer.code());
    fail_with(into, failure_of(end), end);
  } else if (transfer.stopped() || is_cancelled(state)) {
    fail_with(into, failure::cancelled);
  } else {
    fail_with(into, timeout_in(exchange.phase()));
  }
  exchange.report(into);
  bool const connected = into.error == failure::none || exchange.phase() != http_phase::connect;
  co_return connected || into.error == failure::cancelled ? std::vector<ip_address>() : exchange.held_back();
}

task<> http_client::implementation::send_gated(http_request const& request, http_hop const& hop,
                                               std::vector<ip_address> addresses, gated_time& time,
                                               http_answer& into) {
  while (!addresses.empty()) {
    // The client may have stopped during the wait.
    if (!co_await pass_gate(request.gate, addresses.front(), hop.url.where.port, time) || stopped_)
      co_return fail_with(into, failure::cancelled);
    addresses = co_await send(request, hop, std::move(addresses), time.until, into);
    if (time.until.passed()) co_return;
  }
}

task<> http_client::implementation::run_hop(http_request const& request, http_hop const& hop, gated_time& time,
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
  auto addresses =
      co_await find_allowed(names_, *policy_, hop.url.where.host, request.family, time.until, request.address_age);
  into.timings.dns += addresses.took;
  if (addresses.error != failure::none)
    fail_with(into, addresses.error);
  else if (stopped_)
    fail_with(into, failure::cancelled);
  else if (time.until.passed())
    fail_with(into, failure::dns_timeout);
  else
    co_await send_gated(request, hop, std::move(addresses.all), time, into);
}

task<http_answer> http_client::implementation::fetch(http_request request, deadline until) {
  auto const self = shared_from_this();
  auto const begin = steady::now();
  gated_time time{until};
  http_answer out;
  http_hop hop{.url = request.url, .method = request.method};
  if (!request.tls.server_name.empty() && !is_name(request.tls.server_name)) {
    fail_with(out, failure::target_invalid);
    co_return out;
  }
  for (;;) {
    co_await run_hop(request, hop, time, out);
    auto const* const location = out.field("location");
    if (out.error != failure::none || !request.follow_redirects || !is_redirect(out.status, location)) break;
    if (out.redirects >= request.most_redirects) {
      fail_with(out, failure::redirect_limit);
      break;
    }
    auto next = next_hop(hop, out.status, *location);
    if (!next) {
      fail_with(out, failure::redirect_refused);
      break;
    }
    if (would_leak(request, *next)) {
      out.error = failure::redirect_refused;
      out.message = "A redirect leads to another origin, where a body with variables is not sent.";
      break;
    }
    hop = std::move(*next);
    ++out.redirects;
  }
  out.timings.total = since(begin + time.waited);
  co_return out;
}

http_client::http_client(asio::io_context& io, resolver& names, std::shared_ptr<address_policy const> policy,
                         std::shared_ptr<trust_store const> trust, http_client_settings settings)
    : impl_(std::make_shared<implementation>(io, names, std::move(policy), std::move(trust), std::move(settings))) {}

http_client::~http_client() {
  impl_->stop();
}

task<http_answer> http_client::fetch(http_request request, deadline until) {
  return impl_->fetch(std::move(request), until);
}

}  // namespace svc::egress
