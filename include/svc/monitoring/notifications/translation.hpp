#pragma once

#include "svc/monitoring/notifications/sender.hpp"
#include "svc/store/delivery/delivery_store.hpp"

#include <optional>

// Translates between rows of the queue and messages. Pure.

namespace svc::notifications {

/// Returns the message to send for a claimed row.
message message_of(store::claimed_message const& message);
/// Returns the recipients that earlier attempts settled.
std::vector<settled_recipient> settled_of(store::claimed_message const& message);
/// Returns the outcome of an attempt that is to be stored. `spent` is the time since the message was claimed;
/// `chance` is in [0, 1).
store::attempt_end end_of(store::claimed_message const& message, attempt const& came, milliseconds pace,
                          milliseconds spent, double chance);
/// Returns the end of a message that cannot be sent with its provider's configuration.
store::attempt_end end_of_unsendable();
/// Returns the text of an alert in one sentence of plain text, as messages contain it. For a type that only a newer
/// version of the service writes, returns the type's name.
std::string sentence_of(store::alert_details const& alert);

}  // namespace svc::notifications
