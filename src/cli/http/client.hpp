#pragma once

#include "cli/console/console.hpp"
#include "cli/http/message.hpp"
#include "cli/http/refusal.hpp"
#include "cli/settings/settings.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace svc::cli {

/// The deadline of the whole command, from `--timeout`. A value.
class total_deadline {
 public:
  explicit total_deadline(std::optional<std::chrono::milliseconds> from_now);
  /// Returns the remaining time, capped at an hour when there is no deadline.
  std::chrono::milliseconds left() const;
  bool over() const { return left() <= std::chrono::milliseconds::zero(); }
  std::optional<std::chrono::steady_clock::time_point> at() const { return time_; }

 private:
  std::optional<std::chrono::steady_clock::time_point> time_;
};

/// The end of a stream.
enum class stream_end : std::uint8_t {
  complete,  ///< the server ended it
  broken,    ///< the connection broke, or was silent for 45 s; `followed_run` resumes
  stopped,   ///< `take` returned false
};

/// Sends requests with the address, credential, proxy and CA of the settings; never follows a redirect. Retries as
/// `retry.hpp` decides, within the command's deadline, and checks for interruption while it waits. The program has
/// one client, which keeps its connection between requests.
class client {
 public:
  client(settings const& settings, console& console);
  ~client();
  client(client const&) = delete;
  client& operator=(client const&) = delete;

  /// Returns an answer below 300. Throws `failure` (`refusal_of`) for other answers, and for a network without an
  /// answer.
  answer send(request const& r);
  /// Returns any answer but a redirect, after retries.
  answer send_any(request const& r);
  /// Returns the parsed body of an answer to `send`. Throws `failure` (unreachable) for a body that is not JSON,
  /// because another program answered.
  boost::json::value fetch(request const& r);
  /// GETs and passes on the body as it arrives, in one try. A status from 300 on is thrown as `failure`, 204 is
  /// `complete`, a connection that cannot be made is `broken`. Between pieces it calls `idle` at least ten times a
  /// second. `take` and `idle` may throw.
  stream_end stream(request const& r, std::function<bool(std::string_view)> const& take,
                    std::function<void()> const& idle);

  total_deadline const& deadline() const;
  settings const& with() const;

 private:
  class implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace svc::cli
