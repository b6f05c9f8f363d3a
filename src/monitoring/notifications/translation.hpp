#pragma once

#include "svc/monitoring/notifications/sender.hpp"
#include "svc/store/delivery/delivery_store.hpp"

#include <optional>

// Between rows of the queue and what is sent. Pure.

namespace svc::notifications {

/// What is to be sent.
notifications::message message_of(store::claimed_message const& message);
/// The recipients that earlier attempts settled.
std::vector<notifications::settled_recipient> settled_of(store::claimed_message const& message);
/// What is to be written of an attempt. `spent`: since the message was claimed; `chance` in [0, 1).
store::attempt_end end_of(store::claimed_message const& message, notifications::attempt const& came,
                          milliseconds pace, milliseconds spent, double chance);
/// Of a message that cannot be sent as its provider is configured.
store::attempt_end end_of_unsendable();

}  // namespace svc::notifications
