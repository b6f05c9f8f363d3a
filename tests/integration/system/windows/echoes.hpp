#pragma once

#include "integration/system/stored_texts.hpp"

#include "integration/egress/http_server.hpp"
#include "svc/core/bytes.hpp"

#include <cctype>
#include <string>
#include <vector>

// Servers that send back whatever they get, and a search for secrets in what becomes of that.

namespace svc::test {

/// Each byte.
inline std::string percent_encoded(std::string const& text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (unsigned char const c : text) (((out += '%') += digits[c / 16]) += digits[c % 16]);
  return out;
}

/// The spellings of a text that a search must know: as it is, in hexadecimal, in base64 wherever it begins there, and
/// with each byte percent-encoded.
inline std::vector<std::string> spellings_to_find(std::string const& text) {
  auto upper = hex(text);
  for (auto& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::vector<std::string> out{text, hex(text), upper, percent_encoded(text)};
  for (std::size_t before = 0; before < 3; ++before) {
    // Without the characters that its neighbours share.
    auto const all = to_base64(as_bytes(std::string(before, 'x') + text + "xxx"));
    auto const first = before == 0 ? 0 : before + 1, last = (before + text.size()) * 8 / 6;
    out.push_back(all.substr(first, last - first));
  }
  return out;
}

/// True if a text has a secret in any spelling, or most of a cut one.
inline bool reveals(std::string const& text, std::string const& secret) {
  for (auto const& each : spellings_to_find(secret.substr(4, 16))) {
    if (text.find(each) != std::string::npos) return true;
  }
  return false;
}

inline std::string echo(std::string const& asked) {
  return asked.substr(0, 700) + "\n" + to_base64(as_bytes(asked)) + "\n" + hex(asked);
}

/// Sends back what it is asked, in a way that the path says.
inline void echo_target(http_connection& connection) {
  auto const asked = connection.request();
  if (asked.empty()) return;
  auto const line = asked.substr(asked.find(' ') + 1, 200);
  auto const path = line.substr(0, line.find(' '));
  auto const field = asked.find("uthorization: ");
  auto const credentials =
      field == asked.npos ? path : asked.substr(field + 14, asked.find('\r', field) - field - 14);
  auto const fields = "X-Echo: " + credentials + "\r\nX-Path: " + path + "\r\nConnection: close\r\n";
  auto const body = echo(asked);
  if (path.starts_with("/moved")) {
    connection.send(answer_of(302, "Location: http://127.0.0.1:1/?of=" + credentials + "\r\n" + fields, body));
  } else if (path.starts_with("/broken")) {
    connection.send("HTTP/1.1 2x0 " + credentials + "\r\n" + credentials + "\r\n\r\n" + body);
  } else if (path.starts_with("/fails")) {
    connection.send("HTTP/1.1 500 " + credentials + "\r\n" + fields +
                    "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  } else {
    connection.send(answer_of(200, fields, body));
  }
}

inline http_server::script echo_receiver(int status) {
  return [status](http_connection& connection) {
    for (auto asked = connection.request(); !asked.empty(); asked = connection.request()) {
      auto const line = asked.substr(asked.find(' ') + 1, 100);
      connection.send(answer_of(status, "X-Echo: " + line.substr(0, line.find(' ')) + "\r\n", echo(asked)));
    }
  };
}

}  // namespace svc::test
