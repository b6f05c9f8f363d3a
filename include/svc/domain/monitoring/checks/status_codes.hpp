#pragma once

#include "svc/core/result.hpp"

#include <bitset>
#include <cstddef>
#include <string_view>

namespace svc::checks {

/// The status codes of an answer that are good (`expectedStatusCodes`). A value.
class status_codes {
 public:
  /// Reads codes (`204`), ranges (`200-299`) and classes (`2xx`), separated by commas and optional spaces.
  /// Codes have three digits, 100 to 999, because servers send some above 599. `validation_failed` names the
  /// wrong item.
  static result<status_codes> parse(std::string_view text);
  static constexpr std::string_view usual = "200-299";
  static constexpr std::size_t longest_text = 255;

  bool has(int code) const;

 private:
  static constexpr int least = 100, most = 999;
  result<> add(std::string_view item);

  std::bitset<static_cast<std::size_t>(most - least) + 1> codes_{};
};

}  // namespace svc::checks
