// Treats any bytes as text of the service. The terminal gets UTF-8 without anything that it obeys; the text fits into
// its room, and means the same after it is made harmless again.
#include "check.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"
#include "svc/core/utf8.hpp"

#include <cstdint>

using namespace svc;

namespace {

/// True if a terminal would obey a part of the text, other than tab, line feed and, if `colours`, SGR.
bool is_obeyed(std::string_view text, bool colours) {
  while (!text.empty()) {
    auto const sgr = text.starts_with("\x1b[") ? text.find_first_not_of("0123456789;:", 2) : text.npos;
    auto size = utf8_sequence(text);
    auto const byte = static_cast<unsigned char>(text.front());
    if (colours && sgr != text.npos && text[sgr] == 'm') {
      size = sgr + 1;
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
      return true;
    } else if (text.starts_with("\xc2") && static_cast<unsigned char>(text[1]) < 0xA0) {
      return true;
    } else if (text.starts_with("\xe2\x80") && static_cast<unsigned char>(text[2]) >= 0xA8 &&
               static_cast<unsigned char>(text[2]) <= 0xAE) {
      return true;
    } else if (text.starts_with("\xe2\x81") && static_cast<unsigned char>(text[2]) >= 0xA6 &&
               static_cast<unsigned char>(text[2]) <= 0xA9) {
      return true;
    }
    text.remove_prefix(size);
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const given = text_of(data, size);
  for (bool const colours : {false, true}) {
    auto const shown = cli::harmless(given, colours, true);
    check(is_utf8(shown), "harmless text is UTF-8");
    check(!is_obeyed(shown, colours), "nothing in it is obeyed");
    check(cli::harmless(shown, colours, true) == shown, "harmless text stays as it is");
    auto const line = cli::harmless(given, colours, false);
    check(line.find('\n') == line.npos, "a line is one line");
    auto const whole = cli::columns_of(line);
    for (std::size_t const columns : {std::size_t{0}, std::size_t{1}, std::size_t{7}, whole / 2, whole, whole + 1}) {
      auto const part = cli::shortened(line, columns);
      check(is_utf8(part), "a shortened text is UTF-8");
      check(cli::columns_of(part) <= columns, "a shortened text fits");
      check(columns < whole || part == line, "what fits is not shortened");
    }
  }
  // The layouts are total for any bytes; show_test checks that they keep the JSON.
  check(cli::laid_out(cli::laid_out(given, false), false) == cli::laid_out(given, false), "one line stays one line");
  cli::laid_out(given, true);
  for (auto const element : cli::elements_of(given, "data"))
    check(given.find(element) != given.npos, "an element is a part of its text");
  return 0;
}
