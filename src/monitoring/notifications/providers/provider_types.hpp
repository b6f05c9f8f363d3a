#pragma once

#include "monitoring/notifications/providers/answer_reader.hpp"
#include "monitoring/notifications/providers/config_reader.hpp"
#include "svc/core/time.hpp"
#include "svc/monitoring/notifications/message.hpp"
#include "svc/monitoring/notifications/provider.hpp"
#include "svc/monitoring/notifications/request.hpp"

#include <chrono>
#include <string_view>
#include <vector>

namespace svc::notifications {

/// Everything that the service does differently for one type of provider. The file of the type defines it, as the
/// member `row` of the type's config. Rows are constants, so that they exist before any code runs.
struct provider_row {
  std::string_view name{};
  /// Reads `config`. The reader collects the problems, and the returned config is used only if there are none.
  provider_config (*read)(config_reader& reader) = nullptr;
  /// Composes the requests of one message, at least one. Null if the type is not delivered over HTTP.
  std::vector<http_post> (*compose)(provider_config const& config, message const& notification,
                                    text_settings const& settings, timestamp now) = nullptr;
  /// True if the response says that the provider accepted the message.
  bool (*accepts)(provider_answer const& answer) = accepts_any_2xx;
  /// Null, or adds facts that only this type has in its responses, such as a pause.
  void (*refine)(provider_answer const& answer, outcome& result) = nullptr;
  /// True if `accepts` or `refine` need the body as JSON.
  bool parses_answers = false;
  /// Minimum time between the starts of two messages.
  milliseconds pace = std::chrono::seconds(1);
  /// Null, or the pace if it depends on the config.
  milliseconds (*pace_of_config)(provider_config const& config) = nullptr;
  milliseconds attempt_limit = std::chrono::seconds(10);
  /// Alerts wait for this time after a message and are sent as one, unless the provider has its own `groupSeconds`.
  std::chrono::seconds group_time = std::chrono::seconds(30);
  /// False if the type never groups, whatever `groupSeconds` says.
  bool groups = true;
  /// Name of the member of `config` that holds the URL, if users choose it.
  std::string_view address_member{};
  /// A member that is stored with this value if the user leaves it out. The name is empty without such a member.
  config_default default_member{};
};

provider_row const& row_of(provider_type type);

}  // namespace svc::notifications
