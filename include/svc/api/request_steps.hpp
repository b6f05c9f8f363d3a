#pragma once

#include "svc/api/exchange.hpp"
#include "svc/api/request_log.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/message.hpp"
#include "svc/http/target.hpp"

#include <cstddef>
#include <string_view>

namespace svc::api {

// Steps that the pipelines of both contracts share.

/// Counts a request while it is in flight, whichever way it ends.
class in_flight_guard {
 public:
  explicit in_flight_guard(std::size_t& count) : count_(count) { ++count_; }
  in_flight_guard(in_flight_guard const&) = delete;
  in_flight_guard& operator=(in_flight_guard const&) = delete;
  ~in_flight_guard() { --count_; }

 private:
  std::size_t& count_;
};

/// Returns the error without the tokens that a client may have put in the wrong place.
error hide_tokens(error failure);

/// Fills in `route` and `unroutable`. Fails for an invalid target; the route is then found only by the path, if that
/// can be read.
result<http::target> find_route(http::contract const& contract, exchange& x);

/// Returns the error's answer; with `Allow` for a method that the path does not take, with `Accept-Encoding` for a
/// content coding that is not supported.
http::response failure_response(exchange const& x, error const& failure);

/// Returns the answer to the exception being handled; called from the `catch` around all of a request's steps. Logs
/// unreachable stores and bugs.
http::response thrown_response(exchange const& x);

/// Returns the answer to a head that was refused before it became a request, and logs it.
http::response refused_head(error const& failure, std::string_view client_address, request_log& log);

}  // namespace svc::api
