#include "cli/settings/token_scan.hpp"

#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

using namespace svc::cli;
using svc::token_kind;

namespace {

/// `LINE:COLUMN SHOWN` of each find.
std::string locations_in(std::vector<found_token> const& found) {
  std::string out;
  for (auto const& each : found)
    out += (out.empty() ? "" : " ") + std::to_string(each.line) + ":" + std::to_string(each.column);
  return out;
}

std::string minted(token_kind kind) {
  return std::string(svc::mint_token(kind).key.reveal());
}

constexpr char const* hex_32 = "0123456789abcdef0123456789abcdef";

}  // namespace

TEST_CASE("credentials are found by prefix and checksum, older ones by their shape") {
  auto const cli = minted(token_kind::cli);
  auto const runner = std::string(svc::mint_runner_token().key.reveal());
  auto wrong = cli;
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  std::string const hex = hex_32;
  struct {
    std::string text;
    char const* positions;
  } const rows[] = {
      {"", ""},
      {cli, "1:1"},
      {minted(token_kind::test), "1:1"},
      {minted(token_kind::trigger), "1:1"},
      {minted(token_kind::legacy_trigger), "1:1"},
      {runner, "1:1"},
      {minted(token_kind::session), "1:1"},
      {std::string(svc::mint_link_secret().key.reveal()), "1:1"},
      {std::string(svc::mint_invitation_secret().key.reveal()), "1:1"},
      {"token = \"" + cli + "\"\n", "1:10"},
      {"# x\n\n  " + cli + "\r\n" + runner, "3:3 4:1"},
      {cli + cli, "1:1 1:48"},
      {"x" + cli + "x", "1:2"},
      {"my_" + cli, "1:4"},
      {cli + "0123456789", "1:1"},
      // A checksum that is wrong, and parts.
      {wrong, ""},
      {cli.substr(0, 30), ""},
      {"svc_live_", ""},
      {"svc_live", ""},
      {"svc_runner_" + hex, ""},
      {"svc_session_" + hex, ""},
      {"svc_link_" + hex, ""},
      // Placeholders of documentation.
      {"svc_live_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", ""},
      {"svc_live_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", ""},
      {"svc_live_00000000000000000000000000000000", ""},
      {"svc_live_YOURTOKENGOESHEREANDNOTHINGELSE", ""},
      {"svc_live_<API_KEY>", ""},
      {"svc_live_8Fq2...", ""},
      {"svc_live_8Fq2***", ""},
      // Older ones.
      {"svc_live_" + hex, "1:1"},
      {"svc_trigger_" + hex, "1:1"},
      {"svc_test_" + hex.substr(0, 24), "1:1"},
      {"svc_test_" + hex.substr(0, 23), ""},
      {"job_" + hex, "1:1"},
      {"key=job_" + hex + ";", "1:5"},
      // Names in programs.
      {"job_" + hex + "0", ""},
      {"job_" + hex.substr(1), ""},
      {"job_0123456789ABCDEF0123456789ABCDEF", ""},
      {"cron_job_" + hex, ""},
      {"myjob_" + hex, ""},
      {"job_deadbeefdeadbeefdeadbeefdeadbeef", ""},
      {"job_identifier_of_the_current_pipeline_run", ""},
      // Any bytes.
      {std::string("\0\xff_\xc3svc_", 8) + cli, "1:9"},
      {"____" + cli, "1:5"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    CHECK(locations_in(find_tokens(row.text)) == row.positions);
  }
}

TEST_CASE("only the first characters of a credential are shown") {
  auto const cli = minted(token_kind::cli);
  auto const found = find_tokens(cli);
  REQUIRE(found.size() == 1);
  CHECK(found[0].shown == cli.substr(0, 13) + "...");
}

TEST_CASE("pieces may end anywhere") {
  auto const text = "first\n" + minted(token_kind::cli) + "\n" + std::string(1000, '_') + "\n  job_" + hex_32 + " " +
                    minted(token_kind::trigger) + "x\n";
  auto const whole = locations_in(find_tokens(text));
  CHECK(whole == "2:1 4:3 4:40");
  for (std::size_t size = 1; size <= text.size(); size += size < 60 ? 1 : 97) {
    CAPTURE(size);
    token_scanner scanner;
    for (std::size_t position = 0; position < text.size(); position += size)
      scanner.feed(std::string_view(text).substr(position, size));
    CHECK(locations_in(scanner.finish()) == whole);
    // The scanner is new then.
    scanner.feed(text);
    CHECK(locations_in(scanner.finish()) == whole);
  }
}

TEST_CASE("a warning about a token names the text and the way out, and shows only the start of the token") {
  auto const token = minted(token_kind::cli);
  auto const warning = warn_of_token("curl -H 'Authorization: Bearer " + token + "'", "the script", "Hide it.");
  CHECK(warning.find("the script contains the token " + token.substr(0, 9)) == 0);
  CHECK(warning.find(": Hide it. Then revoke this token (svc token revoke") != std::string::npos);
  CHECK(warning.find(token) == std::string::npos);
  CHECK(warn_of_token("curl -H \"Authorization: Bearer $TOKEN\"", "the script", "Hide it.").empty());
}
