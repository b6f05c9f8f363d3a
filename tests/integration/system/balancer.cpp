#include "balancer.hpp"

#include "support/free_port.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace svc::test {
namespace {

constexpr char const* haproxy_binary = "/usr/sbin/haproxy";

void replace(std::string& text, std::string const& subject, std::string const& name) {
  auto const position = text.find(subject);
  if (position == std::string::npos)
    throw std::runtime_error("deploy/haproxy/haproxy.cfg: there is no \"" + subject + "\"");
  text.replace(position, subject.size(), name);
}

/// The shipped file names two servers in each part: the first line becomes one for each instance.
void replace_servers(std::string& input, std::string const& two, std::vector<std::string> const& each) {
  std::string all;
  for (std::size_t i = 0; i < each.size(); ++i) all += "  server svc-" + std::to_string(i + 1) + " " + each[i] + "\n";
  replace(input, two, all);
}

std::string balancer_configuration(std::vector<balanced_ports> const& instances, balanced_ports own,
                                   std::string const& ca_file) {
  std::ifstream file(SVC_HAPROXY_CONFIGURATION);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  // An ordinary user runs the tests.
  replace(text, "  user haproxy\n  group haproxy\n", "");
  replace(text, "ca-file svcd-ca.pem", "ca-file " + ca_file);
  replace(text, "bind :8443", "bind 127.0.0.1:" + std::to_string(own.api));
  replace(text, "bind :8444", "bind 127.0.0.1:" + std::to_string(own.runners));
  std::vector<std::string> api, runners;
  for (auto const& ports : instances) {
    api.push_back("127.0.0.1:" + std::to_string(ports.api));
    runners.push_back("127.0.0.1:" + std::to_string(ports.runners) + " port " + std::to_string(ports.api));
  }
  replace_servers(text, "  server svc-1 svc-1:8443\n  server svc-2 svc-2:8443\n", api);
  replace_servers(text, "  server svc-1 svc-1:8444 port 8443\n  server svc-2 svc-2:8444 port 8443\n", runners);
  return text;
}

}  // namespace

balancer::balancer(std::vector<balanced_ports> const& instances, std::string const& ca_file)
    : ports_{free_port(), free_port()} {
  auto const file = directory_.write("haproxy.cfg", balancer_configuration(instances, ports_, ca_file));
  haproxy_ = std::make_unique<service>(std::vector<std::string>{"-db", "-f", file}, std::vector<std::string>{},
                                       haproxy_binary);
}

}  // namespace svc::test
