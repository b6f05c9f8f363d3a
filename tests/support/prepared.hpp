#pragma once

#include <functional>
#include <string>

namespace svc::test {

/// Makes the directory `into`, which must not be there or be empty, a copy of one that `make` fills: the first time
/// that a test of this build asks for `name`, under a lock, and then kept next to the binaries. For content that
/// takes seconds to make and is the same for each test. A name contains everything that the content depends on; the
/// part before its first dot says what it is, and what has another name of that kind is removed. Owners and modes are
/// those that `make` gave. Throws `std::runtime_error`.
void copy_prepared(std::string const& name, std::string const& into,
                   std::function<void(std::string const&)> const& make);

}  // namespace svc::test
