#include "svc-runner/output/output_text.hpp"

#include <doctest/doctest.h>

using namespace svc::runner;

TEST_CASE("lines are cut at line feeds, whatever the pieces") {
  struct {
    char const* name;
    std::string text;
    std::vector<std::string> lines;
  } const cases[] = {
      {"nothing", "", {}},
      {"one", "a\n", {"a"}},
      {"no end", "a\nb", {"a", "b"}},
      {"empty lines", "\n\n", {"", ""}},
      {"carriage return", "a\r\nb\rc\n", {"a", "b\rc"}},
      {"no UTF-8", "a\xff\n", {"a\xEF\xBF\xBD"}},
      {"NUL",
       std::string("a\0b\n", 4),
       {"a\xEF\xBF\xBD"
        "b"}},
      {"letters", "\xC3\xA4\xE2\x82\xAC\n", {"\xC3\xA4\xE2\x82\xAC"}},
  };
  for (auto const& c : cases) {
    for (std::size_t size = 1; size <= c.text.size() + 1; ++size) {
      CAPTURE(c.name);
      line_splitter splitter({});
      std::vector<std::string> got;
      for (std::size_t position = 0; position < c.text.size(); position += size)
        for (auto& line : splitter.feed(std::string_view(c.text).substr(position, size))) got.push_back(line);
      for (auto& line : splitter.finish()) got.push_back(line);
      CHECK(got == c.lines);
    }
  }
}

TEST_CASE("a long line is cut between characters") {
  line_splitter splitter({});
  auto const most = line_splitter::longest_line;
  CHECK(splitter.feed(std::string(most, 'x') + "\n").size() == 1);
  auto const two = splitter.feed(std::string(most - 1, 'x') + "\xC3\xA4\n");
  REQUIRE(two.size() == 2);
  CHECK(two[0].size() == most - 1);
  CHECK(two[1] == "\xC3\xA4");
  CHECK(splitter.feed(std::string(most + 1, '\x80')).size() >= 1);
}

TEST_CASE("a budget ends once, by lines or by bytes") {
  using verdict = output_budget::verdict;
  output_budget lines(2, 1000);
  CHECK(lines.spend(1) == verdict::keep);
  CHECK(lines.spend(1) == verdict::keep);
  CHECK(lines.spend(1) == verdict::last);
  CHECK(lines.spend(1) == verdict::drop);
  output_budget bytes(100, 10);
  CHECK(bytes.spend(9) == verdict::keep);
  CHECK(bytes.spend(0) == verdict::last);
  CHECK(bytes.full());
}
