#include "app/admin/actions.hpp"
#include "svc/core/time.hpp"

#include <doctest/doctest.h>

using namespace svc;
using app::admin::to_text;
namespace json = boost::json;

TEST_CASE("readable output: lines for members, an aligned table for rows") {
  struct {
    char const* name;
    json::value body;
    std::string expected;
  } const cases[] = {
      {"members", json::value{{"id", "1"}, {"enabled", true}, {"expiresAt", nullptr}},
       "id:       1\nenabled:  true\nexpires:  -\n"},
      {"rows", json::array{json::object{{"id", "1"}, {"name", "a"}}, json::object{{"id", "22"}, {"name", "Ä"}}},
       "id  name\n1   a\n22  Ä\n"},
      {"width counts characters, not bytes",
       json::array{json::object{{"name", "Ä"}, {"x", 1}}, json::object{{"name", "ab"}, {"x", 2}}},
       "name  x\nÄ     1\nab    2\n"},
      {"no rows", json::array{}, "none\n"},
      {"members and rows", json::value{{"total", 1}, {"rows", json::array{json::object{{"id", "1"}}}}},
       "total:  1\nid\n1\n"},
      {"several tables have titles",
       json::value{{"stops", json::array{json::object{{"id", "1"}}}},
                   {"runnerTokens", json::array{json::object{{"id", "2"}}}},
                   {"rest", json::array{}}},
       "rest:  none\nstops:\nid\n1\nrunner tokens:\nid\n2\n"},
      {"no rows next to a member", json::value{{"dropped", false}, {"partitions", json::array{}}},
       "dropped:     false\npartitions:  none\n"},
      {"a member that the first row lacks is left out",
       json::array{json::object{{"id", "1"}}, json::object{{"name", "b"}}}, "id\n1\n-\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(to_text(c.body) == c.expected);
  }
}

TEST_CASE("a table shows the columns that its command names, in their order and under their titles") {
  auto const rows = json::array{json::object{{"id", "1"}, {"name", "a"}, {"organizationSlug", "acme"}, {"key", "k"}}};
  CHECK(to_text(rows, {{"name", "name"}, {"organizationSlug", "organization"}, {"none", "none"}, {"id", "id"}}) ==
        "name  organization  none  id\na     acme          -     1\n");
}

TEST_CASE("a narrow table fits its width: times without fractions, the widest cells cut, short ones whole") {
  using app::admin::to_narrow_text;
  auto const rows = json::array{
      json::object{
          {"at", "2026-11-28T11:31:29.123456Z"}, {"action", "cli_token.revoked"}, {"details", std::string(90, 'd')}},
      json::object{{"at", "2026-11-28T11:31:29.5Z"}, {"action", "é"}, {"details", "ü.Z"}}};
  std::vector<app::admin::column> const columns{{"at", "at", true}, {"action", "action"}, {"details", "details"}};
  CHECK(to_narrow_text(rows, columns, 60) ==
        "at                    action             details\n"
        "2026-11-28T11:31:29Z  cli_token.revoked  " +
            std::string(18, 'd') +
            "\u2026\n"
            "2026-11-28T11:31:29Z  é                  ü.Z\n");
  // A column that must stay whole stays whole, although it is the widest.
  CHECK(to_narrow_text(rows, columns, 40).find("2026-11-28T11:31:29Z  cli_tok\u2026  dddddd") != std::string::npos);
  // Both wide columns shrink, and a letter of two bytes stays whole.
  auto const letters = json::array{json::object{{"action", "äöüäöüäöü"}, {"details", "äöüäöüäöü"}}};
  CHECK(to_narrow_text(letters, {{"action", "a"}, {"details", "d"}}, 10) == "a     d\näöü\u2026  äöü\u2026\n");
}

TEST_CASE("a table leaves out columns without room, by rank, says so, and keeps its ids whole") {
  using app::admin::to_narrow_text;
  std::string const id(36, 'i');
  auto const rows = json::array{json::object{{"email", "ada@example.org"},
                                             {"unknownOrRevoked", 1},
                                             {"createdAt", "2026-11-28T11:31:29.123456Z"},
                                             {"id", id}}};
  CHECK(to_text(rows).starts_with("email            unknown or revoked  created                      id\n"));
  CHECK(to_narrow_text(rows, {}, 200) ==
        "email            unknown or revoked  created               id\nada@example.org  1                   "
        "2026-11-28T11:31:29Z  " +
            id + "\n");
  CHECK(to_narrow_text(rows, {}, 80) ==
        "email            unknown or revoked  id\nada@example.org  1                   " + id +
            "\nLeft out: created. A wider terminal or --json shows everything.\n");
  CHECK(to_narrow_text(rows, {}, 56).find("ada@exa\u2026") != std::string::npos);
  CHECK(to_narrow_text(rows, {}, 20).find(id) != std::string::npos);
}

TEST_CASE("a time of an option is a date, RFC 3339, or the format of psql") {
  using app::admin::parse_day;
  auto const noon = parse_rfc3339("2027-01-01T12:00:00Z");
  for (auto const* text : {"2027-01-01T12:00:00Z", "2027-01-01 12:00:00Z", "2027-01-01 12:00:00+00",
                           "2027-01-01 13:00:00+01", "2027-01-01T13:00:00+01:00", "2027-01-01 12:00:00.000000+00"}) {
    CAPTURE(text);
    CHECK(parse_day(text) == noon);
  }
  CHECK(parse_day("2027-01-01") == parse_rfc3339("2027-01-01T00:00:00Z"));
  for (auto const* text : {"", "yesterday", "2027-01", "2027-13-01", "2027-01-01 ", "2027-01-01 12:00", "-2w"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_day(text));
  }
}

TEST_CASE("a refusal prints its sentence and a line for each place") {
  CHECK(to_text(error(errc::validation_failed, "Nothing was imported.", {{"line 2", "kind"}, {"line 3", "name"}})) ==
        "Nothing was imported.\n  line 2: kind\n  line 3: name\n");
  CHECK(to_text(error(errc::name_taken)).size() > 10);
}
