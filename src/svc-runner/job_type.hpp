#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::runner {

/// What kinds of jobs a runner can run; their names are its labels.
enum class job_type : std::uint8_t { command, playwright, k6 };

inline constexpr job_type job_types[] = {job_type::command, job_type::playwright, job_type::k6};

constexpr std::string_view to_string(job_type t) {
  switch (t) {
    case job_type::command:
      return "command";
    case job_type::playwright:
      return "playwright";
    case job_type::k6:
      break;
  }
  return "k6";
}

constexpr std::optional<job_type> find_job_type(std::string_view label) {
  for (auto const t : job_types)
    if (to_string(t) == label) return t;
  return std::nullopt;
}

}  // namespace svc::runner
