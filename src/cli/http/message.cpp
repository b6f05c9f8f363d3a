#include "cli/http/message.hpp"

namespace svc::cli {

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (char const c : text) {
    bool const plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      auto const byte = static_cast<unsigned char>(c);
      (out += '%').append({digits[byte >> 4U], digits[byte & 15U]});
    }
  }
  return out;
}

std::string target_with_query(std::string path, std::vector<std::pair<std::string, std::string>> const& query) {
  char separator = path.find('?') == std::string::npos ? '?' : '&';
  for (auto const& [name, value] : query) {
    if (value.empty()) continue;
    path += separator + percent_encoded(name) + '=' + percent_encoded(value);
    separator = '&';
  }
  return path;
}

}  // namespace svc::cli
