#include "border/raw_case.hpp"

namespace svc::test {
namespace {

/// With a token: without one every request gets 401.
std::string ask(std::string const& target) {
  return authorised("GET " + target);
}

}  // namespace

raw_cases path_cases() {
  std::string const bad = "400", refused = "400 close", pchar = "3986 3.3", dots = "3986 6.2.2.3",
                    escape = "3986 2.1";
  std::string const visible = "9112 3.2";
  return {
      {"an escaped letter is the letter", ask("/api/auth/%77hoami"), "200", "3986 6.2.2.2"},
      {"escapes in either case", ask("/api/auth/who%61%6Di"), "200", "3986 6.2.2.1"},
      {"decoded once", ask("/api/auth/%2577hoami"), "404", "3986 2.4"},
      {"another case is another path", ask("/API/auth/whoami"), "404", "3986 6.2.2.1"},
      {"the root", ask("/"), "404", pchar},
      {"sub-delimiters", ask("/a!$&'()*+,;=:@-._~"), "404", pchar},
      {"UTF-8", ask("/%C3%A4"), "404", "3987 3.1"},
      {"a double slash", ask("//api/jobs"), bad, "own"},
      {"a double slash inside", ask("/api//jobs"), bad, "own"},
      {"a slash at the end", ask("/api/jobs/"), bad, "own"},
      {"a dot segment", ask("/api/./jobs"), bad, dots},
      {"two dots", ask("/api/x/../jobs"), bad, dots},
      {"two dots at the end", ask("/api/jobs/.."), bad, dots},
      {"more dots than segments", ask("/../../etc/passwd"), bad, dots},
      {"escaped dots", ask("/api/x/%2e%2e/jobs"), bad, dots},
      {"one escaped dot of two", ask("/api/x/.%2E/jobs"), bad, dots},
      {"one escaped dot", ask("/api/%2e/jobs"), bad, dots},
      {"dots escaped twice stay text", ask("/api/%252e%252e/jobs"), "404", "3986 2.4"},
      {"three dots are a name", ask("/api/..."), "404", dots},
      {"dots with a parameter are a name", ask("/api/..;/jobs"), "404", dots},
      {"an escaped slash", ask("/api%2Fjobs"), bad, escape},
      {"an escaped slash and dots", ask("/api/..%2fjobs"), bad, escape},
      {"an escaped backslash", ask("/api%5Cjobs"), bad, escape},
      {"a backslash", ask("/api\\jobs"), bad, pchar},
      {"backslashes and dots", ask("/api\\..\\jobs"), bad, pchar},
      {"a slash escaped twice stays text", ask("/api%252Fjobs"), "404", "3986 2.4"},
      {"an escaped NUL", ask("/api/jobs%00"), bad, "own"},
      {"escaped CR LF", ask("/api%0d%0aX:y"), bad, "own"},
      {"an escaped tab", ask("/api%09"), bad, "own"},
      {"an escaped DEL", ask("/api%7f"), bad, "own"},
      {"an escape without digits", ask("/api/%"), bad, escape},
      {"an escape with one digit", ask("/api/%4"), bad, escape},
      {"an escape of no digits", ask("/api/%zz"), bad, escape},
      {"half an escape inside", ask("/api/%4g/x"), bad, escape},
      {"a Unicode escape", ask("/api/%u0041"), bad, escape},
      {"overlong UTF-8", ask("/api/%c0%af"), bad, "3629 3"},
      {"overlong dots", ask("/api/%c0%ae%c0%ae/jobs"), bad, "3629 3"},
      {"a surrogate", ask("/api/%ed%a0%80"), bad, "3629 3"},
      {"beyond Unicode", ask("/api/%f4%90%80%80"), bad, "3629 3"},
      {"half a sequence", ask("/api/%c3"), bad, "3629 3"},
      {"a lone continuation", ask("/api/%80"), bad, "3629 3"},
      {"a brace", ask("/api/{id}"), bad, pchar},
      {"a caret", ask("/api/^"), bad, pchar},
      {"quotes", ask("/api/\"x\""), bad, pchar},
      {"an angle bracket", ask("/api/<x>"), bad, pchar},
      {"a bar", ask("/api/a|b"), bad, pchar},
      {"a square bracket", ask("/api/[x]"), bad, pchar},
      {"a fragment", ask("/api/jobs#x"), bad, visible},
      {"a fragment that hides a query", ask("/api/jobs#?page=1"), bad, visible},
      {"a byte above ASCII", ask("/api/\xC3\xA4"), refused, visible},
      {"a control character", ask("/api/\x01"), refused, visible},
      {"DEL", ask("/api/\x7F"), refused, visible},
      {"no slash", ask("api/jobs"), refused, visible},
      {"only a query", ask("?page=1"), refused, visible},
      {"an asterisk for GET", ask("*"), refused, "9112 3.2.4"},
      {"an asterisk and more", line("OPTIONS *a HTTP/1.1"), refused, "9112 3.2.4"},
      {"a path that begins with an asterisk", ask("/*"), "404", pchar},
  };
}

raw_cases query_cases() {
  std::string const bad = "400", refused = "400 close", escape = "3986 2.1", query = "3986 3.4";
  return {
      {"a query", ask("/api/jobs?page=1&limit=1"), "200", query},
      {"an empty query", ask("/api/jobs?"), "200", query},
      {"empty parameters", ask("/api/jobs?&&page=1&"), "200", query},
      {"escaped names and values", ask("/api/jobs?%70age=%31"), "200", query},
      {"decoded once", ask("/api/jobs?page=%2531"), bad, "3986 2.4"},
      {"an escaped ampersand separates nothing", ask("/api/jobs?page=1%26limit=1"), bad, escape},
      {"an unknown parameter", ask("/api/jobs?colour=red"), bad, "own"},
      {"an unknown parameter of a public page", get("", "/livez?colour=red"), "200", "own"},
      {"a parameter twice", ask("/api/jobs?page=1&page=2"), bad, "own"},
      {"a question mark in a value", get("", "/livez?a=b?c"), "200", query},
      {"a slash and dots in a query", get("", "/livez?a=/../b"), "200", query},
      {"an escaped NUL", ask("/api/jobs?page=1%00"), bad, "own"},
      {"escaped CR LF", ask("/api/jobs?page=1%0d%0aX:y"), bad, "own"},
      {"half an escape", ask("/api/jobs?page=%3"), bad, escape},
      {"no escape", ask("/api/jobs?page=%"), bad, escape},
      {"overlong UTF-8", ask("/api/jobs?page=%c0%b1"), bad, "3629 3"},
      {"50 parameters", get("", "/livez?" + repeated(50, "a&")), "200", "own"},
      {"51 parameters", ask("/api/jobs?" + repeated(51, "a&")), bad, "own"},
      {"a fragment", ask("/api/jobs?page=1#x"), bad, "9112 3.2"},
      {"a byte above ASCII", ask("/api/jobs?page=\xC3\xA4"), refused, "9112 3.2"},
      {"a token in the URL is not read", get("", "/api/auth/whoami?access_token={token}"), "401", "6750 2.3"},
  };
}

raw_cases absolute_cases() {
  std::string const bad = "400", refused = "400 close", section = "9112 3.2.2";
  return {
      {"the Host's own", ask("http://a/api/auth/whoami"), "200", section},
      {"by https", ask("https://a/api/auth/whoami"), "200", section},
      {"scheme and host in capitals", ask("HTTPS://A/api/auth/whoami"), "200", "3986 6.2.2.1"},
      {"without a path", ask("http://a"), "404", section},
      {"with a query only", ask("http://a?x=y"), "404", section},
      {"another host", ask("http://b/api/auth/whoami"), bad, section},
      {"a longer host", ask("http://a.example/api/auth/whoami"), bad, section},
      {"a port that Host does not have", ask("http://a:80/api/auth/whoami"), bad, "own"},
      {"user information", ask("http://a@b/api/auth/whoami"), bad, "9110 4.2.4"},
      {"user information before the host", ask("http://x@a/api/auth/whoami"), bad, "9110 4.2.4"},
      {"no host", ask("http:///api/auth/whoami"), bad, "9110 4.2.1"},
      {"a backslash after the host", ask("http://a\\@b/api/auth/whoami"), bad, section},
      {"dots after the host", ask("http://a/../api/auth/whoami"), bad, "3986 6.2.2.3"},
      {"one slash", ask("http:/api/auth/whoami"), refused, section},
      {"another scheme", ask("ftp://a/api/auth/whoami"), refused, section},
      {"a file", ask("file:///etc/passwd"), refused, section},
      {"a script", ask("javascript:alert(1)"), refused, section},
      {"the authority alone", ask("a:443"), refused, "9112 3.2.3"},
      {"a URL inside a path", ask("/http://a/"), bad, "own"},
      {"on HTTP/1.0 without a Host", "GET http://a/livez HTTP/1.0\r\nAuthorization: Bearer {token}\r\n\r\n",
       "400 close", section},
  };
}

raw_cases id_cases() {
  std::string const good = "01890a5d-ac96-774b-bcce-b302099a8057", bad = "400", uuid = "9562 4";
  auto const job = [](std::string const& id) { return ask("/api/jobs/" + id); };
  return {
      {"an id of nobody", job(good), "404", uuid},
      {"in capitals", job("01890A5D-AC96-774B-BCCE-B302099A8057"), "404", uuid},
      {"escaped digits", job("%30" + good.substr(1)), "404", "3986 6.2.2.2"},
      {"a number", job("42"), bad, uuid},
      {"without dashes", job("01890a5dac96774bbcceb302099a8057"), bad, uuid},
      {"in braces", job("%7B" + good + "%7D"), bad, uuid},
      {"as a URN", job("urn:uuid:" + good), bad, "9562 4"},
      {"a digit short", job(good.substr(1)), bad, uuid},
      {"a digit more", job(good + "0"), bad, uuid},
      {"no hexadecimal digit", job("g" + good.substr(1)), bad, uuid},
      {"a dash elsewhere", job("01890a5da-c96-774b-bcce-b302099a8057"), bad, uuid},
      {"a space at the end", job(good + "%20"), bad, uuid},
      {"a letter of Unicode", job("%EF%BC%90" + good.substr(1)), bad, uuid},
      {"SQL", job("1'%20OR%20'1'='1"), bad, uuid},
  };
}

}  // namespace svc::test
