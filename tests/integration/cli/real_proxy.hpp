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

  /// `password` belongs to the only user, `ci`; empty: no authentication. `only_port` limits CONNECT to that port; 0:
  /// any.
  explicit real_proxy(program which, std::string const& password = {}, int only_port = 0);

  /// Returns `http://[ci:PASSWORD@]127.0.0.1:PORT`. `password` must be percent-encoded, because the URL contains it
  /// unchanged.
  std::string url(std::string const& password = {}) const;
  /// Returns the log of requests.
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
