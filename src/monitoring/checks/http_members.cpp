// Headers, credentials and TLS of the requests of `http_request` and `website`.
#include "monitoring/checks/config_members.hpp"
#include "monitoring/checks/http_check.hpp"
#include "svc/core/ascii.hpp"
#include "svc/egress/http/http_client.hpp"

#include <algorithm>
#include <utility>

namespace svc::checks {

namespace {

constexpr std::size_t longest_pem = 16UL * 1024, longest_value = 8UL * 1024, most_fields = 30;

bool has_control(std::string_view text) {
  return std::ranges::any_of(text,
                             [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; });
}

void read_field(member_reader& reader, std::string_view name, http_settings& out) {
  if (!is_token(name) || name.size() > 256) return reader.refuse(name.substr(0, 100), "must be the name of a header");
  if (egress::is_reserved_field(lower_case(name)))
    return reader.refuse(name, "must not be set: it frames the message");
  // `text` refuses an empty value, which is allowed here.
  auto const* const value = reader.take(name);
  if (value == nullptr || !value->is_string() || value->get_string().size() > longest_value)
    return reader.refuse(name, "must be a text of at most 8192 bytes");
  std::string_view const text(value->get_string().data(), value->get_string().size());
  if (has_control(text)) return reader.refuse(name, "must not have control characters");
  auto read = text_with_variables::parse(text, longest_value);
  if (!read) return reader.refuse(name, read.error().message);
  out.fields.push_back({std::string(name), std::move(*read), is_secret_header(name)});
}

bool is_given(text_with_variables const& text) {
  return !text.names().empty() || !text.filled({}).value().empty();
}

bool is_own_secret(text_with_variables const& text) {
  return is_given(text) && !text.is_reference();
}

text_with_variables read_reference(member_reader& reader, std::string_view name) {
  auto out = text_of_member(reader, name, 128, longest_pem);
  if (is_given(out) && !out.is_reference()) reader.refuse(name, "must be one variable, as in {{NAME}}");
  return out;
}

}  // namespace

void read_fields(member_reader& config, http_settings& out) {
  auto const* const object = config.object("headers");
  if (object == nullptr) return;
  if (object->size() > most_fields) return config.refuse("headers", "must have at most 30 headers");
  member_reader reader(*object, config.place_of("headers"), config.wrong());
  std::vector<std::string> names;
  for (auto const& member : *object) {
    std::string_view const name(member.key().data(), member.key().size());
    names.push_back(lower_case(name));
    if (std::ranges::count(names, names.back()) > 1) reader.refuse(name, "is given twice, in different spellings");
    read_field(reader, name, out);
  }
}

void read_auth(member_reader& config, http_settings& out) {
  auto const* const object = config.object("auth");
  if (object == nullptr) return;
  member_reader reader(*object, config.place_of("auth"), config.wrong());
  out.auth = static_cast<http_auth>(reader.choice("type", {"none", "basic", "bearer"}));
  out.username = text_of_member(reader, "username", 256);
  out.password = text_of_member(reader, "password", 1024);
  out.token = text_of_member(reader, "token", longest_value);
  reader.finish();
  if (out.auth == http_auth::basic && object->if_contains("username") == nullptr)
    reader.refuse("username", "is required with type basic");
  if (out.auth == http_auth::bearer && object->if_contains("token") == nullptr)
    reader.refuse("token", "is required with type bearer");
  bool const twice = std::ranges::any_of(out.fields, [](auto const& f) { return iequals(f.name, "authorization"); });
  if (out.auth != http_auth::none && twice) reader.refuse("type", "must be none if there is a header Authorization");
}

void read_tls(member_reader& config, http_settings& out) {
  auto const* const object = config.object("tls");
  if (object == nullptr) return;
  member_reader reader(*object, config.place_of("tls"), config.wrong());
  out.verify = reader.flag("verify", true);
  out.only_tls13 = reader.choice("minVersion", {"1.2", "1.3"}) == 1;
  out.server_name = text_of_member(reader, "serverName", 253);
  out.authorities = text_of_member(reader, "ca", longest_pem);
  out.certificate = read_reference(reader, "clientCertificate");
  out.key = read_reference(reader, "clientKey");
  reader.finish();
  if (is_given(out.server_name) && out.server_name.names().empty()) {
    auto const name = out.server_name.filled({}).value();
    auto const host = egress::parse_host(name.reveal());
    if (!host || host->address || host->name != name.reveal())
      reader.refuse("serverName", "must be the name of a host, in lower case");
  }
  if (is_given(out.authorities) && out.authorities.names().empty() &&
      out.authorities.filled({}).value().reveal().find("-----BEGIN CERTIFICATE-----") == std::string_view::npos)
    reader.refuse("ca", "must be certificates as PEM");
  if (is_given(out.certificate) != is_given(out.key))
    reader.refuse(is_given(out.key) ? "clientCertificate" : "clientKey", "is required with the other");
}

std::optional<std::string> http_settings::secret_member() const {
  if (is_own_secret(password)) return "/config/auth/password";
  if (is_own_secret(token)) return "/config/auth/token";
  for (auto const& field : fields)
    if (field.secret && is_own_secret(field.value)) return "/config/headers/" + field.name;
  return std::nullopt;
}

}  // namespace svc::checks
