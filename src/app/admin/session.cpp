#include "app/admin/session.hpp"

#include "app/migrations/migrator.hpp"
#include "svc/postgres/primary_watch.hpp"
#include "svc/store/tokens/outbox_store.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace svc::app::admin {

namespace {

constexpr std::chrono::seconds redis_patience{3};
/// Limits for announcements. They are short, because without Redis pages read again by themselves.
constexpr std::chrono::seconds connect_patience{1}, announcement_patience{3};
/// Longer than any command: nothing is announced before it is over.
constexpr std::chrono::hours whole_command{24};
/// For the servers of the connection string; one that is dead must not delay each command for longer.
constexpr milliseconds look_patience{1000};

void warn(std::string const& sentence) {
  std::cerr << "svcd: warning: " + sentence + "\n";
}

std::vector<redis::script const*> admin_scripts() {
  auto out = access::scripts();
  out.push_back(&access::instance_list::script());
  return out;
}

postgres::settings one_connection(configuration const& config) {
  postgres::settings settings = config.to_postgres_settings();
  settings.size = 1;
  // No request's deadline applies here, so a machine that takes long to connect is no reason to fail.
  settings.connect_timeout = std::max<milliseconds>(settings.connect_timeout, session::longest_wait);
  settings.lock_timeout = settings.statement_timeout;
  store::begin_timelines(settings, {});
  return settings;
}

std::string seconds_since(steady::time_point start) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", std::chrono::duration<double>(steady::now() - start).count());
  return text;
}

std::string out_of_reach(session const& s, steady::time_point start) {
  auto const& reason = s.redis.last_fault();
  return "Redis at " + s.servers.description() + " is unreachable (tried for " + seconds_since(start) +
         (reason.empty() ? "" : "; " + reason) + "). ";
}

std::vector<std::string> provider_ids(configuration const& config) {
  std::vector<std::string> out;
  for (auto const& each : config.sign_in.oidc) out.push_back(each.provider.id);
  return out;
}

/// Explains a refusal that no command expects: usually the database was never migrated, or by an older program.
database_error explained(postgres::unexpected_refusal const& refused, secret_string const& url) {
  database_session database(url, session::longest_wait);
  if (auto const plan = read_plan(database); !plan.pending.empty())
    return {missing_migrations(plan) + ": run `svcd migrate`", refused.refusal().sqlstate};
  return database_error(with_remedy_of_login({refused.refusal().message, refused.refusal().sqlstate}),
                        refused.refusal().sqlstate);
}

}  // namespace

session::session(configuration const& config)
    : db(io, one_connection(config)),
      servers(io, config),
      redis(io, servers.decisions(), admin_scripts()),
      output_redis(io, servers.output(), {}),
      changes(redis, outbox, access::longest_hold(servers.decisions())),
      sessions(db, config.to_session_times()),
      pages(io, output_redis, counters, whole_command),
      master_key_file(config.master_key_file),
      public_url(config.public_url),
      providers(provider_ids(config)),
      database_url_(config.postgres.url) {
  // A former primary that still runs would accept changes that no other server sees.
  if (postgres::lists_servers(config.postgres.url))
    if (auto const found = postgres::look_around(one_connection(config), look_patience).primary) db.follow(*found);
  db.start();
  servers.start();
  redis.start();
}

session::~session() {
  output_redis.stop();
  redis.stop();
  servers.stop();
  db.stop();
}

/// Ends a command with its announcements. After a failure changes may have been committed (`bootstrap` makes
/// several), so they are announced as well; a page that reads again then finds nothing new. Nobody repeats an
/// announcement that Redis does not take.
task<answer> session::announced(task<answer> content) {
  answer made = boost::json::value();
  std::exception_ptr failure;
  try {
    made = co_await std::move(content);
  } catch (...) {
    failure = std::current_exception();
  }
  pages.note(*actor.audited);
  if (pages.collects()) {
    output_redis.start();
    if (co_await output_redis.wait_connected(deadline::after(connect_patience)))
      co_await pages.flush(deadline::after(announcement_patience));
  }
  if (failure) std::rethrow_exception(failure);
  co_return made;
}

answer session::run_blocking(task<answer> content) {
  auto const start = steady::now();
  bool over = false;
  std::exception_ptr failure;
  answer made = boost::json::value();
  asio::co_spawn(io, announced(std::move(content)), [&](std::exception_ptr e, answer a) {
    over = true;
    failure = e;
    made = std::move(a);
  });
  while (!over && io.run_one() > 0) {
  }
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (unavailable const& gone) {
    throw unavailable(with_remedy_of_login({gone.what(), ""}) + " (tried for " + seconds_since(start) + ")");
  } catch (postgres::unexpected_refusal const& refused) {
    throw explained(refused, database_url_);
  }
  return made;
}

task<> session::publish(std::vector<subject_epoch> touched) {
  if (touched.empty()) co_return;
  auto const start = steady::now();
  if (co_await changes.publish(std::move(touched))) co_return;
  warn(out_of_reach(*this, start) +
       "The change is stored and in force; the running service will update Redis later.");
}

task<> session::announce(std::vector<sha256_digest> created) {
  auto const start = steady::now();
  if (co_await redis.wait_connected(deadline::after(redis_patience)))
    co_await changes.announce(std::move(created));
  else
    warn(out_of_reach(*this, start) +
         "The token is stored; if it was tried before, it may be refused for 10 seconds.");
}

task<std::optional<std::vector<instance_identity>>> session::instances_in_redis() {
  auto const start = steady::now();
  std::optional<std::vector<instance_identity>> found;
  if (co_await redis.wait_connected(deadline::after(redis_patience)))
    found = co_await listed.read(deadline::after(redis_patience));
  if (!found) warn(out_of_reach(*this, start) + "The list has only the instances that PostgreSQL knows.");
  co_return found;
}

}  // namespace svc::app::admin
