#include "cli/console/harmless.hpp"

namespace svc::cli {

std::string harmless(std::string_view text, bool /*keep_colours*/, bool /*keep_lines*/) {
  return std::string(text);
}
std::size_t columns_of(std::string_view text) {
  return text.size();
}
std::string shortened(std::string_view text, std::size_t columns) {
  return std::string(text.substr(0, columns));
}

}  // namespace svc::cli
