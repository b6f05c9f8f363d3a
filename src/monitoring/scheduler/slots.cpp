#include "svc/monitoring/scheduler/slots.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/hash.hpp"

#include <string>

namespace svc::scheduler {

milliseconds phase_of(uuid const& monitor, uuid const& location, milliseconds interval) {
  std::string key(as_text(monitor.bytes));
  key += as_text(location.bytes);
  return milliseconds(crc32(key) % interval.count());
}

std::int64_t slot_at(milliseconds phase, milliseconds interval, std::int64_t now) {
  return now - (now - phase.count()) % interval.count();
}

}  // namespace svc::scheduler
