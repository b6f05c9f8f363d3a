#pragma once

#include <string>
#include <vector>

namespace svc::test {

using sql_rows = std::vector<std::vector<std::string>>;

/// Statements on a connection of their own; NULL is an empty text. Throws `std::runtime_error` with the server's
/// message.
sql_rows ask_postgres(std::string const& url, std::string const& statements);

/// One command on a connection of its own. The reply as text: elements of an array by lines, an error with '-'
/// before it. Throws when there is no answer within 5 s.
std::string ask_redis(std::string const& socket, std::vector<std::string> const& words);

}  // namespace svc::test
