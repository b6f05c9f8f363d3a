#include "support/store_probe.hpp"

#include <hiredis/hiredis.h>
#include <libpq-fe.h>

#include <memory>
#include <stdexcept>

namespace svc::test {
namespace {

constexpr timeval answer_patience{5, 0};

std::string as_text(redisReply const& reply) {
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      return std::to_string(reply.integer);
    case REDIS_REPLY_NIL:
      return "(nil)";
    case REDIS_REPLY_ERROR:
      return "-" + std::string(reply.str, reply.len);
    case REDIS_REPLY_ARRAY:
      break;
    default:
      return {reply.str, reply.len};
  }
  std::string lines;
  for (std::size_t i = 0; i < reply.elements; ++i) lines += as_text(*reply.element[i]) + "\n";
  return lines;
}

}  // namespace

sql_rows ask_postgres(std::string const& url, std::string const& statements) {
  std::unique_ptr<PGconn, decltype(&PQfinish)> const connection(PQconnectdb(url.c_str()), &PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection.get()));
  std::unique_ptr<PGresult, decltype(&PQclear)> const result(PQexec(connection.get(), statements.c_str()), &PQclear);
  auto const status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    throw std::runtime_error(PQerrorMessage(connection.get()));
  sql_rows rows(static_cast<std::size_t>(PQntuples(result.get())));
  for (int r = 0; r < PQntuples(result.get()); ++r)
    for (int c = 0; c < PQnfields(result.get()); ++c)
      rows[static_cast<std::size_t>(r)].emplace_back(PQgetvalue(result.get(), r, c));
  return rows;
}

redis_session::redis_session(std::string const& socket)
    : context_(redisConnectUnixWithTimeout(socket.c_str(), answer_patience)) {
  if (context_ == nullptr || context_->err != 0) {
    redisFree(context_);
    throw std::runtime_error("no connection to Redis");
  }
  redisSetTimeout(context_, answer_patience);
}

redis_session::~redis_session() {
  redisFree(context_);
}

std::string redis_session::ask(std::vector<std::string> const& words) {
  std::vector<char const*> texts;
  std::vector<std::size_t> sizes;
  for (auto const& word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  auto* const raw = redisCommandArgv(context_, static_cast<int>(words.size()), texts.data(), sizes.data());
  if (raw == nullptr) throw std::runtime_error("no answer from Redis");
  std::unique_ptr<void, decltype(&freeReplyObject)> const reply(raw, &freeReplyObject);
  return as_text(*static_cast<redisReply const*>(raw));
}

std::string ask_redis(std::string const& socket, std::vector<std::string> const& words) {
  return redis_session(socket).ask(words);
}

}  // namespace svc::test
