#include "app/configuration/listeners.hpp"

namespace svc::app {
namespace {

std::string_view section_of(std::string_view name) {
  auto const dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

void describe(key const& k, std::string& out) {
  out.append("# ").append(k.help).append(".\n");
  out.append("# ").append(k.allowed()).append("; ").append(k.variable());
  if (k.secret()) out.append(" or ").append(k.variable()).append("_FILE");
  out.append("\n");
}

}  // namespace

std::string print_configuration(configuration const& values, bool comments) {
  std::string out;
  std::string_view section;
  for (key const& k : configuration_keys()) {
    auto const its_section = section_of(k.name);
    if (its_section != section) out.append("\n[").append(its_section).append("]\n");
    section = its_section;
    if (comments) describe(k, out);
    auto const member = section.empty() ? k.name : k.name.substr(section.size() + 1);
    out.append(member).append(" = ").append(k.printed(values)).append("\n");
  }
  print_listeners(values, comments, out);
  return out;
}

}  // namespace svc::app
