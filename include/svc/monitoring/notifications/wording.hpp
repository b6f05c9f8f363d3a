#pragma once

#include "svc/store/delivery/delivery_store.hpp"

#include <string>

namespace svc::notifications {

/// What an alert says, in one sentence of plain text, as messages have it; of a type that only a newer version of the
/// service writes its name.
std::string sentence_of(store::told_alert const& alert);

}  // namespace svc::notifications
