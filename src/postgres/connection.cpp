#include "postgres/connection.hpp"

#include "svc/core/turns.hpp"

#include <sys/socket.h>

namespace svc::postgres {

namespace {

constexpr milliseconds long_read{2};
constexpr auto settings_of_transaction =
    "SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true), "
    "set_config('idle_in_transaction_session_timeout', $3, true), set_config('TimeZone', 'UTC', true), "
    "set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)";

std::string_view field(PGresult const* result, int code) {
  char const* text = PQresultErrorField(result, code);
  return text == nullptr ? std::string_view() : text;
}

server_error refusal(PGresult const* result) {
  // Without the detail: it quotes the row, which may hold what must not be logged.
  std::string_view message = field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (message.empty()) message = PQresultErrorMessage(result);
  return {.sqlstate = std::string(field(result, PG_DIAG_SQLSTATE)),
          .constraint = std::string(field(result, PG_DIAG_CONSTRAINT_NAME)),
          .message = std::string(message.substr(0, message.find('\n')))};
}

event::transaction transaction(PGconn const* pg) {
  switch (PQtransactionStatus(pg)) {
    case PQTRANS_IDLE:
      return event::transaction::none;
    case PQTRANS_INTRANS:
      return event::transaction::open;
    case PQTRANS_INERROR:
      return event::transaction::failed;
    default:
      return event::transaction::unknown;
  }
}

/// Reads the timeline of the WAL that is being written: the control file has a new timeline only with the next
/// checkpoint.
constexpr statement identity{"server_identity", R"(
SELECT (SELECT system_identifier FROM pg_control_system()), pg_is_in_recovery(),
       CASE WHEN pg_is_in_recovery() THEN 0
            ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END,
       pg_backend_pid())",
                             true};

}  // namespace

connection::connection(asio::io_context& io, connection_handle open, settings const& settings)
    : socket_(io, PQsocket(open.get())),
      pg_(std::move(open)),
      core_(settings.prepared_statements),
      dog_(io, [this] { socket_.cancel(); }),
      limits_{std::to_string(settings.statement_timeout.count()), std::to_string(settings.lock_timeout.count()),
              std::to_string(settings.idle_in_transaction.count())} {
  PQsetNoticeReceiver(pg_.get(), &connection::notice, this);
}

connection::~connection() {
  close();
}

void connection::close() {
  core_.shut();
  dog_.cancel();
  // libpq owns the descriptor: the reactor must release it before libpq closes it.
  if (socket_.is_open()) socket_.release();
  pg_.reset();
}

void connection::drop(std::string reason) {
  dropped_ = std::move(reason);
  if (core_.now() == pipeline::phase::busy)
    socket_.cancel();
  else
    close();
}

void connection::notice(void* self, PGresult const* result) {
  // libpq reports what the server sends in an idle session as notices, even the error that ends the session.
  std::string_view const text = field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (text == "FATAL" || text == "PANIC") static_cast<connection*>(self)->dying_ = true;
}

