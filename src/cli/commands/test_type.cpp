#include "cli/commands/test_type.hpp"

#include "cli/console/failure.hpp"

#include <array>
#include <utility>

namespace svc::cli {
namespace {

/// The first end that fits counts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> script_ends{{{".sh", "command"},
                                                                                    {".bash", "command"},
                                                                                    {".k6.js", "performance"},
                                                                                    {".k6.ts", "performance"},
                                                                                    {".spec.js", "browser"},
                                                                                    {".spec.ts", "browser"},
                                                                                    {".test.js", "browser"},
                                                                                    {".test.ts", "browser"}}};

}  // namespace

std::string_view test_type_of(std::string_view script) {
  for (auto const& [end, type] : script_ends)
    if (script.ends_with(end)) return type;
  return {};
}

std::string_view derived_test_type(std::string_view script) {
  auto const type = test_type_of(script);
  if (!type.empty() || script.empty()) return type;
  auto const source = script == "-" ? std::string("stdin") : std::string(script);
  throw bad_usage("--type is needed, because the script's name (" + source + ") does not tell the type of the test.",
                  "--type command runs a shell script, performance a k6 script, browser, api, database and custom a "
                  "Playwright script.");
}

}  // namespace svc::cli
