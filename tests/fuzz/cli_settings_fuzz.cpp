// The first byte chooses the kind of the rest: a project's file (p), a user's file (u), an address (a), the cache of
// tokens (c), a diff (d), or else a text with credentials that arrives in pieces of that many bytes. Bytes 1 and 2
// represent credentials, which no fuzzer finds and no seed should hold.
#include "check.hpp"
#include "cli/commands/staged_diff.hpp"
#include "cli/console/failure.hpp"
#include "cli/settings/base_url.hpp"
#include "cli/settings/config_file.hpp"
#include "cli/settings/project_check.hpp"
#include "cli/settings/token_scan.hpp"
#include "svc/domain/token.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace svc::cli;

namespace {

std::string const& minted() {
  static std::string const body = "svc_live_0123456789abcdefghijklmnopqrstuv";
  static std::string const token = body + svc::token_checksum(body);
  return token;
}

std::string const older = "svc_trigger_0123456789abcdef0123456789abcdef";

std::string with_credentials(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c != 1 && c != 2) out += c;
    if (c == 1) out += minted();
    if (c == 2) out += older;
  }
  return out;
}

bool has_secret(std::string_view text) {
  return text.find(minted().substr(13)) != std::string_view::npos;
}

void check_file(std::string const& text, config_origin origin) {
  try {
    auto const got = read_config("/x/file", text, origin);
    check(find_tokens(text).empty(), "a file with a credential is refused");
    check(!got.ca_file || (origin == config_origin::user && got.ca_file->value.starts_with('/')), "whose authority");
    check(!got.timeout || got.timeout->count() >= 1000, "a timeout is at least a second");
    for (auto const& each : {got.url, got.organization, got.project, got.colour})
      check(!each || (!each->value.empty() && each->source.starts_with("/x/file:")), "a value and its line");
  } catch (failure const& f) {
    check(f.exit() == exit_code::usage && std::string_view(f.what()).starts_with("/x/file"), "the file is named");
    // Without its prefix a part of a credential is a word like others, such as a key that does not exist.
    bool const whole = text.find(minted()) != std::string::npos;
    check(!whole || (!has_secret(f.what()) && !has_secret(f.hint())), "no secret is quoted");
  }
}

void check_address(std::string_view text) {
  std::string reason;
  auto const url = base_url::parse(text, reason);
  check(url.has_value() == reason.empty(), "a reason, or an address");
  if (!url) return;
  auto const again = base_url::parse(url->text, reason);
  check(again && again->text == url->text && again->host == url->host && again->port == url->port, "one spelling");
  check(url->scheme == "https" || is_loopback(url->host), "nothing crosses a network in clear text");
  auto const authority = url->text.substr(0, url->text.find('/', 8));
  check(authority.find_first_of("@?#\\ ") == std::string::npos, "an authority has no user");
}

std::vector<std::string> places(std::vector<found_token> const& found) {
  std::vector<std::string> out;
  for (auto const& each : found) {
    check(each.shown.size() <= 19 && !has_secret(each.shown), "only the beginning is shown");
    out.push_back(std::to_string(each.line) + ":" + std::to_string(each.column) + " " + each.shown);
  }
  return out;
}

void check_pieces(std::string const& text, std::size_t size) {
  token_scanner scanner;
  for (std::size_t position = 0; position < text.size(); position += size)
    scanner.feed(std::string_view(text).substr(position, size));
  auto const found = places(scanner.finish());
  check(found == places(find_tokens(text)), "a cut changes nothing");
  check(text.find(minted()) == std::string::npos || !found.empty(), "a credential is found");
}

void check_diff(std::string const& text) {
  staged_diff whole, cut;
  whole.feed(text);
  for (char const c : text) cut.feed({&c, 1});
  auto const found = whole.finish();
  check(found.size() == cut.finish().size(), "a cut changes nothing");
  for (auto const& each : found) check(!has_secret(each.token.shown), "only the beginning is shown");
}

void check_cache(std::string const& text) {
  auto table = facts_table::parse(text);
  check(table.size() <= facts_table::most_entries, "a bound");
  auto const written = table.text();
  check(facts_table::parse(written).text() == written, "what is written reads the same");
  table.put("key", {.organization = "acme", .project = "shop"}, svc::timestamp{1});
  check(table.find("key", svc::timestamp{1}).has_value(), "the newest entry is kept");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto const text = with_credentials(text_of(data + 1, size - 1));
  switch (data[0]) {
    case 'p':
    case 'u':
      check_file(text, data[0] == 'p' ? config_origin::project : config_origin::user);
      break;
    case 'a':
      check_address(text);
      break;
    case 'c':
      check_cache(text);
      break;
    case 'd':
      check_diff(text);
      break;
    default:
      check_pieces(text, 1U + data[0]);
  }
  return 0;
}
