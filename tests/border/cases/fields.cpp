#include "border/raw_case.hpp"

namespace svc::test {

using namespace std::string_literals;

raw_cases line_cases() {
  std::string const refused = "400 close", section = "9112 2.2", fold = "9112 5.2";
  return {
      {"bare LF after a field", get("A: b\nC: d\r\n"), refused, section},
      {"bare LF after Host", "GET /livez HTTP/1.1\r\nHost: a\n\r\n", refused, section},
      {"bare LF for the empty line", "GET /livez HTTP/1.1\r\nHost: a\r\n\n", refused, section},
      {"LF LF for the end", "GET /livez HTTP/1.1\nHost: a\n\n", refused, section},
      {"bare CR in a value", get("A: b\rC: d\r\n"), refused, section},
      {"bare CR that hides a framing field", get("A: b\rTransfer-Encoding: chunked\r\n"), refused, section},
      {"CR CR LF after a field", get("A: b\r\r\n"), refused, section},
      {"CR CR LF for the empty line", "GET /livez HTTP/1.1\r\nHost: a\r\n\r\r\n", refused, section},
      {"bare CR for the empty line", "GET /livez HTTP/1.1\r\nHost: a\r\n\rX", refused, section},
      {"bare CR before the colon", get("A\r: b\r\n"), refused, section},
      {"LF in a name", get("A\nB: c\r\n"), refused, section},
      {"a folded line", get("A: b\r\n c\r\n"), refused, fold},
      {"a line folded with a tab", get("A: b\r\n\tc\r\n"), refused, fold},
      {"a folded line of nothing", get("A: b\r\n \r\n"), refused, fold},
      {"a folded coding", get("Transfer-Encoding:\r\n chunked\r\n"), refused, fold},
      {"a folded length", get("Content-Length:\r\n 5\r\n"), refused, fold},
      {"white space before the first field", "GET /livez HTTP/1.1\r\n Host: a\r\n\r\n", refused, section},
      {"a line of white space after the request line", "GET /livez HTTP/1.1\r\n \r\nHost: a\r\n\r\n", refused,
       section},
      {"an empty line that is a space", "GET /livez HTTP/1.1\r\nHost: a\r\n \r\n\r\n", refused, fold},
  };
}

raw_cases field_cases() {
  std::string const refused = "400 close", name = "9112 5.1", value = "9110 5.5", token = "9110 5.6.2";
  return {
      {"an empty value", get("A:\r\n"), "200", value},
      {"white space around a value", get("A: \t b \t\r\n"), "200", value},
      {"white space inside a value", get("A: b \t c\r\n"), "200", value},
      {"bytes above ASCII in a value", get("A: \x80\xFF\xC3\xA4\r\n"), "200", value},
      {"every punctuation in a value", get("A: !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\r\n"), "200", value},
      {"every character of a token in a name", get("!#$%&'*+-.^_`|~9aZ: b\r\n"), "200", token},
      {"a field twice", get("A: b\r\nA: c\r\n"), "200", "9110 5.3"},
      {"a space before the colon", get("A : b\r\n"), refused, name},
      {"a tab before the colon", get("A\t: b\r\n"), refused, name},
      {"a space in a name", get("A B: c\r\n"), refused, name},
      {"no colon", get("A\r\n"), refused, "9112 5"},
      {"no name", get(": b\r\n"), refused, "9112 5"},
      {"only a colon", get(":\r\n"), refused, "9112 5"},
      {"equals for the colon", get("A=b\r\n"), refused, "9112 5"},
      {"bracket in a name", get("A[0]: b\r\n"), refused, token},
      {"quotes around a name", get("\"A\": b\r\n"), refused, token},
      {"slash in a name", get("A/B: c\r\n"), refused, token},
      {"comma in a name", get("A,B: c\r\n"), refused, token},
      {"at sign in a name", get("A@B: c\r\n"), refused, token},
      {"NUL in a name", get("A\0B: c\r\n"s), refused, token},
      {"DEL in a name", get("A\x7F: b\r\n"), refused, token},
      {"control character in a name",
       get("\x01"
           "A: b\r\n"),
       refused, token},
      {"byte above ASCII in a name", get("\xC3\xA4: b\r\n"), refused, token},
      {"soft hyphen in a name", get("Content\xC2\xADLength: 5\r\n"), refused, token},
      {"NUL in a value", get("A: b\0c\r\n"s), refused, value},
      {"NUL at the end of a value", get("A: b\0\r\n"s), refused, value},
      {"DEL in a value", get("A: \x7F\r\n"), refused, value},
      {"backspace in a value", get("A: b\bc\r\n"), refused, value},
      {"vertical tab in a value", get("A: b\vc\r\n"), refused, value},
      {"form feed in a value", get("A: \fb\r\n"), refused, value},
      {"escape in a value", get("A: \x1B[31m\r\n"), refused, value},
      {"end of text in a value", get("A: b\x03\r\n"), refused, value},
      {"two credentials",
       "GET /api/auth/whoami HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\nauthorization: Bearer x\r\n\r\n",
       "400", "9110 11.6.2"},
      {"two content types",
       authorised("POST /api/cli-tokens",
                  "Content-Type: text/plain\r\nContent-Type: application/json\r\nContent-Length: 2\r\n") +
           "{}",
       "400", "9110 5.3"},
      {"underscore for the dash of Content-Length", get("Content_Length: 5\r\n"), refused, "own"},
      {"underscore for the dash of Transfer-Encoding", get("transfer_encoding: chunked\r\n"), refused, "own"},
      {"a field of an intermediary", get("X-Forwarded-For: 192.0.2.1\r\nX-Original-URL: /api/jobs\r\n"), "200",
       "own"},
      {"another method in a field", get("X-HTTP-Method-Override: DELETE\r\n"), "200", "own"},
  };
}

raw_cases limit_cases() {
  auto const head_of = [](std::size_t size) {
    return get("X: " + std::string(size - get("X: \r\n").size(), 'v') + "\r\n");
  };
  auto const target_of = [](std::size_t size) {
    return line("GET /livez?" + std::string(size - 7, 'q') + " HTTP/1.1");
  };
  auto const fields_of = [](std::size_t count) { return get(repeated(count - 1, "A: b\r\n")); };
  return {
      {"a target of 8191", target_of(8191), "200", "9112 3"},
      {"a target of 8192", target_of(8192), "200", "own"},
      {"a target of 8193", target_of(8193), "414 close", "9110 15.5.15"},
      {"99 fields", fields_of(99), "200", "own"},
      {"100 fields", fields_of(100), "200", "own"},
      {"101 fields", fields_of(101), "431 close", "6585 5"},
      {"a head of 16383", head_of(16383), "200", "own"},
      {"a head of 16384", head_of(16384), "200", "own"},
      {"a head of 16385", head_of(16385), "431 close", "6585 5"},
      {"a long name", get(std::string(17'000, 'n') + ": v\r\n"), "431 close", "6585 5"},
      {"a long line without a colon", get(std::string(17'000, 'n')), "431 close", "6585 5"},
      {"white space without end", get("A:" + std::string(17'000, ' ') + "\r\n"), "431 close", "6585 5"},
  };
}

}  // namespace svc::test
