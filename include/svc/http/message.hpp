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

/// The connection of a request, for events that the request reports to it. Owned by the session; valid while the
/// request is served.
class connection {
 public:
  /// Reports that the request was admitted. From now on the connection counts for this user, no longer for its
  /// address.
  virtual void admitted(uuid const& user) = 0;

 protected:
  ~connection() = default;
};

/// The head of one request, checked by the framing guard. It lives in its session until the response is written;
/// handlers only read it.
struct request {
  std::string_view method;  ///< as on the wire, case-sensitive
  std::string_view target;  ///< as on the wire
  int version_minor = 1;    ///< 0 or 1
  std::vector<field> fields{};
  std::string client_address{};  ///< textual address that limits apply to (after trusted proxies)
  steady::time_point arrived{};  ///< time at which the head was complete
  bool has_body = false;         ///< Content-Length > 0 or chunked
  connection* came_by = nullptr;
  bool reserved = false;  ///< the connection is reserved for health checks, or for heartbeats and results of runners

  /// Returns the first field of that name (case-insensitive).
  std::optional<std::string_view> find(std::string_view name) const;
  std::size_t count(std::string_view name) const;
};

/// Reads the body when the pipeline requests it (and then sends `100 Continue` if the client asked for it).
class body_source {
 public:
  virtual ~body_source() = default;
  /// Returns the whole body, at most `limit` bytes. Fails with body_too_large, request_timeout or malformed_request,
  /// and with overloaded as soon as `share` may not grow.
  virtual task<result<body_text>> read(std::size_t limit, body_share share) = 0;
  /// Returns at once, true if the client has disconnected. For answers that wait long.
  virtual bool client_gone() const { return false; }
};

/// Content that is produced over time; created with its response. The session asks for a piece only after the last
/// byte of the previous one was taken, so that a slow client costs no memory. Worker-local. Not started for a HEAD.
class body_stream {
 public:
  struct piece {
    std::string_view bytes{};                   ///< empty: no content at the moment
    std::shared_ptr<std::string const> keep{};  ///< owner of the bytes, unless they are static
    bool last = false;                          ///< true: no further piece follows
  };
  virtual ~body_stream() = default;
  /// True if all content exists from the start, so that the client must read it within the time of a response.
  virtual bool finite() const { return false; }
  /// Called once, before the first `next`. The stream then calls `wake` when `next` may have content, but never from
  /// inside a call.
  virtual void start(std::function<void()> wake) = 0;
  virtual piece next() = 0;
  /// Time at which the session calls `next` again even without `wake`.
  virtual steady::time_point due() const = 0;
  /// Announces that the instance will stop soon; the remaining content should be short.
  virtual void drain() = 0;
  /// Announces the end of the session; `wake` must not be called any more.
  virtual void stop() = 0;
};

/// One response before its serialisation. The session adds Date, Content-Length, Connection.
struct response {
  unsigned status = 200;
  std::string_view content_type{};                                 ///< static text; empty: no Content-Type
  std::vector<std::pair<std::string_view, std::string>> fields{};  ///< names are static text
  std::string body{};
  std::shared_ptr<std::string const> shared_body{};  ///< replaces `body`, for large constant documents
  std::shared_ptr<std::string const> shared_gzip{};  ///< gzip form of `shared_body`; replaces it if it is sent
  std::shared_ptr<body_stream> stream{};             ///< replaces both bodies; the connection closes after it
  std::shared_ptr<void const> held{};  ///< holds the charge of the response account until the response is sent
  bool close = false;                  ///< close the connection after the response
  bool head_only = false;              ///< answer to HEAD: Content-Length of the body, no body

  void set(std::string_view name, std::string value) { fields.emplace_back(name, std::move(value)); }
  std::string_view content() const { return shared_body ? std::string_view(*shared_body) : std::string_view(body); }
};

/// The service behind a listener: the public API's pipeline or the admin pages. Worker-local. Does not throw.
class service {
 public:
  virtual ~service() = default;
  virtual task<response> serve(request const& head, body_source& body) = 0;
  /// Returns the answer to a head that the framing guard refused. The connection closes after the answer.
  virtual response refuse(error const& failure, std::string_view client_address) = 0;
  /// Called after the last byte of each response, or when its connection ended before that (`complete` is false).
  virtual void written(std::size_t bytes, bool complete) { static_cast<void>(bytes), static_cast<void>(complete); }
};

}  // namespace svc::http
