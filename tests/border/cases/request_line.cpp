#include "border/raw_case.hpp"

namespace svc::test {

using namespace std::string_literals;

raw_cases request_line_cases() {
  std::string const refused = "400 close", request = "9112 3", version = "9112 2.3", start = "9112 2.2";
  return {
      {"plain", line("GET /livez HTTP/1.1"), "200", request},
      {"one empty line in front", "\r\n" + get(""), "200", start},
      {"two empty lines in front", "\r\n\r\n" + get(""), refused, start},
      {"bare LF in front", "\n" + get(""), refused, start},
      {"bare CR in front", "\r" + get(""), refused, start},
      {"space in front", " " + get(""), refused, request},
      {"tab in front", "\t" + get(""), refused, request},
      {"NUL in front", "\0"s + get(""), refused, request},
      {"byte order mark in front", "\xEF\xBB\xBF" + get(""), refused, request},
      {"a TLS record inside TLS", "\x16\x03\x01\x02\x00\x01"s + get(""), refused, request},
      {"PROXY header inside TLS", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + get(""), refused, request},
      {"a response", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", refused, request},
      {"two spaces after the method", line("GET  /livez HTTP/1.1"), refused, request},
      {"tab after the method", line("GET\t/livez HTTP/1.1"), refused, request},
      {"vertical tab after the method", line("GET\v/livez HTTP/1.1"), refused, request},
      {"two spaces after the target", line("GET /livez  HTTP/1.1"), refused, request},
      {"tab after the target", line("GET /livez\tHTTP/1.1"), refused, request},
      {"no space after the target", line("GET /livezHTTP/1.1"), refused, request},
      {"space inside the target", line("GET /livez /x HTTP/1.1"), refused, "9112 3.2"},
      {"a second version", line("GET /livez HTTP/1.1 HTTP/1.1"), refused, request},
      {"space after the version", line("GET /livez HTTP/1.1 "), refused, request},
      {"tab after the version", line("GET /livez HTTP/1.1\t"), refused, request},
      {"no target", line("GET HTTP/1.1"), refused, request},
      {"an empty target", line("GET  HTTP/1.1"), refused, request},
      {"only a method", "GET\r\n\r\n", refused, request},
      {"HTTP/0.9", "GET /livez\r\n", refused, version},
      {"lower-case name of the protocol", line("GET /livez http/1.1"), refused, version},
      {"mixed case", line("GET /livez Http/1.1"), refused, version},
      {"another protocol", line("GET /livez HTTPS/1.1"), refused, version},
      {"no minor version", line("GET /livez HTTP/1"), refused, version},
      {"an empty minor version", line("GET /livez HTTP/1."), refused, version},
      {"two digits of minor version", line("GET /livez HTTP/1.10"), refused, version},
      {"two digits of major version", line("GET /livez HTTP/11.1"), refused, version},
      {"leading zero in the version", line("GET /livez HTTP/01.1"), refused, version},
      {"comma in the version", line("GET /livez HTTP/1,1"), refused, version},
      {"space in the version", line("GET /livez HTTP/ 1.1"), refused, version},
      {"sign in the version", line("GET /livez HTTP/+1.1"), refused, version},
      {"letter in the version", line("GET /livez HTTP/1.x"), refused, version},
      {"full-width digit in the version", line("GET /livez HTTP/1.\xEF\xBC\x91"), refused, version},
      {"HTTP/0.9 spelt out", line("GET /livez HTTP/0.9"), "505 close", version},
      {"HTTP/1.2", line("GET /livez HTTP/1.2"), "505 close", version},
      {"HTTP/2.0", line("GET /livez HTTP/2.0"), "505 close", version},
      {"HTTP/9.9", line("GET /livez HTTP/9.9"), "505 close", version},
      {"HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 close", "9113 3.4"},
      {"bare LF after the request line", "GET /livez HTTP/1.1\nHost: a\r\n\r\n", refused, start},
      {"bare CR after the request line", "GET /livez HTTP/1.1\rHost: a\r\n\r\n", refused, start},
      {"CR CR LF after the request line", "GET /livez HTTP/1.1\r\r\nHost: a\r\n\r\n", refused, start},
      {"LF CR after the request line", "GET /livez HTTP/1.1\n\rHost: a\r\n\r\n", refused, start},
      {"NUL after the request line", "GET /livez HTTP/1.1\0\r\nHost: a\r\n\r\n"s, refused, request},
  };
}

raw_cases method_cases() {
  std::string const refused = "400 close", grammar = "9110 9.1";
  return {
      {"HEAD", line("HEAD /livez HTTP/1.1"), "200", "9110 9.3.2"},
      {"OPTIONS of a path", line("OPTIONS /livez HTTP/1.1"), "204", "9110 9.3.7"},
      {"OPTIONS of the server", line("OPTIONS * HTTP/1.1"), "204", "9110 9.3.7"},
      {"a method that the path does not have", authorised("POST /livez"), "405", "9110 15.5.6"},
      {"DELETE of what is only read", authorised("DELETE /livez"), "405", "9110 15.5.6"},
      {"lower case is another method", authorised("get /livez"), "501", grammar},
      {"mixed case is another method", authorised("Get /livez"), "501", grammar},
      {"an unknown method", authorised("BREW /api/jobs"), "501", "9110 15.6.2"},
      {"an unknown method by a stranger", line("BREW /api/jobs HTTP/1.1"), "401", "own"},
      {"every character of a token", authorised("A!#$%&'*+-.^_`|~9 /livez"), "501", "9110 5.6.2"},
      {"TRACE", authorised("TRACE /livez"), "501", "9110 9.3.8"},
      {"CONNECT", line("CONNECT a:443 HTTP/1.1"), "501 close", "9110 9.3.6"},
      {"CONNECT with a path", line("CONNECT /livez HTTP/1.1"), "501 close", "9110 9.3.6"},
      {"no method", line(" /livez HTTP/1.1"), refused, grammar},
      {"bracket in the method", line("G[T /livez HTTP/1.1"), refused, grammar},
      {"colon in the method", line("GET: /livez HTTP/1.1"), refused, grammar},
      {"slash in the method", line("GE/T /livez HTTP/1.1"), refused, grammar},
      {"quotes around the method", line("\"GET\" /livez HTTP/1.1"), refused, grammar},
      {"NUL in the method", "G\0T /livez HTTP/1.1\r\nHost: a\r\n\r\n"s, refused, grammar},
      {"DEL in the method", line("G\x7FT /livez HTTP/1.1"), refused, grammar},
      {"byte above ASCII in the method", line("G\xC3\x8BT /livez HTTP/1.1"), refused, grammar},
      {"LF in the method", line("GE\nT /livez HTTP/1.1"), refused, grammar},
      {"a method of 32", authorised(std::string(32, 'M') + " /livez"), "501", "own"},
      {"a method of 33", line(std::string(33, 'M') + " /livez HTTP/1.1"), refused, "own"},
  };
}

}  // namespace svc::test
