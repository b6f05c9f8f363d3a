#pragma once

#include "svc/core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace svc::store {

struct csv_row {
  int line = 0;  ///< where it begins, from 1
  std::vector<std::string> fields{};
};

/// RFC 4180 with LF or CRLF; empty lines are skipped, a byte order mark too. Fails on a quote out of place and on
/// one that is never closed, naming the line.
result<std::vector<csv_row>> parse_csv(std::string_view text);

}  // namespace svc::store
