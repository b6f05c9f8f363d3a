#include "redis/sentinel.hpp"

namespace svc::redis {
namespace {

std::string_view take_word(std::string_view& text) {
  auto const end = std::min(text.find(' '), text.size());
  auto const word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

std::optional<address> read_named(reply const& answer) {
  if (answer.kind != reply::type::array || answer.elements.size() != 2) return std::nullopt;
  return parse_address(answer.elements[0].text, answer.elements[1].text);
}

std::optional<address> read_switch(std::string_view payload, std::string_view master) {
  if (take_word(payload) != master) return std::nullopt;
  take_word(payload);
  take_word(payload);
  auto const host = take_word(payload);
  auto const port = take_word(payload);
  if (!payload.empty()) return std::nullopt;
  return parse_address(host, port);
}

}  // namespace svc::redis
