#pragma once

#include <string>
#include <string_view>

namespace svc::outgoing {

/// ASCII only, as names of hosts and of fields are compared.
inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace svc::outgoing
