// The public corpus of RFC 9112 cases describes some without bytes: sizes, bytes that are not text, and sequences on
// one connection, whose second request follows the first. Each is written out here under its id.
#include "border/raw_case.hpp"

namespace svc::test {

using namespace std::string_literals;

namespace {

constexpr std::size_t large = 100'000;
std::string const refused = "400 close", framing = "9112 6.3", coding = "9112 6.1", none = "own";
std::string const end = "0\r\n\r\n";

std::string post(std::string const& fields, std::string const& body) {
  return "POST /livez HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body;
}

raw_cases sizes() {
  return {
      {"COMP-LONG-URL-OK", get("", "/livez?" + std::string(7979, 'x')), "200", "9112 3"},
      {"COOK-OVERSIZED", get("Cookie: a=" + std::string(64 * 1024, 'x') + "\r\n"), "431 close", "6585 5"},
      {"COOK-MANY-PAIRS", get("Cookie: " + repeated(1000, "a=b; ") + "\r\n"), "200", none},
      {"MAL-LONG-URL", get("", "/" + std::string(large, 'x')), "414 close", "9110 15.5.15"},
      {"MAL-LONG-HEADER-VALUE", get("X: " + std::string(large, 'x') + "\r\n"), "431 close", "6585 5"},
      {"MAL-MANY-HEADERS", get(repeated(10'000, "X: y\r\n")), "431 close", "6585 5"},
      {"MAL-LONG-HEADER-NAME", get(std::string(large, 'X') + ": y\r\n"), "431 close", "6585 5"},
      {"MAL-LONG-METHOD", line(std::string(large, 'G') + " /livez HTTP/1.1"), refused, none},
      {"MAL-CHUNK-EXT-64K", chunked("a;x=" + std::string(64 * 1024, 'y') + "\r\n{\"name\":5}\r\n" + end), refused,
       "9112 7.1.1"},
      {"MAL-RANGE-OVERLAPPING", get("Range: bytes=" + repeated(1000, "0-9,") + "0-9\r\n"), "200", "9110 14.2"},
  };
}

raw_cases bytes() {
  return {
      {"COOK-NUL", get("Cookie: a=b\0c\r\n"s), refused, "9110 5.5"},
      {"COOK-CONTROL-CHARS", get("Cookie: a=\x01\x02\x03\r\n"), refused, "9110 5.5"},
      {"MAL-BINARY-GARBAGE", "\x9f\x00\x17\xfe\x80\x03\x41\xee\r\n\r\n"s, refused, "9112 3"},
      {"MAL-CONTROL-CHARS-HEADER", get("X: a\x01\x02\x1f\r\n"), refused, "9110 5.5"},
      {"MAL-EMPTY-REQUEST", "", "close", none},
      {"MAL-NON-ASCII-HEADER-NAME", get("X-T\xC3\xABst: y\r\n"), refused, "9110 5.6.2"},
      {"MAL-NON-ASCII-URL", get("", "/caf\xC3\xA9"), refused, "9112 3.2"},
      {"MAL-NUL-IN-HEADER-VALUE", get("X: a\0b\r\n"s), refused, "9110 5.5"},
      {"MAL-H2-PREFACE", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"s, "505 close", "9113 3.4"},
      {"MAL-URL-OVERLONG-UTF8", get("", "/\xC0\xAFlivez"), refused, "3629 3"},
      {"SMUG-BARE-CR-HEADER-VALUE", get("X: a\rb\r\n"), refused, "9112 2.2"},
      {"SMUG-CHUNK-EXT-LF", chunked("a;x\n{\"name\":5}\r\n" + end), refused, "9112 7.1.1"},
      {"SMUG-CHUNK-LF-TERM", chunked("a\r\n{\"name\":5}\n" + end), refused, "9112 7.1"},
      {"SMUG-CHUNK-EXT-CTRL", chunked("a;x\0y\r\n{\"name\":5}\r\n"s + end), refused, "9112 7.1.1"},
      {"SMUG-CHUNK-EXT-CR", chunked("a;x\r{\"name\":5}\r\n" + end), refused, "9112 7.1.1"},
      {"SMUG-TE-VTAB", post("Transfer-Encoding: \vchunked\r\n", end), refused, coding},
      {"SMUG-TE-FORMFEED", post("Transfer-Encoding: \fchunked\r\n", end), refused, coding},
      {"SMUG-TE-NULL", post("Transfer-Encoding: chunked\0\r\n"s, end), refused, coding},
      {"SMUG-CHUNK-LF-TRAILER", chunked("a\r\n{\"name\":5}\r\n0\r\n\n"), refused, "9112 7.1"},
      {"SMUG-CL-LEADING-ZEROS-OCTAL", post("Content-Length: 0200\r\n", std::string(200, 'x')), refused, none},
      {"SMUG-CHUNK-BARE-CR-TERM", chunked("a\r{\"name\":5}\r\n" + end), refused, "9112 2.2"},
  };
}

raw_cases sequences() {
  auto const next = get("");
  auto const hidden = get("", "/livez?hidden");
  auto const both = "Content-Length: " + std::to_string(end.size()) + "\r\nTransfer-Encoding: chunked\r\n";
  auto const length = "Content-Length: " + std::to_string(end.size() + hidden.size()) + "\r\n";
  auto const with_length = [&](std::string const& more) { return post(length + more, end + hidden) + next; };
  return {
      {"SMUG-CLTE-PIPELINE", post(both, end) + next, refused, framing},
      {"SMUG-TECL-PIPELINE", post("Transfer-Encoding: chunked\r\nContent-Length: 30\r\n", end) + next, refused,
       framing},
      {"SMUG-CLTE-CONN-CLOSE", post(both, end) + next, refused, framing},
      {"SMUG-TECL-CONN-CLOSE", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", end) + next, refused,
       framing},
      {"SMUG-CLTE-DESYNC", post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", end + "X") + next, refused,
       framing},
      {"SMUG-CLTE-SMUGGLED-GET", with_length("Transfer-Encoding: chunked\r\n"), refused, framing},
      {"SMUG-CLTE-SMUGGLED-GET-CL-PLUS",
       post("Content-Length: +40\r\nTransfer-Encoding: chunked\r\n", end + hidden) + next, refused, "9110 8.6"},
      {"SMUG-CLTE-SMUGGLED-GET-CL-NON-NUMERIC",
       post("Content-Length: 40x\r\nTransfer-Encoding: chunked\r\n", end + hidden) + next, refused, "9110 8.6"},
      {"SMUG-CLTE-SMUGGLED-GET-TE-OBS-FOLD", with_length("Transfer-Encoding:\r\n chunked\r\n"), refused, "9112 5.2"},
      {"SMUG-CLTE-SMUGGLED-HEAD", post(both, end + "HEAD /livez HTTP/1.1\r\nHost: a\r\n\r\n") + next, refused,
       framing},
      {"SMUG-CLTE-SMUGGLED-GET-TE-TRAILING-SPACE", with_length("Transfer-Encoding: chunked \r\n"), refused, framing},
      {"SMUG-CLTE-SMUGGLED-GET-TE-LEADING-COMMA", with_length("Transfer-Encoding: ,chunked\r\n"), refused, framing},
      {"SMUG-CLTE-SMUGGLED-GET-TE-CASE-MISMATCH", with_length("Transfer-Encoding: Chunked\r\n"), refused, framing},
      {"SMUG-TE-DUPLICATE-HEADERS-SMUGGLED-GET",
       with_length("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"), refused, coding},
      {"SMUG-TECL-SMUGGLED-GET",
       post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", "2b\r\n" + hidden + end) + next, refused, framing},
      {"SMUG-DUPLICATE-CL-SMUGGLED-GET", with_length("Content-Length: 5\r\n"), refused, framing},
      {"SMUG-GET-CL-PREFIX-DESYNC", get("Content-Length: 23\r\n") + "GET /hidden HTTP/1.1\r\nX" + next, "413 200",
       "9110 9.3.1"},
      {"SMUG-TECL-DESYNC", post("Transfer-Encoding: chunked\r\nContent-Length: 30\r\n", end + "X") + next, refused,
       framing},
      {"SMUG-CL0-BODY-POISON", get("Content-Length: 0\r\n") + "X" + next, "200 401", framing},
      {"SMUG-GET-CL-BODY-DESYNC", get("Content-Length: 5\r\n") + "hello" + next, "413 200", "9110 9.3.1"},
      {"SMUG-OPTIONS-CL-BODY-DESYNC", "OPTIONS /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" + next,
       "204 200", "9110 9.3.7"},
      {"SMUG-EXPECT-100-CL-DESYNC", get("Expect: 100-continue\r\nContent-Length: 5\r\n") + "hello" + next,
       "413 close", "9110 10.1.1"},
      {"SMUG-OPTIONS-TE-OBS-FOLD",
       "OPTIONS /livez HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n" + end +
           next,
       refused, "9112 5.2"},
      {"SMUG-CHUNK-INVALID-SIZE-DESYNC", chunked("+0\r\n\r\nX") + next, refused, "9112 7.1"},
      {"SMUG-PIPELINE-SAFE", next + next, "200 200", "9112 9.3"},
  };
}

}  // namespace

raw_cases described_cases() {
  auto out = sizes();
  for (auto const table : {bytes, sequences}) {
    for (auto& c : table()) out.push_back(std::move(c));
  }
  return out;
}

}  // namespace svc::test
