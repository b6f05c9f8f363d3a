#include "svc/monitoring/notifications/request.hpp"

#include "monitoring/notifications/providers/posts.hpp"

namespace svc::notifications {

std::vector<http_post> make_posts(provider_config const& to, message const& of, text_settings const& how,
                                  timestamp now) {
  switch (type_of(to)) {
    case provider_type::slack:
      return {slack_post(std::get<slack_config>(to), of, how)};
    case provider_type::discord:
      return {discord_post(std::get<discord_config>(to), of, how)};
    case provider_type::telegram:
      return {telegram_post(std::get<telegram_config>(to), of, how)};
    case provider_type::teams:
      return {teams_post(std::get<teams_config>(to), of, how)};
    case provider_type::pagerduty:
      return pagerduty_posts(std::get<pagerduty_config>(to), of, how);
    case provider_type::webhook:
      return {webhook_post(std::get<webhook_config>(to), of, how, now)};
    case provider_type::email:
      break;
  }
  return {};
}

}  // namespace svc::notifications
