// Any text may be a template: it is refused or expanded, and an expansion adds nothing but members.
#include "check.hpp"
#include "cli/console/failure.hpp"
#include "cli/console/show.hpp"

#include <boost/json/parse.hpp>

#include <cstdint>
#include <optional>

using namespace svc;

namespace {

std::optional<std::string> expansion(std::string_view text, boost::json::value const& row) {
  try {
    return cli::expanded(text, row);
  } catch (cli::failure const&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static auto const row =
      boost::json::parse(R"({"id": "j1", "a": {"b": [1, {"c": null}]}, "n": 18446744073709551615})");
  auto const text = text_of(data, size);
  auto const of_row = expansion(text, row);
  auto const of_nothing = expansion(text, boost::json::object());
  check(of_row.has_value() == of_nothing.has_value(), "whether a template is right does not depend on the row");
  check(!of_row || of_nothing->size() <= of_row->size(), "members are added");
  check(!of_nothing || of_nothing->size() <= text.size(), "nothing else is");
  cli::member_of(row, text);
  return 0;
}
