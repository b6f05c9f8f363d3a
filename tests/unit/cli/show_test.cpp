// Objects and rows as people and programs see them.
#include "cli/console/show.hpp"

#include "cli/console/failure.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/table.hpp"
#include "unit/cli/ends.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

using namespace svc::cli;
namespace json = boost::json;

TEST_CASE("JSON is formatted without touching its numbers and strings") {
  struct {
    char const* name;
    std::string text, line, pretty;
  } const cases[] = {
      {"object", R"({"a":1,"b":[1,2],"c":{}})", R"({"a":1,"b":[1,2],"c":{}})",
       "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ],\n  \"c\": {}\n}"},
      {"spaces", " { \"a\" :\n[ ] } ", R"({"a":[]})", "{\n  \"a\": []\n}"},
      {"numbers as they are", R"([123456789012345678901234567890,1.50,1E5])",
       R"([123456789012345678901234567890,1.50,1E5])", "[\n  123456789012345678901234567890,\n  1.50,\n  1E5\n]"},
      {"brackets and escapes in strings", R"(["{,:\"]\\"])", R"(["{,:\"]\\"])", "[\n  \"{,:\\\"]\\\\\"\n]"},
      {"what a terminal would obey", "[\"\xc2\x9b\xe2\x80\xae\x7fü\"]", "[\"\xc2\x9b\xe2\x80\xae\x7fü\"]",
       "[\n  \"\\u009b\\u202e\\u007fü\"\n]"},
      {"scalar", " true ", "true", "true"},
      {"nothing", "", "", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(laid_out(c.text, false) == c.line);
    CHECK(laid_out(c.text, true) == c.pretty);
  }
}

TEST_CASE("the rows of a page are found in its text, whatever the text is") {
  using texts = std::vector<std::string_view>;
  CHECK(elements_of(R"({"data":[{"id":1},{"id":[2,{}]}, 3 ,"a,]"],"pagination":{}})", "data") ==
        texts{R"({"id":1})", R"({"id":[2,{}]})", "3", R"("a,]")"});
  CHECK(elements_of(R"({"x":{"data":[9]},"y":[[1]],"data":[1]})", "data") == texts{"1"});
  for (auto const* const none : {"", "[1]", "{}", R"({"data":[]})", R"({"data":{}})", R"({"data")", R"({"data":[)",
                                 R"({"a":1,)", R"({"data":[}]})"})
    CHECK(elements_of(none, "data").empty());
}

