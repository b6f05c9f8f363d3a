#include "cli/http/refusal.hpp"

#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"
#include "cli/http/retry.hpp"
#include "svc/core/ascii.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

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
  return status == 408 || status == 429 || status >= 500 ? exit_code::unreachable : exit_code::refused;
}

std::string advice_about_credential(std::string const& source) {
  if (source == "SERVICE_TRIGGER_KEY")
    return "Check SERVICE_TRIGGER_KEY: a key triggers only its own job; svc job keys list JOB shows the keys of a "
           "job.";
  if (source == "login")
    return "Check the token that you gave to svc login; it may be revoked, expired or incomplete.";
  if (source == "svc login") return "The stored token is not accepted any more: log in again with svc login.";
  return "Check " + source + ", or unset it and log in with: svc login";
}

std::string advice_of_status(answer const& a, std::string const& credential_source) {
  auto const* const wait = a.field("retry-after");
  switch (a.status) {
    case 401:
      return advice_about_credential(credential_source);
    case 403:
      if (credential_source == "SERVICE_TRIGGER_KEY") return advice_about_credential(credential_source);
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

std::string hint_of(answer const& a, service_error const& said, std::string const& credential_source) {
  std::string out;
  for (auto const& each : said.details)
    if (auto const* const detail = each.if_object())
      append_line(out, text_of_member(*detail, "field") + " " + text_of_member(*detail, "message"));
  append_line(out, advice_of_status(a, credential_source));
  if (a.status >= 500) append_line(out, "Request id, for the service's operators: " + said.request_id);
  return out;
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
                 "Something else than the service answered (status " + std::to_string(a.status) + ")" +
                     (shown.empty() ? "." : ": " + shown),
                 "Check SERVICE_URL, and whether a proxy or a login page stands in between.")
      .with("status", a.status);
}

failure refusal_of(answer const& a, std::string const& credential_source) {
  auto const said = service_error_of(a);
  if (!said) return not_the_service(a);
  auto out = failure(exit_of_status(a.status), said->code, said->sentence, hint_of(a, *said, credential_source))
                 .with("status", a.status);
  if (!said->request_id.empty()) out = std::move(out).with("requestId", json::string(said->request_id));
  if (a.after_lost) out = std::move(out).with("mayBeDone", true);
  if (!said->details.empty()) out = std::move(out).with("details", said->details);
  if (auto const wait = outcome_of(a).retry_after) out = std::move(out).with("retryAfterSeconds", wait->count());
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
