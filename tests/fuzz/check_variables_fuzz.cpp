// Any bytes are a text with variables or not; in one, what is no reference stays, and values are put in as they are.
#include "check.hpp"
#include "svc/domain/monitoring/checks/variables.hpp"

#include <cstdint>
#include <string>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const input = text_of(data, size);
  auto const text = checks::text_with_variables::parse(input);
  if (!text) {
    check(input.find("{{") != std::string_view::npos, "only braces are refused");
    return 0;
  }
  checks::variable_values values;
  std::size_t names = 0;
  for (auto const name : text->names()) {
    values.emplace(name, secret_string("<{{VALUE}}>"));
    names += name.size();
  }
  auto const filled = text->filled(values);
  check(filled.has_value(), "all variables exist");
  auto const count = text->names().size();
  // Each `{{{{` lost two bytes.
  auto const kept = input.size() - names - 4 * count;
  auto const literal = filled->reveal().size() - 11 * count;
  check(literal <= kept && (kept - literal) % 2 == 0, "what is no reference stays");
  if (count > 0) {
    values.erase(values.begin());
    check(!text->filled(values), "a variable that does not exist is said");
  } else if (input.find("{{") == std::string_view::npos) {
    check(filled->reveal() == input, "a plain text stays");
  }
  return 0;
}
