#pragma once

#include "svc/core/uuid.hpp"
#include "svc/domain/run_event.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace svc::output {

/// What is published of a run; `channel_of` says how it is written.
struct news_line {
  std::optional<std::pair<event_id, event_id>> events{};  ///< what stood before, and the newest
  bool ended = false;
};
std::optional<news_line> read_news(std::string_view payload);

/// The run whose channel this is.
std::optional<uuid> run_of_channel(std::string_view channel);

}  // namespace svc::output
