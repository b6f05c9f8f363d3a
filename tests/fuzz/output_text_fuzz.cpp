// Any bytes are stored output: as text it contains nothing that a terminal obeys, and both forms are UTF-8.
#include "api/output_text.hpp"
#include "check.hpp"
#include "svc/core/utf8.hpp"

#include <cstdint>

using namespace svc;

namespace {

bool is_obeyed(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) return true;
    if (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const given(text_of(data, size));
  std::string stored = "1-0 srunning\n";
  append_stored(stored, {{1, 1}, event_kind::out, given});
  for (auto const& source : {given, stored}) {
    auto const text = api::output_as(source, api::output_form::text);
    check(is_utf8(text), "text is UTF-8");
    check(!is_obeyed(text), "text holds no control but line feed and tab");
    auto const json = api::output_as(source, api::output_form::ndjson);
    check(is_utf8(json), "JSON is UTF-8");
    std::string stepped;
    api::output_printer printer(source, api::output_form::ndjson);
    while (printer.step(stepped, 1)) {
    }
    check(stepped == json, "steps change nothing");
  }
  return 0;
}
