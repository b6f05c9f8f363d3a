#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/api/client_files.hpp"

#include <string>
#include <string_view>

namespace svc::app {

/// The largest program that is read; the client has a few MB.
inline constexpr std::size_t largest_client = 64UL * 1024 * 1024;

/// The directory that the clients are read from: `cli.directory`, or `../lib/svcd/cli` next to the directory of this
/// program, where the packages and the build put them.
std::string client_directory(configuration const& config);

/// Reads and logs the clients that the service hands out. Empty if `cli.serve` is false or no client is there.
/// A file that cannot be read is logged and not served, because the API is worth more than the client.
api::client_files read_client_files(configuration const& config, std::string_view public_url);

}  // namespace svc::app
