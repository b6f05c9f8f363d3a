#include "app/configuration/keys.hpp"

namespace svc::app {
namespace {

void describe(setting const& s, std::string& out) {
  auto const variable = configuration_keys().variable(s.name);
  out.append("# ").append(s.help).append(".\n");
  out.append("# ").append(s.allowed()).append("; ").append(variable);
  if (s.secret()) out.append(" or ").append(variable).append("_FILE");
  out.append("\n");
}

}  // namespace

std::string print_configuration(configuration const& values, bool comments) {
  std::string out;
  std::string_view section;
  for (setting const& s : configuration_keys().all) {
    auto const its_section = section_of(s.name);
    if (its_section != section) out.append("\n[").append(its_section).append("]\n");
    section = its_section;
    if (comments) describe(s, out);
    auto const member = section.empty() ? s.name : s.name.substr(section.size() + 1);
    out.append(member).append(" = ").append(s.printed(&values)).append("\n");
  }
  print_listeners(values, comments, out);
  return out;
}

}  // namespace svc::app
