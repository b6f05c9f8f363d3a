// Bodies as HTML and as plain text.
#include "domain/pages/markup.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <string_view>

using namespace svc::pages;

TEST_CASE("blank lines make paragraphs, and single line ends stay line ends") {
  struct {
    std::string_view body, html, plain;
  } const rows[] = {
      {"", "", ""},
      {"\n \n", "", ""},
      {"one", "<p>one</p>", "one"},
      {"one\ntwo", "<p>one<br>two</p>", "one\ntwo"},
      {"one\r\n\r\n\r\n two ", "<p>one</p><p>two</p>", "one\n\ntwo"},
      {"a\u2028b", "<p>a<br>b</p>", "a\nb"},
      {"a < b & \"c\" 'd'", "<p>a &lt; b &amp; &quot;c&quot; &#39;d&#39;</p>", "a < b & \"c\" 'd'"},
      {"a\x01\x7F"
       "b",
       "<p>a  b</p>", "a  b"},
      {"a\u202E\u2066b\u200F", "<p>ab</p>", "ab"},
      {"a\xFF", "<p>a\uFFFD</p>", "a\uFFFD"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.body);
    CHECK(paragraphs(row.body) == row.html);
    CHECK(plain_body(row.body) == row.plain);
  }
  CHECK(escaped_line("a\uFFFE\uFFFF\nb") == "a b");
}

TEST_CASE("addresses become links with the whole address as their text") {
  auto const link = [](std::string const& address) {
    return "<a href=\"" + address + "\" rel=\"nofollow ugc noopener\">" + address + "</a>";
  };
  struct {
    std::string_view body;
    std::string html;
  } const rows[] = {
      {"see https://a.example/x.", "see " + link("https://a.example/x") + "."},
      {"(http://a.example/b_(c))", "(" + link("http://a.example/b_(c)") + ")"},
      {"https://a.example?b=1&c=\"d\"", link("https://a.example?b=1&amp;c=") + "&quot;d&quot;"},
      {"https://a.example/<b>", link("https://a.example/") + "&lt;b&gt;"},
      {"https://a.example。", link("https://a.example") + "。"},
      {"xhttps://a.example", "xhttps://a.example"},
      {"https:// http://", "https:// http://"},
      {"javascript:alert(1) HTTP://a data:text/html,x", "javascript:alert(1) HTTP://a data:text/html,x"},
      {"https://a.example https://b.example", link("https://a.example") + " " + link("https://b.example")},
      {"httphttps://a.example", "httphttps://a.example"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.body);
    CHECK(paragraphs(row.body) == "<p>" + row.html + "</p>");
  }
  auto const longest = "https://" + std::string(1992, 'a');
  CHECK(paragraphs(longest) == "<p>" + link(longest) + "</p>");
  CHECK(paragraphs(longest + "a") == "<p>" + longest + "a</p>");
}

TEST_CASE("brackets and broken addresses in a body cost time in proportion to its size") {
  std::string body;
  while (body.size() < 5000) body += "(https://";
  body += std::string(5000, ')');
  auto const start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) CHECK(paragraphs(body).find("<a ") == std::string::npos);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
  CHECK(paragraphs("(https://a.example/x)))...") ==
        "<p>(<a href=\"https://a.example/x\" rel=\"nofollow ugc noopener\">https://a.example/x</a>)))...</p>");
}
