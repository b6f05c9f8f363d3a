#include "cli/events/service_contact.hpp"

#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"

#include <utility>

namespace svc::cli {
namespace {

std::string time_text(std::chrono::steady_clock::duration time) {
  return short_duration(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

}  // namespace

void service_contact::lose(time_point now, std::string reason) {
  if (!lost_at_) lost_at_ = now;
  reason_ = std::move(reason);
}

void service_contact::answer(time_point now) {
  if (lost_at_ && said_at_) returned_after_ = std::chrono::duration_cast<std::chrono::milliseconds>(now - *lost_at_);
  lost_at_.reset();
  said_at_.reset();
}

std::string service_contact::loss(time_point now) const {
  return lost_at_ ? time_text(now - *lost_at_) + ": " + harmless(reason_) : std::string();
}

std::optional<std::string> service_contact::report(time_point now, std::string_view status) {
  if (auto const after = std::exchange(returned_after_, std::nullopt))
    return "The service answers again after " + short_duration(after->count()) + '.';
  if (!lost_at_ || now - *lost_at_ < unsaid || (said_at_ && now - *said_at_ < reminder)) return std::nullopt;
  auto out = said_at_ ? "The service still does not answer after " + loss(now)
                      : "The service has not answered for " + loss(now) + " Trying again.";
  said_at_ = now;
  return out + (status.empty() ? " The state of the run is unknown."
                               : " The run was " + harmless(status) + " when the service last answered.");
}

}  // namespace svc::cli
