#include "svc/egress/dns/resolver.hpp"

#include "egress/dns/dns_memory.hpp"
#include "egress/dns/nameserver.hpp"
#include "egress/socket_watch.hpp"
#include "svc/core/single_flight.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/egress/host.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>

namespace svc::egress {

namespace {

std::vector<record_type> types_of(ip_family family) {
  if (family == ip_family::v4) return {record_type::a};
  if (family == ip_family::v6) return {record_type::aaaa};
  return {record_type::aaaa, record_type::a};
}

std::vector<ip_address> addresses_of(std::vector<dns_record> const& records) {
  std::vector<ip_address> out;
  for (auto const& record : records)
    if (record.address && std::ranges::find(out, *record.address) == out.end()) out.push_back(*record.address);
  return out;
}

}  // namespace

/// Owned jointly by the resolver and its open lookups.
class resolver::implementation : public std::enable_shared_from_this<implementation> {
 public:
  implementation(asio::io_context& io, resolver_settings settings);

  void stop();
  task<lookup> query(std::string name, record_type type, deadline until);
  task<address_lookup> addresses(std::string name, ip_family family, deadline until, milliseconds max_age);

 private:
  using round_ptr = std::shared_ptr<open_round>;
  using probe = single_flight<int, bool>;

  /// Asks one server after another until the round is complete or cancelled, or the time is up.
  task<> ask_all(round_ptr round, deadline until);
  task<> ask_one(nameserver& server, round_ptr round, deadline until);
  /// Asks all servers and records the outcome.
  task<lookup> outcome_of(round_ptr round, deadline until);
  /// Decides the cause of a lookup that started at `begin` and has no answer: returns `alone`, the lookup's own
  /// failure, or `resolver_unreachable`.
  task<failure> failure_of(std::string name, steady::time_point begin, failure alone);
  task<bool> servers_answer();
  task<> probe_servers(probe::flight_ptr flight);

  asio::io_context& io_;
  resolver_settings const settings_;
  std::vector<std::shared_ptr<nameserver>> servers_;
  address_cache cache_;
  server_health health_;
  probe probes_;
  bool stopped_ = false;
};

resolver::implementation::implementation(asio::io_context& io, resolver_settings settings)
    : io_(io), settings_(std::move(settings)), cache_(settings_.most_cached, settings_.longest_cached) {
  for (auto const& address : settings_.servers.empty() ? system_nameservers() : settings_.servers)
    servers_.push_back(std::make_shared<nameserver>(io, address, settings_.patience));
}

void resolver::implementation::stop() {
  stopped_ = true;
  for (auto const& nameserver : servers_) nameserver->stop();
}

task<> resolver::implementation::ask_one(nameserver& server, round_ptr round, deadline until) {
  round->round.begin_step();
  for (std::size_t i = 0; i < round->round.size(); ++i)
    if (round->round.open(i)) server.ask(round, i);
  while (!stopped_ && !round->round.step_over()) {
    auto const end = round->round.patience() ? std::min(until.at(), *round->round.patience()) : until.at();
    if (steady::now() >= end) break;
    round->changed.expires_at(end);
    co_await round->changed.async_wait(awaiting);
    if (is_cancelled(co_await asio::this_coro::cancellation_state)) break;
  }
}

task<> resolver::implementation::ask_all(round_ptr round, deadline until) {
  for (int i = 0; i < settings_.rounds; ++i) {
    for (auto const& server : servers_) {
      co_await ask_one(*server, round, until.within(settings_.patience));
      if (stopped_ || round->round.complete() || round->round.patience() || until.passed()) co_return;
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
          // After an exception no lookup may keep waiting for the flight; its outcome is that no server answers.
          log_failure("the question whether name servers answer", failed);
          probe::complete(flight);
          self->probes_.remove(0, flight);
        });
  }
  co_await probe::wait(flight, deadline::after(2 * settings_.probe_patience));
  co_return flight->done && flight->outcome;
}

task<> resolver::implementation::probe_servers(probe::flight_ptr flight) {
  auto const self = shared_from_this();
  auto const round = std::make_shared<open_round>(io_, std::string(), std::vector{record_type::ns});
  auto const until = deadline::after(settings_.probe_patience);
  for (auto const& server : servers_) {
    auto const share = settings_.probe_patience / static_cast<int>(servers_.size());
    co_await ask_one(*server, round, until.within(share));
    if (round->round.complete()) break;
  }
  flight->outcome = round->round.answered();
  probe::complete(flight);
  probes_.remove(0, flight);
}

/// The contract would take answers of the last 30 s as a sign of health. But if the servers died within these 30 s,
/// each target checked in that time would count as down. Our own fault must never do that. Only answers that arrived
/// during this lookup count. Otherwise the servers are probed, with one query for all waiting lookups.
task<failure> resolver::implementation::failure_of(std::string name, steady::time_point begin, failure alone) {
  if (!settings_.may_be_ill || health_.answered_others(name, begin)) co_return alone;
  co_return co_await servers_answer() ? alone : failure::resolver_unreachable;
}

task<lookup> resolver::implementation::outcome_of(round_ptr round, deadline until) {
  auto const begin = steady::now();
  co_await ask_all(round, until);
  auto out = round->round.outcome();
  // An answer for only one of the types is not enough for the lookup, but shows that the servers are well.
  auto const answered = round->round.answered_at();
  bool const cancelled = stopped_ || is_cancelled(co_await asio::this_coro::cancellation_state);
  if (!answered && !cancelled) out.error = co_await failure_of(round->round.name(), begin, out.error);
  if (stopped_ || is_cancelled(co_await asio::this_coro::cancellation_state))
    co_return lookup{.error = failure::cancelled};
  if (answered) health_.answered(round->round.name(), *answered);
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
  if (got.error != failure::none) co_return address_lookup{.error = got.error};
  address_lookup out{failure::none, addresses_of(round->round.records())};
  cache_.put(name, family, out.addresses, round->round.ttl(), steady::now());
  co_return out;
}

resolver::resolver(asio::io_context& io, resolver_settings settings)
    : impl_(std::make_shared<implementation>(io, std::move(settings))) {}

resolver::~resolver() {
  impl_->stop();
}

task<lookup> resolver::query(std::string name, record_type type, deadline until) {
  return impl_->query(std::move(name), type, until);
}

task<address_lookup> resolver::addresses(std::string name, ip_family family, deadline until, milliseconds max_age) {
  return impl_->addresses(std::move(name), family, until, max_age);
}

task<text_lookup> read_text_records(resolver& names, std::string name, deadline until) {
  auto const wanted = parse_dns_name(name);
  if (!wanted) co_return text_lookup{};
  auto got = co_await names.query(*wanted, record_type::txt, until);
  if (got.error == failure::dns_not_found) co_return text_lookup{.texts = std::vector<std::string>{}};
  if (got.error != failure::none)
    co_return text_lookup{.resolver_failed = got.error == failure::resolver_unreachable};
  std::vector<std::string> out;
  for (auto& record : got.answer.records) out.push_back(std::move(record.text));
  std::ranges::sort(out);
  co_return text_lookup{.texts = std::move(out)};
}

}  // namespace svc::egress
