#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/http/body_budget.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::http {

/// One header line of a request; views into the session's buffer, valid while the request is served.
struct field {
  std::string_view name;
  std::string_view value;  ///< without surrounding white space
};

/// What a request may tell the connection that it came by. Owned by the session; valid while the request is served.
class connection {
 public:
  /// The request was admitted: the connection counts for this user from now on, no longer for its address.
  virtual void admitted(uuid const& user) = 0;

 protected:
  ~connection() = default;
};

/// The head of one request, checked by the framing guard. Lives in its session until the response is
/// written; handlers only read it.
struct request {
  std::string_view method;  ///< as on the wire, case-sensitive
  std::string_view target;  ///< as on the wire
  int version_minor = 1;    ///< 0 or 1
  std::vector<field> fields{};
  std::string client_address{};  ///< textual address the limits count (after trusted proxies)
  steady::time_point arrived{};  ///< head complete
  bool has_body = false;         ///< Content-Length > 0 or chunked
  connection* came_by = nullptr;
  bool reserved = false;  ///< its connection is reserved for health checks, or heartbeats and results of runners

  /// The first field of that name (case-insensitive).
  std::optional<std::string_view> find(std::string_view name) const;
  std::size_t count(std::string_view name) const;
};

/// Reads the body when the pipeline decides that it is wanted (`100 Continue` goes out then, if asked for).
class body_source {
 public:
  virtual ~body_source() = default;
  /// The whole body, at most `limit` bytes: body_too_large, request_timeout or malformed_request otherwise;
  /// overloaded as soon as `share` may not grow with it.
  virtual task<result<body_text>> read(std::size_t limit, body_share share) = 0;
  /// Whether the client has disconnected; returns at once. For answers that wait long.
  virtual bool client_gone() const { return false; }
};

/// Content that is produced over time. Made with its response; the session that sends it asks for a piece only after
/// the last byte of the previous one was taken, so that a slow client costs no memory. Worker-local. Not started for
/// a HEAD.
class body_stream {
 public:
  struct piece {
    std::string_view bytes{};                   ///< empty: nothing now
    std::shared_ptr<std::string const> keep{};  ///< what holds them, unless they are static
    bool last = false;                          ///< nothing comes after them
  };
  virtual ~body_stream() = default;
  /// True: all of the content is there from the start, so the client must read it within the time of a response.
  virtual bool finite() const { return false; }
  /// Once, before the first `next`. From now on `wake` says that `next` may have something; never inside a call.
  virtual void start(std::function<void()> wake) = 0;
  virtual piece next() = 0;
  /// When the session calls `next` again even without `wake`.
  virtual steady::time_point due() const = 0;
  /// The instance is about to stop: what is still to be sent should be short.
  virtual void drain() = 0;
  /// The session is over; `wake` must not be called any more.
  virtual void stop() = 0;
};

/// One response, before it is serialised. The session adds Date, Content-Length, Connection.
struct response {
  unsigned status = 200;
  std::string_view content_type{};                                 ///< static text; empty: no Content-Type
  std::vector<std::pair<std::string_view, std::string>> fields{};  ///< names are static text
  std::string body{};
  std::shared_ptr<std::string const> shared_body{};  ///< instead of `body`, for large constant documents
  std::shared_ptr<std::string const>
      shared_gzip{};                      ///< `shared_body`, encoded when it was made; it alone if it is sent
  std::shared_ptr<body_stream> stream{};  ///< instead of both; the connection closes after it
  std::shared_ptr<void const> held{};     ///< what the account of responses charges until it was sent
  bool close = false;                     ///< close the connection after it
  bool head_only = false;                 ///< answer to HEAD: Content-Length of the body, no body

  void set(std::string_view name, std::string value) { fields.emplace_back(name, std::move(value)); }
  std::string_view content() const { return shared_body ? std::string_view(*shared_body) : std::string_view(body); }
};

/// What a listener serves: the public API's pipeline or the admin pages. Worker-local. Does not throw.
class service {
 public:
  virtual ~service() = default;
  virtual task<response> serve(request const& head, body_source& body) = 0;
  /// The answer to a head that the framing guard refused; written, then the connection closes.
  virtual response refuse(error const& failure, std::string_view client_address) = 0;
  /// Called after the last byte of each response, or when its connection ended before that (`complete` is false).
  virtual void written(std::size_t bytes, bool complete) { static_cast<void>(bytes), static_cast<void>(complete); }
};

}  // namespace svc::http
