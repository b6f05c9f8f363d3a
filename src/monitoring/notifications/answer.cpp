#include "svc/monitoring/notifications/answer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>

namespace svc::notifications {

namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

using field_list = std::vector<std::pair<std::string, std::string>>;

constexpr milliseconds longest_pause = 1h;
/// A receiver chooses its answer, and parsing costs the thread of all messages. Answers that ask for a pause have a
/// few hundred bytes.
constexpr std::size_t longest_parsed = 4096, deepest_parsed = 8;

struct reason_row {
  std::string_view name, sentence;
};
constexpr std::array<reason_row, reason_count> reason_rows{{
    {"delivered", "The message was delivered."},
    {"invalid_config", "The provider's config cannot be used."},
    {"address_blocked", "The provider's address is not open to messages; the operator can open it."},
    {"dns_failed", "The name of the provider's address was not found."},
    {"connect_failed", "There was no connection to the provider, or it ended before an answer."},
    {"tls_failed", "TLS could not be established, or the certificate does not verify."},
    {"timeout", "The provider did not answer in time."},
    {"auth_failed", "The provider did not accept the credentials."},
    {"refused", "The provider's answer was not the expected one."},
    {"rejected", "The provider did not accept the message."},
    {"rate_limited", "The provider accepts no more messages for now."},
    {"smtp_unconfigured", "This service has no mail server; its operator can configure one."},
    {"mail_limit_reached",
     "The project has sent as many mails today, or the address has received as many this hour, as the operator "
     "allows."},
    {"recipient_not_allowed",
     "The operator allows mail only to certain recipients, and this address is none of them."},
}};

std::string_view field(field_list const& in, std::string_view name) {
  auto const found = std::ranges::find(in, name, &std::pair<std::string, std::string>::first);
  return found == in.end() ? std::string_view() : std::string_view(found->second);
}

/// Seconds, with a fraction as discord has them, as a pause of at most an hour.
std::optional<milliseconds> pause_of(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return std::nullopt;
  auto const all = std::ceil(std::min(seconds, 3600.0) * 1000);
  return std::min(milliseconds(static_cast<milliseconds::rep>(all)), longest_pause);
}

std::optional<milliseconds> pause_in(std::string_view text) {
  double seconds = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return pause_of(seconds);
}

/// IMF-fixdate (RFC 9110 5.6.7); the obsolete forms are passed over.
std::optional<milliseconds> pause_until(std::string_view date, timestamp now) {
  std::tm parts{};
  auto const text = std::string(date);
  auto const* const end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return pause_of(static_cast<double>(timegm(&parts)) - static_cast<double>(now.micros) / 1e6);
}

/// Only these two say in their bodies what their status does not.
bool is_read_as_json(provider_type from) {
  return from == provider_type::discord || from == provider_type::telegram;
}

/// Null if the answer says nothing there that is read.
json::value parsed(provider_type from, std::string_view body) {
  if (!is_read_as_json(from) || body.size() > longest_parsed) return nullptr;
  json::parse_options options;
  options.max_depth = deepest_parsed;
  json::error_code failed;
  auto out = json::parse({body.data(), body.size()}, failed, {}, options);
  return failed ? json::value(nullptr) : out;
}

/// Telegram repeats the message after this, which makes answers longer than what is parsed.
bool begins_as_taken(std::string_view body) {
  return body.size() > longest_parsed && body.starts_with(R"({"ok":true)");
}

json::value const* member(json::value const& of, std::string_view name) {
  auto const* const object = of.if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

std::optional<milliseconds> pause_of_member(json::value const* number) {
  if (number == nullptr || !number->is_number()) return std::nullopt;
  return pause_of(number->to_number<double>());
}

/// How long the answer asks for silence: the longest of what it says.
milliseconds asked_pause(provider_type from, int status, field_list const& fields, json::value const& body,
                         timestamp now) {
  milliseconds out{0};
  auto const take = [&out](std::optional<milliseconds> one) { out = std::max(out, one.value_or(0ms)); };
  auto const after = field(fields, "retry-after");
  if (!after.empty() && (status < 200 || status >= 300)) {
    auto const seconds = pause_in(after);
    take(seconds ? seconds : pause_until(after, now));
  }
  if (from == provider_type::discord) {
    if (field(fields, "x-ratelimit-remaining") == "0") take(pause_in(field(fields, "x-ratelimit-reset-after")));
    if (status == 429) take(pause_of_member(member(body, "retry_after")));
  }
  if (from == provider_type::telegram) {
    auto const* const parameters = member(body, "parameters");
    if (parameters != nullptr) take(pause_of_member(member(*parameters, "retry_after")));
  }
  return out;
}

/// Teams' older connectors answer 200 also when the channel took nothing, and say so in the body
/// (learn.microsoft.com, "Rate limiting for connectors").
bool hides_failure(std::string_view body) {
  return body.find("Microsoft Teams endpoint returned HTTP error") != std::string_view::npos;
}

bool is_taken(provider_type from, int status, std::string_view body, json::value const& parsed_body) {
  switch (from) {
    case provider_type::telegram: {
      auto const* const ok = member(parsed_body, "ok");
      return status == 200 && (begins_as_taken(body) || (ok != nullptr && ok->is_bool() && ok->get_bool()));
    }
    case provider_type::teams:
      return (status == 200 || status == 202) && !hides_failure(body);
    case provider_type::pagerduty:
      return status == 202;
    case provider_type::slack:
      return status == 200;
    case provider_type::discord:
    case provider_type::webhook:
    case provider_type::email:
      return status >= 200 && status < 300;
  }
  return false;
}

outcome refusal(int status) {
  switch (status) {
    case 401:
    case 403:
      return {.is = fate::dead, .why = reason::auth_failed};
    case 404:
    case 405:
      return {.is = fate::dead, .why = reason::refused};
    case 410:
      return {.is = fate::dead, .why = reason::refused, .gone = true};
    case 400:
    case 413:
    case 422:
      return {.is = fate::dead, .why = reason::rejected};
    case 429:
      return {.is = fate::retry, .why = reason::rate_limited};
    default:
      return {.is = fate::retry, .why = reason::refused};
  }
}

}  // namespace

std::string_view name_of(reason of) {
  return reason_rows[static_cast<std::size_t>(of)].name;
}

std::string_view sentence_of(reason of) {
  return reason_rows[static_cast<std::size_t>(of)].sentence;
}

outcome read_answer(provider_type from, int status, field_list const& fields, std::string_view body, timestamp now) {
  auto const value = parsed(from, body);
  auto out =
      is_taken(from, status, body, value) ? outcome{.is = fate::taken, .why = reason::delivered} : refusal(status);
  if (from == provider_type::teams && out.is == fate::retry && status < 300 &&
      body.find("429") != std::string_view::npos)
    out.why = reason::rate_limited;
  out.status = status;
  out.not_before = asked_pause(from, status, fields, value, now);
  return out;
}

outcome outcome_of(egress::failure why) {
  using enum egress::failure;
  switch (why) {
    case dns_not_found:
    case dns_failed:
    case dns_timeout:
    case resolver_unreachable:
      return {.why = reason::dns_failed};
    case tls_failed:
    case certificate_expired:
    case certificate_not_yet_valid:
    case certificate_untrusted:
    case certificate_wrong_host:
    case certificate_revoked:
      return {.why = reason::tls_failed};
    case connect_timeout:
    case tls_timeout:
    case first_byte_timeout:
    case body_timeout:
      return {.why = reason::timeout};
    case http_invalid:
    case body_incomplete:
    case redirect_limit:
    case redirect_refused:
      return {.why = reason::refused};
    case address_blocked:
      return {.is = fate::dead, .why = reason::address_blocked};
    case target_invalid:
      return {.is = fate::dead, .why = reason::invalid_config};
    case none:
    case connect_refused:
    case connect_reset:
    case connect_unreachable:
    case cancelled:
    case internal:
      return {.why = reason::connect_failed};
  }
  return {};
}

outcome read_reply(egress::mail_answer const& came) {
  if (came.why != egress::failure::none) return outcome_of(came.why);
  outcome out{.status = came.status};
  auto const code = came.status;
  if (code < 400) {
    out.is = fate::taken;
    out.why = reason::delivered;
  } else if (code == 530 || code == 534 || code == 535 || code == 538) {
    // The operator's to correct: the mail waits.
    out.why = reason::auth_failed;
  } else if (code >= 500 && came.in_session) {
    out.is = fate::dead;
    out.why = reason::rejected;
  } else {
    out.why = reason::refused;
  }
  return out;
}

}  // namespace svc::notifications