bool connection::still_alive() {
  if (!pg_) return false;
  char byte = 0;
  ssize_t const seen = recv(PQsocket(pg_.get()), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (seen < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
  // Unsolicited bytes: a changed setting, a TLS ticket, or a final error followed by the end of the stream.
  if (seen > 0 && PQconsumeInput(pg_.get()) == 1 && PQisBusy(pg_.get()) == 0 && !dying_ &&
      recv(PQsocket(pg_.get()), &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0)
    return true;
  close();
  return false;
}

task<outcome<std::vector<rows>>> connection::run(std::span<query const> batch, framing around, deadline until,
                                                 bool read_only) {
  if (dropped()) throw unavailable("PostgreSQL: " + dropped_);
  if (!pg_) throw unavailable("PostgreSQL: the connection is closed");
  auto const& steps = core_.start(batch, around, read_only);
  // If an exception or destruction ends this frame early, answers are left unread, so the connection is closed.
  struct closer {
    connection& self;
    ~closer() {
      self.dog_.rest();
      if (self.owes_answer()) return;
      if (self.core_.now() == pipeline::phase::busy || self.core_.now() == pipeline::phase::broken) self.close();
    }
  } const at_end{*this};

  collected_answers into;
  into.values.reserve(batch.size());
  send(batch, steps);
  dog_.guard(until);
  bool wants_write = flush();
  while (!take_results(into)) {
    if (dog_.expired()) expire(!wants_write);
    if (dropped()) lose(dropped_);
    if (wants_write) watch_writable();
    co_await socket_.async_wait(decltype(socket_)::wait_read, awaiting);
    if (wants_write) socket_.cancel();
    auto const began = steady::now();
    if (PQconsumeInput(pg_.get()) == 0) lose(last_error(pg_.get()));
    wants_write = flush();
    // A read this long brought megabytes, and turning them into rows takes as long again.
    if (steady::now() - began > long_read) co_await others_turn();
  }
  if (!into.refused) co_return std::move(into.values);
  if (core_.current_verdict().unavailable)
    throw unavailable("PostgreSQL: " + into.refused->sqlstate + " " + into.refused->message);
  co_return std::move(*into.refused);
}

task<> connection::discard_answers() {
  collected_answers discarded;
  while (!dropped() && !take_results(discarded)) {
    discarded.values.clear();
    co_await socket_.async_wait(decltype(socket_)::wait_read, awaiting);
    if (!dropped() && PQconsumeInput(pg_.get()) == 0) lose(last_error(pg_.get()));
  }
}

void connection::send(std::span<query const> batch, std::vector<step> const& steps) {
  for (step const& s : steps)
    if (!send_step(batch, s)) lose(last_error(pg_.get()));
}

bool connection::send_step(std::span<query const> batch, step const& step) {
  switch (step.content) {
    case step::kind::begin:
      return send_command("BEGIN");
    case step::kind::begin_reading:
      return send_command("BEGIN READ ONLY");
    case step::kind::commit:
      return send_command("COMMIT");
    case step::kind::rollback:
      return send_command("ROLLBACK");
    case step::kind::settings: {
      char const* const values[] = {limits_[0].c_str(), limits_[1].c_str(), limits_[2].c_str()};
      return PQsendQueryParams(pg_.get(), settings_of_transaction, 3, nullptr, values, nullptr, nullptr, 1) == 1;
    }
    case step::kind::prepare: {
      std::string const sql(batch[static_cast<std::size_t>(step.statement)].statement.sql);
      return PQsendPrepare(pg_.get(), step.prepared, sql.c_str(), 0, nullptr) == 1;
    }
    case step::kind::execute:
    case step::kind::direct:
      return send_statement(batch[static_cast<std::size_t>(step.statement)], step);
    case step::kind::sync:
      return PQpipelineSync(pg_.get()) == 1;
  }
  return false;
}

bool connection::send_command(char const* sql) {
  return PQsendQueryParams(pg_.get(), sql, 0, nullptr, nullptr, nullptr, nullptr, 1) == 1;
}

bool connection::send_statement(query const& query, step const& step) {
  auto const& values = query.parameters.values();
  values_.clear();
  lengths_.clear();
  formats_.clear();
  for (auto const& v : values) {
    auto const& content = v.content();
    values_.push_back(v.null ? nullptr : content.c_str());
    lengths_.push_back(static_cast<int>(content.size()));
    formats_.push_back(v.binary ? 1 : 0);
  }
  int const n = static_cast<int>(values.size());
  if (step.content == step::kind::execute)
    return PQsendQueryPrepared(pg_.get(), step.prepared, n, values_.data(), lengths_.data(), formats_.data(), 1) == 1;
  std::string const sql(query.statement.sql);
  return PQsendQueryParams(pg_.get(), sql.c_str(), n, nullptr, values_.data(), lengths_.data(), formats_.data(), 1) ==
         1;
}

/// True when the batch is over.
bool connection::take_results(collected_answers& into) {
  while (PQisBusy(pg_.get()) == 0) {
    result_handle result(PQgetResult(pg_.get()));
    switch (core_.on(observe(result.get()))) {
      case reaction::go_on:
        break;
      case reaction::keep_rows:
        into.values.emplace_back(result.release());
        break;
      case reaction::keep_error:
        into.refused = refusal(result.get());
        if (core_.now() == pipeline::phase::broken) lose(into.refused->sqlstate + " " + into.refused->message);
        break;
      case reaction::done:
        return true;
      case reaction::close:
        lose("an answer out of step");
    }
  }
  return false;
}

event connection::observe(PGresult const* result) const {
  if (result == nullptr) return {.content = event::kind::end};
  switch (PQresultStatus(result)) {
    case PGRES_EMPTY_QUERY:
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
      return {.content = event::kind::value};
    case PGRES_FATAL_ERROR:
      return {.content = event::kind::error, .sqlstate = field(result, PG_DIAG_SQLSTATE)};
    case PGRES_PIPELINE_ABORTED:
      return {.content = event::kind::aborted};
    case PGRES_PIPELINE_SYNC:
      return {.content = event::kind::sync, .state = transaction(pg_.get())};
    default:
      return {.content = event::kind::foreign};
  }
}

/// True when bytes are left that the socket cannot take yet.
bool connection::flush() {
  int const left = PQflush(pg_.get());
  if (left < 0) lose(last_error(pg_.get()));
  return left == 1;
}

/// While a large batch is being sent, the server may already answer, and a client that only writes would wait
/// forever. `run` therefore waits until it can read or write; either only makes it look again.
void connection::watch_writable() {
  auto look_again = [this, alive = std::weak_ptr<bool>(alive_)](boost::system::error_code const& ec) {
    if (!ec && !alive.expired()) socket_.cancel();
  };
  socket_.async_wait(decltype(socket_)::wait_write, std::move(look_again));
}

void connection::lose(std::string const& reason) {
  core_.abandon();
  throw unavailable("PostgreSQL: " + reason);
}

void connection::expire(bool sent_whole) {
  late_ = sent_whole;
  // The phase stays `busy` while answers are owed.
  if (!owes_answer()) core_.abandon();
  // Bytes that lie there say that this process was late, not the server.
  char byte = 0;
  bool const unread = recv(PQsocket(pg_.get()), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  throw deadline_passed(unread ? "PostgreSQL: its answer was not read within the deadline"
                               : "PostgreSQL: no answer within the deadline");
}

task<identified_server> identify(connection& connection, deadline until) {
  query const ask{identity};
  auto const notified = co_await connection.run({&ask, 1}, framing::implicit, until);
  if (!notified) co_return identified_server{};
  auto const row = notified->front().front();
  co_return identified_server{{row.integer(0), row.integer(2), row.boolean(1)},
                              row.integer(3) != connection.process()};
}

}  // namespace svc::postgres
