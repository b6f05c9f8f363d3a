#include "svc/live/output/run_watch.hpp"

#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/live/output/output_writer.hpp"
#include "svc/live/output/subscriptions.hpp"
#include "svc/store/runs/run_store.hpp"

#include <list>

namespace svc::output {

namespace {

constexpr milliseconds watch_patience{2000};

}  // namespace

/// Outlives the watch while a request waits.
struct run_watch::impl {
  impl(asio::io_context& target, store::run_store& store, subscriptions& subscriptions, output_writer& output_writer)
      : io(target), runs(store), source(subscriptions), writer(output_writer) {}

  struct waiter final : follower {
    waiter(asio::io_context& io, uuid id) : run(id), over(io) {}
    /// Ignores batches of events: the end comes as news without a batch.
    void on_news(news const& news) override {
      if (news.batch) return;
      look = true;
      over.cancel();
    }

    uuid run;
    steady_timer over;  ///< expires at the deadline; cancelled to read the run earlier
    bool look = false;
  };

  task<std::optional<run>> read(uuid project, uuid id);

  asio::io_context& io;
  store::run_store& runs;
  subscriptions& source;
  output_writer& writer;
  std::list<waiter> waiters{};
  bool draining = false;
};

run_watch::run_watch(asio::io_context& io, store::run_store& runs, subscriptions& subscriptions,
                     output_writer& writer)
    : impl_(std::make_shared<impl>(io, runs, subscriptions, writer)) {}
run_watch::~run_watch() = default;

std::size_t run_watch::waiting() const {
  return impl_->waiters.size();
}

void run_watch::wake(uuid id) {
  impl_->source.notify(id, {nullptr, true});
  spawn_task(impl_->io, impl_->writer.announce(id, deadline::after(watch_patience)));
}

void run_watch::drain() {
  impl_->draining = true;
  for (auto& waiter : impl_->waiters) waiter.over.cancel();
}

task<std::optional<run>> run_watch::impl::read(uuid project, uuid id) {
  try {
    auto found = co_await runs.get(project, id, deadline::after(watch_patience));
    if (found) co_return std::move(*found);
  } catch (unavailable const&) {
    // The caller decides what to answer without the database.
  }
  co_return std::nullopt;
}

task<std::optional<run>> run_watch::until_ended(uuid project, uuid id, deadline until) {
  auto const self = impl_;
  // Follows the run before its state is read, so that no end is missed in between.
  auto const mine = self->waiters.emplace(self->waiters.end(), self->io, id);
  self->source.follow(id, *mine);
  struct leaver {
    impl& source;
    std::list<impl::waiter>::iterator which;
    ~leaver() {
      source.source.leave(which->run, *which);
      source.waiters.erase(which);
    }
  } const at_end{*self, mine};
  for (;;) {
    mine->look = false;
    auto now = co_await self->read(project, id);
    if (!now || now->completed_at || self->draining || until.passed()) co_return now;
    if (mine->look) continue;
    mine->over.expires_at(until.at());
    co_await mine->over.async_wait(awaiting);
  }
}

}  // namespace svc::output
