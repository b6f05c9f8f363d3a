#pragma once

#include "egress/socket_watch.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/work_scheduler.hpp"

#include <curl/curl.h>

#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace svc::egress {

/// Sets libcurl up, once for the process. Throws `std::runtime_error`.
void start_curl();

/// Throws `std::runtime_error` if libcurl refuses an option, because no option may be ignored silently.
void require_curl(CURLcode said);

template <class Value>
void set_option(CURL* easy, CURLoption option, Value value) {
  require_curl(curl_easy_setopt(easy, option, value));
}

/// libcurl's multi handle on the worker's event loop. Worker-local, held by `shared_ptr`.
///
/// libcurl calls back from inside `curl_multi_socket_action`, `curl_multi_add_handle` and
/// `curl_multi_remove_handle`. Its callbacks only record facts, arm a timer or wake a coroutine, which runs
/// in a later turn of the event loop. So transfers start and end only outside libcurl.
///
/// A transfer belongs to the project that its thread works for at its start (`work_for`). So does each turn
/// in which libcurl handles its socket: the handshake, the decoding and the copies. With a scheduler, a
/// socket whose project has spent its share waits until the scheduler releases it.
class curl_multi : public std::enable_shared_from_this<curl_multi> {
 public:
  /// An open transfer. The destructor ends it in any state, and must not run inside libcurl.
  class transfer {
   public:
    /// Starts the transfer; the easy handle outlives it.
    transfer(std::shared_ptr<curl_multi> multi, CURL* easy);
    ~transfer();
    transfer(transfer const&) = delete;
    transfer& operator=(transfer const&) = delete;

    /// Waits until libcurl has ended the transfer, the time is up, the waiting coroutine is cancelled, or the
    /// client stops.
    task<> over_by(steady::time_point until);
    /// Returns libcurl's result, or `std::nullopt` if libcurl has not ended the transfer.
    std::optional<CURLcode> code() const { return code_; }
    bool stopped() const { return stopped_; }

   private:
    friend class curl_multi;
    void end(std::optional<CURLcode> code, bool stopped);

    std::shared_ptr<curl_multi> multi_;
    CURL* easy_;
    account_owner owner_ = working_for();
    steady_timer changed_;
    std::optional<CURLcode> code_{};
    bool stopped_ = false;
  };

  /// `shares` is null if the thread is not shared. Throws `std::runtime_error`.
  explicit curl_multi(asio::io_context& io, work_scheduler* shares = nullptr);
  ~curl_multi();
  curl_multi(curl_multi const&) = delete;
  curl_multi& operator=(curl_multi const&) = delete;

  /// Ends all transfers; none may start afterwards.
  void stop();

 private:
  static int take_socket(CURL* easy, curl_socket_t socket, int events, void* self, void* of_socket) noexcept;
  static int take_timer(CURLM* multi, long milliseconds, void* self) noexcept;
  void be_ready(curl_socket_t socket, int events);
  void act(curl_socket_t socket, int events);
  void note_ends();

  asio::io_context& io_;
  work_scheduler* const shares_;
  std::unordered_map<curl_socket_t, account_owner> owners_{};  ///< of sockets that libcurl waits for
  socket_watch sockets_;
  steady_timer timer_;
  CURLM* multi_;  // null once stopped
  std::unordered_set<transfer*> open_;
};

}  // namespace svc::egress
