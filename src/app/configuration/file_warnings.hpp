#pragma once

#include "svc/core/time.hpp"
#include "svc/core/toml.hpp"

#include <string>
#include <vector>

// Sentences for the operator about a configuration that the service accepts, but that should be changed. Functions
// that return a text return an empty one if nothing has to be changed, or if the file cannot be read: other checks
// report that.

namespace svc::app {

struct configuration;

/// Returns a warning if every user of the machine may read or change the file, which has secrets. It names the
/// command that mends the rights.
std::string warn_of_readers(std::string const& file);

/// Returns a warning if the first certificate of the PEM file has expired, is not valid yet, or expires within a
/// week.
std::string warn_of_certificate(std::string const& file, timestamp now);

/// Returns true if a value of the configuration file is a secret: a password, or a URL with a password. Pure.
bool holds_secret(raw_value const& value);

/// Returns what `svcd check-config` says in addition to the warnings of every load: `svcd serve` warns of the master
/// key itself, and the open listener is right in a container.
std::vector<std::string> warn_of_exposure(configuration const& values);

}  // namespace svc::app
