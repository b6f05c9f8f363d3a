// The members of `http_request` and `website`.
#include "monitoring/checks/config_members.hpp"
#include "svc/core/ascii.hpp"
#include "svc/egress/http/http_client.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <functional>

namespace svc::checks {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_body = 64UL * 1024, longest_pem = 16UL * 1024, longest_value = 8UL * 1024,
                      most_fields = 30;
constexpr std::array<std::uint32_t, 5> usual_warning_days{30, 14, 7, 3, 1};

bool has_control(std::string_view text) {
  return std::ranges::any_of(text,
                             [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; });
}

void read_field(member_reader& from, std::string_view name, http_config& into) {
  if (!is_token(name) || name.size() > 256) return from.refuse(name.substr(0, 100), "must be the name of a header");
  if (egress::is_reserved_field(lower_case(name))) return from.refuse(name, "must not be set: it frames the message");
  // An empty value is none of `text`, and allowed here.
  auto const* const value = from.take(name);
  if (value == nullptr || !value->is_string() || value->get_string().size() > longest_value)
    return from.refuse(name, "must be a text of at most 8192 bytes");
  std::string_view const text(value->get_string().data(), value->get_string().size());
  if (has_control(text)) return from.refuse(name, "must not have control characters");
  auto read = checks::text_with_variables::parse(text, longest_value);
  if (!read) return from.refuse(name, read.error().message);
  into.fields.push_back({std::string(name), std::move(*read), checks::is_secret_header(name)});
}

void read_fields(member_reader& config, http_config& into) {
  auto const* const object = config.object("headers");
  if (object == nullptr) return;
  if (object->size() > most_fields) return config.refuse("headers", "must have at most 30 headers");
  member_reader from(*object, config.at("headers"), config.wrong());
  std::vector<std::string> names;
  for (auto const& member : *object) {
    std::string_view const name(member.key().data(), member.key().size());
    names.push_back(lower_case(name));
    if (std::ranges::count(names, names.back()) > 1) from.refuse(name, "is there in another spelling");
    read_field(from, name, into);
  }
}

void read_auth(member_reader& config, http_config& into) {
  auto const* const object = config.object("auth");
  if (object == nullptr) return;
  member_reader from(*object, config.at("auth"), config.wrong());
  into.auth = static_cast<http_auth>(from.choice("type", {"none", "basic", "bearer"}));
  into.username = text_of_member(from, "username", 256);
  into.password = text_of_member(from, "password", 1024);
  into.token = text_of_member(from, "token", longest_value);
  from.finish();
  if (into.auth == http_auth::basic && object->if_contains("username") == nullptr)
    from.refuse("username", "is required with type basic");
  if (into.auth == http_auth::bearer && object->if_contains("token") == nullptr)
    from.refuse("token", "is required with type bearer");
  bool const twice = std::ranges::any_of(into.fields, [](auto const& f) { return iequals(f.name, "authorization"); });
  if (into.auth != http_auth::none && twice) from.refuse("type", "must be none beside a header Authorization");
}

bool is_given(checks::text_with_variables const& text) {
  return !text.names().empty() || !text.filled({}).value().empty();
}

bool is_own_secret(checks::text_with_variables const& text) {
  return is_given(text) && !text.is_reference();
}

checks::text_with_variables read_reference(member_reader& from, std::string_view name) {
  auto out = text_of_member(from, name, 128, longest_pem);
  if (is_given(out) && !out.is_reference()) from.refuse(name, "must be one variable, as in {{NAME}}");
  return out;
}

void read_tls(member_reader& config, http_config& into) {
  auto const* const object = config.object("tls");
  if (object == nullptr) return;
  member_reader from(*object, config.at("tls"), config.wrong());
  into.verify = from.flag("verify", true);
  into.only_tls13 = from.choice("minVersion", {"1.2", "1.3"}) == 1;
  into.server_name = text_of_member(from, "serverName", 253);
  into.authorities = text_of_member(from, "ca", longest_pem);
  into.certificate = read_reference(from, "clientCertificate");
  into.key = read_reference(from, "clientKey");
  from.finish();
  if (is_given(into.server_name) && into.server_name.names().empty()) {
    auto const name = into.server_name.filled({}).value();
    auto const host = egress::parse_host(name.reveal());
    if (!host || host->address || host->name != name.reveal())
      from.refuse("serverName", "must be the name of a host, in lower case");
  }
  if (is_given(into.authorities) && into.authorities.names().empty() &&
      into.authorities.filled({}).value().reveal().find("-----BEGIN CERTIFICATE-----") == std::string_view::npos)
    from.refuse("ca", "must be certificates as PEM");
  if (is_given(into.certificate) != is_given(into.key))
    from.refuse(is_given(into.key) ? "clientCertificate" : "clientKey", "is required beside the other");
}

void read_warnings(member_reader& config, bool secure, http_config& into) {
  bool const wanted = config.flag("enableSslCheck", secure);
  std::vector<std::uint32_t> days;
  auto const one = config.number("sslDaysUntilExpirationWarning", 1, 365);
  auto const all = config.list("sslWarningDays", 5);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const* const day = all[i].if_int64();
    if (day == nullptr || *day < 1 || *day > 365)
      config.refuse("sslWarningDays/" + std::to_string(i), "must be a whole number of 1 to 365");
    else
      days.push_back(static_cast<std::uint32_t>(*day));
  }
  if (one && !all.empty()) config.refuse("sslDaysUntilExpirationWarning", "must not stand beside sslWarningDays");
  if (one) days = {static_cast<std::uint32_t>(*one)};
  if (days.empty()) days.assign(usual_warning_days.begin(), usual_warning_days.end());
  if (!wanted || !secure) days.clear();
  std::ranges::sort(days, std::greater());
  into.warning_days = std::move(days);
  // The clients of others send them; each check sees the certificate.
  config.ignore("sslCheckFrequencyHours");
  config.ignore("sslCheckOnStatusChange");
  if (config.flag("checkRevocation", false))
    config.refuse("checkRevocation", "must be false: only an answer that the server staples is read");
}

