#include "border/raw_case.hpp"

namespace svc::test {

using namespace std::string_literals;

raw_cases chunk_cases() {
  std::string const refused = "400 close", size = "9112 7.1", extension = "9112 7.1.1", read = "400",
                    end = "0\r\n\r\n";
  std::string const whole = "a\r\n{\"name\":5}\r\n";
  return {
      {"one chunk", chunked(whole + end), read, size},
      {"two chunks", chunked("8\r\n{\"name\":\r\n2\r\n5}\r\n" + end), read, size},
      {"a chunk for each byte", chunked("1\r\n{\r\n1\r\n}\r\n" + end), read, size},
      {"no chunk", chunked(end), read, size},
      {"a size in capitals", chunked("A\r\n{\"name\":5}\r\n" + end), read, size},
      {"leading zeros in a size", chunked("000a\r\n{\"name\":5}\r\n" + end), read, size},
      {"16 digits", chunked("000000000000000a\r\n{\"name\":5}\r\n" + end), read, "own"},
      {"17 digits", chunked("0000000000000000a\r\n{\"name\":5}\r\n" + end), refused, "own"},
      {"many zeros for the last", chunked(whole + "0000\r\n\r\n"), read, size},
      {"data that looks like framing", chunked("5\r\n0\r\n\r\n\r\n" + end), read, size},
      {"an extension", chunked("a;x=y\r\n{\"name\":5}\r\n" + end), read, extension},
      {"an extension without a value", chunked("a;x\r\n{\"name\":5}\r\n" + end), read, extension},
      {"two extensions", chunked("a;x=y;z\r\n{\"name\":5}\r\n" + end), read, extension},
      {"a quoted extension", chunked("a;x=\"y ; \\\" z\"\r\n{\"name\":5}\r\n" + end), read, extension},
      {"an extension of the last chunk", chunked(whole + "0;x=y\r\n\r\n"), read, extension},
      {"a line of 256", chunked("a;" + std::string(254, 'x') + "\r\n{\"name\":5}\r\n" + end), read, "own"},
      {"a line of 257", chunked("a;" + std::string(255, 'x') + "\r\n{\"name\":5}\r\n" + end), refused, "own"},
      {"extensions of 4 KiB in all", chunked(repeated(17, "1;" + std::string(250, 'x') + "\r\n \r\n") + end), refused,
       "own"},
      {"an empty size", chunked("\r\n{\"name\":5}\r\n" + end), refused, size},
      {"a prefix", chunked("0xa\r\n{\"name\":5}\r\n" + end), refused, size},
      {"a sign", chunked("+a\r\n{\"name\":5}\r\n" + end), refused, size},
      {"a negative size", chunked("-1\r\n" + end), refused, size},
      {"an underscore", chunked("0_a\r\n{\"name\":5}\r\n" + end), refused, size},
      {"no hexadecimal digit", chunked("g\r\n" + end), refused, size},
      {"a fraction", chunked("a.0\r\n{\"name\":5}\r\n" + end), refused, size},
      {"a size that overflows", chunked("ffffffffffffffff1\r\n" + end), refused, size},
      {"a size of 2 to the 64th less 1", chunked("ffffffffffffffff\r\nx"), "413 close", "9110 15.5.14"},
      {"a size above the limit", chunked("100001\r\nx"), "413 close", "9110 15.5.14"},
      {"chunks above the limit together", chunked("1\r\n \r\n100000\r\nx"), "413 close", "9110 15.5.14"},
      {"a space after the size", chunked("a \r\n{\"name\":5}\r\n" + end), refused, size},
      {"a tab after the size", chunked("a\t\r\n{\"name\":5}\r\n" + end), refused, size},
      {"a space before the size", chunked(" a\r\n{\"name\":5}\r\n" + end), refused, size},
      {"a space before the extension", chunked("a ;x\r\n{\"name\":5}\r\n" + end), refused, "own"},
      {"a space after the semicolon", chunked("a; x\r\n{\"name\":5}\r\n" + end), refused, "own"},
      {"a space around equals", chunked("a;x = y\r\n{\"name\":5}\r\n" + end), refused, "own"},
      {"an empty extension", chunked("a;\r\n{\"name\":5}\r\n" + end), refused, extension},
      {"an extension without a name", chunked("a;=y\r\n{\"name\":5}\r\n" + end), refused, extension},
      {"an extension without its value", chunked("a;x=\r\n{\"name\":5}\r\n" + end), refused, extension},
      {"an open quote", chunked("a;x=\"y\r\n{\"name\":5}\r\n" + end), refused, extension},
      {"text after a quote", chunked("a;x=\"y\"z\r\n{\"name\":5}\r\n" + end), refused, extension},
      {"NUL in an extension", chunked("a;x\0\r\n{\"name\":5}\r\n"s + end), refused, extension},
      {"bare CR in an extension", chunked("a;x\ry\r\n{\"name\":5}\r\n" + end), refused, extension},
      {"bare LF in an extension", chunked("a;x\ny\r\n{\"name\":5}\r\n" + end), refused, extension},
      {"bare LF after the size", chunked("a\n{\"name\":5}\r\n" + end), refused, "9112 2.2"},
      {"bare CR after the size", chunked("a\r{\"name\":5}\r\n" + end), refused, "9112 2.2"},
      {"CR CR LF after the size", chunked("a\r\r\n{\"name\":5}\r\n" + end), refused, "9112 2.2"},
      {"bare LF after the data", chunked("a\r\n{\"name\":5}\n" + end), refused, size},
      {"bare CR after the data", chunked("a\r\n{\"name\":5}\r" + end), refused, size},
      {"nothing after the data", chunked("a\r\n{\"name\":5}" + end), refused, size},
      {"a byte too many", chunked("a\r\n{\"name\":5} \r\n" + end), refused, size},
      {"a byte too few", chunked("b\r\n{\"name\":5}\r\n" + end), refused, size},
      {"bare LF after the last chunk", chunked(whole + "0\n\r\n"), refused, "9112 2.2"},
      {"bare LF at the end", chunked(whole + "0\r\n\n"), refused, "9112 2.2"},
      {"a bad chunk that nobody reads", stranger("Transfer-Encoding: chunked\r\n", "x\r\n"), "401 close", size},
  };
}

raw_cases trailer_cases() {
  std::string const refused = "400 close", section = "9112 7.1.2", whole = "a\r\n{\"name\":5}\r\n0\r\n";
  return {
      {"a trailer", chunked(whole + "X: y\r\n\r\n"), refused, section},
      {"an announced trailer", create("Trailer: X\r\nTransfer-Encoding: chunked\r\n", whole + "X: y\r\n\r\n"),
       refused, section},
      {"a trailer that only is announced", create("Trailer: X\r\nTransfer-Encoding: chunked\r\n", whole + "\r\n"),
       "400", "9110 6.6.2"},
      {"a credential as a trailer", chunked(whole + "Authorization: Bearer x\r\n\r\n"), refused, section},
      {"a length as a trailer", chunked(whole + "Content-Length: 5\r\n\r\n"), refused, section},
      {"a coding as a trailer", chunked(whole + "Transfer-Encoding: chunked\r\n\r\n"), refused, section},
      {"a Host as a trailer", chunked(whole + "Host: b\r\n\r\n"), refused, section},
      {"a trailer after no chunk", chunked("0\r\nX: y\r\n\r\n"), refused, section},
      {"a folded trailer", chunked(whole + " X\r\n\r\n"), refused, section},
      {"a request for a trailer", chunked(whole + "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"), refused, section},
      {"a trailer that nobody reads", stranger("Transfer-Encoding: chunked\r\n", "0\r\nX: y\r\n\r\n"), "401 close",
       section},
  };
}

}  // namespace svc::test
