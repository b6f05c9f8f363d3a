#include "border/raw_case.hpp"

namespace svc::test {

using namespace std::string_literals;

raw_cases length_cases() {
  std::string const refused = "400 close", section = "9110 8.6", framing = "9112 6.3";
  std::string const five = "hello";
  auto const length = [&](std::string const& value) { return stranger("Content-Length: " + value + "\r\n", five); };
  return {
      {"a body that nobody reads", length("5"), "401", framing},
      {"a body where none belongs", get("Content-Length: 5\r\n") + five, "413", "own"},
      {"a body that is read", create("Content-Length: 10\r\n", R"({"name":5})"), "400", framing},
      {"length 0", get("Content-Length: 0\r\n"), "200", section},
      {"white space around the length", length("\t5 "), "401", section},
      {"the name in capitals", stranger("CONTENT-LENGTH: 5\r\n", five), "401", "9110 5.1"},
      {"a create without length or coding", create("", ""), "400", framing},
      {"two lengths alike", length("5\r\nContent-Length: 5"), refused, framing},
      {"two lengths", length("5\r\nContent-Length: 6"), refused, framing},
      {"two lengths in different case", length("5\r\ncontent-length: 5"), refused, framing},
      {"a list of one value", length("5, 5"), refused, "own"},
      {"a list", length("5, 6"), refused, framing},
      {"a comma", length("5,"), refused, framing},
      {"an empty length", length(""), refused, section},
      {"a sign", length("+5"), refused, section},
      {"a negative length", length("-5"), refused, section},
      {"minus zero", length("-0"), refused, section},
      {"a leading zero", length("05"), refused, "own"},
      {"two zeros", length("00"), refused, "own"},
      {"hexadecimal", length("0x5"), refused, section},
      {"hexadecimal without a sign", length("a"), refused, section},
      {"octal", length("0o5"), refused, section},
      {"a fraction", length("5.0"), refused, section},
      {"an exponent", length("5e0"), refused, section},
      {"an underscore in the number", length("1_0"), refused, section},
      {"a space in the number", length("1 0"), refused, section},
      {"a unit", length("5B"), refused, section},
      {"quotes", length("\"5\""), refused, section},
      {"a parameter", length("5;x=y"), refused, section},
      {"vertical tab before the number", length("\v5"), refused, section},
      {"NUL after the number", get("Content-Length: 5\0\r\n"s) + five, refused, section},
      {"an Arabic digit", length("\xD9\xA5"), refused, section},
      {"no-break space before the number",
       length("\xA0"
              "5"),
       refused, section},
      {"19 digits", length("1000000000000000000"), refused, section},
      {"2 to the 63rd", length("9223372036854775808"), refused, section},
      {"2 to the 64th and 5", length("18446744073709551621"), refused, section},
      {"40 digits", length(std::string(40, '9')), refused, section},
      {"more than a create takes", create("Content-Length: 1048577\r\n", ""), "413 close", "9110 15.5.14"},
      {"18 digits for a create", create("Content-Length: 999999999999999999\r\n", ""), "413 close", "9110 15.5.14"},
      {"more than is dropped", stranger("Content-Length: 65537\r\n", ""), "401 close", "9112 9.6"},
      {"a body on HEAD", "HEAD /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "413", "9110 9.3.2"},
      {"a body on OPTIONS", "OPTIONS /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "204",
       "9110 9.3.7"},
      {"a length on HTTP/1.0", "GET /livez HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello", "413 close", framing},
  };
}

raw_cases coding_cases() {
  std::string const refused = "400 close", section = "9112 6.1", none = "501 close";
  auto const coding = [](std::string const& value) {
    return stranger("Transfer-Encoding: " + value + "\r\n", "5\r\nhello\r\n0\r\n\r\n");
  };
  return {
      {"chunked that nobody reads", coding("chunked"), "401", section},
      {"chunked where no body belongs", get("Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\n\r\n", "413 close",
       "own"},
      {"chunked in capitals", coding("CHUNKED"), "401", "9112 7"},
      {"white space around chunked", coding("\t chunked \t"), "401", "9110 5.5"},
      {"the name in capitals", get("TRANSFER-ENCODING: chunked\r\n") + "0\r\n\r\n", "200", "9110 5.1"},
      {"length, then coding", get("Content-Length: 15\r\nTransfer-Encoding: chunked\r\n") + "5\r\nhello\r\n0\r\n\r\n",
       refused, "9112 6.3"},
      {"coding, then length", get("Transfer-Encoding: chunked\r\nContent-Length: 15\r\n") + "5\r\nhello\r\n0\r\n\r\n",
       refused, "9112 6.3"},
      {"length 0 and coding", get("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n", refused,
       "9112 6.3"},
      {"an unknown coding and a length", get("Transfer-Encoding: x\r\nContent-Length: 5\r\n") + "hello", refused,
       "9112 6.3"},
      {"identity and a length", get("Transfer-Encoding: identity\r\nContent-Length: 5\r\n") + "hello", refused,
       "9112 6.3"},
      {"chunked twice", coding("chunked, chunked"), refused, section},
      {"two fields", coding("chunked\r\nTransfer-Encoding: chunked"), refused, section},
      {"two fields, gzip first", coding("gzip\r\nTransfer-Encoding: chunked"), refused, "own"},
      {"two fields, identity second", coding("chunked\r\nTransfer-Encoding: identity"), refused, "own"},
      {"chunked, then another", coding("chunked, gzip"), refused, section},
      {"chunked, then identity", coding("chunked, identity"), refused, section},
      {"gzip", coding("gzip"), none, section},
      {"identity", coding("identity"), none, section},
      {"gzip, then chunked", coding("gzip, chunked"), none, section},
      {"a word that ends in chunked", coding("xchunked"), none, section},
      {"a word that begins with chunked", coding("chunkedx"), none, section},
      {"chunk", coding("chunk"), none, section},
      {"an empty coding", coding(""), refused, section},
      {"an empty element in front", coding(",chunked"), refused, section},
      {"an empty element at the end", coding("chunked,"), refused, section},
      {"quotes", coding("\"chunked\""), refused, section},
      {"single quotes", coding("'chunked'"), none, section},
      {"a parameter", coding("chunked;q=1"), refused, section},
      {"a semicolon", coding("chunked;"), refused, section},
      {"two words", coding("chunked x"), refused, section},
      {"a space inside", coding("chu nked"), refused, section},
      {"vertical tab in front", coding("\vchunked"), refused, section},
      {"NUL after it", get("Transfer-Encoding: chunked\0\r\n"s) + "0\r\n\r\n", refused, section},
      {"no-break space in front",
       coding("\xA0"
              "chunked"),
       refused, section},
      {"a byte order mark in front",
       coding("\xEF\xBB\xBF"
              "chunked"),
       refused, section},
      {"a long s for an s",
       coding("chunk\xC3\xA9"
              "d"),
       refused, section},
      {"a space before the colon", get("Transfer-Encoding : chunked\r\n") + "0\r\n\r\n", refused, "9112 5.1"},
      {"a dash more in the name", get("Transfer--Encoding: chunked\r\n"), "200", "own"},
      {"the name without a dash", get("TransferEncoding: chunked\r\n"), "200", "own"},
      {"coding on HTTP/1.0", "POST /livez HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused, section},
      {"coding and length on HTTP/1.0",
       "POST /livez HTTP/1.0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused, section},
      {"TE is no framing", get("TE: trailers, chunked\r\n"), "200", "9110 10.1.4"},
      {"Content-Encoding is no framing", get("Content-Encoding: chunked\r\nContent-Length: 5\r\n") + "hello", "413",
       "9110 8.4"},
      {"an encoded body is refused unread", create("Content-Encoding: gzip\r\nContent-Length: 2\r\n", "{}"), "415",
       "9110 15.5.16"},
      {"an encoded body in chunks",
       create("Content-Encoding: x-nonsense\r\nTransfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"), "415",
       "9110 15.5.16"},
      {"a body said to be as it is", create("Content-Encoding: identity\r\nContent-Length: 2\r\n", "{}"), "400",
       "9110 8.4"},
  };
}

}  // namespace svc::test
