#include "cli/commands/context.hpp"

namespace svc::cli {

settings const& context::config() {
  if (!config_) config_ = load_settings(options);
  return *config_;
}

client& context::client() {
  if (!client_) client_.emplace(config(), console);
  return *client_;
}

settings context::config_without_url() {
  return load_settings(options, false);
}

}  // namespace svc::cli
