#pragma once

#include "svc/api/exchange.hpp"
#include "svc/api/request_log.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/message.hpp"
#include "svc/http/target.hpp"

#include <cstddef>
#include <string_view>

namespace svc::api {

// Steps that the pipelines of both contracts take alike.

/// Counts a request in and out, whatever way it takes.
class in_flight_guard {
 public:
  explicit in_flight_guard(std::size_t& count) : count_(count) { ++count_; }
  in_flight_guard(in_flight_guard const&) = delete;
  in_flight_guard& operator=(in_flight_guard const&) = delete;
  ~in_flight_guard() { --count_; }

 private:
  std::size_t& count_;
};

/// What is wrong, without what a client may have put in the wrong place.
error hide_tokens(error why);

/// Fills in `route` and `unroutable`. The failure is that of a target that is none; the route then goes by the path
/// alone.
result<http::target> find_route(http::contract const& contract, exchange& x);

/// The error's answer; `Allow` for a method that the path does not take, `Accept-Encoding` for a body's coding.
http::response failure_response(exchange const& x, error const& why);

/// The answer to what is being thrown; called from the `catch` around all of a request's steps. A store that is gone
/// and a bug are logged.
http::response thrown_response(exchange const& x);

/// To a head that was refused before it became a request; logged.
http::response refused_head(error const& why, std::string_view client_address, request_log& log);

}  // namespace svc::api
