#include "svc/domain/monitoring/heartbeats/signal.hpp"

#include "svc/core/numbers.hpp"

namespace svc::heartbeats {

std::optional<signal> parse_signal(std::string_view text) {
  if (text.empty() || text == "0") return signal{};
  if (text == "fail") return signal{.kind = signal_kind::failure};
  if (text == "start") return signal{.kind = signal_kind::start};
  if (text == "log") return signal{.kind = signal_kind::log};
  if (text.size() > 3 || text.front() < '1' || text.front() > '9') return std::nullopt;
  auto const code = parse_number<int>(text);
  if (!code || *code > 255) return std::nullopt;
  return signal{signal_kind::failure, static_cast<std::uint8_t>(*code)};
}

std::string_view name_of(signal_kind of) {
  switch (of) {
    case signal_kind::success:
      return "success";
    case signal_kind::failure:
      return "fail";
    case signal_kind::start:
      return "start";
    case signal_kind::log:
      return "log";
  }
  return {};
}

}  // namespace svc::heartbeats
