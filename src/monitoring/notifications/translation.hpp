#pragma once

#include "svc/monitoring/notifications/sender.hpp"
#include "svc/store/delivery/delivery_store.hpp"

#include <optional>

// Translates between rows of the queue and messages. Pure.

namespace svc::notifications {

/// Returns the message to send for a claimed row.
notifications::message message_of(store::claimed_message const& message);
/// Returns the recipients that earlier attempts settled.
std::vector<notifications::settled_recipient> settled_of(store::claimed_message const& message);
/// Returns the outcome of an attempt that is to be stored. `spent` is the time since the message was claimed;
/// `chance` is in [0, 1).
store::attempt_end end_of(store::claimed_message const& message, notifications::attempt const& came,
                          milliseconds pace, milliseconds spent, double chance);
/// Returns the end of a message that cannot be sent with its provider's configuration.
store::attempt_end end_of_unsendable();

}  // namespace svc::notifications
