#pragma once

#include "svc/store/delivery/delivery_store.hpp"

#include <string>

namespace svc::notifications {

/// Returns the text of an alert in one sentence of plain text, as messages contain it. For a type that only a newer
/// version of the service writes, returns the type's name.
std::string sentence_of(store::told_alert const& alert);

}  // namespace svc::notifications