std::optional<checks::http_expectations::json_node> read_json_node(member_reader& config) {
  auto const* const object = config.object("responseBodyJsonPath");
  if (object == nullptr) return std::nullopt;
  member_reader from(*object, config.at("responseBodyJsonPath"), config.wrong());
  checks::http_expectations::json_node out;
  out.path = from.text("path", checks::json_path::longest_text).value_or("");
  if (object->if_contains("path") == nullptr) from.refuse("path", "is required");
  out.expected = expected_of(from, "expectedValue");
  from.finish();
  return out.path.empty() ? std::nullopt : std::optional(std::move(out));
}

std::shared_ptr<checks::http_judge const> read_judge(check_source const& source,
                                                     std::optional<std::uint32_t> degraded_after_ms,
                                                     member_reader& config) {
  checks::http_expectations want;
  want.most_pattern_size = source.most_pattern_size;
  if (source.type == check_type::website)
    config.refuse_if_there("expectedStatusCodes", "is 200-299 for a website; http_request takes others");
  else
    want.expected_status_codes = config.text("expectedStatusCodes", checks::status_codes::longest_text)
                                     .value_or(std::string(checks::status_codes::usual));
  want.keyword = config.text("keywordInBody", checks::longest_keyword * 4);
  want.keyword_present = config.flag("keywordInBodyShouldBePresent", true);
  want.json = read_json_node(config);
  want.assertions = assertions_of(config);
  for (std::size_t i = 0; i < want.assertions.size(); ++i)
    if (want.assertions[i].of == checks::source::dns_answer)
      config.refuse("assertions/" + std::to_string(i) + "/source", "must not be dnsAnswer: that is of checks of DNS");
  want.degraded_after_ms = degraded_after_ms;
  want.capture = config.choice("capture", {"never", "on_failure"}) == 1;
  auto made = checks::http_judge::make(std::move(want));
  if (made) return std::make_shared<checks::http_judge const>(std::move(*made));
  for (auto const& each : made.error().details) config.wrong().push_back({"/config" + each.field, each.message});
  return nullptr;
}

}  // namespace

std::optional<std::string> secret_member(http_config const& of) {
  if (is_own_secret(of.password)) return "/config/auth/password";
  if (is_own_secret(of.token)) return "/config/auth/token";
  for (auto const& field : of.fields)
    if (field.secret && is_own_secret(field.value)) return "/config/headers/" + field.name;
  return std::nullopt;
}

http_config read_http(check_source const& source, std::optional<std::uint32_t> degraded_after_ms,
                      member_reader& from) {
  constexpr std::array<std::string_view, 7> methods{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
  http_config out;
  if (source.type == check_type::website) {
    from.refuse_if_there("method", "is GET for a website; http_request takes others");
    from.refuse_if_there("body", "is none for a website; http_request takes one");
  } else {
    out.method = methods[from.choice("method", {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})];
    out.body = text_of_member(from, "body", longest_body);
  }
  read_fields(from, out);
  read_auth(from, out);
  out.follow_redirects = from.flag("followRedirects", true);
  out.most_redirects = static_cast<unsigned>(from.number_or("maxRedirects", 0, 10, out.most_redirects));
  out.family = family_of(from);
  out.most_body_bytes = static_cast<std::size_t>(from.number_or("maxBodyBytes", 1024, 4'194'304, 1'048'576));
  read_tls(from, out);
  read_warnings(from, source.target.starts_with("https:"), out);
  out.judge = read_judge(source, degraded_after_ms, from);
  return out;
}

}  // namespace svc::checks
