#pragma once

#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <optional>
#include <string>

namespace svc::test {

/// Debian's tinyproxy or squid on a free port of 127.0.0.1, with its own configuration and log. Ends with its
/// destructor.
class real_proxy {
 public:
  enum class program { tinyproxy, squid };

  /// `password`: of the only user, `ci`; empty: no authentication. `only_port`: where CONNECT may go; 0: anywhere.
  explicit real_proxy(program which, std::string const& password = {}, int only_port = 0);

  /// `http://[ci:PASSWORD@]127.0.0.1:PORT`; `password` is written as it is there: percent-encoded.
  std::string url(std::string const& password = {}) const;
  /// What it has logged of requests.
  std::string log() const;

 private:
  std::string tinyproxy_configuration(std::string const& password, int only_port) const;
  std::string squid_configuration(std::string const& password, int only_port) const;
  void wait_until_it_listens() const;

  temporary_directory directory_;
  int port_;
  std::string log_;
  std::optional<service> process_;
};

}  // namespace svc::test
