#pragma once

#include <string>
#include <vector>

struct redisContext;

namespace svc::test {

using sql_rows = std::vector<std::vector<std::string>>;

/// Statements on a connection of their own; NULL is an empty text. Throws `std::runtime_error` with the server's
/// message.
sql_rows ask_postgres(std::string const& url, std::string const& statements);

/// A connection to Redis. Throws when there is none, or no answer within 5 s.
class redis_session {
 public:
  explicit redis_session(std::string const& socket);
  ~redis_session();
  redis_session(redis_session const&) = delete;
  redis_session& operator=(redis_session const&) = delete;

  /// The reply as text: elements of an array by lines, an error with '-' before it.
  std::string ask(std::vector<std::string> const& words);

 private:
  redisContext* context_;
};

/// One command on a connection of its own.
std::string ask_redis(std::string const& socket, std::vector<std::string> const& words);

}  // namespace svc::test
