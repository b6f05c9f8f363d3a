#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::test {

/// Raw bytes and the expected answers. Played without sockets against the guards and the target parser, and against
/// the running service.
struct raw_case {
  std::string name;
  std::string bytes;  ///< `{token}` stands for a good CLI token of the tested service
  /// The statuses of all answers, then "close" if the connection ends after them; otherwise the next request on the
  /// connection is answered.
  std::string expected;
  std::string section;  ///< where the rule stands; "own" for a rule that is only ours
};
using raw_cases = std::vector<raw_case>;

// One table for each topic, in cases/.
raw_cases request_line_cases();
raw_cases method_cases();
raw_cases host_cases();
raw_cases line_cases();
raw_cases field_cases();
raw_cases limit_cases();
raw_cases length_cases();
raw_cases coding_cases();
raw_cases chunk_cases();
raw_cases trailer_cases();
raw_cases path_cases();
raw_cases query_cases();
raw_cases absolute_cases();
raw_cases id_cases();
raw_cases connection_cases();
raw_cases smuggling_cases();
raw_cases unfinished_cases();
/// Cases that the public corpus only describes; each name begins with the corpus's id.
raw_cases described_cases();

raw_cases all_raw_cases();

/// `bytes` with the token in place of `{token}`.
std::string with_token(std::string bytes, std::string_view token);

// Helpers for writing the tables.

inline std::string get(std::string const& fields, std::string const& target = "/livez") {
  return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}
/// The given request line, followed by nothing wrong.
inline std::string line(std::string const& request_line) {
  return request_line + "\r\nHost: a\r\n\r\n";
}
inline std::string authorised(std::string const& request_line, std::string const& fields = {}) {
  return request_line + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n" + fields + "\r\n";
}
/// A create whose body is read: a whole one that is JSON violates its schema (400, the connection stays open), a body
/// that cannot be read ends the connection.
inline std::string create(std::string const& fields, std::string const& body) {
  return authorised("POST /api/cli-tokens", "Content-Type: application/json\r\n" + fields) + body;
}
/// Without a token: gets 401 before the body is read; the body is dropped if possible.
inline std::string stranger(std::string const& fields, std::string const& body) {
  return "POST /api/cli-tokens HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body;
}
inline std::string chunked(std::string const& body) {
  return create("Transfer-Encoding: chunked\r\n", body);
}
inline std::string repeated(std::size_t count, std::string const& text) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace svc::test
