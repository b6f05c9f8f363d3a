#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace svc::bench {

/// `--name value` pairs; a name may be repeated. Every mistake throws std::runtime_error.
class arguments {
 public:
  arguments(int argc, char const* const* argv);

  std::string text(std::string const& name, std::string const& otherwise) const;
  std::string needed(std::string const& name) const;
  double number(std::string const& name, double otherwise) const;
  std::vector<std::string> all(std::string const& name) const;

 private:
  std::map<std::string, std::vector<std::string>> given_;
};

/// The pieces of `https://host:port/target`; the host is a numeric address.
struct address {
  std::string host;
  std::string port;
  std::string target;
};

address parse_url(std::string const& url);

/// The `main` of a program: prints what `run` throws together with the usage, and exits with 2.
int run_program(int argc, char const* const* argv, char const* name, char const* usage, int (*run)(arguments const&));

}  // namespace svc::bench
