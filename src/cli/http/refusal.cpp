#include "cli/http/refusal.hpp"

#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"
#include "cli/http/retry.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/command_line.hpp"
#include "svc/core/uuid.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

namespace svc::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t shown_of_a_body = 160;
/// The service takes 32 levels from its users, and wraps them.
constexpr std::size_t deepest_answer = 48;

std::optional<json::value> parsed(std::string const& text) {
  json::parse_options options;
  options.max_depth = deepest_answer;
  boost::system::error_code failed;
  auto value = json::parse(text, failed, {}, options);
  if (failed) return std::nullopt;
  return value;
}

exit_code exit_of_status(int status) {
  if (status == 401 || status == 403) return exit_code::not_allowed;
  return is_temporary(status) ? exit_code::unreachable : exit_code::refused;
}

std::string advice_about_credential(std::string const& source, std::string_view code) {
  bool const is_key = source == "SERVICE_TRIGGER_KEY";
  // These refusals show that the credential was found: copying it again does not help.
  if (code == "token_disabled")
    return is_key ? "svc job keys enable JOB KEY lets it in again, with a CLI token."
                  : "svc token enable TOKEN lets it in again, with another token.";
  if (is_key && code == "address_not_allowed")
    return "svc job keys update JOB KEY --allow-from CIDR admits another address, with a CLI token.";
  if (is_key && (code == "token_expired" || code == "token_revoked"))
    return "svc job keys create JOB NAME makes another key, with a CLI token.";
  if (source == "SERVICE_TRIGGER_KEY")
    return "Check SERVICE_TRIGGER_KEY: a key triggers only its own job; svc job keys list JOB shows the keys of a "
           "job. To trigger with a CLI token: unset SERVICE_TRIGGER_KEY.";
  if (source == "login")
    return "Check the token that you gave to svc login; it may be revoked, expired or incomplete.";
  if (source == "svc login") return "The stored token is not accepted any more: log in again with svc login.";
  return "Check " + source + ", or unset it and log in with: svc login";
}

std::string advice_of_status(answer const& a, std::string_view code, std::string const& credential_source) {
  auto const* const wait = a.field("retry-after");
  switch (a.status) {
    case 401:
      return advice_about_credential(credential_source, code);
    case 403:
      if (credential_source == "SERVICE_TRIGGER_KEY") return advice_about_credential(credential_source, code);
      return "svc whoami shows the role; its owner or an administrator can give the permission.";
    case 429:
      return wait == nullptr ? "Try again later." : "Try again in " + *wait + " s.";
    default:
      return a.status >= 500 ? "Try again; svc health shows the service's state." : "";
  }
}

void append_line(std::string& out, std::string const& line) {
  if (line.empty()) return;
  if (!out.empty()) out += "\n     ";
  out += line;
}

/// True if the address belongs to another listener of the service, whose sentence says so. The token may be good.
bool is_wrong_listener(service_error const& said) {
  bool const may_be = said.code == "invalid_token" || said.code == "route_not_found";
  return may_be && said.sentence.starts_with("This is the ");
}

std::string hint_of(answer const& a, service_error const& said, std::string const& credential_source) {
  std::string out;
  for (auto const& each : said.details)
    if (auto const* const detail = each.if_object())
      append_line(out, text_of_member(*detail, "field") + " " + text_of_member(*detail, "message"));
  append_line(out, is_wrong_listener(said) ? "Check the address: --url, SERVICE_URL or svc doctor."
                                           : advice_of_status(a, said.code, credential_source));
  if (a.status >= 500) append_line(out, "Request id, for the service's operators: " + said.request_id);
  return out;
}

/// A collection of the API, and how commands and sentences name its objects.
struct collection {
  std::string_view segment, noun, group;
};
constexpr std::array<collection, 11> collections{{{"jobs", "job", "job"},
                                                  {"tests", "test", "test"},
                                                  {"runs", "run", "run"},
                                                  {"monitors", "monitor", "monitor"},
                                                  {"maintenance-windows", "window", "window"},
                                                  {"status-pages", "page", "page"},
                                                  {"notification-providers", "provider", "provider"},
                                                  {"alerts", "alert", "alert"},
                                                  {"tags", "tag", "tag"},
                                                  {"variables", "variable", "var"},
                                                  {"cli-tokens", "token", "token"}}};

/// Returns how sentences name an object that belongs to another one; empty for an unknown collection.
std::string_view owned_noun(std::string_view segment) {
  using named_segment = std::pair<std::string_view, std::string_view>;
  constexpr std::array<named_segment, 6> nouns{{{"outages", "outage"},
                                                {"trigger-keys", "trigger key"},
                                                {"components", "component"},
                                                {"incidents", "incident"},
                                                {"subscribers", "subscriber"},
                                                {"updates", "update"}}};
  auto const found = std::ranges::find(nouns, segment, &named_segment::first);
  return found == nouns.end() ? std::string_view() : found->second;
}

