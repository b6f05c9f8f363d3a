#include "svc/domain/pages/subscription_form.hpp"

#include "svc/domain/pages/inputs.hpp"

namespace svc::pages {

std::optional<subscription_action> read_subscription_action(std::string_view body) {
  auto const action = form_value(body, "action");
  if (action == "confirm") return subscription_action::confirm;
  if (action == "refuse") return subscription_action::refuse;
  if (action == "stop" || form_value(body, "List-Unsubscribe") == "One-Click") return subscription_action::stop;
  // A part of multipart/form-data: its head, an empty line, and the value.
  auto const name = body.find("name=\"List-Unsubscribe\"");
  if (name == std::string_view::npos) return std::nullopt;
  auto const value = body.find("\r\n\r\nOne-Click\r\n", name);
  auto const end = body.find("\r\n--", name);
  if (value == std::string_view::npos || value > end) return std::nullopt;
  return subscription_action::stop;
}

}  // namespace svc::pages
