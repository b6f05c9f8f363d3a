#pragma once

#include "svc/redis/address.hpp"
#include "svc/redis/reply.hpp"

#include <optional>
#include <string_view>

namespace svc::redis {

/// Reads the answer to SENTINEL GET-MASTER-ADDR-BY-NAME. Returns `std::nullopt` for any other reply. Total.
std::optional<address> read_named(reply const& answer);

/// Reads the payload of `+switch-master`: `NAME OLD-HOST OLD-PORT NEW-HOST NEW-PORT`. Returns the new
/// address, or `std::nullopt` for another master or any other text. Total.
std::optional<address> read_switch(std::string_view payload, std::string_view master);

}  // namespace svc::redis
