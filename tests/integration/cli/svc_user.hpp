#pragma once

#include "integration/cli/svc_process.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace svc::test {

/// A user of `svc` with a `svcd dev`: with its token, or another one, and a separate home.
class svc_user {
 public:
  explicit svc_user(dev_service const& service, std::string const& token = {});

  svc_result run(std::vector<std::string> const& arguments, std::string const& input = "") const;
  /// Runs at a terminal, with an empty stdin; or with `typed` as the answer to a question that ends with `question`.
  svc_result at_terminal(std::vector<std::string> const& arguments, terminal_size const& size = {},
                         std::string const& question = {}, std::string const& typed = {}) const;
  /// Runs a shell's command line, with `svc` in its PATH.
  svc_result shell(std::string const& line) const;
  /// Returns stdout of a command that must succeed; otherwise throws with its output.
  std::string out(std::vector<std::string> const& arguments, std::string const& input = "") const;
  /// Returns the one id that `--quiet` prints.
  std::string id(std::vector<std::string> arguments, std::string const& input = "") const;
  /// Returns the output of `--json`.
  boost::json::value json(std::vector<std::string> arguments, std::string const& input = "") const;

  invocation how(std::vector<std::string> const& arguments) const;

 private:
  temporary_directory home_;
  std::vector<std::string> environment_;
};

inline bool has_text(std::string const& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Returns the token of a new user with that role in the demo's project.
std::string token_of_role(dev_service const& service, std::string const& role);

}  // namespace svc::test
