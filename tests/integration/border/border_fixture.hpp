#pragma once

#include "border/raw_case.hpp"
#include "support/fleet.hpp"
#include "support/raw_player.hpp"

#include <functional>
#include <string>
#include <vector>

namespace svc::test {

/// One service for all tests of the border, with every deadline of a connection at 500 ms, and a token for the cases.
class border_fixture {
 public:
  border_fixture();

  std::string address() const;  ///< ADDR:PORT of the TLS listener
  std::string const& token() const { return tenant_.token; }
  fleet& instances() { return fleet_; }

 private:
  fleet fleet_;
  tenant tenant_;
};

border_fixture& border();

/// One exchange of a test.
struct play {
  std::string name;
  raw_exchange exchange;
  std::function<std::string(raw_outcome const&)> complaint;  ///< empty: all is well
};

/// A play whose outcome must read like `raw_case::expected`. The bytes contain their token, whole or in pieces.
play expect(std::string name, std::vector<std::string> writes, std::string const& expected);

/// Plays everything over TLS and fails the test for each complaint, for each 5xx answer except 501 and 505, and for
/// an exchange that took longer than a second. An exchange that took nearly as long as a deadline of the service, or
/// longer, is repeated by itself, and that result counts. Prints the number and the duration.
void play_all(std::string const& subject, std::size_t count, std::size_t at_once,
              std::function<play(std::size_t)> const& make);

}  // namespace svc::test
