// Two lines are secrets, the rest is output with spellings of the first secret in lines of some width, cut as the
// first byte says: the masked text does not depend on the cuts, and contains neither a secret nor a spelling of one.
#include "check.hpp"
#include "svc/core/masker.hpp"
#include "unit/core/secret_spellings.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace svc;

namespace {

std::string masked(secret_patterns_ptr const& patterns, std::string_view text, std::size_t piece) {
  masker m(patterns);
  std::string out;
  for (std::size_t position = 0; position < text.size(); position += piece)
    out += m.feed(text.substr(position, piece));
  return out + m.finish();
}

/// Breaks the text like a terminal or `fold`.
std::string in_lines(std::string_view text, std::size_t width, std::string_view end) {
  std::string out;
  for (std::size_t position = 0; position < text.size(); position += width) {
    if (position > 0) out += end;
    out += text.substr(position, width);
  }
  return out;
}

std::string without_breaks(std::string text) {
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto rest = text_of(data + 1, size - 1);
  std::vector<svc::secret_string> secrets;
  for (int i = 0; i < 2; ++i) {
    auto const line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    secrets.emplace_back(line.substr(0, 48));
  }
  rest = rest.substr(0, 200);
  auto const first = secrets[0].reveal();
  bool const spelled = first.size() >= shortest_spelled_secret;
  auto const patterns = std::make_shared<secret_patterns const>(secrets);
  auto const of_first = std::make_shared<secret_patterns const>(std::vector{secrets[0]});
  std::size_t const width = data[0] % 80U + 1;
  std::string text(rest);
  std::size_t number = data[0];
  for (auto const& form : secret_spellings(first)) {
    if (++number % 18 != 0) continue;  // two or three of them, so that an input is quick
    auto const broken = in_lines(form, width, data[0] % 2 == 0 ? "\n" : "\r\n");
    text.append(rest.substr(0, data[0] % 5U)).append("<").append(broken).append(">");
    if (!spelled || width < 4) continue;
    // A break can leave the part of the first byte before it, which is a few of its bits.
    auto const shown = without_breaks(masked(of_first, "<" + broken + ">", width));
    check(shown.size() <= masker::mask.size() + 2 + 11, "nothing of a spelling is left");
  }
  auto const whole = masked(patterns, text, text.size() + 1);
  check(whole == masked(patterns, text, data[0] % 16U + 1), "pieces and whole agree");
  for (auto const& each : secrets) {
    // A secret of stars, or one that the mask completes, is no longer a secret.
    if (each.reveal().find('*') != std::string_view::npos || each.empty()) continue;
    check(whole.find(each.reveal()) == std::string::npos, "no secret as it is");
  }
  return 0;
}
