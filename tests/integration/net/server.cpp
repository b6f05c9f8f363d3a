#include "integration/net/server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

#include <doctest/doctest.h>

#include <ctime>
#include <future>

namespace svc::test {

net::tls_context const& test_tls() {
  static net::tls_context const loaded = [] {
    certificate const files;
    return net::load_tls_context(files.certificate_file, files.key_file);
  }();
  return loaded;
}

server::server(server_options options) {
  std::vector<net::worker_connections*> targets;
  for (std::size_t i = 0; i < options.workers; ++i) {
    workers_.push_back(std::make_unique<worker>(options.settings, options.tls ? test_tls() : nullptr, options.rules));
    targets.push_back(&workers_.back()->connections);
  }
  listener_ = std::make_unique<net::listener>(
      workers_[0]->io, options.address,
      net::listener_traits{.tls = options.tls, .proxy_protocol = options.proxy_protocol}, targets);
  listener_->start();
  for (auto& each : workers_) {
    each->thread = std::thread([&io = each->io] {
      auto const work = asio::make_work_guard(io);
      io.run();
    });
  }
}

server::~server() {
  stop_listening();
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    auto& each = *workers_[i];
    on_worker([&each] { each.service.open_gate(), each.connections.close_all(); }, i);
    auto left =
        asio::co_spawn(each.io, each.connections.emptied(deadline::after(std::chrono::seconds(5))), asio::use_future);
    CHECK(left.get());
  }
  for (auto& each : workers_) {
    each->io.stop();
    each->thread.join();
  }
}

void server::on_worker(std::function<void()> action, std::size_t worker) {
  std::promise<void> done;
  asio::post(workers_[worker]->io, [&] {
    action();
    done.set_value();
  });
  done.get_future().get();
}

void server::stop_listening() {
  on_worker([this] { listener_->stop(); });
}

void server::announce_drain() {
  on_worker([this] { workers_[0]->connections.announce_drain(); });
}

void server::drain() {
  on_worker([this] { workers_[0]->connections.drain(); });
}

steady::duration server::cpu_time() {
  timespec used{};
  on_worker([&used] { ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used); });
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

bool server::emptied(steady::duration within) {
  return asio::co_spawn(workers_[0]->io, workers_[0]->connections.emptied(deadline::after(within)), asio::use_future)
      .get();
}

bool server::eventually(std::function<bool()> condition) {
  auto const until = deadline::after(std::chrono::seconds(10));
  auto seen = false;
  while (!seen && !until.passed()) {
    on_worker([&] { seen = condition(); });
    std::this_thread::yield();
  }
  return seen;
}

}  // namespace svc::test
