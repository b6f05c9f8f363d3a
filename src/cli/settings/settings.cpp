#include "cli/settings/settings.hpp"

#include <cstdlib>

namespace svc::cli {

std::optional<base_url> base_url::parse(std::string_view text, std::string& /*why*/) {
  base_url out;
  out.text = text;
  return out;
}

settings load_settings(global_options const& given, bool /*needs_url*/) {
  settings out;
  std::string why;
  out.url = *base_url::parse(given.url.empty() ? std::getenv("SERVICE_URL") : given.url.c_str(), why);
  if (auto const* const token = std::getenv("SERVICE_TOKEN")) out.token.emplace(token);
  out.ca_file = given.ca_file;
  return out;
}

}  // namespace svc::cli
