#pragma once

#include "svc/core/bytes.hpp"

namespace svc {

/// Fills from OpenSSL's CSPRNG; throws `std::runtime_error` when it cannot.
void random_bytes(std::span<std::uint8_t> out);

/// `length` characters of `0-9A-Za-z`, each equally likely.
std::string random_alphanumeric(std::size_t length);

/// Uniform in [0, 1): jitter only, not a secret.
double random_fraction();

}  // namespace svc