std::vector<std::string> segments_of(std::string_view target) {
  std::vector<std::string> out;
  for (auto path = target.substr(0, target.find('?')); path.starts_with('/');) {
    path.remove_prefix(1);
    auto const end = std::min(path.find('/'), path.size());
    out.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return out;
}

/// A sentence that replaces the service's one, and its remedy. Empty: the service's sentence stays.
struct replacement {
  std::string sentence{}, hint{};
};

/// Returns the sentence about a target such as `/api/jobs/{id}/trigger` whose object does not exist.
replacement missing_object(std::string_view target) {
  auto const parts = segments_of(target);
  if (parts.size() < 3 || parts[0] != "api") return {};
  auto const found = std::ranges::find(collections, parts[1], &collection::segment);
  if (found == collections.end() || !uuid::parse(parts[2])) return {};
  std::string object = std::string(found->noun) + " " + parts[2];
  for (std::size_t place = 3; place + 1 < parts.size() && uuid::parse(parts[place + 1]); place += 2) {
    auto const noun = owned_noun(parts[place]);
    if (noun.empty()) break;
    object = std::string(noun) + " " + parts[place + 1] + " of the " + object;
  }
  return {"There is no " + object + " in the token's project.",
          "svc " + std::string(found->group) + " list shows ids; svc whoami shows the project."};
}

replacement missing_route(std::string_view target) {
  std::vector<std::string> known;
  for (auto const& each : collections) known.push_back("/api/" + std::string(each.segment));
  auto const parts = segments_of(target);
  auto const begin = parts.size() < 2 ? std::string() : "/" + parts[0] + "/" + parts[1];
  auto const nearest =
      begin.empty() || std::ranges::find(known, begin) != known.end() ? "" : nearest_word(begin, known);
  auto const path = std::string(target.substr(0, target.find('?')));
  return {
      "The service has no path " + harmless(path) + "." + (nearest.empty() ? "" : " Did you mean " + nearest + "?"),
      "svc api GET /openapi/openapi.json describes all paths."};
}

replacement better_sentence(service_error const& said, std::string_view target) {
  if (target.empty()) return {};
  if (said.code == "not_found" && said.sentence.starts_with("There is no such resource"))
    return missing_object(target);
  return said.code == "route_not_found" && !is_wrong_listener(said) ? missing_route(target) : replacement();
}

/// Writes the time of `Retry-After` where the service's sentence only names the field.
std::string with_wait(std::string sentence, std::optional<std::chrono::seconds> wait) {
  constexpr std::string_view named = "retry after the time in Retry-After";
  auto const position = sentence.find(named);
  if (position == std::string::npos) return sentence;
  return sentence.replace(position, named.size(),
                          wait ? "retry in " + std::to_string(wait->count()) + " s" : "retry later");
}

/// White space in one, so that a page's first words are seen.
std::string first_words_of(std::string_view body) {
  std::string out;
  for (char const c : body.substr(0, 4096)) {
    bool const space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!space) out += c;
    if (space && !out.empty() && out.back() != ' ') out += ' ';
    if (out.size() >= 4 * shown_of_a_body) break;
  }
  return shortened(harmless(out), shown_of_a_body);
}

}  // namespace

std::optional<service_error> service_error_of(answer const& a) {
  auto const value = parsed(a.body);
  auto const* const object = value ? value->if_object() : nullptr;
  if (object == nullptr) return std::nullopt;
  service_error out{text_of_member(*object, "error"), text_of_member(*object, "code"),
                    text_of_member(*object, "requestId")};
  if (out.sentence.empty() || out.code.empty()) return std::nullopt;
  if (auto const* const details = object->if_contains("details"))
    if (auto const* const list = details->if_array()) out.details = *list;
  return out;
}

failure not_the_service(answer const& a) {
  auto const shown = first_words_of(a.body);
  return failure(exit_code::unreachable, "not_the_service",
                 "Something other than the service answered (status " + std::to_string(a.status) + ")" +
                     (shown.empty() ? "." : ": " + shown),
                 "Check SERVICE_URL, and whether a proxy or a login page is in between.")
      .with("status", a.status);
}

/// Replaces the words that only fit a reader of the answer's JSON.
std::string for_people(service_error const& said, std::optional<std::chrono::seconds> wait) {
  constexpr std::string_view to_details = "; correct the fields listed in details.";
  auto out = with_wait(said.sentence, wait);
  if (out.ends_with(to_details) && !said.details.empty())
    out.replace(out.size() - to_details.size(), to_details.size(), ".");
  return out;
}

failure refusal_of(answer const& a, std::string const& credential_source, std::string_view target) {
  auto const said = service_error_of(a);
  if (!said) return not_the_service(a);
  auto const wait = outcome_of(a).retry_after;
  auto const better = better_sentence(*said, target);
  auto const hint = better.hint.empty() ? hint_of(a, *said, credential_source) : better.hint;
  auto out = failure(exit_of_status(a.status), said->code,
                     better.sentence.empty() ? for_people(*said, wait) : better.sentence, hint)
                 .with("status", a.status);
  if (!said->request_id.empty()) out = std::move(out).with("requestId", json::string(said->request_id));
  if (a.after_lost) out = std::move(out).with("mayBeDone", true);
  if (!said->details.empty()) out = std::move(out).with("details", said->details);
  if (wait) out = std::move(out).with("retryAfterSeconds", wait->count());
  return out;
}

bool is_html(answer const& a) {
  auto const* const type = a.field("content-type");
  return type != nullptr && lower_case(*type).starts_with("text/html");
}

boost::json::value parsed_body(answer const& a) {
  if (a.body.empty()) return nullptr;
  auto value = parsed(a.body);
  if (!value) throw not_the_service(a);
  return *std::move(value);
}

}  // namespace svc::cli