TEST_CASE("no format passes a control sequence of the data to a terminal, and pipes get templates unchanged") {
  constexpr column columns[] = {{"ID", "id"}, {"Escape", "esc"}, {"Status", "status", cell::status}};
  json::value const row =
      json::parse(R"({"id": "a\u001b[2Jb", "esc": "\u001b[31mred", "status": "\u001b]0;x\u0007"})");
  struct {
    char const* name;
    format format;
    bool terminal;
    bool passes;  ///< the escape character of the data
  } const cases[] = {
      {"table", format::text, true, false},         {"table in a pipe", format::text, false, false},
      {"ids", format::quiet, true, false},          {"ids in a pipe", format::quiet, false, false},
      {"template", format::templated, true, false}, {"template in a pipe", format::templated, false, true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    for (bool const single : {false, true}) {
      CAPTURE(single);
      svc::test::ends seen;
      console console({.out_terminal = c.terminal, .columns_wanted = 200}, seen.out(), seen.err());
      console.choose(c.format, "{id} {esc} {status}\\n", false, true);
      if (single)
        show_object(console, row.as_object(), columns);
      else
        show_rows(console, std::span(&row, 1), columns);
      console.flush();
      auto const text = seen.written_out();
      CHECK((text.find('\x1b') != std::string::npos) == c.passes);
      CHECK((text.find('\x07') != std::string::npos) == c.passes);
      CHECK((text.find("a\\x1b[2Jb") != std::string::npos) != c.passes);
    }
  }
}

TEST_CASE("a narrow terminal loses columns by rank, then width, and never an id") {
  constexpr column columns[] = {{"ID", "id"}, {"Name", "name"}, {"A", "a", cell::text, 1}, {"B", "b", cell::text, 2}};
  std::size_t const natural[] = {36, 30, 10, 10};
  using positions = std::vector<std::pair<std::size_t, std::size_t>>;
  struct {
    std::size_t terminal;
    positions expected;  // index and width
  } const cases[] = {
      {200, {{0, 36}, {1, 30}, {2, 10}, {3, 118}}},  // the last has the rest
      {92, {{0, 36}, {1, 30}, {2, 10}, {3, 10}}},
      {91, {{0, 36}, {1, 30}, {2, 21}}},
      {79, {{0, 36}, {1, 41}}},
      {68, {{0, 36}, {1, 30}}},
      {67, {{0, 36}, {1, 29}}},
      {50, {{0, 36}, {1, 12}}},
      {20, {{0, 36}, {1, narrowest}}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.terminal);
    positions got;
    for (auto const& [index, width] : placed(columns, natural, c.terminal, "id")) got.emplace_back(index, width);
    CHECK(got == c.expected);
  }
}

TEST_CASE("on a terminal the name is first and the id last, and omitted columns are named") {
  constexpr column columns[] = {{"ID", "id", cell::id, 9},
                                {"Name", "name"},
                                {"Took", "ms", cell::duration, 1},
                                {"Every", "s", cell::seconds, 2}};
  json::value const row =
      json::parse(R"({"id": "01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70", "name": "shop", "ms": 1200, "s": 30})");
  struct {
    int width;
    bool terminal, wide;
    char const* out;
    char const* err;
  } const cases[] = {
      {80, true, false, "Name  Took  Every  ID\nshop  1.2s  30s    01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70\n", ""},
      {54, true, false, "Name  Took  Every\nshop  1.2s  30s\n", "Not shown: ID. --wide shows everything.\n"},
      {30, true, false, "Name  Took  Every\nshop  1.2s  30s\n", "Not shown: ID. --wide shows everything.\n"},
      {11, true, false, "Name  Took\nshop  1.2s\n", "Not shown: Every, ID. --wide shows everything.\n"},
      {30, true, true, "Name  Took  Every  ID\nshop  1.2s  30s    01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70\n", ""},
      {30, false, false, "ID\tName\tTook (ms)\tEvery (s)\n01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70\tshop\t1200\t30\n",
       ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.width);
    CAPTURE(c.wide);
    svc::test::ends seen;
    console console({.out_terminal = c.terminal, .columns_wanted = c.width}, seen.out(), seen.err());
    console.choose(format::text, {}, false, true);
    console.keep_everything(c.wide);
    show_rows(console, std::span(&row, 1), columns);
    console.flush();
    CHECK(seen.written_out() == c.out);
    CHECK(seen.written_err() == c.err);
  }
}

TEST_CASE("sentences without room are printed whole below their row") {
  constexpr column columns[] = {{"ID", "id", cell::id},
                                {"When", "when", cell::text, 1},
                                {"Of", "name", cell::name},
                                {"Error", "error", cell::prose},
                                {"Message", "message", cell::prose}};
  json::array const rows{json::parse(R"({"id": "a1", "when": "now", "name": "shop", "error": null,
    "message": "The page has answered with 503, and 200 was expected."})"),
                         json::parse(R"({"id": "a2", "when": "now", "name": "api", "error": "HTTP 500",
    "message": "https://shop.example.org/a/very/long/path is down."})")};
  struct {
    int width;
    bool terminal, wide;
    char const* out;
  } const cases[] = {
      {40, true, false,
       "Of    When  ID\n"
       "shop  now   a1\n"
       "    Message: The page has answered with\n    503, and 200 was expected.\n"
       "api   now   a2\n"
       "    Error: HTTP 500\n"
       "    Message:\n    https://shop.example.org/a/very/long/path\n    is down.\n"},
      {100, true, false,
       "Of    When  Error     Message                                                ID\n"
       "shop  now   -         The page has answered with 503, and 200 was expected.  a1\n"
       "api   now   HTTP 500  https://shop.example.org/a/very/long/path is down.     a2\n"},
      {40, true, true,
       "Of    When  Error     Message                                                ID\n"
       "shop  now   -         The page has answered with 503, and 200 was expected.  a1\n"
       "api   now   HTTP 500  https://shop.example.org/a/very/long/path is down.     a2\n"},
      {40, false, false,
       "ID\tWhen\tOf\tError\tMessage\n"
       "a1\tnow\tshop\t-\tThe page has answered with 503, and 200 was expected.\n"
       "a2\tnow\tapi\tHTTP 500\thttps://shop.example.org/a/very/long/path is down.\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.width);
    CAPTURE(c.wide);
    svc::test::ends seen;
    console console({.out_terminal = c.terminal, .columns_wanted = c.width}, seen.out(), seen.err());
    console.choose(format::text, {}, false, true);
    console.keep_everything(c.wide);
    show_rows(console, std::span(rows.data(), rows.size()), columns);
    console.flush();
    CHECK(seen.written_out() == c.out);
    CHECK(seen.written_err().empty());
  }
}

TEST_CASE("a later page's sentence that is wider than its column is printed below its row, too") {
  constexpr column columns[] = {
      {"Of", "name", cell::name}, {"Message", "message", cell::prose}, {"ID", "id", cell::id}};
  json::value const first = json::parse(R"({"name": "a", "message": "Down.", "id": "1"})");
  json::value const second = json::parse(R"({"name": "b", "message": "Down, since the port is closed.", "id": "2"})");
  svc::test::ends seen;
  console console({.out_terminal = true, .columns_wanted = 40}, seen.out(), seen.err());
  console.choose(format::text, {}, false, true);
  row_writer table(console, columns);
  table.rows(std::span(&first, 1));
  table.rows(std::span(&second, 1));
  console.flush();
  CHECK(seen.written_out().find("\n    Message: Down, since the port is\n    closed.\n") != std::string::npos);
}

TEST_CASE("a run's tests have their results, in lines on a terminal and in one elsewhere") {
  json::value const run = json::parse(R"({"tests": [
    {"title": "smoke", "status": "passed", "durationMs": 1200},
    {"title": "check\u001bout", "status": "failed", "durationMs": 62000, "errorDetails": "exit code 3"},
    {"title": "late", "status": "skipped"}]})");
  constexpr column columns[] = {{"Tests", "tests", cell::results}};
  for (bool const terminal : {true, false}) {
    svc::test::ends seen;
    console console({.out_terminal = terminal, .columns_wanted = 80}, seen.out(), seen.err());
    console.choose(format::text, {}, false, true);
    show_object(console, run.as_object(), columns);
    console.flush();
    CHECK(seen.written_out() == (terminal ? "Tests  passed        1.2s  smoke\n"
                                            "       failed      1m 02s  check\\x1bout: exit code 3\n"
                                            "       skipped          -  late\n"
                                          : "Tests\tsmoke: passed, check\\x1bout: failed, late: skipped\n"));
  }
}

