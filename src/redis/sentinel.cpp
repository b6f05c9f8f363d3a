#include "redis/sentinel.hpp"

namespace svc::redis {
namespace {

/// A sentinel writes an IPv6 address without brackets.
std::optional<address> from_words(std::string_view host, std::string_view port) {
  std::string text;
  bool const is_v6 = host.find(':') != std::string_view::npos;
  text.append(is_v6 ? "[" : "").append(host).append(is_v6 ? "]:" : ":").append(port);
  return parse_address(text);
}

std::string_view take_word(std::string_view& text) {
  auto const end = std::min(text.find(' '), text.size());
  auto const word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

std::optional<address> read_named(reply const& answer) {
  if (answer.kind != reply::type::array || answer.elements.size() != 2) return std::nullopt;
  return from_words(answer.elements[0].text, answer.elements[1].text);
}

std::optional<address> read_switch(std::string_view payload, std::string_view master) {
  if (take_word(payload) != master) return std::nullopt;
  take_word(payload);
  take_word(payload);
  auto const host = take_word(payload);
  auto const port = take_word(payload);
  if (!payload.empty()) return std::nullopt;
  return from_words(host, port);
}

}  // namespace svc::redis
