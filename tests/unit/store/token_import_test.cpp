#include "svc/store/tokens/token_import.hpp"

#include <doctest/doctest.h>

using namespace svc;
using store::parse_csv;
using store::parse_token_csv;

namespace {

std::string const header = "kind,name,digest,start,project,job,owner,enabled,expires_at\n";
std::string const hex(64, 'a');
std::string const job_id = "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70";

std::string row(std::string const& kind, std::string const& digest, std::string const& start,
                std::string const& job = "", std::string const& tail = "ada@acme.test,,") {
  return kind + ",ci," + digest + "," + start + ",acme/shop," + job + "," + tail + "\n";
}

}  // namespace

TEST_CASE("CSV: fields, quotes, line ends") {
  struct {
    char const* name;
    std::string input;
    std::vector<std::vector<std::string>> expected;
  } const cases[] = {
      {"nothing", "", {}},
      {"one row without a line end", "a,b", {{"a", "b"}}},
      {"CRLF, empty lines, byte order mark",
       "\xEF\xBB\xBF"
       "a,b\r\n\r\nc,d\r\n",
       {{"a", "b"}, {"c", "d"}}},
      {"empty fields", ",\n,,\n", {{"", ""}, {"", "", ""}}},
      {"quotes", "\"a,\"\"b\"\"\nc\",d\n", {{"a,\"b\"\nc", "d"}}},
      {"a bare CR is text", "a\rb,c\n", {{"a\rb", "c"}}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const rows = parse_csv(c.input);
    REQUIRE(rows.has_value());
    std::vector<std::vector<std::string>> fields;
    for (auto const& r : *rows) fields.push_back(r.fields);
    CHECK(fields == c.expected);
  }
}

TEST_CASE("CSV: an invalid file names the line") {
  struct {
    char const* name;
    std::string input;
    std::string line;
  } const cases[] = {{"quote inside", "a,b\nc\"d,e", "line 2"},
                     {"text after a quote", "a,b\n\"c\"d\n", "line 2"},
                     {"never closed", "a\nb\n\"c\nd\n", "line 3"}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const rows = parse_csv(c.input);
    REQUIRE(rows.has_error());
    CHECK(rows.error().details[0].field == c.line);
  }
}

TEST_CASE("hashed tokens: both spellings of a digest, columns in any order") {
  std::string const base64url = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqo";
  auto const found = parse_token_csv(
      header + row("cli", hex, "svc_live_ab12...") +
      row("legacy_trigger", base64url, "job_ab12...", job_id, "ada@acme.test,false,2030-01-01T00:00:00Z"));
  REQUIRE(found.has_value());
  REQUIRE(found->size() == 2);
  auto const& [token, key] = std::pair(found->at(0), found->at(1));
  CHECK(token.number == 2);
  CHECK(token.kind == token_kind::cli);
  CHECK(token.digest == key.digest);
  CHECK(token.enabled);
  CHECK_FALSE(token.expires_at.has_value());
  CHECK_FALSE(token.job.has_value());
  CHECK(key.number == 3);
  CHECK_FALSE(key.enabled);
  CHECK(key.expires_at == parse_rfc3339("2030-01-01T00:00:00Z"));
  CHECK(key.job == uuid::parse(job_id));

  auto const turned = parse_token_csv(
      "owner,kind,name,digest,start,project,job,enabled,expires_at\n"
      "ada@acme.test,test,ci," +
      hex + ",svc_test_ab12...,acme/shop,,true,\n");
  REQUIRE(turned.has_value());
  CHECK(turned->at(0).owner == "ada@acme.test");
}

TEST_CASE("hashed tokens: each bad line is named with its reason") {
  std::string const live = "svc_live_ab12...";
  struct {
    char const* name;
    std::string input;
    std::string reason;  ///< part of the first detail's text, or of the message when there is no line
  } const cases[] = {
      {"empty", "", "empty"},
      {"header only", header, "no rows"},
      {"missing column", "kind,name\n", "lacks the column digest"},
      {"unknown column", "extra," + header, "unknown"},
      {"too few fields", header + "cli,ci\n", "9 fields"},
      {"kind", header + row("session", hex, live), "kind"},
      {"name", header + "cli, ," + hex + "," + live + ",acme/shop,,ada@acme.test,,\n", "name"},
      {"digest one short", header + row("cli", hex.substr(1), live), "digest"},
      {"digest in capitals", header + row("cli", std::string(64, 'A'), live), "digest"},
      {"start of another kind", header + row("cli", hex, "svc_test_ab12..."), "start"},
      {"start that is a whole token", header + row("cli", hex, "svc_live_" + std::string(32, 'a')), "start"},
      {"token with a job", header + row("cli", hex, live, job_id), "a trigger key has a job"},
      {"key without a job", header + row("trigger", hex, "svc_trigger_ab12..."), "a trigger key has a job"},
      {"job", header + row("trigger", hex, "svc_trigger_ab12...", "build"), "UUID"},
      {"owner", header + row("cli", hex, live, "", ",,"), "owner"},
      {"enabled", header + row("cli", hex, live, "", "ada@acme.test,yes,"), "enabled"},
      {"expires_at", header + row("cli", hex, live, "", "ada@acme.test,,tomorrow"), "expires_at"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const found = parse_token_csv(c.input);
    REQUIRE(found.has_error());
    error const& failure = found.error();
    CHECK(failure.code == errc::validation_failed);
    std::string const& text = failure.details.empty() ? failure.message : failure.details[0].message;
    CHECK(text.find(c.reason) != std::string::npos);
    if (!failure.details.empty()) CHECK(failure.details[0].field == "line 2");
  }
}

TEST_CASE("at most twenty bad lines are reported") {
  std::string file = header;
  for (int i = 0; i < 30; ++i) file += "cli\n";
  auto const found = parse_token_csv(file);
  REQUIRE(found.has_error());
  CHECK(found.error().details.size() == 20);
}
