#include "svc/core/fault_words.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("words of the resolver, libpq, OpenSSL, Asio and libcurl become words for operators") {
  struct {
    char const *library, *plain;
  } const cases[] = {
      {"", ""},
      {"connect: Connection refused", "connect: Connection refused"},
      {"resolve: Host not found (authoritative)", "resolve: the name has no address"},
      {"could not translate host name \"db\" to address: Name or service not known",
       "no address was found for \"db\": the name has no address"},
      {"failed: Connection refused; Is the server running on that host and accepting TCP/IP connections?",
       "failed: Connection refused"},
      {"tls: wrong version number (SSL routines)", "tls: the server does not speak TLS on this port"},
      {"error:0A00010B:SSL routines::wrong version number", "the server does not speak TLS on this port"},
      {"OpenSSL/3.0: error:0A000438:SSL routines::tlsv1 alert internal error",
       "OpenSSL/3.0: tlsv1 alert internal error"},
      {"error: no code", "error: no code"},
      {"error:0A00010B:", "error:0A00010B:"},
      {"Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server",
       "nothing answers at 127.0.0.1:1: Connection refused, or no route to it"},
      {"no answer: end of stream", "no answer: the other side closed the connection without an answer"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.library);
    CHECK(in_plain_words(c.library) == c.plain);
    CHECK(in_plain_words(c.plain) == c.plain);
  }
}

TEST_CASE("an advice follows the fault, and is found by the library's own words") {
  constexpr fault_advice known[] = {{"NOAUTH", "set the password"}, {"wrong version", "check the scheme"}};
  CHECK(with_advice("NOAUTH Authentication required.", known) == "NOAUTH Authentication required: set the password");
  CHECK(with_advice("wrong version number", known) == "the server does not speak TLS on this port: check the scheme");
  CHECK(with_advice("something else.", known) == "something else.");
}
