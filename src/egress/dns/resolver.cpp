#include "svc/egress/dns/resolver.hpp"

#include "egress/dns/dns_memory.hpp"
#include "egress/dns/nameserver.hpp"
#include "egress/ready.hpp"
#include "svc/core/kept_running.hpp"
#include "svc/core/single_flight.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace svc::egress {

namespace {

std::vector<record_type> types_of(ip_family family) {
  if (family == ip_family::v4) return {record_type::a};
  if (family == ip_family::v6) return {record_type::aaaa};
  return {record_type::aaaa, record_type::a};
}

std::vector<ip_address> addresses_of(std::vector<dns_record> const& records) {
  std::vector<ip_address> out;
  for (auto const& one : records)
    if (one.address && std::ranges::find(out, *one.address) == out.end()) out.push_back(*one.address);
  return out;
}

}  // namespace

/// Shared by the resolver and the lookups under way.
class resolver::implementation : public std::enable_shared_from_this<implementation> {
 public:
  implementation(asio::io_context& io, resolver_settings how);

  void stop();
  task<lookup> query(std::string name, record_type type, deadline until);
  task<address_lookup> addresses(std::string name, ip_family family, deadline until, milliseconds max_age);

 private:
  using round_ptr = std::shared_ptr<open_round>;
  using probe = single_flight<int, bool>;

  /// Asks server after server until the round is over, cancelled, or the time is up.
  task<> ask_all(round_ptr round, deadline until);
  task<> ask_one(nameserver& server, round_ptr round, deadline until);
  /// Asks, and notes how it ended.
  task<lookup> outcome_of(round_ptr round, deadline until);
  /// Whose fault it is that a lookup that began then has no answer: its own failure, or `resolver_unreachable`.
  task<failure> judge(std::string name, steady::time_point begin, failure alone);
  task<bool> servers_answer();
  task<> probe_servers(probe::flight_ptr flight);

  asio::io_context& io_;
  resolver_settings const how_;
  std::vector<std::shared_ptr<nameserver>> servers_;
  address_cache cache_;
  server_health health_;
  probe probes_;
  bool stopped_ = false;
};

resolver::implementation::implementation(asio::io_context& io, resolver_settings how)
    : io_(io), how_(std::move(how)), cache_(how_.most_cached, how_.longest_cached) {
  for (auto const& at : how_.servers.empty() ? system_nameservers() : how_.servers)
    servers_.push_back(std::make_shared<nameserver>(io, at, how_.patience));
}

void resolver::implementation::stop() {
  stopped_ = true;
  for (auto const& one : servers_) one->stop();
}

task<> resolver::implementation::ask_one(nameserver& server, round_ptr round, deadline until) {
  round->of.begin_step();
  for (std::size_t i = 0; i < round->of.size(); ++i)
    if (round->of.open(i)) server.ask(round, i);
  while (!stopped_ && !round->of.step_over()) {
    auto const end = round->of.patience() ? std::min(until.at(), *round->of.patience()) : until.at();
    if (steady::now() >= end) break;
    round->changed.expires_at(end);
    co_await round->changed.async_wait(awaiting);
    if (is_cancelled(co_await asio::this_coro::cancellation_state)) break;
  }
}

task<> resolver::implementation::ask_all(round_ptr round, deadline until) {
  for (int i = 0; i < how_.rounds; ++i) {
    for (auto const& server : servers_) {
      co_await ask_one(*server, round, until.within(how_.patience));
      if (stopped_ || round->of.complete() || round->of.patience() || until.passed()) co_return;
      if (is_cancelled(co_await asio::this_coro::cancellation_state)) co_return;
    }
  }
}

task<bool> resolver::implementation::servers_answer() {
  auto flight = probes_.find(0);
  if (!flight) {
    flight = probes_.lead(0);
    asio::co_spawn(
        io_, [self = shared_from_this(), flight] { return self->probe_servers(flight); },
        [self = shared_from_this(), flight](std::exception_ptr failed) {
          if (!failed) return;
          // Nobody may wait for a flight that threw; its outcome is that no server answers.
          log_failure("the question whether name servers answer", failed);
          probe::land(flight);
          self->probes_.forget(0, flight);
        });
  }
  co_await probe::wait(flight, deadline::after(2 * how_.probe_patience));
  co_return flight->landed && flight->outcome;
}

task<> resolver::implementation::probe_servers(probe::flight_ptr flight) {
  auto const self = shared_from_this();
  auto const round = std::make_shared<open_round>(io_, std::string(), std::vector{record_type::ns});
  auto const until = deadline::after(how_.probe_patience);
  for (auto const& server : servers_) {
    auto const share = how_.probe_patience / static_cast<int>(servers_.size());
    co_await ask_one(*server, round, until.within(share));
    if (round->of.complete()) break;
  }
  flight->outcome = round->of.answered();
  probe::land(flight);
  probes_.forget(0, flight);
}

/// The contract would take answers of the last 30 s as a sign of health. But servers that died since then would bring
/// down each target that is checked in that time, and our own fault must never do that: only what was answered while
/// this lookup waited counts, else the servers are asked, which costs one question for all lookups that wait.
task<failure> resolver::implementation::judge(std::string name, steady::time_point begin, failure alone) {
  if (!how_.may_be_ill || health_.answered_others(name, begin)) co_return alone;
  co_return co_await servers_answer() ? alone : failure::resolver_unreachable;
}

task<lookup> resolver::implementation::outcome_of(round_ptr round, deadline until) {
  auto const begin = steady::now();
  co_await ask_all(round, until);
  auto out = round->of.outcome();
  // Also an answer for one of the types, which is not enough, shows that the servers are well.
  auto const answered = round->of.answered_at();
  bool const cancelled = stopped_ || is_cancelled(co_await asio::this_coro::cancellation_state);
  if (!answered && !cancelled) out.why = co_await judge(round->of.name(), begin, out.why);
  if (stopped_ || is_cancelled(co_await asio::this_coro::cancellation_state))
    co_return lookup{.why = failure::cancelled};
  if (answered) health_.answered(round->of.name(), *answered);
  co_return out;
}

task<lookup> resolver::implementation::query(std::string name, record_type type, deadline until) {
  auto const self = shared_from_this();
  co_return co_await outcome_of(std::make_shared<open_round>(io_, std::move(name), std::vector{type}), until);
}

task<address_lookup> resolver::implementation::addresses(std::string name, ip_family family, deadline until,
                                                         milliseconds max_age) {
  auto const self = shared_from_this();
  if (auto const* const found = cache_.find(name, family, max_age, steady::now()))
    co_return address_lookup{failure::none, *found, true};
  auto const round = std::make_shared<open_round>(io_, name, types_of(family));
  auto const got = co_await outcome_of(round, until);
  if (got.why != failure::none) co_return address_lookup{.why = got.why};
  address_lookup out{failure::none, addresses_of(round->of.records())};
  cache_.put(name, family, out.addresses, round->of.ttl(), steady::now());
  co_return out;
}

resolver::resolver(asio::io_context& io, resolver_settings how)
    : impl_(std::make_shared<implementation>(io, std::move(how))) {}

resolver::~resolver() {
  impl_->stop();
}

task<lookup> resolver::query(std::string name, record_type type, deadline until) {
  return impl_->query(std::move(name), type, until);
}

task<address_lookup> resolver::addresses(std::string name, ip_family family, deadline until, milliseconds max_age) {
  return impl_->addresses(std::move(name), family, until, max_age);
}

}  // namespace svc::egress
