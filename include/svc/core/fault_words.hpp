#pragma once

#include <span>
#include <string>
#include <string_view>

// The resolver, libpq, OpenSSL, Boost.Asio and libcurl describe broken connections for programmers. This says the
// same in words for operators.

namespace svc {

/// The remedy for a fault, and the part of a library's words that shows this fault.
struct fault_advice {
  std::string_view part;
  std::string_view advice;
};

/// Replaces the words of libraries that only programmers understand. The system's own ("Connection refused") stay,
/// because people search for them. Idempotent and pure.
std::string in_plain_words(std::string text);

/// Returns the fault in plain words, then the first advice whose part its original words contain. Pure.
std::string with_advice(std::string_view fault, std::span<fault_advice const> known);

}  // namespace svc
