#include "cli/commands/context.hpp"

#include <algorithm>

namespace svc::cli {
namespace {

/// The command is over; nobody should wait long for a warning.
constexpr std::chrono::milliseconds most_for_expiry{2000};

}  // namespace

failure not_whoami(settings const& settings) {
  return {exit_code::unreachable, "not_whoami", settings.url.text + " did not say whose token this is.",
          "Something other than the service may have answered: check the address."};
}

settings const& context::config() {
  if (config_) return *config_;
  config_ = load_settings(options);
  auto const& colour = config_->colour;
  if (options.colour.empty() && !colour.empty())
    console.choose(console.how(), console.template_text(), colour == "always", colour == "never");
  return *config_;
}

client& context::client_without_check() {
  if (!client_) client_.emplace(config(), console);
  return *client_;
}

client& context::client() {
  auto& out = client_without_check();
  if (!uses_token_ && config().token) {
    uses_token_ = true;
    check_position();
  }
  return out;
}

void context::check_position() {
  auto const& settings = config();
  if (!settings.organization && !settings.project) return;
  auto const known = facts_cache(settings.cache_directory).find(settings.url.text, *settings.token, system_now());
  // A cached place that does not fit is asked for again: slugs can be changed.
  if (known && misplacement(settings, *known).empty()) return;
  learn(client_without_check().fetch(whoami_request));
  if (!learned_) throw not_whoami(settings);
  if (auto const wrong = misplacement(settings, *learned_); !wrong.empty()) throw misplaced(wrong);
}

void context::learn(boost::json::value const& whoami) {
  uses_token_ = true;
  learned_ = facts_of(whoami);
  auto const& settings = config();
  if (learned_ && settings.token)
    facts_cache(settings.cache_directory).remember(settings.url.text, *settings.token, *learned_, system_now());
}

void context::ask_quickly() {
  auto quick = config();
  quick.timeout = std::min(client_->deadline().left(), most_for_expiry);
  if (quick.timeout <= std::chrono::milliseconds::zero()) return;
  try {
    learn(cli::client(quick, console).fetch(whoami_request));
  } catch (failure const& f) {
    if (f.exit() == exit_code::interrupted) throw;
  }
}

void context::warn_of_expiry() {
  if (!uses_token_) return;
  auto const& settings = config();
  auto const now = system_now();
  if (!learned_ && !facts_cache(settings.cache_directory).find(settings.url.text, *settings.token, now))
    ask_quickly();
  auto const warning = learned_ ? expiry_warning(*learned_, now) : std::string();
  if (!warning.empty()) console.warn(warning);
}

}  // namespace svc::cli
