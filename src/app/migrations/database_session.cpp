#include "app/migrations/database_session.hpp"

#include "svc/core/numbers.hpp"
#include "svc/postgres/advice.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/primary_watch.hpp"

#include <libpq-fe.h>

#include <algorithm>

namespace svc::app {
namespace {

struct clear_result {
  void operator()(PGresult* r) const { PQclear(r); }
};
using result_ptr = std::unique_ptr<PGresult, clear_result>;

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

result_ptr checked(PGconn* connection, PGresult* raw) {
  result_ptr owned(raw);
  auto const status = PQresultStatus(raw);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY) {
    auto const* const state = raw == nullptr ? nullptr : PQresultErrorField(raw, PG_DIAG_SQLSTATE);
    throw database_error(trimmed(PQerrorMessage(connection)), state == nullptr ? "" : state);
  }
  return owned;
}

/// Returns the primary if the URL lists several servers. Otherwise, and if there is no primary, libpq searches
/// itself.
postgres::server_address place_of(secret_string const& url, milliseconds patience) {
  if (!postgres::lists_servers(url)) return {};
  postgres::look_around const around({.url = url, .prepared_statements = false}, patience);
  return around.primary ? around.servers[around.primary->server].address : postgres::server_address{};
}

std::vector<database_session::row> taken(PGconn* connection, PGresult* raw) {
  result_ptr const owned = checked(connection, raw);
  std::vector<database_session::row> out(static_cast<std::size_t>(PQntuples(raw)));
  for (std::size_t r = 0; r < out.size(); ++r)
    for (int c = 0; c < PQnfields(raw); ++c) {
      auto const position = static_cast<int>(r);
      out[r].push_back(PQgetisnull(raw, position, c) != 0 ? std::nullopt
                                                          : std::optional<std::string>(PQgetvalue(raw, position, c)));
    }
  return out;
}

}  // namespace

void database_session::close::operator()(pg_conn* c) const {
  PQfinish(c);
}

database_session::database_session(secret_string const& url, milliseconds connect_timeout) {
  auto const seconds = std::to_string(std::max<std::int64_t>(2, connect_timeout.count() / 1000));
  std::string const where(url.reveal());
  auto const server = place_of(url, connect_timeout);
  std::vector<char const*> names, texts;
  auto const add = [&](char const* name, char const* text) {
    names.push_back(name);
    texts.push_back(text);
  };
  for (auto const& tcp : postgres::tcp_settings) add(tcp.client, tcp.value);
  // Later names override the names inside `dbname`, which libpq expands in place.
  add("dbname", where.c_str());
  add("connect_timeout", seconds.c_str());
  add("application_name", "svcd");
  // libpq skips empty values.
  add("host", server.host.c_str());
  add("hostaddr", server.hostaddr.c_str());
  add("port", server.port.c_str());
  add("target_session_attrs", postgres::default_session_target(where.c_str()));
  add(nullptr, nullptr);
  connection_.reset(PQconnectdbParams(names.data(), texts.data(), 1));
  if (PQstatus(connection_.get()) != CONNECTION_OK)
    throw database_error(postgres::with_advice(PQerrorMessage(connection_.get())), "");
  // NOTICEs of idempotent statements would look like errors.
  PQsetNoticeProcessor(connection_.get(), [](void*, char const*) {}, nullptr);
  // A pooler invents the process id that it reports for the session.
  pooled_ = run("SELECT pg_backend_pid()").at(0).at(0) != std::to_string(PQbackendPID(connection_.get()));
  if (pooled_) return;
  // A migration locks tables: if it freezes or its connection breaks, it must not stop the service for hours.
  std::string settings = "SET idle_in_transaction_session_timeout = 10000";
  for (auto const& tcp : postgres::tcp_settings) settings += std::string("; SET ") + tcp.server + " = " + tcp.value;
  run(settings);
}

std::vector<database_session::row> database_session::run(std::string const& sql) {
  return taken(connection_.get(), PQexec(connection_.get(), sql.c_str()));
}

std::int64_t database_session::count(std::string const& sql) {
  auto const done = checked(connection_.get(), PQexec(connection_.get(), sql.c_str()));
  return parse_number<std::int64_t>(PQcmdTuples(done.get())).value_or(0);
}

std::vector<database_session::row> database_session::run(std::string const& sql, values const& values) {
  std::vector<char const*> texts;
  texts.reserve(values.size());
  for (auto const& value : values) texts.push_back(value ? value->c_str() : nullptr);
  return taken(connection_.get(), PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(texts.size()),
                                               nullptr, texts.data(), nullptr, nullptr, 0));
}

}  // namespace svc::app
