#pragma once

#include <string>
#include <string_view>

namespace svc::cli {

/// Returns the type of a test by the name of its script: `smoke.sh` is a command test. Empty if tests of
/// several types have such names.
std::string_view test_type_of(std::string_view script);

/// Returns the type of a new test whose user named none. Empty: there is no script, and the service's default is
/// right. Throws `bad_usage` for a script whose name does not determine the type, because a test of the wrong type
/// waits for a runner that may not exist.
std::string_view derived_test_type(std::string_view script);

}  // namespace svc::cli
