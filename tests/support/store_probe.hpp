#pragma once

#include <string>
#include <vector>

struct redisContext;

namespace svc::test {

using sql_rows = std::vector<std::vector<std::string>>;

/// Runs statements on a new connection; NULL is an empty text. Throws `std::runtime_error` with the server's message.
sql_rows ask_postgres(std::string const& url, std::string const& statements);

/// A connection to Redis. Throws when it cannot connect, or when there is no answer within 5 s.
class redis_session {
 public:
  explicit redis_session(std::string const& socket);
  ~redis_session();
  redis_session(redis_session const&) = delete;
  redis_session& operator=(redis_session const&) = delete;

  /// The reply as text: each element of an array on a line, an error after '-'.
  std::string ask(std::vector<std::string> const& words);

 private:
  redisContext* context_;
};

/// One command on a new connection.
std::string ask_redis(std::string const& socket, std::vector<std::string> const& words);

}  // namespace svc::test
