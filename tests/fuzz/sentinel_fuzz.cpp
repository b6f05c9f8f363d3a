// Feeds answers and announcements of sentinels. Any text gives an address that can be written and read again, or
// nothing.
#include "check.hpp"
#include "redis/sentinel.hpp"

#include <cstdint>

using namespace svc;
using namespace svc::redis;

namespace {

void check_address(std::optional<address> const& read) {
  if (!read) return;
  check(!read->host.empty() && read->host.size() <= 256, "a host of a possible length");
  check(read->host.find('\0') == std::string::npos, "a host that C can read");
  check(parse_address(read->to_string()) == read, "it reads as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  check_address(parse_address(text));
  check_address(read_switch(text, "main"));
  auto const cut = std::min(text.find(' '), text.size());
  reply answer{.kind = reply::type::array};
  answer.elements.push_back({.kind = reply::type::bulk, .text = std::string(text.substr(0, cut))});
  answer.elements.push_back(
      {.kind = reply::type::bulk, .text = std::string(text.substr(std::min(cut + 1, text.size())))});
  check_address(read_named(answer));
  return 0;
}
