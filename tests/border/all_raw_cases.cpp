#include "border/raw_case.hpp"

namespace svc::test {

raw_cases all_raw_cases() {
  raw_cases out;
  for (auto const table :
       {request_line_cases, method_cases, host_cases, line_cases, field_cases, limit_cases, length_cases,
        coding_cases, chunk_cases, trailer_cases, path_cases, query_cases, absolute_cases, id_cases, connection_cases,
        smuggling_cases, unfinished_cases, described_cases}) {
    for (auto& c : table()) out.push_back(std::move(c));
  }
  return out;
}

std::string with_token(std::string bytes, std::string_view token) {
  constexpr std::string_view spot = "{token}";
  for (auto sv = bytes.find(spot); sv != bytes.npos; sv = bytes.find(spot, sv + token.size()))
    bytes.replace(sv, spot.size(), token);
  return bytes;
}

}  // namespace svc::test