TEST_CASE("a template with a member that nothing has is refused with the one that was meant") {
  constexpr column columns[] = {{"Error", "error.reason"}, {"Script", "script"}};
  json::array const rows{json::parse(R"({"id": "1", "name": "a"})"),
                         json::parse(R"({"id": "2", "durationMs": 1, "owner": {"name": "x"}})")};
  auto const check = [&](char const* text) { check_template(text, std::span(rows.data(), rows.size()), columns); };
  for (auto const* const good :
       {"{id} {name}", "{durationMs}", "{owner.absent}", "{error.reason}", "{script}", "{{nme}}", ""})
    CHECK_NOTHROW(check(good));
  CHECK_NOTHROW(check_template("{nme}", {}, columns));
  struct {
    char const* text;
    char const* said;
  } const cases[] = {
      {"{id} {nme}", "The template names {nme}, which the answer does not have; did you mean {name}?"},
      {"{onwer.name}", "The template names {onwer}, which the answer does not have; did you mean {owner}?"},
      {"{something}", "The template names {something}, which the answer does not have."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK_THROWS_WITH_AS(check(c.text), c.said, failure);
  }
}

TEST_CASE("text is wrapped between words, and a long word stays whole") {
  using texts = std::vector<std::string>;
  CHECK(wrapped("", 10).empty());
  CHECK(wrapped("one  two three", 7) == texts{"one two", "three"});
  CHECK(wrapped("a abcdefghijkl b", 6) == texts{"a", "abcdefghijkl", "b"});
  CHECK(wrapped("世界 世界", 8) == texts{"世界", "世界"});
}

TEST_CASE("an id of another thing is left out rather than shortened") {
  constexpr column columns[] = {{"Action", "action"}, {"Resource", "resourceId", cell::id, 1}};
  std::size_t const natural[] = {28, 36};
  CHECK(placed(columns, natural, 66, "id").size() == 2);
  auto const narrow = placed(columns, natural, 60, "id");
  REQUIRE(narrow.size() == 1);
  CHECK(narrow[0].index == 0);
}

TEST_CASE("a long text is shortened before a column is lost, and gets the remaining width") {
  constexpr column columns[] = {{"Name", "name"}, {"A", "a", cell::text, 1}, {"Message", "message"}};
  std::size_t const natural[] = {10, 10, 90};
  auto const shown_columns = placed(columns, natural, 80, "id");
  REQUIRE(shown_columns.size() == 3);
  CHECK(shown_columns[1].width == 10);
  CHECK(shown_columns[2].width == 56);
  CHECK(placed(columns, natural, 200, "id")[2].width >= 90);
}

TEST_CASE("cells of a line are padded by their columns, and painted without that counting") {
  placed_column const columns[] = {{0, 6}, {2, 4}, {1, 9}};
  std::string const cells[] = {"世界", "last one is cut", "ok"};
  std::string_view const paint[] = {"", "", "\x1b[32m"};
  CHECK(table_line(columns, cells, paint) == "世界    \x1b[32mok\x1b[0m    last one…");
}
