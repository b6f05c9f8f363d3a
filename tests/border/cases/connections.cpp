#include "border/raw_case.hpp"

namespace svc::test {

raw_cases connection_cases() {
  std::string const section = "9112 9.3", expect = "9110 10.1.1", upgrade = "9110 7.8", good = get("");
  return {
      {"two requests", good + good, "200 200", section},
      {"ten requests", repeated(10, good), "200 200 200 200 200 200 200 200 200 200", section},
      {"an empty line between requests", good + "\r\n" + good, "200 200", "9112 2.2"},
      {"two empty lines between requests", good + "\r\n\r\n" + good, "200 400 close", "9112 2.2"},
      {"a bad request after a good one", good + get("A : b\r\n"), "200 400 close", section},
      {"a good request after a bad one", get("A : b\r\n") + good, "400 close", section},
      {"a body between requests", get("Content-Length: 5\r\n") + "hello" + good, "413 200", "9112 6.3"},
      {"chunks between requests", stranger("Transfer-Encoding: chunked\r\n", "1\r\nx\r\n0\r\n\r\n") + good, "401 200",
       "9112 7.1"},
      {"close", get("Connection: close\r\n"), "200 close", "9112 9.6"},
      {"close in a list", get("Connection: x, CLOSE ,y\r\n"), "200 close", "9112 9.6"},
      {"close in a second field", get("Connection: keep-alive\r\nConnection: close\r\n"), "200 close", "9112 9.6"},
      {"nothing is answered after close", get("Connection: close\r\n") + good, "200 close", "9112 9.6"},
      {"an unknown option", get("Connection: Content-Length, Host\r\n"), "200", "9110 7.6.1"},
      {"HTTP/1.0", "GET /livez HTTP/1.0\r\n\r\n", "200 close", section},
      {"HTTP/1.0 with a Host", "GET /livez HTTP/1.0\r\nHost: a\r\n\r\n", "200 close", section},
      {"HTTP/1.0 keep-alive", "GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "200", section},
      {"nothing is answered after HTTP/1.0", "GET /livez HTTP/1.0\r\n\r\n" + good, "200 close", section},
      {"an expectation with the body", create("Expect: 100-continue\r\nContent-Length: 2\r\n", "{}"), "400", expect},
      {"an expectation in capitals", create("Expect: 100-CONTINUE\r\nContent-Length: 2\r\n", "{}"), "400", expect},
      {"an expectation without a body", get("Expect: 100-continue\r\n"), "200", expect},
      {"a body that nobody reads may arrive or not", get("Expect: 100-continue\r\nContent-Length: 5\r\n"),
       "413 close", expect},
      {"it is not parsed as a request", get("Expect: 100-continue\r\nContent-Length: 5\r\n") + good, "413 close",
       expect},
      {"another expectation", get("Expect: 200-ok\r\n"), "400 close", "own"},
      {"two expectations", get("Expect: 100-continue, x\r\n"), "400 close", "own"},
      {"an empty expectation", get("Expect:\r\n"), "400 close", "own"},
      {"WebSocket", get("Upgrade: websocket\r\nConnection: Upgrade\r\n"), "200", upgrade},
      {"HTTP/2 in clear", get("Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n"),
       "200", upgrade},
      {"an upgrade of a body", create("Upgrade: x\r\nConnection: upgrade\r\nContent-Length: 2\r\n", "{}"), "400",
       upgrade},
  };
}

/// Each case hides a second request at a point where two readers may see different ends of the first.
raw_cases smuggling_cases() {
  std::string const refused = "400 close", none = "501 close", framing = "9112 6.3", coding = "9112 6.1";
  std::string const hidden = get("", "/livez?hidden");
  std::string const behind = "0\r\n\r\n" + hidden;
  auto const length = std::to_string(behind.size());
  return {
      {"hidden by length", get("Content-Length: " + std::to_string(hidden.size()) + "\r\n") + hidden, "413", framing},
      {"hidden by a chunk", stranger("Transfer-Encoding: chunked\r\n", "5\r\nGET /\r\n0\r\n\r\n"), "401", "9112 7.1"},
      {"CL.TE", get("Content-Length: " + length + "\r\nTransfer-Encoding: chunked\r\n") + behind, refused, framing},
      {"TE.CL", get("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n") + "5c\r\n" + behind, refused, framing},
      {"TE.TE", get("Transfer-Encoding: chunked\r\nTransfer-encoding: x\r\n") + behind, refused, coding},
      {"CL.CL", get("Content-Length: 0\r\nContent-Length: " + length + "\r\n") + behind, refused, framing},
      {"CL.0", get("Content-Length: 0\r\n") + hidden, "200 200", framing},
      {"an unknown coding", get("Transfer-Encoding: x\r\n") + behind, none, coding},
      {"a coding after a tab", get("Transfer-Encoding:\tchunked\r\nContent-Length: 5\r\n") + behind, refused,
       framing},
      {"a coding with a space in its name", get("Transfer-Encoding : chunked\r\nContent-Length: 5\r\n") + behind,
       refused, "9112 5.1"},
      {"a coding on a folded line", get("X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\n") + behind,
       refused, "9112 5.2"},
      {"a coding after a bare CR", get("X: y\rTransfer-Encoding: chunked\r\nContent-Length: 5\r\n") + behind, refused,
       "9112 2.2"},
      {"a coding after a bare LF", get("X: y\nTransfer-Encoding: chunked\r\n") + behind, refused, "9112 2.2"},
      {"a request in a chunk size", get("Transfer-Encoding: chunked\r\n") + "0 " + behind, "400 close", "9112 7.1"},
      {"a request in an extension", get("Transfer-Encoding: chunked\r\n") + "0;\n" + behind, "400 close",
       "9112 7.1.1"},
      {"a request as a trailer", get("Transfer-Encoding: chunked\r\n") + "0\r\n" + hidden, "400 close", "9112 7.1.2"},
      {"a body on GET is no request", get("Content-Length: 23\r\n") + "GET /404 HTTP/1.1\r\nX: y" + hidden, "413 200",
       "9110 9.3.1"},
      {"a response in the middle", get("") + "HTTP/1.1 200 OK\r\n\r\n" + hidden, "200 400 close", "9112 3"},
  };
}

/// Each request never ends, and is cut off at its deadline.
raw_cases unfinished_cases() {
  std::string const reported = "408 close", head = "9110 15.5.9", body = "9112 8";
  return {
      {"half a method", "GE", reported, head},
      {"half a target", "GET /liv", reported, head},
      {"half a version", "GET /livez HTTP/1.", reported, head},
      {"half a line end", "GET /livez HTTP/1.1\r", reported, head},
      {"half a name", "GET /livez HTTP/1.1\r\nHos", reported, head},
      {"half a value", "GET /livez HTTP/1.1\r\nHost: a", reported, head},
      {"no empty line", "GET /livez HTTP/1.1\r\nHost: a\r\n", reported, head},
      {"half an empty line", "GET /livez HTTP/1.1\r\nHost: a\r\n\r", reported, head},
      {"only an empty line", "\r\n", reported, head},
      {"no body", create("Content-Length: 5\r\n", ""), reported, body},
      {"half a body", create("Content-Length: 5\r\n", "{}"), reported, body},
      {"no chunk", chunked(""), reported, body},
      {"half a size", chunked("a"), reported, body},
      {"half a chunk", chunked("a\r\n{\"name\""), reported, body},
      {"no end of a chunk", chunked("a\r\n{\"name\":5}"), reported, body},
      {"no last chunk", chunked("a\r\n{\"name\":5}\r\n"), reported, body},
      {"half a last chunk", chunked("a\r\n{\"name\":5}\r\n0\r\n"), reported, body},
      {"half a body that nobody reads", stranger("Content-Length: 5\r\n", "he"), "401 close", body},
      {"half a body after Expect", create("Expect: 100-continue\r\nContent-Length: 5\r\n", "he"), reported, body},
  };
}

}  // namespace svc::test
