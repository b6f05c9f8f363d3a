#include "svc/postgres/primary_watch.hpp"

#include "postgres/connection.hpp"
#include "svc/core/spawn_task.hpp"

#include <boost/asio/co_spawn.hpp>

namespace svc::postgres {

namespace {

/// A server that takes longer is asked again; the others do not wait for it.
constexpr milliseconds answer_patience{1000};

}  // namespace

std::optional<primary_server> primary_of(std::vector<server_report> const& servers) {
  std::optional<primary_server> best;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    auto const& entry = servers[i];
    if (!entry.reached || entry.identity.standby || !entry.identity.known()) continue;
    if (!best || best->identity.is_before(entry.identity)) best = {i, entry.identity};
  }
  return best;
}

struct primary_watch::impl : std::enable_shared_from_this<impl> {
  impl(asio::io_context& target, settings settings, listener on_news)
      : io(target),
        options(std::move(settings)),
        changed(std::move(on_news)),
        servers(servers_of(std::string(options.url.reveal()).c_str())),
        sessions(servers.size()),
        reports(servers.size()) {
    for (std::size_t i = 0; i < servers.size(); ++i) reports[i].address = servers[i];
  }

  static task<> watch(std::shared_ptr<impl> self, std::size_t server);
  static task<> ask_once(std::shared_ptr<impl> self, std::size_t server, deadline until,
                         std::shared_ptr<steady_timer> answered);
  task<> ask(std::size_t server, deadline until);
  void conclude();

  asio::io_context& io;
  settings options;
  listener changed;
  std::vector<server_address> servers;
  std::vector<std::unique_ptr<connection>> sessions;
  std::vector<server_report> reports;
  std::optional<primary_server> primary{};
  int waiting = 0;  ///< answers that `look` waits for
  bool stopped = true;
};

task<> primary_watch::impl::ask(std::size_t server, deadline until) {
  auto& session = sessions[server];
  server_report now{.address = servers[server]};
  try {
    if (!session || session->now() != pipeline::phase::ready || !session->still_alive()) {
      auto open = co_await open_session(io, options, servers[server], session_target::any, until);
      session = std::make_unique<connection>(io, std::move(open), options);
    }
    auto const notified = co_await identify(*session, until);
    now.identity = notified.identity;
    now.pooled = notified.pooled;
    now.encrypted = session->encrypted();
    now.reached = true;
  } catch (std::exception const& e) {
    now.reason = e.what();
    session.reset();
  }
  reports[server] = std::move(now);
}

void primary_watch::impl::conclude() {
  auto const found = primary_of(reports);
  if (!found || found == primary || (primary && found->identity.is_before(primary->identity))) return;
  primary = found;
  if (changed) changed(*found);
}

task<> primary_watch::impl::watch(std::shared_ptr<impl> self, std::size_t server) {
  steady_timer pause(self->io);
  while (!self->stopped) {
    pause.expires_after(interval);
    co_await self->ask(server, deadline::after(answer_patience));
    if (self->stopped) co_return;
    self->conclude();
    co_await pause.async_wait(awaiting);
  }
}

task<> primary_watch::impl::ask_once(std::shared_ptr<impl> self, std::size_t server, deadline until,
                                     std::shared_ptr<steady_timer> answered) {
  co_await self->ask(server, until);
  --self->waiting;
  answered->cancel();
}

primary_watch::primary_watch(asio::io_context& io, settings settings, listener changed)
    : impl_(std::make_shared<impl>(io, std::move(settings), std::move(changed))) {}

primary_watch::~primary_watch() {
  stop();
}

void primary_watch::start() {
  impl_->stopped = false;
  for (std::size_t i = 0; i < impl_->servers.size(); ++i) spawn_task(impl_->io, impl::watch(impl_, i));
}

void primary_watch::stop() {
  impl_->stopped = true;
  impl_->changed = nullptr;
  // A session that is asking belongs to its coroutine, which this wakes.
  for (auto& session : impl_->sessions)
    if (session) session->drop("the watch is stopped");
}

std::vector<server_report> const& primary_watch::reports() const {
  return impl_->reports;
}

task<std::optional<primary_server>> primary_watch::look(deadline until) {
  auto const self = impl_;
  auto const answered = std::make_shared<steady_timer>(self->io, until.at());
  self->waiting = static_cast<int>(self->servers.size());
  for (std::size_t i = 0; i < self->servers.size(); ++i)
    spawn_task(self->io, impl::ask_once(self, i, until, answered));
  while (self->waiting > 0 && !until.passed()) co_await answered->async_wait(awaiting);
  self->conclude();
  co_return self->primary;
}

bool lists_servers(secret_string const& url) {
  return servers_of(std::string(url.reveal()).c_str()).size() > 1;
}

look_around::look_around(settings settings, milliseconds patience) {
  asio::io_context io{1};
  primary_watch watch(io, std::move(settings), {});
  bool over = false;
  asio::co_spawn(io, watch.look(deadline::after(patience)),
                 [&](std::exception_ptr const& /*none*/, std::optional<primary_server> found) {
                   primary = found;
                   over = true;
                 });
  while (!over && io.run_one() > 0) {
  }
  servers = watch.reports();
}

}  // namespace svc::postgres
