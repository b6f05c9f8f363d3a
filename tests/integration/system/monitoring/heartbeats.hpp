#pragma once

#include "support/fleet.hpp"

#include "svc/core/hash.hpp"
#include "svc/core/random.hpp"
#include "svc/core/uuid.hpp"

#include <string>

namespace svc::test {

/// As the contract describes it: CRC-32 of what stands before, six digits of base 62.
inline std::string with_checksum(std::string key) {
  constexpr char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  auto rest = crc32(key);
  std::string sum(6, '0');
  for (auto iterator = sum.rbegin(); iterator != sum.rend(); ++iterator, rest /= 62) *iterator = digits[rest % 62];
  return key + sum;
}

struct made_heartbeat {
  std::string id = uuid::generate_v7().to_string();
  std::string key = with_checksum("svc_beat_" + random_alphanumeric(24));

  std::string path(std::string const& signal = {}) const {
    return "/api/heartbeats/" + key + (signal.empty() ? "" : "/" + signal);
  }
};

/// `more`: further members of the configuration, after a comma.
inline made_heartbeat make_heartbeat(
    fleet& fleet, tenant const& tenant, std::string const& more = {},
    std::string const& times = R"("schedule":{"everySeconds":3600},"graceSeconds":300)") {
  made_heartbeat out;
  auto const slug = tenant.project.substr(tenant.project.find('/') + 1);
  fleet.sql(
      "INSERT INTO monitors (id, project_id, name, type, frequency_minutes, attempts_seconds, config, created_by)"
      " SELECT '" +
      out.id +
      "', p.id, 'backup', 'heartbeat', 5, 60,"
      " '{" +
      times + more + "}', '" + tenant.user_id +
      "' FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE o.slug = '" + tenant.organization +
      "' AND p.slug = '" + slug +
      "';"
      "INSERT INTO monitor_status (monitor_id) VALUES ('" +
      out.id +
      "');"
      "INSERT INTO check_states (monitor_id, location_id, check_version) VALUES ('" +
      out.id +
      "', '00000000-0000-0000-0000-000000000000', 1);"
      "INSERT INTO heartbeats (monitor_id, deadline_at) VALUES ('" +
      out.id +
      "', now());"
      "INSERT INTO heartbeat_keys (digest, monitor_id, sealed, key_id) VALUES (sha256('" +
      out.key + "'), '" + out.id + "', '', gen_random_uuid())");
  return out;
}

}  // namespace svc::test
