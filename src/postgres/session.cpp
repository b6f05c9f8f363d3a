#include "svc/postgres/pool.hpp"

#include "postgres/connection.hpp"
#include "svc/postgres/advice.hpp"

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <string_view>
#include <vector>

// Opens sessions. Only this file knows libpq's connection parameters.

namespace svc::postgres {

namespace {

using descriptor = asio::posix::basic_stream_descriptor<executor>;

/// Returns the server's settings for a session, sent in `options` after the URL's own. PgBouncer does not accept them
/// there: with it, each transaction sets them instead.
std::string session_options(std::string const& url, settings const& settings) {
  std::string options;
  if (PQconninfoOption* all = PQconninfoParse(url.c_str(), nullptr)) {
    for (PQconninfoOption* o = all; o->keyword != nullptr; ++o)
      if (std::string_view(o->keyword) == "options" && o->val != nullptr) options = std::string(o->val) + " ";
    PQconninfoFree(all);
  }
  if (!settings.prepared_statements) return options;
  auto const add = [&options](std::string const& name, std::string const& value) {
    options += "-c " + name + "=" + value + " ";
  };
  add("TimeZone", "UTC");
  add("statement_timeout", std::to_string(settings.statement_timeout.count()));
  add("lock_timeout", std::to_string(settings.lock_timeout.count()));
  add("idle_in_transaction_session_timeout", std::to_string(settings.idle_in_transaction.count()));
  // All statements are short and read by indexes. A plan made while a table was small would read the whole table
  // until the next ANALYZE, however large the table became. A queue that fills after a quiet hour is such a table.
  add("enable_seqscan", "off");
  // If a statement must read a whole table, its plan now counts as expensive enough to be compiled, which takes
  // longer.
  add("jit", "off");
  for (auto const& tcp : tcp_settings) add(tcp.server, tcp.value);
  return options;
}

connection_handle start(settings const& settings, server_address const& server, session_target target) {
  std::string const url(settings.url.reveal());
  std::string const options = session_options(url, settings);
  // libpq expands the first `dbname` if it is a URL. The URL overrides the keywords before it; the keywords after it
  // override the URL.
  std::vector<char const*> keywords, values;
  auto const add = [&](char const* keyword, char const* value) {
    keywords.push_back(keyword);
    values.push_back(value);
  };
  for (auto const& tcp : tcp_settings) add(tcp.client, tcp.value);
  add("dbname", url.c_str());
  // The name distinguishes the queries of the watch from the queries of the pools.
  add("fallback_application_name", target == session_target::any ? "svcd watch" : "svcd");
  add("client_encoding", "UTF8");
  add("options", options.empty() ? nullptr : options.c_str());
  // libpq skips empty values.
  add("host", server.host.c_str());
  add("hostaddr", server.hostaddr.c_str());
  add("port", server.port.c_str());
  add("target_session_attrs", target == session_target::any ? "any" : default_session_target(url.c_str()));
  add(nullptr, nullptr);
  return connection_handle(PQconnectStartParams(keywords.data(), values.data(), 1));
}

/// Lends libpq's socket to the reactor. The destructor gives it back and never closes it, even if the coroutine is
/// destroyed while it waits.
struct borrowed_connection {
  borrowed_connection(asio::io_context& io, int fd) : socket(io, fd) {}
  ~borrowed_connection() { socket.release(); }
  borrowed_connection(borrowed_connection const&) = delete;
  borrowed_connection& operator=(borrowed_connection const&) = delete;
  descriptor socket;
};

/// Waits until libpq's socket is ready to read or to write. Returns false if the deadline passes first. libpq may
/// replace the socket in its next step, and the new one may get the old number, so the reactor releases it each time.
task<bool> wait_on(asio::io_context& io, int fd, bool reading, deadline until) {
  borrowed_connection lent(io, fd);
  watchdog dog(io, [&lent] { lent.socket.cancel(); });
  dog.guard(until);
  auto const side = reading ? descriptor::wait_read : descriptor::wait_write;
  co_await lent.socket.async_wait(side, awaiting);
  co_return !dog.expired();
}

/// Returns the server that an unfinished attempt connects to.
std::string asked(PGconn const* pg) {
  char const* const host = PQhost(pg);
  char const* const port = PQport(pg);
  return std::string(host == nullptr ? "" : host) + " port " + (port == nullptr ? "" : port);
}

}  // namespace

std::string last_error(PGconn const* pg) {
  std::string text = PQerrorMessage(pg);
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

task<connection_handle> open_session(asio::io_context& io, settings const& settings, server_address server,
                                     session_target target, deadline until) {
  connection_handle pg = start(settings, co_await resolved(io, std::move(server)), target);
  if (!pg) throw unavailable("PostgreSQL: out of memory for a connection");
  // libpq's manual says to start as if the last poll had asked to write.
  auto wants = PQstatus(pg.get()) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (wants == PGRES_POLLING_READING || wants == PGRES_POLLING_WRITING) {
    bool const in_time = co_await wait_on(io, PQsocket(pg.get()), wants == PGRES_POLLING_READING, until);
    if (!in_time) throw deadline_passed("PostgreSQL: no connection to " + asked(pg.get()) + " in time");
    wants = PQconnectPoll(pg.get());
  }
  bool const ready =
      wants == PGRES_POLLING_OK && PQsetnonblocking(pg.get(), 1) == 0 && PQenterPipelineMode(pg.get()) == 1;
  if (!ready) throw unavailable("PostgreSQL: " + with_advice(PQerrorMessage(pg.get())));
  co_return pg;
}

}  // namespace svc::postgres
