#pragma once

#include <functional>
#include <string>

namespace svc::test {

/// Makes the directory `into`, which must be missing or empty, a copy of a directory that `make` fills. `make` is
/// called, under a lock, the first time that a test of this build asks for `name`; the result is kept next to the
/// binaries. This is for content that takes seconds to make and is the same for each test. A name contains everything
/// that the content depends on. The part before its first dot is the kind of the content; kept directories of the
/// same kind with other names are removed. Owners and modes are those that `make` gave. Throws `std::runtime_error`.
void copy_prepared(std::string const& name, std::string const& into,
                   std::function<void(std::string const&)> const& make);

}  // namespace svc::test
