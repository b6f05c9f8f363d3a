#include "net/response_writer.hpp"

#include "svc/core/ascii.hpp"

#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace svc::net {
namespace {

void append_number(std::string& out, std::size_t value) {
  std::array<char, 20> digits;
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void append_status_line(std::string& out, unsigned status) {
  out += "HTTP/1.1 ";
  append_number(out, status);
  out += ' ';
  auto const reason = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(status));
  out.append(reason.data(), reason.size());
  out += "\r\n";
}

/// Characters that could end a field early or that no field may contain (RFC 9110 5.5).
constexpr bool splits(char c) {
  auto const byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ");
  auto const start = out.size();
  out.append(value);
  // No early exit, so that the loop compiles to a few vector instructions; almost no value has anything to replace.
  bool spoilt = false;
  for (char const c : value) spoilt |= splits(c);
  if (spoilt) std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(), splits, ' ');
  out += "\r\n";
}

bool bodiless(unsigned status) {
  return status == 204 || status == 304;
}

/// Enough for the status line, our own fields and a few more, so that the buffer grows once.
std::size_t head_estimate(http::response const& answer) {
  std::size_t size = 256;
  for (auto const& [name, value] : answer.fields) size += name.size() + value.size() + 4;
  return size;
}

}  // namespace

bool is_local_name(std::string_view host) {
  host = host.substr(0, host.find(':'));
  if (host.ends_with('.')) host.remove_suffix(1);
  constexpr std::string_view local = "localhost";
  if (host.size() < local.size() || !iequals(host.substr(host.size() - local.size()), local)) return false;
  return host.size() == local.size() || host[host.size() - local.size() - 1] == '.';
}

bool carries_body(http::response const& answer, response_frame const& frame) {
  return !bodiless(answer.status) && !answer.head_only && !frame.head_only;
}

std::string_view append_response(std::string& out, http::response const& answer, response_frame const& frame,
                                 std::size_t inline_body) {
  auto const content = answer.content();
  auto const with_body = carries_body(answer, frame);
  auto const inlined = with_body && content.size() <= inline_body;
  out.reserve(out.size() + head_estimate(answer) + (inlined ? content.size() : 0));

  append_status_line(out, answer.status);
  append_field(out, "Date", frame.date);
  // Clients ignore it over plain HTTP (RFC 6797 section 8.1); a proxy that terminates TLS adds its own.
  if (frame.pins_tls) out += "Strict-Transport-Security: max-age=31536000\r\n";
  if (!answer.content_type.empty()) append_field(out, "Content-Type", answer.content_type);
  for (auto const& [name, value] : answer.fields) append_field(out, name, value);
  if (answer.stream) {
    // HTTP/1.0 has no chunked encoding: the end of the connection is the end of the body.
    if (frame.version_minor > 0) append_field(out, "Transfer-Encoding", "chunked");
  } else if (!bodiless(answer.status)) {
    out += "Content-Length: ";
    append_number(out, content.size());
    out += "\r\n";
  }
  if (!frame.keep_alive) {
    out += "Connection: close\r\n";
  } else if (frame.version_minor == 0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
  if (inlined) out.append(content);
  return with_body && !inlined ? content : std::string_view();
}

}  // namespace svc::net
