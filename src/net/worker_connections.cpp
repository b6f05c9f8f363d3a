#include "svc/net/worker_connections.hpp"
#include "svc/core/spawn_task.hpp"

#include "net/session.hpp"
#include "net/session_host.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace svc::net {
namespace {

/// Slots of the counts when the worker shares them with no other.
constexpr std::size_t own_slots = 1024;

}  // namespace

worker_connections::worker_connections(asio::io_context& io, http::service& served, session_settings settings,
                                       tls_context tls, http::forwarding rules, std::shared_ptr<shared_counts> counts)
    : io_(io),
      tls_(std::move(tls)),
      host_(std::make_shared<session_host>(io, served, settings, std::move(rules),
                                           counts ? std::move(counts) : std::make_shared<shared_counts>(own_slots))) {
}

worker_connections::~worker_connections() {
  close_all();
}

std::size_t worker_connections::load() const {
  return host_->load.load(std::memory_order_relaxed);
}

bool worker_connections::reserve() {
  auto const& most = host_->settings;
  auto const before = host_->load.fetch_add(1, std::memory_order_relaxed);
  if (before < most.connections + most.reserved_connections) return true;
  host_->load.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

bool worker_connections::full() const {
  return load() >= host_->settings.connections + host_->settings.reserved_connections;
}

void worker_connections::make_room() {
  close_waiting(std::max<std::size_t>(host_->surplus(), 1));
  // No ordinary connection could be closed: free half of the reserve for those that arrive now.
  if (host_->leaving == 0) host_->table.make_room_on_reserve(host_->settings.reserved_connections / 2 + 1);
}

void worker_connections::close_waiting(std::size_t surplus) {
  // Closes a few more than needed, because each call goes over all holders.
  if (surplus > 0) host_->table.make_room(surplus + host_->settings.connections / 64);
}

worker_connections::turned_away worker_connections::turned() const {
  auto const& away = host_->table.turned();
  return {away.address, away.user, away.room};
}

void worker_connections::adopt(arrival taken) {
  reserved_connection connection(host_);
  close_waiting(host_->surplus());
  // Never serve in plain text a connection that was meant for TLS.
  if (taken.traits.tls && !tls_) return;
  try {
    auto made = std::make_shared<session>(io_, std::move(connection), std::move(taken), tls_);
    auto* const known = made.get();
    spawn_task(io_, known->run(std::move(made)));
  } catch (std::exception const&) {
    // Out of memory: the client sees its connection closed, and its place is free again.
  }
}

void worker_connections::replace_forwarding(http::forwarding rules) {
  host_->forwarding = std::move(rules);
}

void worker_connections::announce_drain() {
  host_->announced = true;
}

void worker_connections::drain() {
  host_->announced = host_->draining = true;
  for (auto* each : host_->sessions) each->drain();
}

void worker_connections::close_all() {
  for (auto* each : host_->sessions) each->close();
}

task<bool> worker_connections::emptied(deadline until) {
  // A copy, because this object may be destroyed before the last session.
  auto const host = host_;
  while (host->load.load(std::memory_order_relaxed) > 0 && !until.passed()) {
    host->emptied.expires_at(until.at());
    co_await host->emptied.async_wait(awaiting);
  }
  co_return host->load.load(std::memory_order_relaxed) == 0;
}

}  // namespace svc::net
