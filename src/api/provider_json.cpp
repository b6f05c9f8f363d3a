#include "api/provider_json.hpp"

#include "api/object_reader.hpp"
#include "api/replies.hpp"
#include "svc/store/provider_config.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace svc::api {
namespace {

bool alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool control_or_space(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == 0x7F;
}

/// https, a host, no user, no fragment. Where it leads is checked when it is called.
bool https_url(std::string_view text) {
  constexpr std::string_view scheme = "https://";
  if (!text.starts_with(scheme) || std::ranges::any_of(text, control_or_space) || text.find('#') != text.npos)
    return false;
  auto const authority = text.substr(scheme.size(), text.find_first_of("/?", scheme.size()) - scheme.size());
  return !authority.empty() && authority.find('@') == authority.npos;
}

bool e_mail(std::string_view text) {
  auto const at = text.find('@');
  if (text.size() > 254 || at == text.npos || at == 0 || at > 64) return false;
  auto const local = text.substr(0, at);
  auto const domain = text.substr(at + 1);
  auto const allowed = [](char c) { return alphanumeric(c) || c == '.' || c == '-'; };
  return std::ranges::none_of(local, control_or_space) && !domain.empty() && alphanumeric(domain.front()) &&
         alphanumeric(domain.back()) && std::ranges::all_of(domain, allowed);
}

bool header_name(std::string_view text) {
  auto const allowed = [](char c) {
    return alphanumeric(c) || std::string_view("!#$%&'*+.^_`|~-").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, allowed);
}

bool header_value(std::string_view text) {
  auto const control = [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7F; };
  return text.size() <= 4096 && std::ranges::none_of(text, control);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return out;
}

void copy_url(object_reader& from, std::string_view name, boost::json::object& into) {
  std::string const url = from.text(name, {0, 2048});
  if (from.has(name) && url != store::secret_mask && !https_url(url)) {
    from.fault(name, "must be an https URL without user and fragment");
  }
  into[name] = url;
}

void copy_text(object_reader& from, std::string_view name, length allowed, boost::json::object& into) {
  if (auto const text = from.maybe_text(name, allowed)) into[name] = *text;
}

void read_email(object_reader& from, std::vector<field_error>& wrong, boost::json::object& into) {
  from.only({"to"});
  auto const* const to = from.maybe_array("to", 20);
  if (!from.has("to") || (to != nullptr && to->empty())) from.fault("to", "must name 1 to 20 addresses");
  boost::json::array out;
  for (std::size_t i = 0; to != nullptr && i < to->size(); ++i) {
    auto const& address = (*to)[i];
    std::string const place = from.pointer("to") + "/" + std::to_string(i);
    if (!address.is_string() || !e_mail(address.get_string())) wrong.push_back({place, "must be an e-mail address"});
    if (std::ranges::find(out, address) != out.end()) wrong.push_back({place, "is repeated"});
    out.push_back(address);
  }
  into["to"] = std::move(out);
}

void read_headers(object_reader& from, std::vector<field_error>& wrong, boost::json::object& into) {
  auto const* const headers = from.maybe_object("headers");
  if (headers == nullptr) return;
  if (headers->size() > 20) from.fault("headers", "must be at most 20");
  object_reader reader(*headers, wrong, from.pointer("headers"));
  std::vector<std::string> seen;
  boost::json::object out;
  for (auto const& header : *headers) {
    std::string_view const name = header.key();
    if (!header_name(name)) reader.fault(name, "must be a header name");
    if (!header.value().is_string() || !header_value(header.value().get_string())) {
      reader.fault(name, "must be at most 4096 bytes without control characters");
    }
    // Header names do not tell cases apart: two spellings would be one header sent twice.
    if (std::ranges::find(seen, lower(name)) != seen.end()) reader.fault(name, "is repeated");
    seen.push_back(lower(name));
    out[name] = header.value();
  }
  into["headers"] = std::move(out);
}

void read_webhook(object_reader& from, std::vector<field_error>& wrong, boost::json::object& into) {
  from.only({"url", "method", "headers", "bodyTemplate"});
  copy_url(from, "url", into);
  into["method"] = from.one_of("method", {"POST", "PUT"}, "POST");
  read_headers(from, wrong, into);
  copy_text(from, "bodyTemplate", {0, 10'000}, into);
}

}  // namespace

boost::json::object provider_json(notification_provider const& of) {
  auto config = boost::json::parse(of.config).as_object();
  boost::json::array masked;
  for (auto const& pointer : store::secret_pointers(of.type, config)) masked.emplace_back("/config" + pointer);
  return {{"id", of.id.to_string()},
          {"name", of.name},
          {"type", of.type},
          {"enabled", of.enabled},
          {"config", std::move(config)},
          {"maskedFields", std::move(masked)},
          {"lastUsed", or_null(of.last_used_at)},
          {"createdAt", to_rfc3339(of.created_at)},
          {"updatedAt", to_rfc3339(of.updated_at)}};
}

result<store::provider_settings> read_provider(boost::json::object const& body) {
  std::vector<field_error> wrong;
  object_reader from(body, wrong);
  from.only({"name", "type", "enabled", "config"});
  store::provider_settings out;
  out.name = from.text("name", {1, 255});
  out.type = from.one_of("type", {"email", "slack", "webhook", "telegram", "discord", "teams"}, "");
  if (!from.has("type")) from.fault("type", "is required");
  out.enabled = from.boolean("enabled", true);
  auto const* const config = from.maybe_object("config");
  if (!from.has("config")) from.fault("config", "is required");
  if (config != nullptr && !out.type.empty()) {
    out.config = boost::json::serialize(read_provider_config(out.type, *config, wrong));
  }
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

result<store::provider_settings> patch_provider(notification_provider const& current,
                                                boost::json::object const& patch) {
  boost::json::object now{{"name", current.name}, {"type", current.type}, {"enabled", current.enabled}};
  auto const* const type = patch.if_contains("type");
  bool const same_type = type == nullptr || *type == boost::json::value(current.type);
  if (same_type) now["config"] = boost::json::parse(current.config);
  return read_provider(merge_patch(std::move(now), patch));
}

boost::json::object read_provider_config(std::string_view type, boost::json::object const& config,
                                         std::vector<field_error>& wrong) {
  boost::json::object out;
  object_reader from(config, wrong, "/config");
  if (type == "email") {
    read_email(from, wrong, out);
  } else if (type == "webhook") {
    read_webhook(from, wrong, out);
  } else if (type == "telegram") {
    from.only({"botToken", "chatId"});
    out["botToken"] = from.text("botToken", {1, 256});
    out["chatId"] = from.text("chatId", {1, 64});
  } else if (type == "slack") {
    from.only({"webhookUrl", "channel"});
    copy_url(from, "webhookUrl", out);
    copy_text(from, "channel", {1, 80}, out);
  } else {
    from.only({"webhookUrl"});
    copy_url(from, "webhookUrl", out);
  }
  return out;
}

}  // namespace svc::api
