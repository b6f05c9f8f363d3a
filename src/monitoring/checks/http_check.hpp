#pragma once

#include "monitoring/checks/check_types.hpp"
#include "svc/domain/monitoring/checks/http_check.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace svc::checks {

/// A field of the request. `secret`: its value is masked wherever it appears.
struct http_field {
  std::string name{};
  text_with_variables value{};
  bool secret = false;
};

enum class http_auth : std::uint8_t { none, basic, bearer };

/// `http_request` and `website`.
struct http_settings final : type_settings {
  task<result_of_check> probe(check_attempt attempt, probe_tools tools) const override;
  void visit_texts(std::function<void(text_with_variables const&)> const& visit) const override;
  void visit_patterns(std::function<void(re2::RE2 const&)> const& visit) const override;
  std::optional<std::string> secret_member() const override;
  std::span<std::uint32_t const> warning_days() const override { return days_before_end; }

  std::string method = "GET";
  std::vector<http_field> fields{};
  text_with_variables body{};
  http_auth auth = http_auth::none;
  text_with_variables username{}, password{}, token{};
  bool follow_redirects = true;
  unsigned most_redirects = 5;
  egress::ip_family family = egress::ip_family::any;
  std::size_t most_body_bytes = 1024 * 1024;
  bool verify = true;
  bool only_tls13 = false;
  text_with_variables server_name{}, authorities{}, certificate{}, key{};
  std::vector<std::uint32_t> days_before_end{};         ///< `sslWarningDays`
  std::shared_ptr<http_assertions const> assertions{};  ///< null if its configuration is refused
};

// The members of a request, in http_members.cpp.
void read_fields(member_reader& config, http_settings& out);
/// Requires the fields.
void read_auth(member_reader& config, http_settings& out);
void read_tls(member_reader& config, http_settings& out);

}  // namespace svc::checks
