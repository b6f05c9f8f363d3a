#include "app/process/worker_group.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <atomic>

namespace svc::app {
namespace {

/// The longest wait for the workers: a worker that does not turn must not keep a reload from ending.
constexpr std::chrono::seconds spread_patience{5};

}  // namespace

worker_group::worker_group(shared_parts& shared, net::tls_context const& tls, int count) {
  for (int i = 0; i < count; ++i) all_.push_back(std::make_unique<worker>(shared, tls, i));
  std::vector<access::fallback*> windows;
  for (auto& w : all_) windows.push_back(&w->fallback());
  access::fallback::join(windows);
}

std::vector<net::worker_connections*> worker_group::connections(listener_kind kind) {
  std::vector<net::worker_connections*> out;
  for (auto& w : all_) out.push_back(&w->connections(kind));
  return out;
}

std::vector<watched_thread> worker_group::watched() {
  std::vector<watched_thread> out;
  for (auto& w : all_) out.push_back(w->watched());
  return out;
}

std::vector<worker_state> worker_group::states() const {
  std::vector<worker_state> out;
  for (auto const& w : all_)
    out.push_back({w->redis_up(), w->postgres_up(), w->redis_trusted(), w->load(), w->output(), w->redis_refusal()});
  return out;
}

std::vector<missing_stores> worker_group::missing() const {
  std::vector<missing_stores> out;
  for (auto const& w : all_) out.push_back(w->missing());
  return out;
}

void worker_group::invalidate(std::vector<subject_epoch> const& touched) {
  for (auto& w : all_) w->invalidate(touched);
}

void worker_group::revalidate(std::vector<subject_epoch> const& bumped) {
  for (auto& w : all_) w->revalidate(bumped);
}

void worker_group::set_minimum_epoch(std::int64_t lowest_epoch) {
  for (auto& w : all_) w->set_minimum_epoch(lowest_epoch);
}

void worker_group::follow(postgres::primary_server const& where) {
  for (auto& w : all_) w->follow(where);
}

void worker_group::replace_tls(net::tls_context const& tls) {
  for (auto& w : all_) w->replace_tls(tls);
}

task<> worker_group::take(configuration const& values) {
  auto const left = std::make_shared<std::atomic<std::size_t>>(all_.size());
  for (auto& w : all_) w->take(values.limits, values.to_forwarding(), [left] { --*left; });
  steady_timer pause(co_await asio::this_coro::executor);
  for (auto const until = deadline::after(spread_patience); *left > 0 && !until.passed();) {
    pause.expires_after(milliseconds(1));
    co_await pause.async_wait(awaiting);
  }
}

void worker_group::start() {
  for (auto& w : all_) w->start();
}

void worker_group::announce_drain() {
  for (auto& w : all_) w->announce_drain();
}

void worker_group::drain(deadline until) {
  for (auto& w : all_) w->drain(until);
}

bool worker_group::drained() const {
  return std::ranges::all_of(all_, [](auto const& w) { return w->drained(); });
}

void worker_group::stop() {
  for (auto& w : all_) w->stop();
}

bool worker_group::finished() const {
  return std::ranges::all_of(all_, [](auto const& w) { return w->finished(); });
}

void worker_group::join() {
  for (auto& w : all_) w->join();
}

}  // namespace svc::app
