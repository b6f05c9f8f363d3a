#pragma once

#include "support/service.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace svc::test {

/// Ports of an instance: the API's, and that of runners.
struct balanced_ports {
  int api, runners;
};

/// Debian's HAProxy with the configuration of deploy/haproxy, on ports of its own and before these instances: TLS
/// passes through, /readyz decides who gets new connections, a PROXY header names the client.
class balancer {
 public:
  balancer(std::vector<balanced_ports> const& instances, std::string const& ca_file);

  std::string api_url() const { return "https://127.0.0.1:" + std::to_string(ports_.api); }
  std::string runners_url() const { return "https://127.0.0.1:" + std::to_string(ports_.runners); }

 private:
  temporary_directory directory_{};
  balanced_ports ports_;
  std::unique_ptr<service> haproxy_;
};

}  // namespace svc::test
