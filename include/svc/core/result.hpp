#pragma once

#include "svc/core/errc.hpp"

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace svc {

/// One place in a request that is wrong: `field` is a JSON pointer (RFC 6901) or a parameter's name.
struct field_error {
  std::string field;
  std::string message;
};

/// A failure that input caused. `message` replaces the table's public sentence when it is not empty;
/// it is shown to the client, so it never holds driver text or secrets.
struct error {
  errc code;
  std::string message{};
  std::vector<field_error> details{};

  /// Only because `result::error()` on a success must return something.
  error() : code(errc::internal_error) {}
  error(errc c) : code(c) {}  // NOLINT(google-explicit-constructor): `return errc::not_found;` reads best
  error(errc c, std::string text) : code(c), message(std::move(text)) {}
  error(errc c, std::string text, std::vector<field_error> fields)
      : code(c), message(std::move(text)), details(std::move(fields)) {}
};

template <class T = void>
using result = boost::system::result<T, error>;

/// Redis or PostgreSQL is out of reach, or did not answer in time. Caught in the pipeline and in the
/// session's completion, nowhere else. `what()` goes to the log and never to a client.
class unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller lost its right to write between its admission and its transaction; nothing was written. So rare
/// that no statement's caller handles it: thrown by the repositories, caught in the pipeline.
class write_refused : public std::runtime_error {
 public:
  explicit write_refused(errc code) : std::runtime_error("the right to write is gone"), code_(code) {}
  errc code() const { return code_; }

 private:
  errc code_;
};

/// Called by `result::value()` on a failure: a bug in the caller.
[[noreturn]] inline void throw_exception_from_error(error const& e, boost::source_location const&) {
  throw std::logic_error("unchecked error " + std::to_string(static_cast<int>(e.code)) + ": " + e.message);
}

}  // namespace svc
