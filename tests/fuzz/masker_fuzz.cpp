// Two lines are secrets, the rest is output, cut by what the first byte says: the masked text does not depend on the
// cuts, is what a search for each pattern alone finds, and holds no secret.
#include "check.hpp"
#include "runner/masker.hpp"
#include "runner/secret_forms.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace svc::runner;

namespace {

std::string masked(secret_patterns_ptr const& patterns, std::string_view text, std::size_t piece) {
  masker m(patterns);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += piece) out += m.feed(text.substr(at, piece));
  return out + m.finish();
}

/// The same by searching for one pattern after the other in the whole text.
std::string searched(std::vector<std::string> const& secrets, std::string_view text) {
  std::vector<std::string> patterns;
  for (auto const& secret : secrets) {
    patterns.push_back(secret);
    for (auto& each : secret_lines(secret)) patterns.push_back(each);
    for (auto& each : secret_forms(secret)) patterns.push_back(each);
  }
  std::vector<bool> covered(text.size(), false), joined(text.size(), false);
  for (auto const& pattern : patterns) {
    if (pattern.empty()) continue;
    for (auto at = text.find(pattern); at != std::string_view::npos; at = text.find(pattern, at + 1)) {
      for (std::size_t i = 0; i < pattern.size(); ++i) {
        covered[at + i] = true;
        if (i > 0) joined[at + i] = true;
      }
    }
  }
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!covered[i]) {
      out += text[i];
    } else if (!joined[i]) {
      out += masker::mask;
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto rest = text_of(data + 1, size - 1);
  std::vector<std::string> secrets;
  for (int i = 0; i < 2; ++i) {
    auto const line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    secrets.emplace_back(line.substr(0, 24));
  }
  // The search is slow, and what is long finds nothing more.
  rest = rest.substr(0, 200);
  // What a script would print of them, between what it prints anyway.
  std::string text(rest);
  std::size_t number = data[0];
  for (auto const& form : secret_forms(secrets[0]))
    if (++number % 3 == 0) text.append(rest.substr(0, data[0] % 5U)).append(form);
  auto const patterns = std::make_shared<secret_patterns const>(secrets);
  auto const whole = masked(patterns, text, text.size() + 1);
  check(whole == masked(patterns, text, data[0] % 16U + 1), "pieces and whole agree");
  check(whole == searched(secrets, text), "what each pattern alone finds");
  return 0;
}
