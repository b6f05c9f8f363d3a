#include "support/replicated_postgres.hpp"

#include "support/store_probe.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace svc::test {
namespace {

void wait_for(std::string const& url, std::string const& question, std::string const& answer) {
  auto const give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (ask_postgres(url, question)[0][0] != answer) {
    if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error("never " + answer + ": " + question);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

replicated_postgres::replicated_postgres(commits when, std::string const& settings) : primary_(settings) {
  standby_.emplace(private_postgres::standby_of{primary_});
  wait_for(primary_.url(), "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", "1");
  if (when == commits::asynchronous) return;
  ask_postgres(primary_.url(), "ALTER SYSTEM SET synchronous_standby_names = '*'");
  ask_postgres(primary_.url(), "SELECT pg_reload_conf()");
  wait_for(primary_.url(), "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", "1");
}

std::string replicated_postgres::url(std::string const& user, std::string const& database) const {
  return "postgresql://" + user + "@/" + database + "?host=" + primary_.directory() + "," + standby_->directory();
}

void replicated_postgres::cut_replication() const {
  ask_postgres(standby_->url(), "ALTER SYSTEM SET primary_conninfo = ''");
  ask_postgres(standby_->url(), "SELECT pg_reload_conf()");
  wait_for(standby_->url(), "SELECT count(*) FROM pg_stat_wal_receiver", "0");
}

void replicated_postgres::wait_until_level() const {
  auto const written = ask_postgres(primary_.url(), "SELECT pg_current_wal_flush_lsn()")[0][0];
  wait_for(standby_->url(), "SELECT pg_last_wal_replay_lsn() >= '" + written + "'", "t");
}

void replicated_postgres::promote() const {
  ask_postgres(standby_->url(), "SELECT pg_promote()");
  wait_for(standby_->url(), "SELECT pg_is_in_recovery()", "f");
}

}  // namespace svc::test
