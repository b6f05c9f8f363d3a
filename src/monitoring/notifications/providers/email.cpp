// A message as a mail: multipart/alternative of text and HTML (RFC 2046 5.1.4).
#include "monitoring/notifications/composed.hpp"
#include "monitoring/notifications/mime.hpp"
#include "monitoring/notifications/providers/provider_types.hpp"
#include "monitoring/notifications/wording.hpp"
#include "svc/monitoring/notifications/request.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace svc::notifications {

namespace {

constexpr std::size_t mail_body_units = 50'000;

provider_config read_email(config_reader& reader) {
  email_config out;
  auto const* const list = reader.member("to");
  if (list == nullptr || !list->is_array() || list->get_array().empty()) {
    reader.refuse("to", "is required");
    return out;
  }
  for (auto const& item : list->get_array()) {
    auto const* const text = item.if_string();
    if (text == nullptr || !is_mail_address(*text))
      reader.refuse("to/" + std::to_string(out.texts.size()), "must be an e-mail address in ASCII");
    out.texts.emplace_back(text == nullptr ? std::string_view() : std::string_view(*text));
  }
  return out;
}

/// The thread that all alerts of the message share; nothing if there are several.
std::optional<uuid> thread_of(message const& message) {
  auto const& first = message.alerts.front().thread;
  bool const entry = std::ranges::all_of(message.alerts, [&](alert const& each) { return each.thread == first; });
  return entry && !message.test ? std::optional(first) : std::nullopt;
}

std::string text_part(composed_text const& parts, std::vector<std::string> const& lines) {
  auto out = parts.title + "\n\n";
  for (auto const& line : lines) out += line + "\n";
  if (!parts.link.empty()) out += "\n" + parts.link + "\n";
  return out;
}

std::string html_part(composed_text const& parts, std::vector<std::string> const& lines) {
  auto const colour = !parts.bad ? "#2e7d32" : parts.severity == "critical" ? "#c62828" : "#b26a00";
  auto out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
             escaped(parts.title, escape_html) +
             "</title></head>\n<body style=\"font-family:sans-serif\">\n<h1 style=\"font-size:1.2em;color:" + colour +
             "\">" + escaped(parts.title, escape_html) + "</h1>\n";
  for (auto const& line : lines) out += "<p style=\"white-space:pre-line\">" + escaped(line, escape_html) + "</p>\n";
  if (!parts.link.empty()) out += "<p><a href=\"" + escaped(parts.link, escape_html) + "\">Open</a></p>\n";
  return out + "</body></html>\n";
}

std::string part(std::string const& boundary, std::string_view type, std::string const& text) {
  return "--" + boundary + "\r\nContent-Type: text/" + std::string(type) +
         "; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" + quoted_printable(text) + "\r\n";
}

std::string head_of(std::string_view recipient, message const& message, std::string const& title,
                    mailbox const& source, timestamp now) {
  auto out = write_head(
      {.source = source, .recipient = recipient, .subject = title, .id = message.id.to_string(), .now = now});
  if (auto const thread = thread_of(message))
    out += "References: <thread." + thread->to_string() + "@" + domain_of(source.address) + ">\r\n";
  return out;
}

}  // namespace

result<std::string> address_of_sender(std::string_view sender) {
  auto const box = parse_mailbox(sender);
  if (!box) return box.error();
  return box->address;
}

mail_text make_mail(std::string_view recipient, message const& message, text_settings const& settings,
                    timestamp now) {
  auto const source = parse_mailbox(settings.mail_from);
  auto const text = compose(message, settings);
  auto const lines = lines_that_fit(text, mail_body_units, as_is);
  // No line of a quoted-printable part begins like this: `=` is followed by two digits there.
  auto const boundary = "=_" + message.id.to_string();
  auto content = head_of(recipient, message, text.title, source ? *source : mailbox{}, now) +
                 "Content-Type: multipart/alternative; boundary=\"" + boundary + "\"\r\n\r\n" +
                 part(boundary, "plain", text_part(text, lines)) + part(boundary, "html", html_part(text, lines)) +
                 "--" + boundary + "--\r\n";
  return {.recipient = std::string(recipient), .content = std::move(content)};
}

constinit provider_row const email_config::row{
    .name = "email",
    .read = read_email,
    .pace = std::chrono::milliseconds(100),
    .attempt_limit = std::chrono::seconds(30),
};

}  // namespace svc::notifications
