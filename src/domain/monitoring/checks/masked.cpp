#include "svc/domain/monitoring/checks/masked.hpp"

#include "domain/monitoring/checks/text.hpp"
#include "svc/domain/monitoring/checks/result.hpp"

namespace svc::checks {

std::string masked_beginning(secret_patterns_ptr const& secrets, std::string_view text, std::size_t most) {
  constexpr std::size_t piece = 512;
  masker masked(secrets);
  std::string out;
  // The loop reads one byte more than `most`, so that `cut` notices the cut.
  while (!text.empty() && out.size() <= most) {
    out += masked.feed(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  if (text.empty()) out += masked.finish();
  return cut(out, most);
}

std::string masked_message(secret_patterns_ptr const& secrets, std::string_view text) {
  // The message is cut again because replaced characters become longer.
  return cut(harmless(masked_beginning(secrets, text, longest_message), unwanted_characters::controls),
             longest_message);
}

std::string masked_text(secret_patterns_ptr const& secrets, std::string_view text, std::size_t most) {
  return cut(harmless(masked_beginning(secrets, text, most), unwanted_characters::null), most);
}

}  // namespace svc::checks
