#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace svc::egress {

/// The purposes of mails. An earlier one has its turns first.
enum class mail_lane : std::uint8_t {
  service,  ///< links of invitations and recoveries
  alert,
  page,  ///< confirmations and posts of status pages
};

/// The pace of all mails of an instance (`smtp.per_second`). While mails wait, the mails of an earlier lane go first.
/// Within a lane the projects take turns, each with its mails in their order. Worker-local. It may be destroyed while
/// callers wait; their turns then end without a mail, if the loop still runs.
class mail_turns {
 public:
  /// `per_second` is at least 1.
  mail_turns(asio::io_context& io, std::int64_t per_second);
  ~mail_turns();
  mail_turns(mail_turns const&) = delete;
  mail_turns& operator=(mail_turns const&) = delete;

  /// Waits until one mail of the project may start. Returns false at the deadline or when the caller is cancelled;
  /// then the mail must not start.
  task<bool> take(mail_lane lane, uuid project, deadline until);

  std::size_t waiting() const;

 private:
  class implementation;
  std::shared_ptr<implementation> impl_;
};

}  // namespace svc::egress
