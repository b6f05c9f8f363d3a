#include "app/configuration/listeners.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/net/tls_context.hpp"

#include <libpq-fe.h>

namespace svc::app {
namespace {

void check_postgres(std::string const& name, secret_string const& url, std::vector<std::string>& problems) {
  std::string const text(url.reveal());
  // libpq's own message quotes parts of the string, so it is dropped.
  char* why = nullptr;
  auto* const parsed = PQconninfoParse(text.c_str(), &why);
  if (why != nullptr) PQfreemem(why);
  if (parsed == nullptr)
    problems.push_back(name + ": must be a libpq URI (postgresql://user@host/database) or keyword string");
  else
    PQconninfoFree(parsed);
}

void check_redis(configuration const& values, std::vector<std::string>& problems) {
  if (values.redis.url.empty()) {
    problems.push_back("redis.url: must be set");
    return;
  }
  try {
    auto const parsed = values.to_redis_settings();
    if (parsed.tls && !parsed.unix_path.empty()) problems.push_back("redis.tls: must be false for a Unix socket");
  } catch (std::exception const& e) {
    problems.push_back(std::string("redis.url: ") + e.what());
    return;
  }
  try {
    static_cast<void>(values.to_output_redis_settings());
  } catch (std::exception const& e) {
    problems.push_back(std::string("redis.output_url: ") + e.what());
  }
}

void check_certificate(configuration const& values, std::vector<std::string>& problems) {
  if (!values.any_tls()) return;
  if (values.tls.cert_file.empty()) problems.push_back("tls.cert_file: must be set");
  if (values.tls.key_file.empty()) problems.push_back("tls.key_file: must be set");
  if (!values.tls.cert_file.empty() && !values.tls.key_file.empty()) {
    try {
      static_cast<void>(net::load_tls_context(values.tls.cert_file, values.tls.key_file));
    } catch (std::exception const& e) {
      problems.push_back(std::string("tls.cert_file, tls.key_file: ") + e.what());
    }
  }
}

void check_ticket_keys(configuration const& values, std::vector<std::string>& problems) {
  if (!values.any_tls() || values.tls.ticket_keys_file.empty()) return;
  try {
    static_cast<void>(net::load_ticket_keys(values.tls.ticket_keys_file));
  } catch (std::exception const& e) {
    problems.push_back(std::string("tls.ticket_keys_file: ") + e.what());
  }
}

void check_master_key(configuration const& values, std::vector<std::string>& problems) {
  if (values.master_key_file.empty()) {
    problems.push_back("master_key_file: must be set");
    return;
  }
  try {
    static_cast<void>(master_keys::from_file(values.master_key_file));
  } catch (std::exception const& e) {
    problems.push_back(std::string("master_key_file: ") + e.what());
  }
}

}  // namespace

void check_configuration(configuration const& values, configuration_use use, std::vector<std::string>& problems) {
  if (use == configuration_use::showing) return;
  if (values.postgres.url.empty() && (use != configuration_use::migrating || values.postgres.migrate_url.empty()))
    problems.push_back("postgres.url: must be set");
  check_postgres("postgres.url", values.postgres.url, problems);
  check_postgres("postgres.migrate_url", values.postgres.migrate_url, problems);
  if (use == configuration_use::migrating) return;
  check_redis(values, problems);
  if (use == configuration_use::administering) return;
  check_listeners(values, problems);
  check_certificate(values, problems);
  check_ticket_keys(values, problems);
  check_master_key(values, problems);
}

}  // namespace svc::app
