#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Bodies of requests with the JSON pointers that the contract refuses in them.

namespace svc::http::bodies {

/// `pointers` of all faults, joined by commas; "." for a fault of the body itself, and empty for a good body.
struct body_case {
  std::string_view operation;
  std::string body;
  std::string_view pointers;
};

inline std::string text(std::size_t length, std::string_view character = "a") {
  std::string out;
  for (std::size_t i = 0; i < length; ++i) out += character;
  return out;
}

inline std::string list(std::size_t length, std::string_view before, std::string_view after) {
  std::string out = "[";
  for (std::size_t i = 0; i < length; ++i) {
    out += (i == 0 ? "" : ",") + std::string(before) + std::to_string(1000 + i) + std::string(after);
  }
  return out + "]";
}

inline std::string name(std::string const& value) {
  return R"({"name":")" + value + "\"}";
}

inline std::string with(std::string const& member) {
  return R"({"name":"n",)" + member + "}";
}

/// The first 32 characters of an id; four hexadecimal digits follow.
inline std::string const id = "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d";

/// A list with one reference.
inline std::string const one_test = R"([{"id":")" + id + R"(6f70"}])";

}  // namespace svc::http::bodies
